"""Tournaments decided by a language model."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.errors import ModelAnswerError
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from tests.ranking.judges import OrderingModel, ran
from tests.sources import document, result_set

TOURNAMENT = Registry().get("tournament_llm_reranker")


def numbered(n: int) -> ResultSet:
    return result_set([document(str(one)) for one in range(n)], "what")


@given(worth=st.permutations(range(4)))
async def test_ranks_are_written_by_row(tmp_path_factory: pytest.TempPathFactory, worth: list[int]) -> None:
    """MOSAIC-RAG wrote [3, 1, 4, 2] as [2, 4, 1, 3]."""
    results = result_set([document(str(one)) for one in worth], "what")
    done = await ran(tmp_path_factory.getbasetemp(), "tournament_llm_reranker", results, prior=0)
    assert done.ranks == [4 - one for one in worth]


async def test_the_knock_out_asks_both_orders_and_finds_the_best(tmp_path: Path) -> None:
    model = OrderingModel()
    done = await ran(tmp_path, "tournament_llm_reranker", numbered(11), model, method="exhaustive")
    shown = [tuple(one.id for one in prompt.documents) for prompt in model.prompts]
    assert len(shown) == TOURNAMENT.model_validate({"method": "exhaustive"}).calls(11) == 20  # type: ignore[attr-defined]
    assert {pair[::-1] for pair in shown} == set(shown)
    assert done.order[0] == "10"
    assert model.waves == 4


async def test_a_model_that_takes_what_it_sees_first_changes_nothing(tmp_path: Path) -> None:
    model = OrderingModel(spoil=lambda call, documents: range(len(documents)))
    done = await ran(tmp_path, "tournament_llm_reranker", numbered(8), model, method="exhaustive")
    assert done.order[0] == "0"
    assert not done.warnings


async def test_an_unreadable_answer_lets_nobody_win_by_its_place(tmp_path: Path) -> None:
    """In MOSAIC-RAG the first of two won when the answer could not be read."""

    def spoil(call: int, documents: object) -> None:
        if call in (1, 2):
            raise ModelAnswerError("no number in the answer")

    done = await ran(tmp_path, "tournament_llm_reranker", numbered(8), OrderingModel(spoil=spoil), method="exhaustive")
    assert "2 of 14 calls" in done.warnings["answers-unusable"]
    assert done.ranks[0] < done.ranks[1]  # the match 0 against 7 kept the order there was


async def test_stages_find_the_best_of_twenty(tmp_path: Path) -> None:
    model = OrderingModel()
    done = await ran(tmp_path, "tournament_llm_reranker", numbered(20), model, method="stages")
    assert len(model.prompts) == 20
    assert model.waves == 3
    assert done.order[:2] == ["19", "18"]


async def test_a_spec_of_mosaic_rag_runs_by_blocks_and_says_so(tmp_path: Path) -> None:
    old: dict[str, object] = {"model": "gemma2", "input_column": "full-text", "query": ""}
    model = OrderingModel()
    done = await ran(tmp_path, "tournament_llm_reranker", numbered(20), model, **old)
    assert len(model.prompts) == 10
    assert "balanced blocks, 10 calls; the knock-out tournament would take 38" in done.warnings["method-replaced"]
    for parameters in ({"method": "blocks"}, {"rounds": 5}):
        assert not (await ran(tmp_path, "tournament_llm_reranker", numbered(20), None, **old, **parameters)).warnings
    assert not (await ran(tmp_path, "tournament_llm_reranker", numbered(20))).warnings
