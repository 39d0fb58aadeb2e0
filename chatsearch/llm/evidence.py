"""How near the sentences of documents are to a question: by their meaning, by their words, and by what stands around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p
from typing import TYPE_CHECKING

import regex

from chatsearch.languages import terms
from chatsearch.passages import Span, sentences
from chatsearch.prompts import PromptDocument

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

AROUND = 3
"""Sentences before and after one that count as what stands around it. A whole paragraph does no better (XQuAD), a whole long page
would hold almost any word."""

WORDS_WEIGHT = 0.3
"""What all words of a question are worth beside a cosine of 1 (regression on XQuAD's even questions: 0.31)."""

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


@dataclass(frozen=True)
class Evidence:
    """Three numbers for every sentence; `around` is what decides whether documents answer a question at all.

    `near` is the scaled cosine, `words` the share (by idf) of the question's words in the sentence or its document's title,
    `around` the best `near` plus the weighted share of words, both over the sentence and those around it.
    """

    near: Floats
    words: Floats
    around: Floats


def split(documents: Sequence[PromptDocument], language: str) -> list[Sentence]:
    """The sentences of `documents`, each with its terms in `language`, in order."""
    found: list[Sentence] = []
    for place, document in enumerate(documents):
        for span in sentences(document.text, document.language or language):
            text = span.of(document.text)
            found.append(Sentence(place, span, text, frozenset(terms(text, language)), _is_whole(text)))
    return found


class WordMatch:
    """Which words of a question stand in which sentence, weighted by how few sentences have them (idf as in BM25)."""

    def __init__(self, question: str, documents: Sequence[PromptDocument], found: Sequence[Sentence], language: str) -> None:
        import numpy as np

        asked = list(dict.fromkeys(terms(question, language)))
        titles = [frozenset(terms(document.title.replace("_", " "), language)) for document in documents]
        count = len(found)
        shape = (count, len(asked))
        in_sentence = np.array([[term in one.terms for term in asked] for one in found], dtype=float).reshape(shape)
        in_title = np.array([[term in titles[one.document] for term in asked] for one in found], dtype=float).reshape(shape)
        frequency = in_sentence.sum(axis=0)
        self._idf: Floats = np.array([log1p((count - n + 0.5) / (n + 0.5)) for n in frequency])
        self._total = float(self._idf.sum()) or 1.0
        self._matches: Floats = np.maximum(in_sentence, in_title)
        self._documents = np.array([one.document for one in found])
        # what is asked about the topic: the words of the question that no title has ("mother" of "Tesla's mother")
        self._aspect: Floats = in_sentence[
            :, [place for place, term in enumerate(asked) if not any(term in one for one in titles)]
        ]

    def shares(self) -> Floats:
        """The share of the question's words in each sentence or its document's title, 0 to 1."""
        share: Floats = self._matches @ self._idf / self._total
        return share

    def aspect_missing(self) -> Floats:
        """1 for each sentence where none of the question's words beside the topic stands in it or around it, else 0."""
        import numpy as np

        if not self._aspect.shape[1]:
            return np.zeros(len(self._aspect))
        missing: Floats = 1.0 - best_around(self._aspect, self._documents).max(axis=1)
        return missing

    def shares_around(self) -> Floats:
        """The same for each sentence together with those around it."""
        share: Floats = best_around(self._matches, self._documents) @ self._idf / self._total
        return share


def weigh(near: Sequence[float], match: WordMatch, found: Sequence[Sentence], aspect: float = 0.0) -> Evidence:
    """The evidence of each sentence; `near` is minus infinity for a sentence that was not embedded.

    `aspect` is what is taken off where nothing but the topic of the question is spoken of.
    """
    import numpy as np

    column = np.array(near, dtype=float)
    documents = np.array([one.document for one in found])
    around = best_around(column[:, None], documents)[:, 0] + WORDS_WEIGHT * match.shares_around()
    around = around - aspect * match.aspect_missing()
    return Evidence(column, match.shares(), around)


def best_around(values: Floats, documents: NDArray[np.int_]) -> Floats:
    """For each row of `values` the greatest of each column over the rows around it that belong to the same document."""
    import numpy as np

    best = values.copy()
    for distance in range(1, min(AROUND, len(values) - 1) + 1):
        same = (documents[distance:] == documents[:-distance])[:, None]
        best[distance:] = np.where(same, np.maximum(best[distance:], values[:-distance]), best[distance:])
        best[:-distance] = np.where(same, np.maximum(best[:-distance], values[distance:]), best[:-distance])
    return best


def shortlist(found: Sequence[Sentence], match: WordMatch, most: int, each: int = 0) -> list[int]:
    """The places of the `most` sentences to embed, those with the most words of the question; at least `each` of every document.

    Equal ones are taken from all documents in turn, in the documents' order, whole sentences before fragments.
    """
    if len(found) <= most:
        return list(range(len(found)))
    shares = match.shares() + 0.5 * match.shares_around()
    turn: dict[int, int] = {}
    keys: list[tuple[bool, float, int, int]] = []
    for place, one in enumerate(found):
        turn[one.document] = turn.get(one.document, 0) + 1
        keys.append((not one.whole, -round(float(shares[place]), 6), turn[one.document], place))
    ordered = sorted(range(len(found)), key=keys.__getitem__)
    chosen = set(ordered[:most])
    taken: dict[int, int] = {}
    for place in ordered:
        taken[found[place].document] = taken.get(found[place].document, 0) + 1
        if taken[found[place].document] <= each:
            chosen.add(place)
    return sorted(chosen)


def _is_whole(text: str) -> bool:
    size = len(regex.findall(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|[\p{L}\p{M}\p{N}]+", text))
    return size >= (_FEWEST_WORDS if _ENDS_LIKE_A_SENTENCE.search(text) else _FEWEST_WORDS_WITHOUT_END)
