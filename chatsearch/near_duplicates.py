"""How alike texts are by the runs of words they share: exact, for a result set of up to some thousand rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chatsearch.languages import words

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

RUN = 5
"""Words in a shingle (Broder 1997)."""

LONGEST = 8_000
"""Code points of a text that are compared; what begins alike for some four pages is taken to be alike."""

_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def word_lists(texts: Sequence[str]) -> list[list[str]]:
    """The words of each text that are compared. Blocking."""
    return [words(text[:LONGEST]) for text in texts]


def resemblance(found: Sequence[Sequence[str]]) -> csr_matrix:
    """The share of shingles that two texts have in common (Jaccard), shape (texts, texts), sparse; 0 for one without words.

    A text shorter than a shingle is a shingle itself.
    """
    numbers: dict[str, int] = {}
    rows = [_shingles(np.array([numbers.setdefault(word, len(numbers)) for word in one], dtype=np.uint64)) for one in found]
    # equal texts are compared once: a thousand copies of a long one would take a minute
    places = {row.tobytes(): place for place, row in reversed(list(enumerate(rows)))}
    distinct = sorted(places.values())
    number = {place: n for n, place in enumerate(distinct)}
    copies = [number[places[row.tobytes()]] for row in rows]
    shared = _in_common([rows[place] for place in distinct])
    return shared[copies][:, copies].tocsr()


def _in_common(rows: Sequence[NDArray[np.uint64]]) -> csr_matrix:
    from scipy.sparse import csr_matrix

    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    distinct, columns = np.unique(np.concatenate([*rows, np.empty(0, dtype=np.uint64)]), return_inverse=True)
    holds = csr_matrix((np.ones(len(columns), dtype=np.int32), columns, ends), shape=(len(rows), len(distinct)))
    shared = (holds @ holds.T).tocsr()
    shared.sort_indices()
    row_of = np.repeat(np.arange(len(rows)), np.diff(shared.indptr))
    together = sizes[row_of] + sizes[shared.indices] - shared.data
    return csr_matrix((shared.data / together, shared.indices, shared.indptr), shape=shared.shape)


def _shingles(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A 64-bit hash of each distinct run of words."""
    if not len(numbers):
        return numbers
    length = min(RUN, len(numbers))
    windows = np.lib.stride_tricks.sliding_window_view(numbers, length)
    hashes = np.full(len(windows), np.uint64(length))
    for place in range(length):
        hashes = (hashes * _BASE) ^ (windows[:, place] + np.uint64(1))
        hashes = hashes * _MIX
        hashes ^= hashes >> np.uint64(29)
    return np.unique(hashes)
