"""How far a build has come, told a few times a second, and how it is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

T = TypeVar("T")

Phase = Literal["reading", "lexical", "dense"]

_SECONDS_BETWEEN = 0.1


class BuildStopped(Exception):  # noqa: N818 - it is no error: somebody wanted it
    """The build was asked to stop and left no trace."""


@dataclass(frozen=True)
class BuildProgress:
    """`done` documents (in the phase "dense": passages) of `total`, which is None while nobody knows; rates per second."""

    phase: Phase
    done: int
    total: int | None
    per_second: float
    seconds_left: float | None


class Ticker:
    """Counts one phase, reports it, and raises BuildStopped as soon as `stop` says so."""

    def __init__(
        self,
        phase: Phase,
        total: int | None,
        report: Callable[[BuildProgress], None] | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        self._phase: Phase = phase
        self._total = total
        self._report = report
        self._stop = stop
        self._began = self._told = time.monotonic()
        self.done = 0

    def over(self, items: Iterable[T]) -> Iterator[T]:
        """`items`, each counted when it has been dealt with."""
        for item in items:
            yield item
            self.add(1)
        self.finish()

    def add(self, count: int) -> None:
        """`count` more are done."""
        self.done += count
        now = time.monotonic()
        if now - self._told >= _SECONDS_BETWEEN:
            self._told = now
            self._tell()
        if self._stop is not None and self._stop():
            raise BuildStopped

    def finish(self) -> None:
        """The phase is over: told in any case."""
        self._total = self.done
        self._tell()

    def _tell(self) -> None:
        if self._report is None:
            return
        seconds = time.monotonic() - self._began
        rate = self.done / seconds if seconds > 0 else 0.0
        left = (self._total - self.done) / rate if self._total is not None and rate > 0 else None
        self._report(BuildProgress(self._phase, self.done, self._total, rate, left))
