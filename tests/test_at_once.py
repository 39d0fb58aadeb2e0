"""Many things awaited at the same time."""

from __future__ import annotations

import asyncio

import pytest

from chatsearch.at_once import at_once


async def test_results_come_in_the_order_of_the_items_and_progress_counts() -> None:
    seen: list[tuple[int, int]] = []
    gate = asyncio.Event()

    async def doubled(item: int) -> int:
        if item == 1:
            await gate.wait()
        else:
            gate.set()
        return 2 * item

    assert await at_once(doubled, [1, 2, 3], progress=lambda done, of: seen.append((done, of))) == [2, 4, 6]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert await at_once(doubled, []) == []


async def test_no_more_than_the_limit_run_at_a_time() -> None:
    running, most = 0, 0

    async def counted(item: int) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    await at_once(counted, range(10), limit=3)
    assert most == 3


async def test_the_first_error_ends_the_others_and_is_raised_itself() -> None:
    ended: list[str] = []

    async def work(item: int) -> None:
        if item == 0:
            await asyncio.sleep(0)
            raise ValueError("the reason")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    with pytest.raises(ValueError, match="the reason"):
        await at_once(work, [0, 1, 2])
    assert ended == ["cancelled"] * 2
