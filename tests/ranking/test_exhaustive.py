"""The schemes of MOSAIC-RAG's paper, without what was wrong there."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.ranking.candidates import order_by
from chatsearch.ranking.exhaustive import combination_calls, combination_scores, knock_out_calls, knock_out_scores
from chatsearch.ranking.judging import Ask


def judge(worth: Sequence[float], asked: list[list[list[int]]]) -> Ask:
    async def ask(groups: Sequence[list[int]]) -> list[list[int]]:
        asked.append([list(group) for group in groups])
        return [sorted(group, key=lambda one: -worth[one]) for group in groups]

    return ask


@given(worth=st.permutations(range(7)), window=st.integers(2, 9))
async def test_all_combinations_in_one_round_give_the_judge_s_order(worth: list[int], window: int) -> None:
    asked: list[list[list[int]]] = []
    scores = await combination_scores(7, judge(worth, asked), window=window, seed=0)
    assert [worth[place] for place in order_by(scores)] == [6, 5, 4, 3, 2, 1, 0]
    (groups,) = asked
    assert len(groups) == len({frozenset(group) for group in groups}) == combination_calls(7, window)
    assert (max(scores), min(scores)) == (1.0, 0.0)


def test_how_many_combinations_there_are() -> None:
    assert [combination_calls(20, 2), combination_calls(20, 3), combination_calls(3, 5)] == [190, 1140, 1]
    assert [combination_calls(0, 2), combination_calls(1, 2), combination_calls(2, 2)] == [0, 0, 1]


async def test_a_combination_is_shown_in_no_fixed_order() -> None:
    asked: list[list[list[int]]] = []
    await combination_scores(12, judge([0] * 12, asked), window=2, seed=0)
    turned = sum(first > second for first, second in asked[0])
    assert 20 < turned < 46


@given(worth=st.integers(1, 21).flatmap(lambda n: st.permutations(range(n))))
async def test_the_best_wins_the_knock_out_and_every_match_is_asked_both_ways(worth: list[int]) -> None:
    asked: list[list[list[int]]] = []
    n = len(worth)
    survived = await knock_out_scores(n, judge(worth, asked))
    assert worth[order_by(survived)[0]] == n - 1
    assert sum(map(len, asked)) == knock_out_calls(n)
    assert len(asked) == (ceil(log2(n)) if n > 1 else 0)
    for groups in asked:
        assert [group[::-1] for group in groups[::2]] == groups[1::2]


async def test_a_model_that_takes_the_first_of_two_changes_nothing() -> None:
    async def first(groups: Sequence[list[int]]) -> list[list[int]]:
        return [list(group) for group in groups]

    survived = await knock_out_scores(11, first)
    assert order_by(survived)[0] == 0
    assert survived[0] == max(survived)


@pytest.mark.parametrize("n", [0, 1])
async def test_one_document_has_no_match(n: int) -> None:
    asked: list[list[list[int]]] = []
    assert len(await knock_out_scores(n, judge([0], asked))) == n
    assert not asked


async def test_the_two_best_can_meet_in_the_last_round_only() -> None:
    asked: list[list[list[int]]] = []
    await knock_out_scores(16, judge(list(range(16, 0, -1)), asked))
    assert [sorted(groups[0]) for groups in asked][-1] == [0, 1]
    assert all({0, 1} != set(group) for groups in asked[:-1] for group in groups)
