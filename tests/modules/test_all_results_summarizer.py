"""One summary of all results: quotes with footnotes, or a refusal; read in groups where it must be, and never empty."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from chatsearch.errors import ModelError
from chatsearch.llm.model import LanguageModel, Piece, Quotation, Refusal
from chatsearch.prompts import NO_ANSWER, Task
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.settings import load_settings
from chatsearch.step import StepRun
from tests.openai_server import OpenAIServer, Reply
from tests.scripted import ScriptedModel, ScriptedServices
from tests.sources import (
    OwnRegistry,
    document,
    documents,
    events_of,
    finished,
    memory_source,
    result_set,
    services_with,
    spec_of,
    step_run,
)

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


async def test_the_title_can_be_chosen(services: ScriptedServices) -> None:
    services.scripted.enqueue(Piece("x"))
    assert (await summary_of(services, result_set(documents("a")), output_column="In short")).summaries[0].title == "In short"


# --- a model that fails


@dataclass
class TwoModels(Services):
    """Services with a model that may fail and another one in place of the extractive model."""

    scripted: ScriptedModel = field(default_factory=ScriptedModel)
    quoting: ScriptedModel = field(default_factory=lambda: ScriptedModel("extractive"))

    def language_model(self, wanted: str = "") -> tuple[LanguageModel, str]:
        return (self.quoting if wanted == "extractive" else self.scripted), ""


@pytest.fixture
def two(tmp_path: Path) -> TwoModels:
    made = TwoModels(load_settings(data_dir=tmp_path), OwnRegistry(SOURCE))
    made.quoting.enqueue(Piece("The text of a.", Quotation(1, 0, 14)))
    return made


@pytest.mark.parametrize("before", [(), (Piece("The text"),)])
async def test_when_the_model_fails_the_extractive_one_quotes_and_the_reason_is_said(
    two: TwoModels, before: tuple[Piece, ...]
) -> None:
    two.scripted.enqueue(*before, ModelError("The model is gone."))
    results = finished(await events_of(two, spec_of(two, "left", "all_results_summarizer")))
    (summary,) = results.summaries
    assert (summary.model, summary.text) == ("extractive", "The text of a. [1]")
    assert [(one.code, one.message) for one in results.warnings] == [
        ("model-failed", "The model is gone. The extractive model quotes instead.")
    ]
    assert len(results) == 2


async def test_when_the_extractive_model_itself_fails_the_results_stay(services: ScriptedServices) -> None:
    services.scripted.enqueue(ModelError("the model is gone"))
    results = finished(await events_of(services, spec_of(services, "left", "all_results_summarizer")))
    assert len(results) == 2
    assert results.summaries == ()
    assert [(one.code, "the model is gone" in one.message) for one in results.warnings] == [("step-failed", True)]


# --- an LLM, through the gateway


def with_llm(llm_server: OpenAIServer, data_dir: Path, **settings: object) -> Services:
    return services_with(data_dir, SOURCE, model="gemma2", llm_base_url=llm_server.url, llm_retries=0, llm_cache_mb=0, **settings)


async def through_gateway(services: Services, results: ResultSet) -> tuple[ResultSet, StepRun]:
    run = step_run(services)
    return await services.registry.get("all_results_summarizer")().transform(results, run), run


async def test_an_llm_summarises_with_checked_footnotes_and_is_counted(llm_server: OpenAIServer, tmp_path: Path) -> None:
    llm_server.enqueue("The text of b [2]. Nobody knows the year 1999 [1].")
    results, run = await through_gateway(with_llm(llm_server, tmp_path), result_set(documents("a", "b")))
    (summary,) = results.summaries
    assert (summary.text, summary.model) == ("The text of b [2]. Nobody knows the year 1999 [1].", "gemma2")
    assert [(note.id, note.check) for note in summary.footnotes] == [("b", "exact"), ("a", "not found")]
    assert (run.meter.calls, run.meter.tokens_in, run.warnings) == (1, 10, [])


async def test_an_llm_that_finds_nothing_is_a_refusal(llm_server: OpenAIServer, tmp_path: Path) -> None:
    llm_server.enqueue(NO_ANSWER)
    results, _ = await through_gateway(with_llm(llm_server, tmp_path), result_set(documents("a", "b"), "Where is it?"))
    assert results.summaries[0].refused
    assert results.summaries[0].text.startswith("The 2 documents found do not answer this.")


@pytest.mark.parametrize(
    "reply", [Reply(status=429, headers=[("Retry-After", "60")]), Reply(""), Reply("The te", finish="length")]
)
async def test_with_no_answer_from_the_llm_the_summary_is_quoted(llm_server: OpenAIServer, tmp_path: Path, reply: Reply) -> None:
    llm_server.enqueue(reply)
    rows = [document("a", "Nikola Tesla died in 1943. He lived in a hotel.")]
    results, run = await through_gateway(with_llm(llm_server, tmp_path), result_set(rows, "When did Nikola Tesla die?"))
    assert (results.summaries[0].model, results.summaries[0].text[:26]) == ("extractive", "Nikola Tesla died in 1943.")
    assert [one.code for one in run.warnings] == ["model-failed"]


LONG = [document(f"d{n}", f"Document {n} tells of the river {n}. " * 120) for n in range(1, 9)]


async def test_what_does_not_fit_is_read_in_groups_at_the_same_time_and_merged(llm_server: OpenAIServer, tmp_path: Path) -> None:
    llm_server.usual = lambda request: (
        Reply("Rivers are told of [2][7].")
        if "summary of some search results" in request.text
        else Reply(f"A river [{re.findall('document n=.([0-9]+)', request.text)[0]}].", together=2)
    )
    results, run = await through_gateway(with_llm(llm_server, tmp_path, llm_window=6000), result_set(LONG, "rivers"))
    parts = [one for one in llm_server.requests if "summary of some search results" not in one.text]
    assert len(parts) >= 2
    assert len(llm_server.requests) == len(parts) + 1
    assert llm_server.most_open >= 2
    seen = [n for one in parts for n in re.findall("document n=.([0-9]+)", one.text)]
    assert sorted(map(int, seen)) == list(range(1, 9))
    (summary,) = results.summaries
    assert summary.text == "Rivers are told of [2][7]."
    assert [note.id for note in summary.footnotes] == ["d2", "d7"]
    assert run.warnings == []


async def test_how_many_documents_were_used_is_said(llm_server: OpenAIServer, tmp_path: Path) -> None:
    llm_server.usual = Reply("A river [1].")
    _, run = await through_gateway(
        with_llm(llm_server, tmp_path, llm_window=2000, llm_max_tokens=200), result_set(LONG * 1, "rivers")
    )
    assert [(one.code, one.message) for one in run.warnings] == [
        ("documents-used", "8 of 8 documents were used, 8 of them in part.")
    ]


async def test_a_group_that_fails_costs_its_part_and_is_said(llm_server: OpenAIServer, tmp_path: Path) -> None:
    llm_server.usual = lambda request: (
        Reply(status=500) if 'n="1"' in request.text and "Title d1\n" in request.text else Reply("A river [8].")
    )
    results, run = await through_gateway(with_llm(llm_server, tmp_path, llm_window=6000), result_set(LONG, "rivers"))
    assert results.summaries[0].text == "A river [8]."
    assert [one.code for one in run.warnings] == ["group-failed", "documents-used"]
    assert "of 8 documents were used" in run.warnings[1].message


async def test_documents_that_may_not_be_sent_are_not(llm_server: OpenAIServer, tmp_path: Path) -> None:
    rows = [{**document("a", "Secret text."), "_no_llm_": True}, {**document("b"), "_no_llm_": False}]
    _, run = await through_gateway(with_llm(llm_server, tmp_path), result_set(rows))
    assert "Secret" not in llm_server.requests[0].text
    assert [one.code for one in run.warnings] == ["not-sent"]
