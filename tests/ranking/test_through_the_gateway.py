"""The re-rankers with a real gateway, against an OpenAI-compatible server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from chatsearch.llm.calls import Gate, Limits
from chatsearch.llm.catalog import Endpoint
from chatsearch.llm.gateway import GatewayModel
from chatsearch.llm.model import LanguageModel
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.settings import load_settings
from chatsearch.step import StepRun
from tests.openai_server import OpenAIServer, Reply, Request
from tests.sources import document, result_set

ROWS = 20


@dataclass
class GatewayServices(Services):
    """Services whose language model is a server's."""

    url: str = ""

    def language_model(self, wanted: str = "") -> tuple[LanguageModel, str]:
        limits = Limits(concurrency=16, connect=5, token=20, total=30, retries=0, max_wait=1, backoff=0)
        endpoint = Endpoint("openai/gemma2", "openai/gemma2", "openai-compatible", self.url, "CHATSEARCH_LLM_API_KEY", "sk-test")
        return GatewayModel(endpoint, limits, Gate(limits.concurrency), None, 8192), ""


def by_worth(request: Request) -> Reply:
    """An answer as models give them: thoughts, then the numbers of the documents, the best first."""
    worth = [int(one) for one in re.findall(r"worth (\d+)", request.text)]
    order = sorted(range(len(worth)), key=lambda place: -worth[place])
    return Reply(f"<think>[1] > [2]?</think>{' > '.join(f'[{place + 1}]' for place in order)}")


async def reranked(data_dir: Path, llm_server: OpenAIServer, **parameters: object) -> tuple[ResultSet, StepRun]:
    run = StepRun(
        GatewayServices(load_settings(data_dir=data_dir), url=llm_server.url), 2, "group_llm_reranker", lambda event: None
    )
    rows = [document(f"d{one}", f"This document is worth {one}.") for one in range(ROWS)]
    module = Registry().get("group_llm_reranker").model_validate({"prior": 0, **parameters})
    return await module.transform(result_set(rows), run), run


@pytest.mark.parametrize("method", ["blocks", "stages"])
async def test_a_served_model_orders_the_documents(tmp_path: Path, llm_server: OpenAIServer, method: str) -> None:
    llm_server.usual = by_worth
    after, run = await reranked(tmp_path, llm_server, method=method)
    assert after.documents["id"].iloc[after.shown_order()[0]] == "d19"
    assert not run.warnings
    assert run.meter.calls == len(llm_server.requests) == (10 if method == "blocks" else 20)
    assert run.meter.tokens_in > 0
    assert llm_server.most_open > 1


async def test_prose_changes_nothing_and_is_said(tmp_path: Path, llm_server: OpenAIServer) -> None:
    llm_server.usual = Reply("All of these documents are about the topic.")
    after, run = await reranked(tmp_path, llm_server)
    assert list(after.documents["_reranking_rank_1_"]) == list(range(1, ROWS + 1))
    assert [one.code for one in run.warnings] == ["order-kept"]
    assert run.warnings[0].message.startswith("10 of 10 calls of “openai/gemma2” gave no usable order")


async def test_a_failing_provider_s_reason_is_told_once(tmp_path: Path, llm_server: OpenAIServer) -> None:
    llm_server.usual = Reply(status=401, error="your key has expired")
    after, run = await reranked(tmp_path, llm_server)
    assert list(after.documents["_reranking_rank_1_"]) == list(range(1, ROWS + 1))
    (warning,) = run.warnings
    assert warning.code == "order-kept"
    assert warning.message.count("openai/gemma2") >= 1
