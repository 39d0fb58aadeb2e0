"""The schemes of MOSAIC-RAG's paper, done right: every combination of k documents, and the knock-out tournament."""

from __future__ import annotations

import random
from itertools import combinations
from math import comb

import numpy as np

from chatsearch.ranking.blocks import normalised_places
from chatsearch.ranking.judging import Ask


def combination_calls(n: int, window: int) -> int:
    """The calls of `combination_scores`: n over k."""
    return comb(n, min(window, n)) if n > 1 else 0


async def combination_scores(n: int, ask: Ask, *, window: int, seed: int) -> np.ndarray:
    """The mean place (1 first, 0 last) of each document over all combinations of `window`, each in a shuffled order."""
    shuffled, places = random.Random(seed), np.zeros(n)
    if not combination_calls(n, window):
        return places
    groups = [shuffled.sample(group, len(group)) for group in combinations(range(n), min(window, n))]
    for ordered in await ask(groups):
        places[ordered] += normalised_places(len(ordered))
    return places / (len(groups) * min(window, n) / n)


def knock_out_calls(n: int) -> int:
    """The calls of `knock_out_scores`: n − 1 matches, each in both orders."""
    return 2 * max(n - 1, 0)


async def knock_out_scores(n: int, ask: Ask) -> np.ndarray:
    """The rounds each document survived, higher is better. Every match is asked in both orders of presentation.

    The better-ranked document of a match goes on when the two answers differ. The bracket is seeded by the present order, so
    that the two best can meet in the last round only; where n is no power of two the best have no match in the first.
    """
    survived, bracket = np.zeros(n), [one if one < n else None for one in _seeds(n)]
    while len(bracket) > 1:
        pairs = list(zip(bracket[::2], bracket[1::2], strict=True))
        matches = [(one, other) for one, other in pairs if one is not None and other is not None]
        answers = await ask([order for one, other in matches for order in ([one, other], [other, one])])
        won = {match: _winner(match, answers[2 * at : 2 * at + 2]) for at, match in enumerate(matches)}
        bracket = [won[one, other] if one is not None and other is not None else one if other is None else other
                   for one, other in pairs]  # fmt: skip
        survived[[one for one in bracket if one is not None]] += 1
    return survived


def _winner(match: tuple[int, int], answers: list[list[int]]) -> int:
    first = {answer[0] for answer in answers}
    return first.pop() if len(first) == 1 else min(match)


def _seeds(n: int) -> list[int]:
    """The usual order of a bracket of at least n seeds from 0: 0 meets the last, and 1 on the other side."""
    seeds = [0]
    while len(seeds) < n:
        seeds = [each for one in seeds for each in (one, 2 * len(seeds) - 1 - one)]
    return seeds
