"""Runs a spec over a query and yields events; there is no second way to run a pipeline."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import pandas as pd

from chatsearch.contracts import check_columns, kept_promises, missing_columns
from chatsearch.errors import ChatsearchError, MissingColumnError, ModuleError, SourceError
from chatsearch.events import Documents, Event, Finished, StepFinished, StepStarted, SummaryToken, Warned
from chatsearch.fusion import SourceList, fuse
from chatsearch.known_steps import KnownSteps
from chatsearch.lost_rows import where_rows_went
from chatsearch.module import DataSource, Hits
from chatsearch.query import checked_query as checked_query
from chatsearch.results import ORIGINAL_RANKING, SOURCE_INDEX, JourneyStep, LedgerRow, ResultSet, RunWarning
from chatsearch.services import Services
from chatsearch.spec import Spec, Step
from chatsearch.step import StepRun
from chatsearch.step_cache import StepOutcome

log = logging.getLogger(__name__)

FUSED = "fused"
_CLEANING_UP = 0.5  # seconds


class Pipeline:
    """Runs specs with the services of this process."""

    def __init__(self, services: Services) -> None:
        self.services = services

    async def run(self, spec: Spec, query: str, *, cancel: asyncio.Event | None = None) -> AsyncIterator[Event]:
        """The events of one run, the last of which is `Finished`.

        Closing the iterator stops the run; setting `cancel` stops it too, and `Finished` then carries what was done. Raises
        InputError for a query that cannot be searched, MissingColumnError, SourceError when no source answers, and
        ModuleError when a step that removes rows fails; any other failure is a warning and the run goes on.
        """
        asked = checked_query(query, self.services.settings.max_query_characters)
        check_columns(spec, self.services)
        run = _Run(self.services, spec, asked)
        task = asyncio.create_task(run.execute(cancel))
        try:
            while (event := await run.events.get()) is not None:
                yield event
            await task
        finally:
            task.cancel()
            await asyncio.wait([task])


async def run_to_end(pipeline: Pipeline, spec: Spec, query: str) -> ResultSet:
    """The result set of one run, for callers that want no events."""
    async for event in pipeline.run(spec, query):
        if isinstance(event, Finished):
            return event.results
    raise AssertionError("a run ends with Finished or raises")


@dataclass
class _Run:
    """One run: the results so far, and the queue its events go into."""

    services: Services
    spec: Spec
    asked: str
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    seq: int = 0
    events: asyncio.Queue[Event | None] = field(default_factory=asyncio.Queue)
    results: ResultSet = field(init=False)
    listed: bool = False
    answered: bool = False
    stopped: bool = False
    source_errors: list[str] = field(default_factory=list)
    reported: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        empty = pd.DataFrame(columns=["id", "title", "url", SOURCE_INDEX, ORIGINAL_RANKING])
        self.results = ResultSet(asked=self.asked, query=self.asked, documents=empty)
        self.steps = self.spec.enabled_steps
        moving = [place for place, step in enumerate(self.steps) if step.module.moves_rows or step.module.removes_rows]
        self.last_moving = moving[-1]
        self.last_source = max(place for place, step in enumerate(self.steps) if isinstance(step.module, DataSource))
        self.known = KnownSteps(self.services, self.asked)
        self.loop, self.thread = asyncio.get_running_loop(), threading.get_ident()

    def emit(self, event: Event) -> None:
        """Put an event into the queue; a module may call it from a thread of its own."""
        if threading.get_ident() != self.thread:
            self.loop.call_soon_threadsafe(self.emit, event)
            return
        if isinstance(event, Warned | SummaryToken):
            self.reported.append(event)
        self.seq += 1
        self.events.put_nowait(replace(event, run_id=self.run_id, seq=self.seq))

    async def execute(self, cancel: asyncio.Event | None) -> None:
        try:
            cancelled = await self._until_cancelled(cancel)
            if cancelled:
                message = "The search was stopped; these are the results of the steps that were done."
                self._warn(RunWarning(0, "", "cancelled", message))
                if not self.listed:
                    self._number(cancelled=True)
            self.emit(Finished(results=self.results, cancelled=cancelled))
        finally:
            self.events.put_nowait(None)

    async def _until_cancelled(self, cancel: asyncio.Event | None) -> bool:
        work = asyncio.ensure_future(self._all_steps())
        stop = asyncio.ensure_future(cancel.wait()) if cancel else None
        try:
            await asyncio.wait([work, *([stop] if stop else [])], return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                await work
            return not work.done()
        finally:
            self.stopped = not work.done()
            unfinished = [task for task in (work, stop) if task is not None and not task.done()]
            for task in unfinished:
                task.cancel()
            if unfinished:  # a step that takes its time to clean up must not hold up the person who stopped it
                await asyncio.wait(unfinished, timeout=_CLEANING_UP)

    async def _all_steps(self) -> None:
        for warning in self.spec.warnings:
            self._warn(warning)
        place = 0
        try:
            for sources, group in groupby(self.steps, key=lambda step: isinstance(step.module, DataSource)):
                steps = list(group)
                for some in [steps] if sources else [[step] for step in steps]:
                    await self._some_steps(some, sources)
                    place += len(some)
                    self._raise_if_no_source_answered(place)
                    if place == self.last_moving + 1:
                        self._number()
        finally:
            if not self.stopped:
                self.known.keep()

    async def _some_steps(self, steps: Sequence[Step], sources: bool) -> None:
        """Run a step or a group of sources, or repeat what an earlier run that began like this one left here."""
        before, self.reported, numbers = self.results, [], [step.number for step in steps]
        outcome = self.known.outcome(steps, self.listed)
        if outcome is not None:
            self._repeat(steps, outcome.replayed(numbers))
            self.answered = self.answered or sources
            return
        await (self._fetch(steps) if sources else self._transform(steps[0]))
        self.known.add(StepOutcome.of(before, self.results, numbers, self.reported))

    def _repeat(self, steps: Sequence[Step], outcome: StepOutcome) -> None:
        for step in steps:
            self.emit(StepStarted(step=step.number, module=step.module.id, of=len(self.steps)))
        self.results = outcome.after(self.results)
        for event in (*outcome.events, *(StepFinished(row=row) for row in outcome.rows)):
            self.emit(event)

    async def _fetch(self, steps: Sequence[Step]) -> None:
        """Run a group of sources at the same time and fuse their lists."""
        runs = [self._start(step) for step in steps]
        found = await asyncio.gather(*(self._fetch_one(step, run) for step, run in zip(steps, runs, strict=True)))
        lists = [_source_list(step, hits) for step, hits in zip(steps, found, strict=True) if isinstance(hits, Hits)]
        self.source_errors += [str(hits) for hits in found if not isinstance(hits, Hits)]
        if not lists:
            return
        self.answered = True
        before = self.results
        documents, _ = await asyncio.to_thread(fuse, lists, before.documents if len(before) else None)
        self.results = before.with_documents(documents).with_roles({SOURCE_INDEX: ("chip",), ORIGINAL_RANKING: ("rank",)})
        for step, hits in zip(steps, found, strict=True):
            if isinstance(hits, Hits):
                module = step.module
                assert isinstance(module, DataSource)
                self.results = self.results.with_roles({module.output_column: ("text",), **hits.roles})
        self._journey(steps[-1].number, FUSED if len(steps) > 1 else steps[0].module.id)

    def _raise_if_no_source_answered(self, place: int) -> None:
        """Raises SourceError once the last source is through and none of all gave an answer."""
        if self.answered or place <= self.last_source:
            return
        errors = self.source_errors
        every = "\n".join(["No data source answered.", *(f"  {one}" for one in errors)])
        raise SourceError(every if len(errors) > 1 else errors[0])

    async def _fetch_one(self, step: Step, run: StepRun) -> Hits | SourceError:
        """What one source found, or the error that a warning was made of."""
        source = step.module
        assert isinstance(source, DataSource)
        started, limit = time.perf_counter(), self.services.settings.source_timeout
        result: Hits | SourceError
        clock = asyncio.timeout(None)
        try:
            await source.prepare(run)
            async with clock:
                clock.reschedule(asyncio.get_running_loop().time() + limit)
                result = await source.fetch(self.results.query, run)
        except ChatsearchError as error:
            result = SourceError(f"Step {step.number} ({source.id}, “{source.label()}”): {error}")
        except Exception as error:  # a source of any kind must not take the others with it
            if isinstance(error, TimeoutError) and clock.expired():
                why = f"took longer than {limit:g} s and was left out"
            else:
                log.exception("step %d (%s) failed", step.number, source.id)
                why = f"failed ({_brief(error)})"
            result = SourceError(f"Step {step.number} ({source.id}, “{source.label()}”) {why}.")
        if isinstance(result, SourceError):
            run.warn("source-failed", str(result))
        self._finish(run, len(self.results), len(result.documents) if isinstance(result, Hits) else 0, started)
        return result

    async def _transform(self, step: Step) -> None:
        run, started, before = self._start(step), time.perf_counter(), self.results
        missing = missing_columns(step.module, before.documents.columns)
        if missing and len(before):
            raise MissingColumnError(f"Step {step.number} ({step.module.id}) {missing}")
        try:
            if not missing:
                self.results = kept_promises(step.module, before, await step.module.transform(before, run))
        except MissingColumnError:
            raise
        except ChatsearchError as error:
            self._left_out(step, run, error, str(error))
        except Exception as error:  # a module of any kind must not cost the results there are
            log.exception("step %d (%s) failed", step.number, step.module.id)
            self._left_out(step, run, error, _brief(error))
        self._finish(run, len(before), len(self.results), started)
        if step.module.moves_rows or step.module.removes_rows:
            self._journey(step.number, step.module.id)

    def _left_out(self, step: Step, run: StepRun, error: Exception, reason: str) -> None:
        """A failed step is left out with a warning; one that removes rows stops the run, since its rows must not be shown."""
        if step.module.removes_rows:
            raise ModuleError(f"Step {step.number} ({step.module.id}) failed: {reason}") from error
        run.warn("step-failed", f"Step {step.number} ({step.module.id}) was left out: {reason}")

    def _start(self, step: Step) -> StepRun:
        self.emit(StepStarted(step=step.number, module=step.module.id, of=len(self.steps)))
        return StepRun(self.services, step.number, step.module.id, self.emit, streams=self.listed)

    def _finish(self, run: StepRun, rows_in: int, rows_out: int, started: float) -> None:
        row = LedgerRow(
            step=run.step,
            module=run.module,
            rows_in=rows_in,
            rows_out=rows_out,
            seconds=time.perf_counter() - started,
            calls=run.meter.calls,
            tokens_in=run.meter.tokens_in,
            tokens_out=run.meter.tokens_out,
            cost_usd=run.meter.cost_usd,
            cached=run.meter.cached,
            warnings=len(run.warnings),
        )
        ledger = tuple(sorted((*self.results.ledger, row), key=lambda one: one.step))
        self.results = replace(self.results, ledger=ledger, warnings=(*self.results.warnings, *run.warnings))
        self.emit(StepFinished(row=row))

    def _journey(self, step: int, module: str) -> None:
        ranks = JourneyStep(step, module, self.results.ranks())
        self.results = replace(self.results, journey=(*self.results.journey, ranks))

    def _number(self, cancelled: bool = False) -> None:
        """Number the documents, once; summaries written before get the numbers now, and are streamed now."""
        self.results, dropped = self.results.numbered()
        self.listed = True
        if not len(self.results) and not cancelled:
            self._warn(RunWarning(0, "", "no-documents", where_rows_went(self.results)))
        if dropped:
            message = f"{dropped} footnotes of the summary named documents that a later step removed; their markers are gone."
            self._warn(RunWarning(0, "", "footnotes-dropped", message))
        self.emit(Documents(results=self.results))
        for summary in self.results.summaries:
            self.emit(SummaryToken(title=summary.title, token=summary.text, footnotes=summary.footnotes))

    def _warn(self, warning: RunWarning) -> None:
        self.results = replace(self.results, warnings=(*self.results.warnings, warning))
        self.emit(Warned(warning=warning))


def _source_list(step: Step, hits: Hits) -> SourceList:
    source = step.module
    assert isinstance(source, DataSource)
    return SourceList(source.label(), hits.documents, source.weight, source.output_column)


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200]
