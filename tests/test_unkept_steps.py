"""What of a run is never taken from earlier runs: what changed outside, what failed, what was stopped."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import ClassVar

import pytest

from chatsearch.embedding import EmbeddingModels
from chatsearch.errors import MissingColumnError, SourceError
from chatsearch.events import StepStarted
from chatsearch.index.build import BuildOptions, build_index
from chatsearch.index.catalog import remove_index
from chatsearch.known_steps import ELSEWHERE
from chatsearch.module import Hits, StepRun
from chatsearch.pipeline import Pipeline
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.step_cache import StepCache
from tests.counted import FIRST, LAST, RAN, Mark, Source, ran, services
from tests.sources import documents, events_of, spec_of
from tests.test_step_cache import Clock


def build(there: Services, *texts: str) -> None:
    file = there.settings.data_dir / "texts.jsonl"
    file.write_text("\n".join(json.dumps({"id": str(n), "text": text}) for n, text in enumerate(texts)), "utf-8")
    options = BuildOptions(dense=False, language="en")
    build_index(there.writable(there.indexes_dir), "small", [file], options=options, embeddings=EmbeddingModels({}))


async def test_an_index_built_anew_is_searched_anew(tmp_path: Path) -> None:
    there, search = services(tmp_path), ("index_datasource", {"index": "small", "mode": "lexical"})
    build(there, "A bridge over a river.")
    await ran(there, search, FIRST, query="bridge")
    executed, _ = await ran(there, search, FIRST, query="bridge")
    assert executed == []
    build(there, "A bridge over a river.", "Another bridge.")
    executed, results = await ran(there, search, FIRST, query="bridge")
    assert executed == ["mark 1"]
    assert len(results) == 2
    assert results.ledger[0].cached == 0
    remove_index(there.indexes_dir, "small")
    with pytest.raises(SourceError, match="no index “small”"):
        await ran(there, search, FIRST, query="bridge")


async def test_an_index_that_is_not_there_yet_is_not_taken_for_known(tmp_path: Path) -> None:
    class Shipped(Source):
        """Answers though its index has no generation that could be told before, as the shipped one at its first use."""

        id: ClassVar[str] = "index_datasource"
        index: str = "shipped"

    there = services(tmp_path, Shipped)
    await ran(there, "index_datasource", FIRST)
    assert (await ran(there, "index_datasource", FIRST))[0] == ["index_datasource", "mark 1"]
    assert (await ran(there, ("index_datasource", {"index": "../shipped"}), FIRST))[0] == ["index_datasource", "mark 1"]


async def test_documents_from_elsewhere_are_asked_for_again_after_ten_minutes(tmp_path: Path) -> None:
    there, clock = services(tmp_path), Clock()
    there.__dict__["step_cache"] = StepCache(1_000_000, clock)
    await ran(there, "source", FIRST)
    clock.now = ELSEWHERE - 1
    assert (await ran(there, "source", FIRST, LAST))[0] == ["mark 2"]
    clock.now = ELSEWHERE
    assert (await ran(there, "source", FIRST, LAST))[0] == ["source", "mark 1", "mark 2"]


async def test_a_module_may_refuse_and_all_behind_it_runs(tmp_path: Path) -> None:
    there = services(tmp_path)
    await ran(there, "source", "fresh", FIRST)
    assert (await ran(there, "source", "fresh", FIRST))[0] == ["fresh 0", "mark 1"]


async def test_a_step_that_failed_is_tried_again_with_all_behind_it(tmp_path: Path) -> None:
    there, failing = services(tmp_path), ("mark", {"value": 3, "error": True})
    await ran(there, "source", FIRST, failing, LAST)
    assert (await ran(there, "source", FIRST, failing, LAST))[0] == ["mark 3", "mark 2"]


@pytest.mark.parametrize("code", ["model-failed", "model-replaced", "row-failed", "own"])
async def test_a_step_whose_warning_may_pass_is_tried_again(tmp_path: Path, code: str) -> None:
    there, warning = services(tmp_path), ("mark", {"value": 3, "warn": code})
    await ran(there, "source", warning)
    assert (await ran(there, "source", warning))[0] == ["mark 3"]


async def test_a_source_that_failed_is_asked_again_with_its_group(tmp_path: Path) -> None:
    class Shaky(Source):
        """Fails the first time."""

        id: ClassVar[str] = "shaky"

        async def fetch(self, query: str, run: StepRun) -> Hits:
            RAN[self.id] += 1
            if there.settings.data_dir.joinpath("up").exists():
                return Hits(documents("z"))
            raise SourceError("the server does not answer.")

    there = services(tmp_path, Shaky)
    assert len((await ran(there, "source", "shaky", FIRST))[1]) == 3
    (tmp_path / "up").touch()
    executed, results = await ran(there, "source", "shaky", FIRST)
    assert executed == ["source", "shaky", "mark 1"]
    assert len(results) == 4
    assert not results.warnings


async def test_a_run_that_was_stopped_leaves_nothing(tmp_path: Path) -> None:
    cancel = asyncio.Event()

    class Stopping(Mark):
        """Is stopped by the person, and gives something all the same."""

        id: ClassVar[str] = "stopping"

        async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
            cancel.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return await super().transform(results, run)
            raise AssertionError

    there = services(tmp_path, Stopping)
    await events_of(there, spec_of(there, "source", "stopping", FIRST), cancel=cancel)
    await asyncio.sleep(0)
    assert there.step_cache is not None
    assert len(there.step_cache) == 0


async def test_a_run_whose_reader_went_away_leaves_nothing(tmp_path: Path) -> None:
    there = services(tmp_path)
    stream = Pipeline(there).run(spec_of(there, "source", FIRST), "what")
    async for event in stream:
        if isinstance(event, StepStarted):
            break
    await stream.aclose()  # type: ignore[attr-defined]
    assert there.step_cache is not None
    assert len(there.step_cache) == 0


async def test_what_was_done_before_an_error_is_kept(tmp_path: Path) -> None:
    class Open(Source):
        """May give any column."""

        id: ClassVar[str] = "open"
        is_open: ClassVar[bool] = True

    there = services(tmp_path, Open)
    with pytest.raises(MissingColumnError):
        await ran(there, "open", ("word_counter", {"input_column": "absent"}))
    assert (await ran(there, "open", FIRST))[0] == ["mark 1"]


async def test_nothing_is_kept_when_the_setting_says_so(tmp_path: Path) -> None:
    there = services(tmp_path, step_cache_mb=0)
    assert there.step_cache is None
    await ran(there, "source", FIRST)
    assert (await ran(there, "source", FIRST))[0] == ["source", "mark 1"]
