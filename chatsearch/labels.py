"""Cells that hold several values: a list, a JSON text, or a text with commas."""

from __future__ import annotations

import json

from chatsearch.cells import is_missing, plain

_OPENING = ("[", "{")


def labels_of(cell: object) -> list[str]:
    """The labels of a cell, without white space around them; none for a missing value.

    A list (also NumPy's), the JSON text of one, or a text with commas between labels.
    """
    found = as_data(cell)
    if isinstance(found, str):
        parts: list[object] = list(found.split(","))
    else:
        parts = found if isinstance(found, list) else [] if found is None else [found]
    texts = (str(part).strip() for part in parts if not is_missing(part))
    return [text for text in texts if text]


def as_data(cell: object) -> object:
    """A cell as plain data: None when it is missing, and the content of a JSON text that is a list or an object."""
    value = plain(cell)
    if isinstance(value, str) and value.strip().startswith(_OPENING):
        try:
            return json.loads(value)
        except ValueError:
            return value.strip().strip("[]{}") if value.strip().startswith("[") else value
    return value
