"""How near the sentences of documents are to a question: by their meaning, by their words, and by what stands around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log1p
from typing import TYPE_CHECKING

from chatsearch.languages import terms
from chatsearch.llm.answer_types import Asked
from chatsearch.llm.sentences import Sentence as Sentence
from chatsearch.llm.sentences import split as split
from chatsearch.prompts import PromptDocument

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

AROUND = 3
"""Sentences before and after one that count as what stands around it. A whole paragraph does no better (XQuAD), a whole long page
would hold almost any word."""

_FEWEST_OF_A_NAME, _ENDING = 4, 2  # characters: a name's last two may be its case


@dataclass(frozen=True)
class Weights:
    """What counts for and against a sentence and those around it, beside the best cosine there, which counts 1.

    `words` times the share of the question's words; less `aspect` where none of them is there but the topic's; less `names` and
    `numbers` times the share of the question's names and numbers that is missing; less `untyped` where the sentence and its two
    neighbours hold no answer of the kind that is asked for.
    """

    words: float
    aspect: float = 0.0
    names: float = 0.0
    numbers: float = 0.0
    untyped: float = 0.0


# Searched on a grid, on XQuAD's even questions (result sets of 20 documents; English and German over 240 documents, Spanish,
# Russian and Chinese over 80), for most refusals of the hard kind while 2 to 4 % of the answerable ones are refused. A regression
# over the same features gives English and E5's languages about the same weights, so there is one set for both.
WITHIN = Weights(words=0.5, aspect=0.18, names=0.1, numbers=0.1, untyped=0.15)
"""For a question in the documents' language."""

ACROSS = Weights(words=0.3)
"""For a question in another language, which has few words in common with the documents."""


@dataclass(frozen=True)
class Evidence:
    """Five numbers for every sentence; `around` is what decides whether documents answer a question at all.

    `near` is the scaled cosine, `words` the share (by idf) of the question's words in the sentence or its document's title,
    `unnamed` the share of its names that are in neither, `untyped` 1 where the kind of answer asked for is known and the sentence
    holds none, else 0, `around` the best `near` of the sentence and those around it, weighed with the rest as `Weights` says.
    `near` and `around` are minus infinity for a sentence that was not embedded.
    """

    near: Floats
    words: Floats
    unnamed: Floats
    untyped: Floats
    around: Floats


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


def weigh(
    near: Sequence[float],
    match: WordMatch,
    asked: Asked,
    documents: Sequence[PromptDocument],
    found: Sequence[Sentence],
    weights: Weights = WITHIN,
) -> Evidence:
    """The evidence of each sentence; `near` is minus infinity for a sentence that was not embedded."""
    import numpy as np

    column = np.array(near, dtype=float)
    places = np.array([one.document for one in found])
    names = _holding(asked.names, documents, found)
    numbers = _holding(asked.numbers, documents, found)
    untyped = _untyped(asked, found, best_around(np.isfinite(column)[:, None].astype(float), places, 1)[:, 0] > 0)
    around = (
        best_around(column[:, None], places)[:, 0]
        + weights.words * match.shares_around()
        - weights.aspect * match.aspect_missing()
        - weights.names * _missing(best_around(names, places))
        - weights.numbers * _missing(best_around(numbers, places))
        + weights.untyped * best_around(-untyped[:, None], places, 1)[:, 0]
    )
    return Evidence(column, match.shares(), _missing(names), untyped, np.where(np.isfinite(column), around, -inf))


def _holding(items: frozenset[str], documents: Sequence[PromptDocument], found: Sequence[Sentence]) -> Floats:
    """1 where a sentence or its document's title has a name or number of the question, shape (sentences, items)."""
    import numpy as np

    beginnings = sorted(item[: max(_FEWEST_OF_A_NAME, len(item) - _ENDING)] for item in items)
    titles = [document.title.casefold() for document in documents]
    rows = []
    for sentence in found if beginnings else ():
        text, title = sentence.text.casefold(), titles[sentence.document]
        rows.append([one in text or one in title for one in beginnings])
    return np.array(rows, dtype=float).reshape(len(found), len(beginnings))


def _missing(holding: Floats) -> Floats:
    """The share of the items that are not there; none is missing where the question has none."""
    import numpy as np

    share: Floats = 1.0 - holding.mean(axis=1) if holding.shape[1] else np.zeros(len(holding))
    return share


def _untyped(asked: Asked, found: Sequence[Sentence], looked_at: NDArray[np.bool_]) -> Floats:
    """1 for each sentence looked at that holds no answer of the kind asked for; 0 for all others, and where no kind is known."""
    import numpy as np

    return np.array(
        [float(bool(look) and not asked.may_be_answered_by(one.text)) for one, look in zip(found, looked_at, strict=True)]
    )


def best_around(values: Floats, documents: NDArray[np.int_], reach: int = AROUND) -> Floats:
    """For each row of `values` the greatest of each column over it and `reach` rows before and after, of the same document."""
    import numpy as np

    best = values.copy()
    for distance in range(1, min(reach, len(values) - 1) + 1):
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
