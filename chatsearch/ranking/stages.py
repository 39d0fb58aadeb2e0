"""Stages: tournaments in which the better half of every group goes on and gets a point (TourRank, arXiv 2406.11678, 2024)."""

from __future__ import annotations

import random

import numpy as np

from chatsearch.ranking.blocks import group_lengths, normalised_places
from chatsearch.ranking.judging import Ask


def stage_sizes(n: int, size: int) -> list[list[int]]:
    """The lengths of the groups of each stage, until one or two documents are left; 20 by 10: [[10, 10], [10], [5]]."""
    stages: list[list[int]] = []
    while n > 2 or (n == 2 and (not stages or len(stages[-1]) > 1)):  # two that have not met yet do meet
        stages.append(group_lengths(n, size))
        n = sum(map(_going_on, stages[-1]))
    return stages


def stages_calls(n: int, size: int, rounds: int) -> int:
    """The calls of `stage_scores`: every group of every stage, in each of `rounds` tournaments."""
    return rounds * sum(map(len, stage_sizes(n, size)))


async def stage_scores(n: int, ask: Ask, *, size: int, rounds: int, seed: int) -> np.ndarray:
    """The points of each document over `rounds` tournaments held at the same time, so with as many rounds of calls as stages.

    Equal points are told apart by half the mean place in the groups (1 first, 0 last), which the paper does not use: the two
    documents that go on from the last stage would always be equal.
    """
    chance, points = random.Random(seed), np.zeros(n)
    places, times = np.zeros(n), np.zeros(n)
    playing = [list(range(n)) for _ in range(rounds)]
    for lengths in stage_sizes(n, size):
        answers = await ask([group for documents in playing for group in _dealt(documents, lengths, chance)])
        for ordered in answers:
            points[ordered[: _going_on(len(ordered))]] += 1
            places[ordered] += normalised_places(len(ordered))
            times[ordered] += 1
        each = len(lengths)
        playing = [_winners(answers[start : start + each]) for start in range(0, len(answers), each)]
    return points + places / np.maximum(times, 1) / 2


def _winners(answers: list[list[int]]) -> list[int]:
    """Those who go on from the groups of one tournament, in the present order."""
    return sorted(one for ordered in answers for one in ordered[: _going_on(len(ordered))])


def _going_on(length: int) -> int:
    return max(length // 2, 1)


def _dealt(documents: list[int], lengths: list[int], chance: random.Random) -> list[list[int]]:
    """Groups that hold good and bad ranks alike: neighbours in the present order are dealt to different groups, then chance."""
    groups: list[list[int]] = [[] for _ in lengths]
    for start in range(0, len(documents), len(lengths)):
        hand = documents[start : start + len(lengths)]
        for group, one in zip(chance.sample(groups, len(hand)), hand, strict=True):
            group.append(one)
    for group in groups:
        chance.shuffle(group)
    return groups
