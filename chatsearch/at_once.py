"""Awaiting the same thing for many items at the same time, within a limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from chatsearch.work import Progress

T = TypeVar("T")
R = TypeVar("R")

LIMIT = 8


async def at_once(
    function: Callable[[T], Awaitable[R]], items: Iterable[T], *, limit: int = LIMIT, progress: Progress | None = None
) -> list[R]:
    """`function` of every item, in their order, `limit` at a time. The first error ends the others and is raised itself."""
    every, gate, done = list(items), asyncio.Semaphore(limit), 0

    async def one(item: T) -> R:
        nonlocal done
        async with gate:
            result = await function(item)
        done += 1
        if progress:
            progress(done, len(every))
        return result

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(item)) for item in every]
    except ExceptionGroup as errors:  # a group's own message names no reason
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
