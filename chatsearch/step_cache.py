"""What steps of earlier runs left, kept in memory, so that a changed pipeline runs only from its first change on.

The steps of a run form a path from the query on; runs that begin alike share the beginning of their paths. What follows a step is
found only through the very outcome it was computed from, and goes with it; what was not used for longest goes first.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import inf

import numpy as np
import pandas as pd

from chatsearch.events import Event, Warned
from chatsearch.results import JourneyStep, LedgerRow, ResultSet, RunWarning

_OVERHEAD = 4000  # bytes of an entry beside its documents and texts
_PER_ROW = 250  # bytes of a document in the journey and among the numbers
_SAMPLE = 32  # cells of a column of mixed values that are looked at


@dataclass(frozen=True)
class StepOutcome:
    """What a step, or a group of sources, left and reported: `numbers` are the steps', `rows` their rows of the ledger.

    `results` has no ledger, journey and warnings: those of the steps before belong to another run. `events` are the warnings and
    the tokens of summaries, in their order; `journey` is None for a step that moves nothing.
    """

    numbers: tuple[int, ...]
    results: ResultSet
    rows: tuple[LedgerRow, ...]
    warnings: tuple[RunWarning, ...] = ()
    events: tuple[Event, ...] = ()
    journey: JourneyStep | None = None

    @classmethod
    def of(cls, before: ResultSet, after: ResultSet, numbers: Sequence[int], events: Sequence[Event]) -> StepOutcome:
        """What the steps of these numbers added to `before`."""
        rows = tuple(row for row in after.ledger if row.step in numbers)
        journey = after.journey[-1] if len(after.journey) > len(before.journey) else None
        warnings = after.warnings[len(before.warnings) :]
        return cls(tuple(numbers), _apart(after), rows, warnings, tuple(events), journey)

    def replayed(self, numbers: Sequence[int]) -> StepOutcome:
        """The same under the numbers that its steps have by now, with what it costs now: nothing."""
        now = dict(zip(self.numbers, numbers, strict=True))
        return StepOutcome(
            numbers=tuple(numbers),
            results=_apart(self.results),
            rows=tuple(_taken(row, now[row.step]) for row in self.rows),
            warnings=tuple(replace(one, step=now.get(one.step, one.step)) for one in self.warnings),
            events=tuple(_renumbered(event, now) for event in self.events),
            journey=replace(self.journey, step=now[self.journey.step]) if self.journey else None,
        )

    def after(self, before: ResultSet) -> ResultSet:
        """The result set of a run that had `before`, after these steps."""
        ledger = tuple(sorted((*before.ledger, *self.rows), key=lambda row: row.step))
        journey = (*before.journey, *([self.journey] if self.journey else []))
        return replace(self.results, ledger=ledger, warnings=(*before.warnings, *self.warnings), journey=journey)


def was_taken(row: LedgerRow) -> bool:
    """Whether a step did not run and its outcome was taken from an earlier run: `seconds` is 0, `cached` at least 1."""
    return row.seconds == 0 and row.cached > 0


def first_run_step(ledger: Sequence[LedgerRow]) -> int | None:
    """The number of the first step that really ran; None when all were taken from earlier runs."""
    return next((row.step for row in ledger if not was_taken(row)), None)


@dataclass(eq=False)
class Kept:
    """An outcome in the cache, and the one it followed; `until` is when it is too old, on the cache's clock."""

    outcome: StepOutcome
    key: str
    before: Kept | None
    until: float
    documents_bytes: int
    size: int
    after: set[str] = field(default_factory=set)


class StepCache:
    """Outcomes of steps, at most `limit` bytes of them by an estimate that counts shared columns at every step.

    Safe to use from several threads and event loops. `clock` gives seconds.
    """

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = limit
        self.clock = clock
        self.size = 0
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, before: Kept | None, step: str) -> Kept | None:
        """The outcome of a step, described by `step`, on that of `before` (None: the first step)."""
        with self._lock:
            found = self._kept.get(_key(before, step))
            if found is None or found.before is not before:
                return None
            if found.until <= self.clock():
                self._drop(found)
                return None
            self._touch(found)
            return found

    def keep(self, before: Kept | None, step: str, outcome: StepOutcome, until: float = inf) -> Kept | None:
        """Keep an outcome, in the place of an older one. None when it has no room, or when `before` is not kept any more."""
        documents_bytes = _documents_bytes(outcome.results.documents, before)
        size = documents_bytes + _other_bytes(outcome)
        until = min(until, before.until) if before else until
        with self._lock:
            if size > self.limit or (before is not None and self._kept.get(before.key) is not before):
                return None
            entry = Kept(outcome, _key(before, step), before, until, documents_bytes, size)
            older = self._kept.get(entry.key)
            if older is not None:
                self._drop(older)
            self._add(entry)
            while self.size > self.limit:
                self._drop(next(iter(self._kept.values())))
            return entry if entry.key in self._kept else None

    def _add(self, entry: Kept) -> None:
        self._kept[entry.key] = entry
        self.size += entry.size
        if entry.before is not None:
            entry.before.after.add(entry.key)
        self._touch(entry)

    def _touch(self, entry: Kept) -> None:
        """Mark as used; what an entry followed counts as used later, so that the end of a path goes before its beginning."""
        one: Kept | None = entry
        while one is not None:
            self._kept.move_to_end(one.key)
            one = one.before

    def _drop(self, entry: Kept) -> None:
        for key in tuple(entry.after):
            self._drop(self._kept[key])
        del self._kept[entry.key]
        self.size -= entry.size
        if entry.before is not None:
            entry.before.after.discard(entry.key)


def _key(before: Kept | None, step: str) -> str:
    return sha256(f"{before.key if before else ''} {step}".encode("utf-8", "surrogatepass")).hexdigest()


def _apart(results: ResultSet) -> ResultSet:
    """The result set alone, with a frame of its own: pandas copies a column when somebody writes into it."""
    return replace(results, documents=results.documents.copy(deep=False), ledger=(), warnings=(), journey=())


def _taken(row: LedgerRow, step: int) -> LedgerRow:
    return LedgerRow(step, row.module, row.rows_in, row.rows_out, 0.0, cached=max(1, row.rows_out), warnings=row.warnings)


def _renumbered(event: Event, now: Mapping[int, int]) -> Event:
    if not isinstance(event, Warned):
        return event
    return replace(event, warning=replace(event.warning, step=now.get(event.warning.step, event.warning.step)))


def _documents_bytes(frame: pd.DataFrame, before: Kept | None) -> int:
    """About how much a frame takes; the columns that the frame before had are taken to be as large by row as they were."""
    old = before.outcome.results.documents if before else None
    if before is None or old is None or not len(old):
        return sum(_column_bytes(frame[name]) for name in frame.columns)
    known = before.documents_bytes * len(frame) // len(old)
    if len(frame.columns) == len(old.columns):  # no module loses one
        return known
    there = set(old.columns)
    return known + sum(_column_bytes(frame[name]) for name in frame.columns if name not in there)


def _column_bytes(column: pd.Series) -> int:
    size = int(column.array.nbytes)
    if column.dtype != object or not len(column):
        return size
    sample = column.iloc[:: max(1, len(column) // _SAMPLE)].to_numpy()
    return size + sum(map(_cell_bytes, sample)) * len(column) // len(sample)


def _cell_bytes(cell: object) -> int:
    if isinstance(cell, np.ndarray):
        return int(cell.nbytes)
    if isinstance(cell, Mapping):
        return sys.getsizeof(cell) + sum(_cell_bytes(key) + _cell_bytes(value) for key, value in cell.items())
    return sys.getsizeof(cell) + (sum(map(_cell_bytes, cell)) if isinstance(cell, list | tuple | set) else 0)


def _other_bytes(outcome: StepOutcome) -> int:
    notes = [note for summary in outcome.results.summaries for note in summary.footnotes]
    texts = sum(len(summary.text) for summary in outcome.results.summaries)
    return _OVERHEAD + _PER_ROW * len(outcome.results) + 4 * texts + 1000 * len(notes) + 500 * len(outcome.events)
