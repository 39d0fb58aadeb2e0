"""Balanced blocks: who meets whom, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.ranking.blocks import balanced_blocks, block_scores, blocks_calls
from chatsearch.ranking.candidates import order_by


def meetings(n: int, blocks: Sequence[Sequence[Sequence[int]]]) -> dict[tuple[int, int], int]:
    counts = dict.fromkeys(combinations(range(n), 2), 0)
    for one in blocks:
        for block in one:
            for pair in combinations(sorted(block), 2):
                counts[pair] += 1
    return counts


@given(n=st.integers(0, 60), size=st.integers(2, 12), rounds=st.integers(1, 6), seed=st.integers(0, 9))
def test_every_round_holds_every_document_once_in_blocks_of_about_equal_length(n: int, size: int, rounds: int, seed: int) -> None:
    blocks = balanced_blocks(n, size, rounds, seed)
    assert sum(map(len, blocks)) == blocks_calls(n, size, rounds)
    for one in blocks:
        assert sorted(number for block in one for number in block) == list(range(n))
        lengths = [len(block) for block in one]
        assert max(lengths, default=0) <= max(size, 3)
        assert min(lengths, default=2) >= 2  # alone in its block a document would be the best of it
        assert max(lengths, default=0) - min(lengths, default=0) <= 1


@pytest.mark.parametrize(("n", "shared"), [(20, 5), (40, 2.5), (50, 2)])
def test_any_two_documents_meet_about_equally_often(n: int, shared: float) -> None:
    """As even as can be is when a block of one round and a block of another share as many documents as any two others."""
    for seed in range(5):
        for one, other in combinations(balanced_blocks(n, 10, 5, seed), 2):
            common = [len(set(block) & set(second)) for block in one for second in other]
            assert max(abs(count - shared) for count in common) <= 2
            assert np.var(common) <= 0.6


def test_balanced_blocks_are_more_even_than_chance() -> None:
    rng = np.random.default_rng(1)
    by_chance = [[list(map(int, one)) for one in np.split(rng.permutation(20), 2)] for _ in range(5)]
    even, uneven = (np.var(list(meetings(20, one).values())) for one in (balanced_blocks(20, 10, 5, 1), by_chance))
    assert even < 0.99  # 0.97 is the least there can be
    assert uneven > 1.1


def test_the_same_seed_gives_the_same_blocks_and_another_others() -> None:
    assert balanced_blocks(20, 10, 5, 3) == balanced_blocks(20, 10, 5, 3)
    assert balanced_blocks(20, 10, 5, 3) != balanced_blocks(20, 10, 5, 4)


def test_a_place_in_the_present_order_does_not_decide_the_place_in_a_block() -> None:
    firsts = [block[0] for one in balanced_blocks(20, 10, 50, 0) for block in one]
    assert len(set(firsts)) == 20


@given(worth=st.permutations(range(17)), size=st.integers(2, 20))
async def test_a_perfect_judge_of_everything_gives_the_perfect_order(worth: list[int], size: int) -> None:
    async def ask(groups: Sequence[list[int]]) -> list[list[int]]:
        return [sorted(group, key=lambda one: -worth[one]) for group in groups]

    scores = await block_scores(17, ask, size=size, rounds=5, prior=0, seed=0)
    if size >= 17:
        assert [worth[place] for place in order_by(scores)] == list(range(16, -1, -1))
    assert scores[worth.index(16)] == 1.0
    assert scores[worth.index(0)] == 0.0


async def test_a_score_is_the_mean_place_and_the_prior() -> None:
    async def ask(groups: Sequence[list[int]]) -> list[list[int]]:
        assert [sorted(group) for group in groups] == [[0, 1, 2], [0, 1, 2]]
        return [[2, 0, 1], [2, 1, 0]]

    scores = await block_scores(3, ask, size=10, rounds=2, prior=0.3, seed=0)
    # places 1, .5, 0; the prior is .3 × (1 − rank / 3)
    assert scores.tolist() == pytest.approx([0.25 + 0.2, 0.25 + 0.1, 1.0 + 0.0])


@pytest.mark.parametrize("n", [0, 1])
async def test_nothing_is_asked_of_fewer_than_two(n: int) -> None:
    async def ask(groups: Sequence[list[int]]) -> list[list[int]]:
        assert not groups
        return []

    assert len(await block_scores(n, ask, size=10, rounds=5, prior=0.3, seed=0)) == n
    assert blocks_calls(n, 10, 5) == 0
