"""What of a run is taken from earlier runs: what follows from the same steps and the same query."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatsearch.events import Event, StepFinished, StepProgress, StepStarted, SummaryToken
from chatsearch.known_steps import LASTING
from chatsearch.llm.model import Piece, Quotation
from chatsearch.module import StepRun
from chatsearch.results import ResultSet
from chatsearch.settings import load_settings
from chatsearch.spec import Spec
from chatsearch.step_cache import first_run_step, was_taken
from tests.counted import FIRST, LAST, OWN, RAN, Mark, comparable, ran, services
from tests.scripted import ScriptedServices
from tests.sources import OwnRegistry, events_of, finished, spec_of, warned


@pytest.fixture(autouse=True)
def _nothing_ran_yet() -> None:
    RAN.clear()


def kinds(events: Sequence[Event]) -> list[object]:
    """The events in order, without those that only a working step gives."""
    return [(type(event), getattr(event, "step", None)) for event in events if not isinstance(event, StepProgress)]


async def test_the_same_search_again_runs_nothing_and_gives_the_same(tmp_path: Path) -> None:
    there = services(tmp_path)
    spec = spec_of(there, "source", "other", FIRST, "reverse", LAST)
    once, twice = await events_of(there, spec), await events_of(there, spec)
    assert RAN.total() == 5
    assert comparable(finished(twice)) == comparable(finished(once))
    assert kinds(twice) == kinds(once)
    assert [event.seq for event in twice] == list(range(1, len(twice) + 1))
    rows = finished(twice).ledger
    assert [(row.seconds, row.calls, row.cached) for row in rows] == [(0, 0, 3), (0, 0, 2), (0, 0, 4), (0, 0, 4), (0, 0, 4)]
    assert [event.row for event in twice if isinstance(event, StepFinished)] == list(rows)
    assert first_run_step(rows) is None


async def test_after_a_change_of_the_last_step_only_that_runs(tmp_path: Path) -> None:
    there = services(tmp_path)
    await ran(there, "source", "reverse", FIRST)
    executed, results = await ran(there, "source", "reverse", LAST)
    assert executed == ["mark 2"]
    assert [was_taken(row) for row in results.ledger] == [True, True, False]
    assert first_run_step(results.ledger) == 3


async def test_after_a_change_of_an_early_step_all_behind_it_runs(tmp_path: Path) -> None:
    there = services(tmp_path)
    await ran(there, "source", FIRST, "reverse", LAST)
    executed, _ = await ran(there, "source", ("mark", {"value": 3}), "reverse", LAST)
    assert executed == ["mark 3", "reverse", "mark 2"]
    executed, _ = await ran(there, ("source", {"limit": 2}), FIRST, "reverse", LAST)
    assert executed == ["source", "mark 1", "reverse", "mark 2"]


async def test_another_query_runs_all(tmp_path: Path) -> None:
    there = services(tmp_path)
    await ran(there, "source", "reverse", FIRST)
    executed, _ = await ran(there, "source", "reverse", FIRST, query="what else")
    assert executed == ["source", "reverse", "mark 1"]
    executed, _ = await ran(there, "source", "reverse", FIRST, query=" what\x00 ")
    assert executed == []


async def test_undoing_a_change_runs_nothing(tmp_path: Path) -> None:
    there = services(tmp_path)
    _, first = await ran(there, "source", "reverse", FIRST)
    await ran(there, "source", "reverse", LAST)
    executed, again = await ran(there, "source", "reverse", FIRST)
    assert executed == []
    assert comparable(again) == comparable(first)


async def test_a_source_of_a_group_that_changes_runs_the_group(tmp_path: Path) -> None:
    there = services(tmp_path)
    await ran(there, "source", "other", FIRST)
    executed, _ = await ran(there, "source", ("other", {"limit": 1}), FIRST)
    assert executed == ["source", "other", "mark 1"]


async def test_what_means_the_same_is_the_same(tmp_path: Path) -> None:
    there = services(tmp_path)
    await ran(there, ("source", {"limit": 3}), FIRST)
    executed, _ = await ran(there, ("source", {"limit": "3", "old": True}), ("mark", {"value": "1"}), title="Another")
    assert executed == []


async def test_a_step_keeps_its_outcome_when_disabled_ones_before_it_come_and_go(tmp_path: Path) -> None:
    there = services(tmp_path)
    _, first = await ran(there, "source", ("mark", {"value": 1, "warn": "not-sent"}))
    off = {"id": "reverse", "enabled": "No"}
    steps = {"1": {"id": "source"}, "2": off, "3": {"id": "mark", "parameters": {"value": 1, "warn": "not-sent"}}}
    RAN.clear()
    events = await events_of(there, Spec.load({"pipeline": steps}, there.registry))
    assert not RAN
    assert [event.step for event in events if isinstance(event, StepStarted)] == [1, 3]
    assert [(row.step, row.module) for row in finished(events).ledger] == [(1, "source"), (3, "mark")]
    assert [one.step for one in finished(events).warnings] == [3]
    assert comparable(finished(events)) == comparable(first).replace('"step": 2', '"step": 3')


async def test_steps_before_the_numbering_are_not_taken_for_steps_after_it(tmp_path: Path) -> None:
    there = services(tmp_path)
    await ran(there, "source", "reverse", FIRST)
    executed, results = await ran(there, "source", "reverse", FIRST, ("reduction_step", {"k": 2}))
    assert executed == ["mark 1"]
    _, alone = await ran(services(tmp_path), "source", "reverse", FIRST, ("reduction_step", {"k": 2}))
    assert comparable(results) == comparable(alone)


async def test_summaries_are_said_again_with_their_footnotes(tmp_path: Path) -> None:
    there = ScriptedServices(load_settings(data_dir=tmp_path), OwnRegistry(*OWN))
    there.scripted.enqueue(Piece("The text of a.", Quotation(1, 0, 14)))
    spec = spec_of(there, "source", "all_results_summarizer")
    once, twice = await events_of(there, spec), await events_of(there, spec)
    said = [[(event.token, event.footnotes) for event in events if isinstance(event, SummaryToken)] for events in (once, twice)]
    assert said[0] == said[1]
    assert "".join(token for token, _ in said[1]) == "The text of a. [1]"
    assert comparable(finished(twice)) == comparable(finished(once))
    assert len(there.scripted.prompts) == 1


async def test_a_warning_that_lasts_is_repeated(tmp_path: Path) -> None:
    there = services(tmp_path)
    spec = spec_of(there, "source", *(("mark", {"value": n, "warn": code}) for n, code in enumerate(sorted(LASTING))))
    once, twice = await events_of(there, spec), await events_of(there, spec)
    assert warned(twice) == warned(once) == sorted(LASTING)
    assert comparable(finished(twice)) == comparable(finished(once))
    assert set(RAN.values()) == {1}


async def test_the_same_search_at_the_same_time_works_for_all(tmp_path: Path) -> None:
    there = services(tmp_path)
    spec = spec_of(there, "source", "other", FIRST, "reverse", LAST)
    runs = await asyncio.gather(*(events_of(there, spec) for _ in range(8)))
    assert len({comparable(finished(events)) for events in runs}) == 1
    RAN.clear()
    assert comparable(finished(await events_of(there, spec))) == comparable(finished(runs[0]))
    assert not RAN


async def test_a_module_that_writes_into_its_documents_changes_nothing_that_is_kept(tmp_path: Path) -> None:
    class Careless(Mark):
        """Writes into the frame it was given."""

        id: ClassVar[str] = "careless"

        async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
            results.documents["title"] = "gone"
            results.documents.loc[0, "full-text"] = "gone"
            return await super().transform(results, run)

    there = services(tmp_path, Careless)
    await ran(there, "source", "careless")
    for _ in range(2):
        await ran(there, "source", "careless", LAST)
        executed, results = await ran(there, "source", FIRST)
        assert "source" not in executed
        assert results.documents["title"].tolist() == ["Title a", "Title b", "Title c"]
        assert results.documents["full-text"].tolist()[0] == "The text of a."


# --- any changes


STEPS = (("mark", {"value": 1}), ("mark", {"value": 2}), "reverse", ("reduction_step", {"k": 2}), "word_counter", "other")
PIPELINES = st.lists(st.tuples(st.integers(2, 3), st.lists(st.sampled_from(STEPS), max_size=4)), min_size=2, max_size=5)


@settings(max_examples=25, deadline=None)
@given(PIPELINES)
def test_any_search_gives_what_it_gives_alone(pipelines: list[tuple[int, list[Any]]]) -> None:
    async def all_of_them() -> None:
        there, nothing_kept = services(Path("/nonexistent")), services(Path("/nonexistent"), step_cache_mb=0)
        for limit, steps in pipelines:
            _, results = await ran(there, ("source", {"limit": limit}), *steps)
            _, alone = await ran(nothing_kept, ("source", {"limit": limit}), *steps)
            assert comparable(results) == comparable(alone)

    asyncio.run(all_of_them())
