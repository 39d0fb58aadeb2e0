"""One summary of all results: quotes with footnotes, or a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.errors import ModelError
from chatsearch.llm.model import Piece, Quotation, Refusal
from chatsearch.prompts import Task
from chatsearch.results import ResultSet
from chatsearch.settings import load_settings
from tests.scripted import ScriptedServices
from tests.sources import OwnRegistry, document, documents, events_of, finished, memory_source, result_set, spec_of, step_run

SOURCE = memory_source("left", documents("a", "b"))


@pytest.fixture
def services(tmp_path: Path) -> ScriptedServices:
    return ScriptedServices(load_settings(data_dir=tmp_path), OwnRegistry(SOURCE))


async def summary_of(services: ScriptedServices, results: ResultSet, **parameters: object) -> ResultSet:
    module = services.registry.get("all_results_summarizer").model_validate(parameters)
    return await module.transform(results, step_run(services))


async def test_every_quote_has_its_footnote(services: ScriptedServices) -> None:
    services.scripted.enqueue(Piece("The text of b.", Quotation(2, 0, 14)), Piece("The text", Quotation(1, 0, 8)))
    summary = (await summary_of(services, result_set(documents("a", "b")))).summaries[0]
    assert (summary.title, summary.text, summary.model) == ("Summary", "The text of b. [2] The text [1]", "scripted")
    assert [(note.n, note.id, note.check) for note in summary.footnotes] == [(2, "b", "exact"), (1, "a", "exact")]


async def test_the_model_gets_the_query_the_texts_and_the_instructions(services: ScriptedServices) -> None:
    services.scripted.enqueue(Piece("x"))
    await summary_of(
        services, result_set([document("a", body="The body.")], "q"), input_column="body", summarize_prompt="Be brief."
    )
    prompt = services.scripted.prompts[0]
    assert (prompt.task, prompt.query, prompt.instructions) == (Task.SUMMARIZE_RESULTS, "q", "Be brief.")
    assert [(one.n, one.text) for one in prompt.documents] == [(1, "The body.")]


async def test_a_refusal_is_said_and_the_results_stay(services: ScriptedServices) -> None:
    services.scripted.enqueue(Refusal("nothing near"))
    results = await summary_of(services, result_set(documents("a", "b"), "Wo ist das Schloss?"))
    assert results.summaries[0].refused
    assert results.summaries[0].text == "Die 2 gefundenen Dokumente beantworten das nicht. Sie handeln von: Title a, Title b."
    assert len(results) == 2


async def test_without_a_text_the_model_is_not_asked_and_the_summary_says_so(services: ScriptedServices) -> None:
    empty = await summary_of(services, result_set([], "Where did he live?"))
    assert empty.summaries[0].text == "There are no documents to answer from."
    textless = await summary_of(services, result_set([document("a", " ")], "Where did he live?"))
    assert textless.summaries[0].refused
    assert services.scripted.prompts == []


async def test_a_model_that_fails_costs_the_summary_and_not_the_results(services: ScriptedServices) -> None:
    services.scripted.enqueue(Piece("The text"), ModelError("the model is gone"))
    results = finished(await events_of(services, spec_of(services, "left", "all_results_summarizer")))
    assert len(results) == 2
    assert results.summaries == ()
    assert [(one.code, "the model is gone" in one.message) for one in results.warnings] == [("step-failed", True)]


async def test_the_title_can_be_chosen(services: ScriptedServices) -> None:
    services.scripted.enqueue(Piece("x"))
    assert (await summary_of(services, result_set(documents("a")), output_column="In short")).summaries[0].title == "In short"
