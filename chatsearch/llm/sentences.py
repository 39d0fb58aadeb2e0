"""The sentences of documents with the terms they are compared by; those of documents seen before are remembered."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain

import regex

from chatsearch.languages import stems, stop_words, words
from chatsearch.passages import Span, sentences
from chatsearch.prompts import PromptDocument

REMEMBERED = 20_000
"""Sentences of the documents split last, about 30 MB: four result sets of 50 documents of 2,000 words."""

_ENDS_LIKE_A_SENTENCE = regex.compile(r"""[.!?…。！？।؟][\p{P}\p{S}\s\d]*$""")
_FEWEST_WORDS = 3
_FEWEST_WORDS_WITHOUT_END = 8


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the document at `document` in its prompt; `whole` is false for a heading or another fragment."""

    document: int
    span: Span
    text: str
    terms: frozenset[str]
    whole: bool


def split(documents: Sequence[PromptDocument], language: str) -> list[Sentence]:
    """The sentences of `documents`, each with its terms in `language`, in order."""
    return [
        Sentence(place, one.span, one.text, one.terms, one.whole)
        for place, document in enumerate(documents)
        for one in _recent.of(document.text, document.language or language, language)
    ]


class RecentSentences:
    """The sentences of the texts split last, as those of a document at place 0, by text and languages. Thread-safe."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._count = 0
        self._kept: OrderedDict[tuple[str, str, bytes], tuple[Sentence, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, text: str, written_in: str, compared_in: str) -> tuple[Sentence, ...]:
        """The sentences of a text in the language `written_in`, their terms in that of `compared_in` (ISO 639-1)."""
        key = (written_in, compared_in, blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest())
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = _sentences(text, written_in, compared_in)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = found
                self._count += len(found)
            while self._count > self._size and len(self._kept) > 1:
                self._count -= len(self._kept.popitem(last=False)[1])
        return found


_recent = RecentSentences(REMEMBERED)


def _sentences(text: str, written_in: str, compared_in: str) -> tuple[Sentence, ...]:
    spans = sentences(text, written_in)
    texts = [span.of(text) for span in spans]
    every = [words(one, compared_in) for one in texts]
    return tuple(
        Sentence(0, span, one, terms, _is_whole(one, len(said)))
        for span, one, terms, said in zip(spans, texts, _terms(every, compared_in), every, strict=True)
    )


def _terms(every: Sequence[Sequence[str]], language: str) -> list[frozenset[str]]:
    """`languages.terms` of each sentence's words, with one call of the stemmer for all of them."""
    stop = stop_words(language)
    kept = [[word for word in said if word not in stop] or said for said in every]
    distinct = list(dict.fromkeys(chain.from_iterable(kept)))
    stem = dict(zip(distinct, stems(distinct, language), strict=True))
    return [frozenset(stem[word] for word in said) for said in kept]


def _is_whole(text: str, size: int) -> bool:
    return size >= (_FEWEST_WORDS if _ENDS_LIKE_A_SENTENCE.search(text) else _FEWEST_WORDS_WITHOUT_END)
