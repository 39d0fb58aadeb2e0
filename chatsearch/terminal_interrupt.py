"""Ctrl-C in the terminal chat: the first stops what is under way, the second leaves."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")


class Stopped(Exception):  # noqa: N818 - no error
    """The person pressed Ctrl-C, and what was under way has ended."""


class Left(Exception):  # noqa: N818 - no error
    """The person pressed it again."""


async def stoppable(work: Coroutine[None, None, T], stop: Callable[[], object] | None = None) -> T:
    """What `work` gives. The first Ctrl-C ends it, by `stop` where that leaves something to give; the second cancels it.

    Raises Stopped and Left.
    """
    task, pressed = asyncio.ensure_future(work), 0

    def press() -> None:
        nonlocal pressed
        pressed += 1
        if stop is not None and pressed == 1:
            stop()
        else:
            task.cancel()

    with on_interrupt(press):
        try:
            return await task
        except asyncio.CancelledError:
            if not pressed:
                raise
            raise (Stopped if pressed == 1 else Left) from None


@contextmanager
def on_interrupt(press: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls `press`, on the event loop, until this is over. One at a time."""
    loop, before = asyncio.get_running_loop(), signal.getsignal(signal.SIGINT)
    try:
        loop.add_signal_handler(signal.SIGINT, press)
    except NotImplementedError:  # Windows
        signal.signal(signal.SIGINT, lambda number, frame: _soon(loop, press))
    try:
        yield
    finally:
        try:
            loop.remove_signal_handler(signal.SIGINT)
        except NotImplementedError:
            log.debug("the event loop has no signal handlers")
        signal.signal(signal.SIGINT, before)


def _soon(loop: asyncio.AbstractEventLoop, press: Callable[[], None]) -> None:
    loop.call_soon_threadsafe(press)
