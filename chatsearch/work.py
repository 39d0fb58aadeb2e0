"""Blocking work away from the event loop, in small batches, so that a cancelled run ends at the next batch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

BATCH = 8

T = TypeVar("T")
R = TypeVar("R")

Progress = Callable[[int, int], None]
"""Called with (done, total) on the event loop's thread."""


async def in_batches(
    function: Callable[[Sequence[T]], Sequence[R]],
    items: Sequence[T],
    *,
    size: int = BATCH,
    progress: Progress | None = None,
) -> list[R]:
    """`function` of every batch of `items`, one batch at a time in a thread, in order.

    Cancelling the awaiting task returns at once; the batch under way ends in its thread and no other is begun.
    """
    out: list[R] = []
    for start in range(0, len(items), size):
        out.extend(await asyncio.to_thread(function, items[start : start + size]))
        if progress:
            progress(min(start + size, len(items)), len(items))
    return out
