"""The engines that need a service run against its stand-in: MOSAIC, reached or not, and a language model."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from chatsearch.conversation import Conversation
from chatsearch.errors import SourceError
from chatsearch.events import Answered
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.spec import Spec
from tests.openai_server import OpenAIServer, Reply, Request
from tests.ready import ready
from tests.sources import events_of, finished, services_with
from tests.stand_ins.mosaic import Mosaic, page
from tests.stand_ins.serving import serving

TASKS = {
    "You add search words": "expand",
    "You order": "order",
    "You summarise the document": "document",
    "You summarise, in": "summary",
    "You answer": "answer",
}
"""How the rules of a prompt begin, and what they ask for."""


def task_of(request: Request) -> str:
    return next((task for start, task in TASKS.items() if request.text.startswith(start)), "another")


def good_model(request: Request) -> Reply:
    """A language model that does what it is asked: it prefers short documents, and quotes a document's first sentence."""
    documents = re.findall(r'<document n="(\d+)">\n(?:Title: .*\n)?((?s:.*?))\n</document>', request.text)
    first = re.split(r"(?<=[.!?]) (?=[A-Z])", documents[0][1])[0] if documents else ""
    by_length = sorted(documents, key=lambda one: len(one[1]))
    return {
        "expand": Reply("history biography"),
        "order": Reply(" > ".join(f"[{n}]" for n, _ in by_length)),
        "document": Reply(first),
    }.get(task_of(request), Reply(f"{first} [{documents[0][0]}]" if documents else "none"))


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("machine")


async def found(services: Services, name: str, question: str, mosaic: str = "") -> ResultSet:
    data = ready(name, mosaic) if mosaic else ready(name)
    return finished(await events_of(services, Spec.load(data, services.registry, name), question))


# --- MOSAIC -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["arts", "hub-example"])
async def test_it_runs_against_mosaic(name: str, machine: Path) -> None:
    question = ready(name)["starters"][0]
    mosaic = Mosaic({"arts": [page(n, f"Who painted it? Painting {n} is by Rembrandt: Impressionism.") for n in range(3)]})
    services = services_with(machine, allowed_hosts=["127.0.0.1:*"])
    async with serving(mosaic.app("/service/api")) as url:
        results = await found(services, name, question, url)
    assert len(results) == 3
    assert mosaic.queries[0]["index"] == "arts"
    assert not results.warnings
    assert results.summaries if name == "arts" else all(results.documents["summary"])


@pytest.mark.parametrize("name", ["arts", "hub-example"])
async def test_without_mosaic_it_says_so(name: str, machine: Path) -> None:
    services = services_with(machine, allowed_hosts=["127.0.0.1:*"])
    with pytest.raises(SourceError, match="127.0.0.1"):
        await found(services, name, "Who painted the Night Watch?")


async def test_two_sources_make_one_list_in_which_this_machine_counts_double(machine: Path) -> None:
    mosaic = Mosaic({"arts": [page(n, f"The museum, painting {n}.") for n in range(30)]})
    services = services_with(machine, allowed_hosts=["127.0.0.1:*"])
    async with serving(mosaic.app("/service/api")) as url:
        results = await found(services, "federated", ready("federated")["starters"][0], url)
    shown = results.documents.iloc[results.shown_order()]
    assert Counter(shown["_source_index_"]) == {"demo": 10, "arts": 20}
    assert set(shown["_source_index_"].iloc[:10]) == {"demo"}
    assert "chip" in results.roles["_source_index_"]
    assert not results.warnings


# --- a language model -------------------------------------------------------------------------------------------------------


def with_llm(machine: Path, server: OpenAIServer) -> Services:
    return services_with(machine, model="gemma2", llm_base_url=server.url, llm_retries=0, llm_cache_mb=0)


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("rerank-llm-groups", {"order": 12, "summary": 1}),
        ("rerank-llm-tournament", {"order": 8, "summary": 1}),
        ("language-model", {"expand": 1, "order": 4, "document": 5, "summary": 1}),
    ],
)
async def test_a_language_model_is_asked_as_often_as_its_page_says(
    name: str, calls: dict[str, int], machine: Path, llm_server: OpenAIServer
) -> None:
    llm_server.usual = good_model
    question = ready(name)["starters"][0]
    results = await found(with_llm(machine, llm_server), name, question)
    assert Counter(map(task_of, llm_server.requests)) == calls
    assert not results.warnings
    assert (results.asked, results.summaries[0].refused) == (question, False)
    assert results.summaries[0].model.endswith("gemma2")
    assert results.summaries[0].footnotes
    lengths = [len(text) for text in results.documents.iloc[results.shown_order()]["full-text"]]
    assert sum(lengths[:3]) < sum(lengths[-3:]), "the model's preference for short documents does not show"


async def test_what_a_language_model_adds(machine: Path, llm_server: OpenAIServer) -> None:
    llm_server.usual = good_model
    services = with_llm(machine, llm_server)
    results = await found(services, "language-model", "Why did the Huguenots leave France?")
    assert results.query == "Why did the Huguenots leave France? history biography"
    for summary, text in zip(results.documents["summary"], results.documents["full-text"], strict=True):
        assert summary
        assert text.startswith(summary)
    llm_server.requests.clear()
    talk = Conversation(services, Spec.load(ready("language-model"), services.registry), results)
    last = [event async for event in talk.ask("What did the Edict of Fontainebleau do?")][-1]
    assert isinstance(last, Answered)
    asked = next(request for request in llm_server.requests if task_of(request) == "answer")
    assert ready("language-model")["conversation"]["instructions"] in asked.text


@pytest.mark.parametrize("name", ["rerank-llm-groups", "rerank-llm-tournament", "language-model"])
async def test_rubbish_of_a_language_model_keeps_the_order_and_is_said(
    name: str, machine: Path, llm_server: OpenAIServer
) -> None:
    llm_server.usual = Reply("As a language model I would rather not.")
    results = await found(with_llm(machine, llm_server), name, ready(name)["starters"][0])
    assert "order-kept" in {warning.code for warning in results.warnings}
    assert list(results.documents.iloc[results.shown_order()]["_original_ranking_"]) == list(range(1, len(results) + 1))
