"""The query rewriter: expands or replaces the query, cleans what a model writes, and says when it changed nothing."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.errors import ModelError
from chatsearch.llm.model import Piece
from chatsearch.module import Hits
from chatsearch.prompts import Task
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from chatsearch.settings import load_settings
from chatsearch.step import StepRun
from tests.scripted import ScriptedServices
from tests.sources import (
    MemorySource,
    OwnRegistry,
    documents,
    events_of,
    finished,
    result_set,
    services_with,
    spec_of,
    step_run,
)


@pytest.fixture
def services(tmp_path: Path) -> ScriptedServices:
    return ScriptedServices(load_settings(data_dir=tmp_path, max_query_characters=300))


async def rewritten(
    services: ScriptedServices, answer: str, query: str = "night watch", **parameters: object
) -> tuple[ResultSet, StepRun]:
    services.scripted.enqueue(Piece(answer))
    return await transformed(services, query, **parameters)


async def transformed(services: ScriptedServices, query: str, **parameters: object) -> tuple[ResultSet, StepRun]:
    module, run = services.registry.get("query_rewriter").model_validate(parameters), step_run(services)
    return await module.transform(result_set(documents("a"), query), run), run


async def test_expanding_adds_words_and_what_was_asked_stays(services: ScriptedServices) -> None:
    results, run = await rewritten(services, "Rembrandt painting, Nachtwacht, night")
    assert (results.asked, results.query) == ("night watch", "night watch Rembrandt painting Nachtwacht")
    assert services.scripted.prompts[0].task is Task.EXPAND
    assert run.warnings == []


async def test_rewriting_replaces_the_query(services: ScriptedServices) -> None:
    results, _ = await rewritten(services, "The Night Watch by Rembrandt", method="rewrite", instructions="Art only.")
    assert (results.asked, results.query) == ("night watch", "The Night Watch by Rembrandt")
    assert (services.scripted.prompts[0].task, services.scripted.prompts[0].instructions) == (Task.REWRITE, "Art only.")


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("Query: Rembrandt", "Rembrandt"),
        ("**Rewritten query:** “Rembrandt’s painting”", "Rembrandt’s painting"),
        ("```\nRembrandt\n```", "Rembrandt"),
        ("Here is the query:\n\n1. Rembrandt\n2. Other", "Rembrandt"),
        ("- Rembrandt, painter", "Rembrandt painter"),
        ("  Rembrandt\u200b \u202e\n", "Rembrandt"),
        ("Рембрандт", "Рембрандт"),
        ("", "night watch"),
        ("```\n```", "night watch"),
        ("…", "night watch"),
    ],
)
async def test_what_a_model_writes_around_the_query_is_taken_off(services: ScriptedServices, written: str, query: str) -> None:
    results, run = await rewritten(services, written, method="rewrite")
    assert results.query == query
    assert [one.code for one in run.warnings] == (["query-unchanged"] if query == "night watch" else [])


@pytest.mark.parametrize("method", ["expand", "rewrite"])
@pytest.mark.parametrize("written", ["word " * 500, " ".join(f"word{n}" for n in range(500)), "x" * 9000])
async def test_the_new_query_is_bounded(services: ScriptedServices, method: str, written: str) -> None:
    results, _ = await rewritten(services, written, method=method, max_words=10)
    assert len(results.query.split()) <= 10
    assert len(results.query) <= 300


async def test_a_model_that_fails_leaves_the_query_and_says_why(services: ScriptedServices) -> None:
    services.scripted.enqueue(ModelError("The model is gone."))
    results, run = await transformed(services, "night watch")
    assert results.query == "night watch"
    assert [(one.code, one.message) for one in run.warnings] == [
        ("query-unchanged", "The query was not changed. The model is gone.")
    ]


async def test_without_an_llm_the_query_stays_and_that_is_said(tmp_path: Path) -> None:
    services = services_with(tmp_path)
    run = step_run(services)
    results = await services.registry.get("query_rewriter")().transform(result_set(documents("a"), "night watch"), run)
    assert results.query == "night watch"
    assert [one.code for one in run.warnings] == ["query-unchanged"]
    assert "CHATSEARCH_MODEL" in run.warnings[0].message


async def test_an_empty_query_asks_nobody(services: ScriptedServices) -> None:
    results, run = await transformed(services, " ")
    assert (results.query, services.scripted.prompts, run.warnings) == (" ", [], [])


@given(st.text(max_size=200))
def test_cleaning_takes_any_text(written: str) -> None:
    import sys

    module = sys.modules[Registry().get("query_rewriter").__module__]
    line = module.cleaned(written)
    assert line == " ".join(line.split())


async def test_a_source_after_it_searches_with_the_new_query(tmp_path: Path) -> None:
    class Asked(MemorySource):
        """Remembers what it was asked."""

        id: ClassVar[str] = "asked"
        queries: ClassVar[list[str]] = []

        async def fetch(self, query: str, run: StepRun) -> Hits:
            self.queries.append(query)
            return Hits(documents("a"))

    services = ScriptedServices(load_settings(data_dir=tmp_path), OwnRegistry(Asked))
    services.scripted.enqueue(Piece("Rembrandt"))
    results = finished(await events_of(services, spec_of(services, "query_rewriter", "asked"), "night watch"))
    assert Asked.queries == ["night watch Rembrandt"]
    assert (results.asked, results.query) == ("night watch", "night watch Rembrandt")
