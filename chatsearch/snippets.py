"""The stretch of each document that a list shows: its sentence nearest to the query, cut to a length."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chatsearch.answering import text_column
from chatsearch.cells import cell_text
from chatsearch.languages import iso639_1, terms
from chatsearch.passages import Span, sentences
from chatsearch.results import ResultSet
from chatsearch.work import in_batches

LENGTH = 220

_WORD = re.compile(r"\w+")


async def snippets(results: ResultSet, length: int = LENGTH) -> list[str]:
    """One snippet per row, in the rows' order; empty where a document has no text."""
    frame = results.documents
    pairs = list(zip(cell_text(frame, text_column(results, "")), cell_text(frame, "language"), strict=True))
    return await in_batches(
        lambda batch: [snippet(text, results.query, iso639_1(language), length) for text, language in batch], pairs
    )


def snippet(text: str, query: str, language: str = "", length: int = LENGTH) -> str:
    """The sentence with most of the query's terms (the first among equals), at most `length` characters, whole words."""
    wanted = set(terms(query, language))
    spans = sentences(text, language)
    if not spans:
        return ""
    place = max(range(len(spans)), key=lambda one: len(wanted & set(terms(spans[one].of(text), language))))
    best = spans[place]
    if best.of(text).endswith((":", "：")) and place + 1 < len(spans):
        best = Span(best.start, spans[place + 1].end)
    return _cut(text, best, wanted, length)


def marked(text: str, query: str, language: str = "") -> list[tuple[str, bool]]:
    """`text` in stretches, each with whether it is a word of the query (by its stem); together they are `text`."""
    wanted = set(terms(query, language))
    out: list[tuple[str, bool]] = []
    last = 0
    for word in _WORD.finditer(text):
        if wanted & set(terms(word[0], language)):
            out += [(text[last : word.start()], False)] if word.start() > last else []
            out.append((word[0], True))
            last = word.end()
    return [*out, (text[last:], False)] if last < len(text) else out


def _cut(text: str, span: Span, wanted: set[str], length: int) -> str:
    sentence = " ".join(span.of(text).split())
    if len(sentence) <= length:
        return sentence
    first = _first_hit(sentence, wanted)
    start = 0 if first < length * 2 // 3 else sentence.rfind(" ", 0, first - length // 3) + 1
    end = sentence.rfind(" ", start + 1, start + length)
    end = end if end > start else start + length
    return f"{'… ' if start else ''}{sentence[start:end]}{' …' if end < len(sentence) else ''}"


def _first_hit(sentence: str, wanted: Sequence[str] | set[str]) -> int:
    """Where the first word stands whose beginning is that of a wanted term; 0 when none is there."""
    lowered = sentence.casefold()
    places = [lowered.find(term) for term in wanted]
    return min((place for place in places if place >= 0), default=0)
