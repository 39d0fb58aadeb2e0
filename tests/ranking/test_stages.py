"""Tournaments in stages."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.ranking.candidates import order_by
from chatsearch.ranking.stages import stage_scores, stage_sizes, stages_calls


@pytest.mark.parametrize(
    ("n", "stages"),
    [
        (20, [[10, 10], [10], [5]]),
        (100, [[10] * 10, [10] * 5, [9, 8, 8], [6, 6], [6], [3]]),
        (11, [[6, 5], [5]]),
        (10, [[10], [5]]),
        (3, [[3]]),
        (2, [[2]]),
        (1, []),
        (0, []),
    ],
)
def test_the_better_half_goes_on_until_two_are_left(n: int, stages: list[list[int]]) -> None:
    assert stage_sizes(n, 10) == stages


def test_five_tournaments_of_twenty_take_twenty_calls() -> None:
    assert stages_calls(20, 10, 5) == 20


@given(worth=st.permutations(range(23)), size=st.integers(2, 12), rounds=st.integers(1, 4), seed=st.integers(0, 5))
async def test_calls_and_rounds_are_those_announced_and_the_best_wins(
    worth: list[int], size: int, rounds: int, seed: int
) -> None:
    asked: list[int] = []

    async def ask(groups: Sequence[list[int]]) -> list[list[int]]:
        asked.append(len(groups))
        assert all(2 <= len(group) <= max(size, 3) for group in groups)
        return [sorted(group, key=lambda one: -worth[one]) for group in groups]

    points = await stage_scores(23, ask, size=size, rounds=rounds, seed=seed)
    assert sum(asked) == stages_calls(23, size, rounds)
    assert len(asked) == len(stage_sizes(23, size))
    assert points[worth.index(22)] == max(points) == rounds * len(asked) + 0.5
    assert order_by(points)[0] == worth.index(22)
    assert points[worth.index(0)] == 0


async def test_neighbours_in_the_present_order_are_in_different_groups() -> None:
    async def ask(groups: Sequence[list[int]]) -> list[list[int]]:
        if len(groups) == 10:
            for first, second in zip(groups[::2], groups[1::2], strict=True):
                for place in range(0, 20, 2):
                    assert (place in first) == (place + 1 in second)
        return [list(group) for group in groups]

    await stage_scores(20, ask, size=10, rounds=5, seed=0)


async def test_the_same_seed_asks_the_same_questions() -> None:
    asked: list[list[int]] = []

    async def ask(groups: Sequence[list[int]]) -> list[list[int]]:
        asked.extend(list(group) for group in groups)
        return [sorted(group) for group in groups]

    await stage_scores(20, ask, size=10, rounds=5, seed=7)
    first, asked[:] = list(asked), []
    await stage_scores(20, ask, size=10, rounds=5, seed=7)
    assert asked == first
