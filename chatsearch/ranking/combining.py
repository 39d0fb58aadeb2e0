"""Several rankings of the same documents become one: weighted reciprocal rank fusion, or a sum of scaled scores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chatsearch.ranking.overlap import scaled


def reciprocal_ranks(rankings: Sequence[np.ndarray], weights: Sequence[float], k: int) -> np.ndarray:
    """Σ weight / (k + rank) for each document (Cormack, Clarke and Büttcher 2009).

    A ranking is an array of values of which the highest is best, one per document; equal values share their best rank. A
    document without a value (NaN) gets nothing from that ranking.
    """
    total = np.zeros(len(rankings[0]))
    for values, weight in zip(rankings, weights, strict=True):
        known = ~np.isnan(values)
        total[known] += weight / (k + _ranks(values[known]))
    return total


def scaled_sum(rankings: Sequence[np.ndarray], weights: Sequence[float]) -> np.ndarray:
    """Σ weight · score, each ranking's scores scaled to 0 … 1, over Σ weight; a document without a value has 0 there."""
    total = sum(weight * np.nan_to_num(scaled(values)) for values, weight in zip(rankings, weights, strict=True))
    return np.asarray(total / sum(weights), dtype=float)


def _ranks(values: np.ndarray) -> np.ndarray:
    """1 for the highest value; equal values have the same rank."""
    ordered = np.sort(-values)
    return np.searchsorted(ordered, -values, side="left") + 1
