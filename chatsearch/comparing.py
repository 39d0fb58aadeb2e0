"""How a cell compares with a value that a person typed: as numbers, as dates, else as text."""

from __future__ import annotations

import math
import unicodedata

from chatsearch.dates import period_of
from chatsearch.labels import as_data


def texts_of(cell: object) -> list[str]:
    """The values of a cell as texts: those of a list (or of its JSON) one by one; none for a missing or an empty one."""
    found = as_data(cell)
    parts = found if isinstance(found, list) else [found]
    texts = [_text(part) for part in parts if part is not None]
    return [text for text in texts if text]


def is_equal(text: str, value: str) -> bool:
    """Whether both are the same number, the same date, or the same text whatever its capitals."""
    if _folded(text) == _folded(value):
        return True
    return compared(text, value, as_text=False) == 0


def compared(text: str, value: str, *, as_text: bool = True) -> int | None:
    """-1, 0 or 1 as `text` is less than, equal to or greater than `value`; None when they cannot be compared.

    A date compares with the period the value names: every day of 2021 is equal to "2021".
    """
    one, other = _number(text), _number(value)
    if one is not None and other is not None:
        return (one > other) - (one < other)
    date, wanted = period_of(text), period_of(value)
    if date and wanted:
        return -1 if date.end <= wanted.start else 1 if date.start >= wanted.end else 0
    if not as_text or other is not None or wanted is not None:  # a text is neither more nor less than a number
        return None
    left, right = _folded(text), _folded(value)
    return (left > right) - (left < right)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip()


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold()
