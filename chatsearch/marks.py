"""Marks in a text: stretches between `**`, put in and taken out without changing anything else.

A `**` that the text has itself is written `*\\*`, as Markdown does, so that every `**` of a marked text is a mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from chatsearch.passages import Span

MARK = "**"

# two asterisks with nothing but backslashes between them: one more backslash, so that this can be undone
_CLOSE = re.compile(r"\*(?=\\*\*)")
_OPENED = re.compile(r"\*\\(?=\\*\*)")


def marked(text: str, spans: Iterable[Span]) -> str:
    """`text` with a mark before and after each span. Spans must not overlap; an empty one is left out."""
    own = {match.start() for match in _CLOSE.finditer(text)}
    begins = {span.start: span.end for span in spans if span.start < span.end}
    ends = set(begins.values())
    parts: list[str] = []
    for place, character in enumerate(text):
        parts += [MARK] * ((place in ends) + (place in begins))
        parts.append(f"{character}\\" if place in own else character)
    return "".join([*parts, *([MARK] if len(text) in ends else [])])


def unmarked(text: str) -> str:
    """The text as it was before `marked`, to the letter."""
    return _OPENED.sub("*", text.replace(MARK, ""))
