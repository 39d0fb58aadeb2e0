"""Compares one statement of a model with the document it cites: a literal quote, something similar, or not found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import regex

from chatsearch.passages import Span, sentences
from chatsearch.statement_said import statement_about
from chatsearch.statement_text import SplitText

ENOUGH = 0.6
"""The share of a statement's words that a sentence of the document must have to be called similar, by words alone."""


class Check(StrEnum):
    """How a cited statement compares with its document."""

    EXACT = "exact"
    SIMILAR = "similar"
    NOT_FOUND = "not found"


@dataclass(frozen=True)
class Finding:
    """How a statement compares, and the stretch of the document it was found at (None when it was not)."""

    check: Check
    span: Span | None = None


NOT_FOUND = Finding(Check.NOT_FOUND)

_EDGES = regex.compile(r"^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$")
_SPACED = r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{Arabic}\p{Hebrew}\p{N}]"
_FEWEST_CHARACTERS = 4


def check_statement(statement: str, text: str, language: str = "") -> Finding:
    """Exact when it stands literally in `text` (white space and punctuation at its ends aside), with its offsets.

    Similar when a sentence of `text`, or two next to each other, has most of its words, with all of its numbers and names in or
    near it, and does not say the opposite; else not found. By words alone, without a model: `checking.StatementChecker`
    also knows what means the same. A statement in another language than its document is not found.
    """
    bare = bare_statement(statement)
    if not any(map(str.isalnum, bare)) or not text.strip():
        return NOT_FOUND
    stands = literal(bare, text)
    if stands:
        return Finding(Check.EXACT, stands)
    said = statement_about(bare, text, language)
    split = SplitText(text, said.of_document)
    places = [] if said.across else said.candidates(split, "")
    if not places:
        return NOT_FOUND
    best = max(places, key=lambda place: said.share(split, place))
    around = [place for place in (best - 1, best, best + 1) if 0 <= place < len(split.spans)]
    meant = said.meant(split, best).of(text)
    if not said.share(split, best) or said.share(split, *around) < ENOUGH or said.is_opposite(meant) or said.is_negation(meant):
        return NOT_FOUND
    return Finding(Check.SIMILAR, split.spans[best])


def bare_statement(statement: str) -> str:
    """A statement without the punctuation and white space at its ends."""
    return _EDGES.sub("", statement)


def literal(bare: str, text: str) -> Span | None:
    """Where a bare statement stands in `text` word by word, whatever the white space; None where it does not."""
    if len(bare) < _FEWEST_CHARACTERS:
        return None
    pattern = r"\s+".join(map(regex.escape, bare.split()))
    before = rf"(?<!{_SPACED})" if regex.match(_SPACED, bare) else ""
    after = rf"(?!{_SPACED})" if regex.match(_SPACED, bare[-1]) else ""
    found = regex.search(f"{before}{pattern}{after}", text)
    return Span(found.start(), found.end()) if found else None


def last_statement(text: str, language: str = "") -> str:
    """The last sentence of a text, or what has begun of it."""
    spans = [span for span in sentences(text, language) if any(map(str.isalnum, span.of(text)))]
    return spans[-1].of(text) if spans else ""
