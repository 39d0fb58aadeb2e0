"""Several rankings become one."""

from __future__ import annotations

import numpy as np
import pytest

from chatsearch.ranking.combining import reciprocal_ranks, scaled_sum


def test_reciprocal_ranks_are_summed_with_their_weights() -> None:
    first, second = np.array([3.0, 2.0, 1.0]), np.array([1.0, 2.0, np.nan])
    found = reciprocal_ranks([first, second], [1.0, 2.0], 60)
    assert found.tolist() == pytest.approx([1 / 61 + 2 / 62, 1 / 62 + 2 / 61, 1 / 63])


def test_equal_values_share_their_best_rank() -> None:
    assert reciprocal_ranks([np.array([5.0, 5.0, 1.0])], [1.0], 0).tolist() == pytest.approx([1, 1, 1 / 3])


def test_scaled_scores_are_a_weighted_mean() -> None:
    found = scaled_sum([np.array([10.0, 20.0, 15.0]), np.array([0.3, 0.1, np.nan])], [3.0, 1.0])
    assert found.tolist() == pytest.approx([0.25, 0.75, 0.375])


def test_equal_scores_and_no_scores_decide_nothing() -> None:
    found = scaled_sum([np.array([7.0, 7.0]), np.array([np.nan, np.nan]), np.array([1.0, 2.0])], [1.0, 1.0, 1.0])
    assert found.tolist() == pytest.approx([0.0, 1 / 3])
