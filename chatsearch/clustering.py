"""Groups of documents that are near each other, and how many groups there are."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from chatsearch.embedding import Vectors

FEWEST = 4
"""Below this many documents there is nothing to group."""

MOST_GROUPS = 10
_APART = 0.03  # the silhouette under which groups of embeddings are no groups


def clustered(vectors: Vectors, groups: int = 0) -> list[int]:
    """The group of each vector, from 0, in the order in which groups first appear; deterministic.

    Ward's method (1963) on unit vectors. Without a number of groups, the one with the best silhouette (Rousseeuw 1987) from 2 to
    the root of the count; a single group where none is good.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    count = len(vectors)
    if count < 2 or (not groups and count < FEWEST) or groups == 1 or np.ptp(vectors, axis=0).max() == 0:
        return [0] * count
    tree = linkage(vectors, "ward")
    if groups:
        return _in_order(fcluster(tree, min(groups, count), "maxclust"))
    found = {size: fcluster(tree, size, "maxclust") for size in range(2, min(MOST_GROUPS, round(sqrt(count)) + 1) + 1)}
    scores = {size: _silhouette(vectors, own) for size, own in found.items()}
    best = max(scores, key=lambda size: (scores[size], -size))
    return _in_order(found[best]) if scores[best] >= _APART else [0] * count


def _silhouette(vectors: Vectors, own: np.ndarray) -> float:
    from sklearn.metrics import silhouette_score

    return float(silhouette_score(vectors, own)) if 1 < len(set(own)) < len(vectors) else -1.0


def _in_order(own: Sequence[int] | np.ndarray) -> list[int]:
    numbers: dict[int, int] = {}
    return [numbers.setdefault(int(one), len(numbers)) for one in own]
