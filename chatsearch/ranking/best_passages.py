"""The passages of a long text that share the most words with a query."""

from __future__ import annotations

from chatsearch.languages import detect, terms, words
from chatsearch.passages import PASSAGE_WORDS, Span, passages

EXCERPT_WORDS = 300
"""What a model that orders documents reads of each: two passages, about 400 tokens (RankGPT cuts at 300 words too)."""

_LONGEST_EXCERPT = 3_600  # code points: 300 words that are no words, as in a text of encoded data, are not sent whole


def best_passages(text: str, query: str, most: int, language: str = "", size: int = PASSAGE_WORDS) -> list[Span]:
    """At most `most` passages of at most `size` words, those with the most different words of the query first.

    Of equal ones the earlier comes first.
    """
    code = language or detect(text)
    found = passages(text, code, size)
    if len(found) <= most:
        return found
    wanted = frozenset(terms(query, code))
    shared = [len(wanted.intersection(terms(span.of(text), code))) for span in found]
    return [found[place] for place in sorted(range(len(found)), key=lambda place: -shared[place])[:most]]


def excerpt(text: str, query: str, language: str = "") -> str:
    """A short text as it is; of a long one its best passages, up to `EXCERPT_WORDS`, in the order of the text."""
    code = language or detect(text)
    stripped = text.strip()
    if len(words(stripped, code)) <= EXCERPT_WORDS:
        return stripped[:_LONGEST_EXCERPT]
    chosen: list[Span] = []
    left = EXCERPT_WORDS
    for span in best_passages(text, query, 8, code):
        size = len(words(span.of(text), code))
        if chosen and size > left:
            continue
        chosen.append(span)
        left -= size
    return " … ".join(span.of(text) for span in sorted(chosen, key=lambda one: one.start))[:_LONGEST_EXCERPT]
