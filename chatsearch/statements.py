"""Compares one statement of a model with the document it cites: a literal quote, something similar, or not found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import regex

from chatsearch.languages import stop_words, terms, words
from chatsearch.passages import Span, sentences

ENOUGH = 0.6
"""The share of a statement's words that a sentence of the document, with its neighbours, must have to be called similar."""


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
_NUMBER = regex.compile(r"\p{Nd}+(?:[.,\u00a0 ]\p{Nd}{3})*(?:[.,]\p{Nd}+)?")
_NAME = regex.compile(r"(?<=[\p{L}\p{N},;]\s)\p{Lu}[\p{L}\p{N}]+")
_SPACED = r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{Arabic}\p{Hebrew}\p{N}]"
_NOUNS_HAVE_CAPITALS = frozenset({"de", "lb"})
_FEWEST_CHARACTERS = 4


def check_statement(statement: str, text: str, language: str = "") -> Finding:
    """Exact when it stands literally in `text` (white space and punctuation at its ends aside), with its offsets.

    Similar when a sentence of `text` with its neighbours has most of its words and all of its numbers and names, with that
    sentence; else not found. By words alone: a statement in another language than its document is not found.
    """
    bare = _EDGES.sub("", statement)
    if not bare or not text:
        return NOT_FOUND
    literal = _literal(bare, text)
    return Finding(Check.EXACT, literal) if literal else _similar(bare, text, language)


def last_statement(text: str, language: str = "") -> str:
    """The last sentence of a text, or what has begun of it."""
    spans = [span for span in sentences(text, language) if any(map(str.isalnum, span.of(text)))]
    return spans[-1].of(text) if spans else ""


def _literal(bare: str, text: str) -> Span | None:
    if len(bare) < _FEWEST_CHARACTERS:
        return None
    pattern = r"\s+".join(map(regex.escape, bare.split()))
    before = rf"(?<!{_SPACED})" if regex.match(_SPACED, bare) else ""
    after = rf"(?!{_SPACED})" if regex.match(_SPACED, bare[-1]) else ""
    found = regex.search(f"{before}{pattern}{after}", text)
    return Span(found.start(), found.end()) if found else None


def _similar(bare: str, text: str, language: str) -> Finding:
    wanted = frozenset(terms(bare, language))
    spans = sentences(text, language)
    if not wanted or not spans or not _names_of(bare, language) <= frozenset(words(text, language)):
        return NOT_FOUND
    own = [frozenset(terms(span.of(text), language)) for span in spans]
    best = max(range(len(spans)), key=lambda place: _score(wanted, own, place))
    around = text[spans[max(0, best - 1)].start : spans[min(len(spans) - 1, best + 1)].end]
    together = frozenset().union(*own[max(0, best - 1) : best + 2])
    enough = len(wanted & together) >= ENOUGH * len(wanted) and bool(wanted & own[best])
    if not enough or not _numbers_of(bare) <= _numbers_of(around):
        return NOT_FOUND
    return Finding(Check.SIMILAR, spans[best])


def _score(wanted: frozenset[str], own: Sequence[frozenset[str]], place: int) -> float:
    around = frozenset().union(*own[max(0, place - 1) : place + 2])
    return len(wanted & own[place]) + 0.5 * len(wanted & around)


def _numbers_of(text: str) -> set[str]:
    """The numbers of a text without the signs between their digits: 1,500 and 1500 are one."""
    return {regex.sub(r"[.,\s]", "", number) for number in _NUMBER.findall(text)}


def _names_of(statement: str, language: str) -> set[str]:
    """The words with a capital that begin no sentence; none where every noun has one."""
    if language in _NOUNS_HAVE_CAPITALS:
        return set()
    capitals = [word for match in _NAME.findall(statement) for word in words(match, language)]
    return set(capitals) - stop_words(language or "en")
