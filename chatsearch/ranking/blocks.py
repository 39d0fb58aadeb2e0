"""Balanced blocks: every document is ordered among a few others several times, all at once, and its places are averaged.

After permutation self-consistency (Tang et al. 2023, arXiv 2310.07712), over blocks instead of the whole list.
"""

from __future__ import annotations

import asyncio
import random
from math import ceil

import numpy as np

from chatsearch.ranking.judging import Ask

SWAPPED = 200
"""Up to so many documents the blocks are balanced; with more, hardly any two of them meet twice by chance either."""


def balanced_blocks(n: int, size: int, rounds: int, seed: int) -> list[list[list[int]]]:
    """`rounds` times the numbers 0 to n − 1 in shuffled blocks, whose lengths are `group_lengths(n, size)`.

    Any two numbers share a block about equally often over the rounds. The same arguments give the same blocks.
    """
    chance, met = random.Random(seed), np.zeros((n, n))
    return [_partition(n, size, met, chance) for _ in range(rounds)] if n > 1 else []


def blocks_calls(n: int, size: int, rounds: int) -> int:
    """How many blocks `balanced_blocks` makes: the calls of `block_scores`."""
    return rounds * len(group_lengths(n, size))


def group_lengths(n: int, size: int) -> list[int]:
    """As few groups of at most `size` as hold n, of about equal length; none of one: pairs of an odd n are one of three."""
    count = min(ceil(n / size), n // 2)
    return [n // count + (group < n % count) for group in range(count)]


async def block_scores(n: int, ask: Ask, *, size: int, rounds: int, prior: float, seed: int) -> np.ndarray:
    """The mean place of each document in its blocks (1 first, 0 last) + `prior` × (1 − rank / n); higher is better.

    Documents are numbered from 0 in their present order, so that document 0 has rank 1. One round of calls.
    """
    made = await asyncio.to_thread(balanced_blocks, n, size, rounds, seed)
    blocks = [block for one in made for block in one]
    places, times = np.zeros(n), np.zeros(n)
    for ordered in await ask(blocks):
        places[ordered] += normalised_places(len(ordered))
        times[ordered] += 1
    return places / np.maximum(times, 1) + prior * (1 - np.arange(1, n + 1) / n)


def normalised_places(length: int) -> np.ndarray:
    """1 for the first place, 0 for the last, evenly between."""
    return 1 - np.arange(length) / max(length - 1, 1)


def _partition(n: int, size: int, met: np.ndarray, chance: random.Random) -> list[list[int]]:
    """Blocks by chance, then better ones by swaps, for as long as a swap lets fewer meet who met before; counts `met` up."""
    shuffled = np.array(chance.sample(range(n), n))
    lengths = group_lengths(n, size)
    block_of = np.empty(n, dtype=int)
    block_of[shuffled] = np.repeat(np.arange(len(lengths)), lengths)
    for _ in range(n if n <= SWAPPED else 0):
        gain, one, other = _best_swap(met, block_of, len(lengths))
        if gain <= 0:
            break
        block_of[[one, other]] = block_of[[other, one]]
    met += block_of[:, None] == block_of[None, :]
    np.fill_diagonal(met, 0)
    return [shuffled[block_of[shuffled] == block].tolist() for block in range(len(lengths))]


def _best_swap(met: np.ndarray, block_of: np.ndarray, count: int) -> tuple[float, int, int]:
    """The two numbers of different blocks to swap, and how many meetings of those who met before that saves."""
    known = met @ (block_of[:, None] == np.arange(count))  # (n, count): how often each met the members of a block
    elsewhere = known[:, block_of]
    at_home = np.diagonal(elsewhere)
    gains = at_home[:, None] + at_home[None, :] - elsewhere - elsewhere.T + 2 * met
    gains[block_of[:, None] == block_of[None, :]] = 0
    one, other = divmod(int(np.argmax(gains)), len(met))
    return float(gains[one, other]), one, other
