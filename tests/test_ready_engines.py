"""Every starter of every engine that needs nothing from elsewhere gives results and an answer, without a language model."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.commands.registry import respond
from chatsearch.commands.session import Session
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.spec import Spec
from tests.ready import READY, UNREACHABLE, ready
from tests.sources import events_of, finished, services_with

ANSWERS = {
    "demo": ("1943", "Ögedei", "not-for-profit", "1817"),
    "federated": ("Museum of Manufactures", "233", "Mask of Anarchy", "Ultimate Adventure"),
    "language-model": ("fled France", "Robert Lane", "Sea of Japan", "World War II"),
    "metadata": ("", "", "", ""),
    "rerank-cross-encoder": ("Charles Richard", "16,000", "Parliament of Victoria", "1986"),
    "rerank-embedding": ("Gandhi", "showmanship", "Southwest Fresno", "1279"),
    "rerank-fusion": ("double membrane", "for France", "public sector corruption", "Virginia"),
    "rerank-lexical": ("100–150", "66 million years", "Fort Caroline", "Allston"),
    "rerank-llm-groups": ("soft, gelatinous bodies", "individually", "autoimmune diseases", "erosion"),
    "rerank-llm-tournament": ("heavens", "economic foundation", "gift", "James Hutton"),
}
"""By engine what its summary says of each starter, in their order; "" for an open question."""

SAID = {
    "federated": {"source-failed"},
    "language-model": {"query-unchanged", "no-language-model"},
    "rerank-cross-encoder": {"model-replaced"},
    "rerank-llm-groups": {"no-language-model"},
    "rerank-llm-tournament": {"no-language-model"},
}
"""By engine the codes of the warnings that say what is done without: a source, a language model, a model of a hub."""

LISTED = {"demo": 10, "federated": 10, "language-model": 5}


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that all engines share, so that the sample is indexed once."""
    return tmp_path_factory.mktemp("machine")


@pytest.fixture
def services(machine: Path) -> Services:
    return services_with(machine, allowed_hosts=[UNREACHABLE.removeprefix("http://")])


async def found(services: Services, name: str, question: str) -> ResultSet:
    return finished(await events_of(services, Spec.load(ready(name), services.registry, name), question))


@pytest.mark.parametrize("name", [name for name in READY if name not in ("arts", "hub-example")])
async def test_every_starter_is_answered(services: Services, name: str) -> None:
    starters = ready(name)["starters"]
    for starter, answer in zip(starters, ANSWERS[name], strict=True):
        results = await found(services, name, starter)
        (summary,) = results.summaries
        assert len(results) == LISTED.get(name, 10), starter
        assert not summary.refused, starter
        assert answer in summary.text, (starter, summary.text)
        assert summary.footnotes
        assert {warning.code for warning in results.warnings} <= SAID.get(name, set())
        if name != "rerank-cross-encoder":  # a machine may have that model
            assert {warning.code for warning in results.warnings} == SAID.get(name, set())


async def test_a_re_ranking_moves_the_paragraph_that_answers_to_the_top(services: Services) -> None:
    for name, question in (
        ("rerank-lexical", "When did the Cretaceous-Paleogene extinction happen?"),
        ("rerank-embedding", "Which famous Indian practiced civil disobedience?"),
    ):
        results = await found(services, name, question)
        first = results.documents.iloc[results.shown_order()[0]]
        assert first["_original_ranking_"] > 1
        assert first["_reranking_rank_1_"] == 1


async def test_metadata_is_there_for_every_document(services: Services) -> None:
    results = await found(services, "metadata", ready("metadata")["starters"][1])
    for column in ready("metadata")["display"]["chip_columns"]:
        assert "chip" in results.roles[column]
        assert results.documents[column].astype(bool).all(), column
    assert results.documents["topic"].nunique() > 1
    assert "fear" in set(results.documents["sentiment"])
    session = Session(services, Spec.load(ready("metadata"), services.registry), "metadata")
    session.searched_for("plague", results)
    for command in ("/filter wordCount > 120", "/filter sentiment = fear", "/sort topic"):  # what its page says
        assert (await respond(session, command)).blocks


async def test_a_summary_per_document_is_quoted_without_a_language_model(services: Services) -> None:
    results = await found(services, "language-model", ready("language-model")["starters"][0])
    for summary, text in zip(results.documents["summary"], results.documents["full-text"], strict=True):
        assert summary
        assert summary[:40] in text
