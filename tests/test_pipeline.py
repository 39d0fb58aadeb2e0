"""A run of a pipeline: its events, its sources side by side, what fails, what is cancelled, what is numbered."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd
import pytest

from chatsearch.errors import InputError, MissingColumnError, ModuleError, SourceError
from chatsearch.events import Documents, Event, Finished, StepFinished, StepProgress, StepStarted, SummaryToken, Warned
from chatsearch.llm.model import Piece, Quotation
from chatsearch.module import Category, Hits, Module, Reranker, RowModule, StepRun
from chatsearch.pipeline import Pipeline, checked_query, run_to_end
from chatsearch.results import ResultSet, Role, Summary
from chatsearch.settings import load_settings
from chatsearch.work import in_batches
from tests.scripted import ScriptedServices
from tests.sources import (
    MemorySource,
    OwnRegistry,
    document,
    documents,
    events_of,
    failing_source,
    finished,
    memory_source,
    results_of,
    services_with,
    spec_of,
    waiting_source,
    warned,
)


class Step(Module):
    """Does nothing."""

    id: ClassVar[str] = "step"
    name: ClassVar[str] = "Step"
    category: ClassVar[Category] = Category.PRE_PROCESSING

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        return results


class Failing(Step):
    """Fails with an error nobody expected."""

    id: ClassVar[str] = "failing"

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        raise KeyError("a key that is not there")


class FailingFilter(Failing):
    """Fails to remove rows."""

    id: ClassVar[str] = "failing_filter"
    removes_rows: ClassVar[bool] = True


class RemoveAll(Step):
    """Removes every row."""

    id: ClassVar[str] = "remove_all"
    removes_rows: ClassVar[bool] = True

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        return results.with_documents(results.documents.iloc[:0])


class Reverse(Reranker):
    """Turns the order round."""

    id: ClassVar[str] = "reverse"
    name: ClassVar[str] = "Reverse"

    async def scores(self, query: str, texts: Sequence[str], run: StepRun) -> np.ndarray:
        return np.arange(len(texts), dtype=float)


class Length(RowModule):
    """The length of a text."""

    id: ClassVar[str] = "length"
    name: ClassVar[str] = "Length"
    category: ClassVar[Category] = Category.METADATA_ANALYSIS
    role: ClassVar[Role] = "chip"

    def compute(self, text: str, query: str) -> object:
        return len(text)


LEFT = memory_source("left", documents("a", "b", "c"))
RIGHT = memory_source("right", documents("d", "e"))
DOWN = failing_source("down", SourceError("the server does not answer."))
EVERY = (LEFT, RIGHT, DOWN, Step, Failing, FailingFilter, RemoveAll, Reverse, Length)


async def run_with(data_dir: Path, *steps: str | tuple[str, dict[str, object]], own: Sequence[type[Module]] = ()) -> list[Event]:
    services = services_with(data_dir, *EVERY, *own)
    return await events_of(services, spec_of(services, *steps))


# --- events


async def test_events_are_counted_without_gaps_and_end_with_finished(tmp_path: Path) -> None:
    events = await run_with(tmp_path, "left", "reverse", "length")
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert len({event.run_id for event in events}) == 1
    assert [type(event) for event in events if not isinstance(event, StepProgress)] == [
        StepStarted,
        StepFinished,
        StepStarted,
        StepFinished,
        Documents,
        StepStarted,
        StepFinished,
        Finished,
    ]


async def test_a_step_that_emits_nothing_hangs_nothing(tmp_path: Path) -> None:
    assert len(finished(await run_with(tmp_path, "left", "step", "step"))) == 3


async def test_steps_say_how_many_will_run_and_disabled_ones_do_not(tmp_path: Path) -> None:
    services = services_with(tmp_path, *EVERY)
    spec = spec_of(services, "left", "reverse", "length")
    data = {**spec.data, "pipeline": {**spec.data["pipeline"], "2": {"id": "reverse", "enabled": "No"}}}
    events = await events_of(services, type(spec).load(data, services.registry))
    assert [(event.step, event.of) for event in events if isinstance(event, StepStarted)] == [(1, 2), (3, 2)]


async def test_events_may_come_from_a_thread(tmp_path: Path) -> None:
    class FromThread(MemorySource):
        """Reports from its thread."""

        id: ClassVar[str] = "from_thread"

        async def fetch(self, query: str, run: StepRun) -> Hits:
            def work() -> Hits:
                for done in range(50):
                    run.progress(done, 50)
                run.warn("slow", "It took long.")
                return Hits(documents("a"))

            return await asyncio.to_thread(work)

    events = await run_with(tmp_path, "from_thread", own=[FromThread])
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert [event.done for event in events if isinstance(event, StepProgress)] == list(range(50))
    assert warned(events) == ["slow"]


async def test_run_to_end_gives_the_result_set(tmp_path: Path) -> None:
    services = services_with(tmp_path, *EVERY)
    assert len(await run_to_end(Pipeline(services), spec_of(services, "left"), "what")) == 3


# --- sources


async def test_sources_that_follow_each_other_run_at_the_same_time(tmp_path: Path) -> None:
    first, second = asyncio.Event(), asyncio.Event()
    # each waits until the other has been reached: one after the other, neither would ever answer
    one, two = waiting_source("one", first, second), waiting_source("two", second, first)
    assert len(finished(await run_with(tmp_path, "one", "two", own=[one, two]))) == 2


async def test_a_failing_source_is_a_warning_and_the_rest_goes_on(tmp_path: Path) -> None:
    events = await run_with(tmp_path, "down", "left", "length")
    results = finished(events)
    assert len(results) == 3
    assert warned(events) == ["source-failed"]
    assert [(one.step, one.code) for one in results.warnings] == [(1, "source-failed")]
    assert "the server does not answer" in results.warnings[0].message
    assert [(row.step, row.rows_out, row.warnings) for row in results.ledger] == [(1, 0, 1), (2, 3, 0), (3, 3, 0)]


async def test_a_source_slower_than_the_limit_is_left_out(tmp_path: Path) -> None:
    never = waiting_source("never", asyncio.Event(), asyncio.Event())
    services = services_with(tmp_path, LEFT, never, source_timeout=0.01)
    results = await results_of(services, "never", "left")
    assert len(results) == 3
    assert "longer than 0.01 s" in results.warnings[0].message


async def test_a_time_out_of_the_source_s_own_is_not_called_ours(tmp_path: Path) -> None:
    results = finished(await run_with(tmp_path, "own", "left", own=[failing_source("own", TimeoutError("the socket"))]))
    assert "longer than" not in results.warnings[0].message
    assert "the socket" in results.warnings[0].message


async def test_all_sources_failing_is_an_error_that_names_each(tmp_path: Path) -> None:
    broken = failing_source("broken", ValueError("no such field"))
    with pytest.raises(SourceError, match=r"(?s)the server does not answer.*no such field"):
        await run_with(tmp_path, "down", "broken", own=[broken])


async def test_a_failing_source_in_a_second_group_keeps_the_rows_of_the_first(tmp_path: Path) -> None:
    results = finished(await run_with(tmp_path, "left", "reverse", "down"))
    assert [row["id"] for row in results.documents_json()] == ["c", "b", "a"]
    assert [one.code for one in results.warnings] == ["source-failed"]


async def test_a_second_group_answers_when_the_first_failed(tmp_path: Path) -> None:
    results = finished(await run_with(tmp_path, "down", "reverse", "right"))
    assert len(results) == 2


async def test_a_source_that_found_nothing_has_answered(tmp_path: Path) -> None:
    empty = memory_source("empty", [])
    results = finished(await run_with(tmp_path, "empty", "reverse", "down", own=[empty]))
    assert len(results) == 0


async def test_a_later_source_appends_below_what_was_ranked(tmp_path: Path) -> None:
    results = finished(await run_with(tmp_path, "left", "reverse", "right"))
    assert [(row["n"], row["id"], row["_original_ranking_"]) for row in results.documents_json()] == [
        (1, "c", 3),
        (2, "b", 2),
        (3, "a", 1),
        (4, "d", 4),
        (5, "e", 5),
    ]


async def test_an_unexpected_error_of_a_source_is_logged_with_its_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await run_with(tmp_path, "broken", "left", own=[failing_source("broken", ValueError("no such field"))])
    assert any(record.exc_info for record in caplog.records if "broken" in record.getMessage())


# --- steps that fail


async def test_a_failing_adding_step_is_left_out_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        results = finished(await run_with(tmp_path, "left", "failing", "length"))
    assert len(results) == 3
    assert "output" in results.documents.columns
    assert [(one.step, one.module, one.code) for one in results.warnings] == [(2, "failing", "step-failed")]
    assert "KeyError" in results.warnings[0].message
    assert any(record.exc_info for record in caplog.records)


async def test_a_failing_removing_step_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(ModuleError, match="Step 2 \\(failing_filter\\)"):
        await run_with(tmp_path, "left", "failing_filter")


@pytest.mark.parametrize("lost", ["row", "column", "order", "identity", "nothing"])
async def test_a_step_that_breaks_its_promise_is_left_out(tmp_path: Path, lost: str) -> None:
    class Careless(Step):
        """Loses something it may not lose."""

        id: ClassVar[str] = "careless"

        async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
            frame = results.documents
            broken: dict[str, Any] = {
                "row": results.with_documents(frame.iloc[1:]),
                "column": results.with_documents(frame.drop(columns="title")),
                "order": results.with_documents(frame.iloc[::-1]),
                "identity": results.with_documents(frame.assign(id="a")),
                "nothing": None,
            }
            return cast("ResultSet", broken[lost])

    results = finished(await run_with(tmp_path, "left", "careless", own=[Careless]))
    assert [row["id"] for row in results.documents_json()] == ["a", "b", "c"]
    assert [one.code for one in results.warnings] == ["step-failed"]


async def test_rows_that_cannot_be_processed_are_empty_and_counted(tmp_path: Path) -> None:
    class Picky(Length):
        """Takes no text of b."""

        id: ClassVar[str] = "picky"

        def compute(self, text: str, query: str) -> object:
            if "of b" in text:
                raise ValueError("not b")
            return len(text)

    results = finished(await run_with(tmp_path, "left", "picky", own=[Picky]))
    assert str([row["output"] for row in results.documents_json()]) == "[14, None, 14]"
    assert [one.code for one in results.warnings] == ["row-failed"]


# --- columns


async def test_a_missing_column_is_an_error_before_anything_is_fetched(tmp_path: Path) -> None:
    reached, gate = asyncio.Event(), asyncio.Event()
    watched = waiting_source("watched", reached, gate)
    with pytest.raises(MissingColumnError, match=r"Step 2 \(length\).*“absent”.*full-text"):
        await run_with(tmp_path, "watched", ("length", {"input_column": "absent"}), own=[watched])
    assert not reached.is_set()


async def test_a_missing_column_of_an_open_source_is_an_error_at_the_step(tmp_path: Path) -> None:
    opened = memory_source("opened", [document("a", author="Anna")], is_open=True)
    services = services_with(tmp_path, opened, Length)
    stream = Pipeline(services).run(spec_of(services, "opened", ("length", {"input_column": "auther"})), "what")
    seen: list[Event] = []

    async def to_the_end() -> None:
        async for event in stream:
            seen.append(event)  # noqa: PERF401 (what came before the error is wanted)

    with pytest.raises(MissingColumnError, match="Did you mean “author”"):
        await to_the_end()
    assert any(isinstance(event, StepFinished) for event in seen)


async def test_a_column_an_earlier_step_writes_may_be_read(tmp_path: Path) -> None:
    results = finished(
        await run_with(tmp_path, "left", "length", ("length", {"input_column": "output", "output_column": "again"}))
    )
    assert list(results.documents["again"]) == [2, 2, 2]


# --- empty results


async def test_an_empty_list_says_which_step_removed_the_rows(tmp_path: Path) -> None:
    results = finished(await run_with(tmp_path, "left", "remove_all", "length"))
    assert len(results) == 0
    assert "step 2 (remove_all) removed the last 3" in results.warnings[-1].message


async def test_an_empty_list_says_that_the_source_gave_none(tmp_path: Path) -> None:
    results = finished(await run_with(tmp_path, "empty", own=[memory_source("empty", [])]))
    assert [one.code for one in results.warnings] == ["no-documents"]
    assert "step 1 (empty) gave no document" in results.warnings[0].message


# --- cancelling


async def test_cancelling_by_event_ends_with_what_was_done(tmp_path: Path) -> None:
    cancel = asyncio.Event()

    class Stuck(Step):
        """Sets the event of the person who stops, and never ends."""

        id: ClassVar[str] = "stuck"

        async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
            cancel.set()
            await asyncio.Event().wait()
            return results

    services = services_with(tmp_path, LEFT, Stuck, Length)
    events = await asyncio.wait_for(events_of(services, spec_of(services, "left", "stuck", "length"), cancel=cancel), timeout=60)
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.cancelled
    assert len(last.results) == 3
    assert [one.code for one in last.results.warnings] == ["cancelled"]
    assert len([event for event in events if isinstance(event, Documents)]) == 1


async def test_cancelling_before_anything_was_found_does_not_blame_the_source(tmp_path: Path) -> None:
    cancel = asyncio.Event()
    cancel.set()
    services = services_with(tmp_path, LEFT)
    events = await events_of(services, spec_of(services, "left"), cancel=cancel)
    assert warned(events) == ["cancelled"]
    assert isinstance(events[-1], Finished)


async def test_a_step_that_ignores_cancellation_does_not_hold_up_the_end(tmp_path: Path) -> None:
    cancel, release = asyncio.Event(), asyncio.Event()

    class Stubborn(Step):
        """Swallows the cancellation."""

        id: ClassVar[str] = "stubborn"

        async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
            cancel.set()
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return results

    services = services_with(tmp_path, LEFT, Stubborn)
    events = await asyncio.wait_for(events_of(services, spec_of(services, "left", "stubborn"), cancel=cancel), timeout=60)
    release.set()
    assert isinstance(events[-1], Finished)
    assert events[-1].cancelled


async def test_threads_end_at_the_next_batch_when_the_iterator_is_closed(tmp_path: Path) -> None:
    entered, go_on, batches = threading.Event(), threading.Event(), []

    class Blocking(Step):
        """Works in a thread, batch by batch."""

        id: ClassVar[str] = "blocking"

        async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
            def work(batch: Sequence[object]) -> Sequence[object]:
                batches.append(len(batch))
                entered.set()
                go_on.wait(60)
                return batch

            await in_batches(work, list(range(80)), progress=run.progress)
            return results

    services = services_with(tmp_path, LEFT, Blocking)
    stream = Pipeline(services).run(spec_of(services, "left", "blocking"), "what")
    async for event in stream:
        if isinstance(event, StepStarted) and event.module == "blocking":
            break
    await asyncio.to_thread(entered.wait, 60)
    await stream.aclose()  # type: ignore[attr-defined]
    go_on.set()
    await asyncio.to_thread(lambda: None)
    assert batches == [8]
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


# --- what modules see


async def test_modules_see_what_was_asked_and_a_query_that_an_earlier_one_changed(tmp_path: Path) -> None:
    seen: list[tuple[str, str]] = []

    class Rewriting(Step):
        """Changes the query, and what was asked too, which it may not."""

        id: ClassVar[str] = "rewriting"

        async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
            return replace(results.with_query("better words"), asked="something else")

    class Looking(Step):
        """Looks at the queries."""

        id: ClassVar[str] = "looking"

        async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
            seen.append((results.asked, results.query))
            return results

    results = finished(await run_with(tmp_path, "left", "rewriting", "looking", own=[Rewriting, Looking]))
    assert seen == [("what", "better words")]
    assert (results.asked, results.query) == ("what", "better words")


async def test_two_runs_at_once_do_not_mix(tmp_path: Path) -> None:
    class Echo(MemorySource):
        """Finds the query."""

        id: ClassVar[str] = "echo"

        async def fetch(self, query: str, run: StepRun) -> Hits:
            await asyncio.sleep(0)
            return Hits([document(query, query)])

    services = services_with(tmp_path, Echo, Length)
    spec = spec_of(services, "echo", "length")
    runs = await asyncio.gather(*(events_of(services, spec, f"query {n}") for n in range(20)))
    for n, events in enumerate(runs):
        assert [row["id"] for row in finished(events).documents_json()] == [f"query {n}"]
        assert len({event.run_id for event in events}) == 1
    assert len({events[0].run_id for events in runs}) == 20


# --- numbering and summaries


class Quoting(Step):
    """Writes a summary that quotes the last document."""

    id: ClassVar[str] = "quoting"

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        from chatsearch.cited_text import CitedText
        from chatsearch.prompts import PromptDocument

        numbers = results.numbers or results.ranks()
        n = numbers["c"]
        text = "The text of c."
        cited = CitedText([PromptDocument(n, "c", "", text)], results.sources("full-text"))
        run.summary_token("Summary", *cited.add(Piece(text, Quotation(n, 0, len(text)))))
        return results.with_summary(Summary("Summary", cited.text, "test", tuple(cited.footnotes)))


async def test_documents_come_numbered_after_the_last_moving_step_and_before_summaries(tmp_path: Path) -> None:
    events = await run_with(tmp_path, "left", "reverse", "quoting", "length", own=[Quoting])
    kinds = [type(event) for event in events]
    assert kinds.index(Documents) < kinds.index(SummaryToken)
    listed = next(event for event in events if isinstance(event, Documents)).results
    assert listed.numbers == {"c": 1, "b": 2, "a": 3} == finished(events).numbers


async def test_a_summary_written_before_a_reranker_gets_the_final_numbers(tmp_path: Path) -> None:
    events = await run_with(tmp_path, "left", "quoting", "reverse", own=[Quoting])
    summary = finished(events).summaries[0]
    assert summary.text == "The text of c. [1]"
    assert [(note.n, note.id) for note in summary.footnotes] == [(1, "c")]
    assert summary.text[summary.footnotes[0].at :] == "[1]"
    assert [event.token for event in events if isinstance(event, SummaryToken)] == ["The text of c. [1]"]


async def test_a_footnote_of_a_removed_document_is_dropped_and_said(tmp_path: Path) -> None:
    results = finished(await run_with(tmp_path, "left", "quoting", ("reduction_step", {"k": 2}), own=[Quoting]))
    assert results.summaries[0].text == "The text of c."
    assert [one.code for one in results.warnings] == ["footnotes-dropped"]


async def test_the_summariser_streams_and_quotes(tmp_path: Path) -> None:
    services = ScriptedServices(load_settings(data_dir=tmp_path), OwnRegistry(*EVERY))
    services.scripted.enqueue(Piece("The text of a.", Quotation(1, 0, 14)))
    events = await events_of(services, spec_of(services, "left", "all_results_summarizer"))
    assert "".join(event.token for event in events if isinstance(event, SummaryToken)) == "The text of a. [1]"
    assert finished(events).summaries[0].text == "The text of a. [1]"


# --- journey and ledger


async def test_the_journey_holds_every_rank_after_every_moving_step(tmp_path: Path) -> None:
    results = finished(
        await run_with(tmp_path, "left", "reverse", ("reduction_step", {"k": 2, "ranking_column": "latest"}), "length")
    )
    assert [(one.step, one.module, dict(one.ranks)) for one in results.journey] == [
        (1, "left", {"a": 1, "b": 2, "c": 3}),
        (2, "reverse", {"c": 1, "b": 2, "a": 3}),
        (3, "reduction_step", {"c": 1, "b": 2}),
    ]


async def test_fused_sources_are_one_step_of_the_journey(tmp_path: Path) -> None:
    results = finished(await run_with(tmp_path, "left", "right"))
    assert [(one.step, one.module) for one in results.journey] == [(2, "fused")]


async def test_the_ledger_counts_rows_calls_and_what_came_from_the_cache(tmp_path: Path) -> None:
    twice = memory_source("twice", [document("a", "same"), document("b", "same"), document("c", "")])
    results = finished(await run_with(tmp_path, "twice", "length", ("reduction_step", {"k": 1}), own=[twice]))
    assert [(row.step, row.module, row.rows_in, row.rows_out, row.cached) for row in results.ledger] == [
        (1, "twice", 0, 3, 0),
        (2, "length", 3, 3, 1),
        (3, "reduction_step", 3, 1, 0),
    ]
    assert all(row.seconds >= 0 for row in results.ledger)


async def test_warnings_of_the_spec_are_in_the_results(tmp_path: Path) -> None:
    events = await run_with(tmp_path, ("left", {"limmit": 3}))
    assert isinstance(events[0], Warned)
    assert [one.code for one in finished(events).warnings] == ["unknown-parameter"]


# --- the query


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\x00", "\u200f", "\u200b \ufeff"])
async def test_an_empty_query_is_refused(tmp_path: Path, query: str) -> None:
    services = services_with(tmp_path, LEFT)
    with pytest.raises(InputError, match="empty"):
        await events_of(services, spec_of(services, "left"), query)


def test_a_query_loses_control_characters_and_keeps_its_script() -> None:
    assert checked_query(" who\x00 painted\nthe ‘Night’ Watch? ", 100) == "who painted the ‘Night’ Watch?"
    assert checked_query("می‌خواهم 👩‍🎨", 100) == "می‌خواهم 👩‍🎨"


def test_a_query_that_is_too_long_says_how_long_it_may_be() -> None:
    with pytest.raises(InputError, match=r"100,000 characters; at most 4,000"):
        checked_query("x" * 100_000, 4000)


async def test_a_frame_with_odd_rankings_from_a_source_still_runs(tmp_path: Path) -> None:
    odd = memory_source("odd", [document("a", _reranking_rank_1_="first"), document("b", _reranking_rank_1_="2")])
    results = finished(await run_with(tmp_path, "odd", own=[odd]))
    assert [row["id"] for row in results.documents_json()] == ["b", "a"]
    assert isinstance(results.documents.index, pd.RangeIndex)
