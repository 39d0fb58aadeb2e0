"""Re-ranking groups by a language model: balanced blocks, stages, all combinations, and every way an answer can be of no use."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.errors import ModelAnswerError, ModelError, ModuleError
from chatsearch.prompts import PromptDocument, Task
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from tests.ranking.judges import OrderingModel, ran
from tests.sources import document, result_set, services_with, spec_of, step_run

GROUP = Registry().get("group_llm_reranker")
METHODS = ["blocks", "stages", "exhaustive"]


def numbered(n: int) -> ResultSet:
    """Documents whose ids are their worth, the worst first."""
    return result_set([document(str(one)) for one in range(n)], "what")


def useless(calls: int, error: ModelError | None = None) -> OrderingModel:
    """A model whose first `calls` answers order nothing."""

    def spoil(call: int, documents: Sequence[PromptDocument]) -> None:
        if call <= calls:
            raise error or ModelAnswerError("the answer was prose")

    return OrderingModel(spoil=spoil)


# --- the algorithms


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 7, 11, 20, 23])
async def test_the_calls_are_those_announced_and_counted_from_the_start(tmp_path: Path, method: str, rows: int) -> None:
    model = OrderingModel()
    done = await ran(tmp_path, "group_llm_reranker", numbered(rows), model, method=method)
    total = GROUP.model_validate({"method": method}).calls(rows)  # type: ignore[attr-defined]
    assert len(model.prompts) == done.run.meter.calls == total
    assert done.progress == ([(at, total) for at in range(total + 1)] if total else [])
    assert sorted(done.ranks) == list(range(1, rows + 1))
    assert not done.warnings


@pytest.mark.parametrize(("method", "rounds"), [("blocks", 1), ("stages", 3), ("exhaustive", 1)])
async def test_all_calls_of_a_round_are_made_at_once(tmp_path: Path, method: str, rounds: int) -> None:
    model = OrderingModel()
    await ran(tmp_path, "group_llm_reranker", numbered(20), model, method=method)
    assert model.waves == rounds
    assert model.most_at_once == {"blocks": 10, "stages": 10, "exhaustive": 190}[method]


@given(worth=st.permutations(range(8)))
async def test_ranks_are_by_row_as_the_model_says(tmp_path_factory: pytest.TempPathFactory, worth: list[int]) -> None:
    results = result_set([document(str(one)) for one in worth], "what")
    for parameters in ({"prior": 0}, {"method": "exhaustive"}):
        done = await ran(tmp_path_factory.getbasetemp(), "group_llm_reranker", results, OrderingModel(), **parameters)
        assert done.ranks == [8 - one for one in worth]


async def test_the_first_stage_s_rank_is_mixed_in(tmp_path: Path) -> None:
    alike = OrderingModel(worth=lambda identifier: 0.0)
    scores = (await ran(tmp_path, "group_llm_reranker", numbered(2), alike, rounds=2)).results.documents["_reranking_score_1_"]
    assert sum(scores) == pytest.approx(1 + 0.3 * 0.5)
    strong = await ran(tmp_path, "group_llm_reranker", numbered(6), prior=10)
    assert strong.ranks == [1, 2, 3, 4, 5, 6]


async def test_a_seed_decides_what_is_asked(tmp_path: Path) -> None:
    async def asked(seed: int) -> list[list[str]]:
        model = OrderingModel()
        await ran(tmp_path, "group_llm_reranker", numbered(20), model, seed=seed)
        return [[one.id for one in prompt.documents] for prompt in model.prompts]

    assert await asked(0) == await asked(0) != await asked(1)


async def test_the_query_may_be_another(tmp_path: Path) -> None:
    model = OrderingModel()
    await ran(tmp_path, "group_llm_reranker", numbered(3), model, query="another")
    assert {(prompt.task, prompt.query) for prompt in model.prompts} == {(Task.ORDER, "another")}


# --- what the model reads


async def test_a_model_is_not_told_the_present_ranking(tmp_path: Path) -> None:
    model = OrderingModel()
    await ran(tmp_path, "group_llm_reranker", numbered(20), model)
    assert all([one.n for one in prompt.documents] == list(range(1, 11)) for prompt in model.prompts)


async def test_a_long_document_enters_as_its_best_passages(tmp_path: Path) -> None:
    filler = "The weather of the coast was mild and the harvest came early. " * 500
    rows = [document("1", f"{filler}The bridge was painted red in 1901. {filler}"), document("2", "A short text.")]
    model = OrderingModel()
    await ran(tmp_path, "group_llm_reranker", result_set(rows, "red bridge"), model)
    texts = {one.id: one.text for prompt in model.prompts for one in prompt.documents}
    assert "painted red in 1901" in texts["1"]
    assert len(texts["1"].split()) <= 310
    assert texts["2"] == "A short text."


async def test_a_document_that_may_not_be_sent_keeps_its_place(tmp_path: Path) -> None:
    rows = [document(str(one), f"text {one}", _no_llm_=one == 1) for one in range(5)]
    model = OrderingModel(remote=True)
    done = await ran(tmp_path, "group_llm_reranker", result_set(rows), model, prior=0)
    assert done.order == ["4", "1", "3", "2", "0"]
    assert "1" not in {one.id for prompt in model.prompts for one in prompt.documents}
    assert "1 document may not be sent to “scripted”" in done.warnings["not-sent"]
    local = await ran(tmp_path, "group_llm_reranker", result_set(rows), OrderingModel(), prior=0)
    assert local.order == ["4", "3", "2", "1", "0"]


@pytest.mark.parametrize("kept", [4, 5])
async def test_one_or_no_document_that_may_be_sent_asks_nothing(tmp_path: Path, kept: int) -> None:
    rows = [document(str(one), _no_llm_=one < kept) for one in range(5)]
    model = OrderingModel(remote=True)
    done = await ran(tmp_path, "group_llm_reranker", result_set(rows), model)
    assert not model.prompts
    assert done.ranks == [1, 2, 3, 4, 5]


# --- answers of no use


@pytest.mark.parametrize(("spoiled", "total"), [(1, 10), (5, 10)])
async def test_some_useless_answers_keep_the_order_of_their_blocks_and_are_counted(
    tmp_path: Path, spoiled: int, total: int
) -> None:
    done = await ran(tmp_path, "group_llm_reranker", numbered(20), useless(spoiled), prior=0)
    message = done.warnings["answers-unusable"]
    assert message.startswith(f"{spoiled} of {total} calls of “scripted” gave no usable order (the answer was prose).")
    assert "order-kept" not in done.warnings
    assert done.order != [str(one) for one in range(20)]
    assert done.results.documents["_reranking_score_1_"].notna().all()


@pytest.mark.parametrize("method", METHODS)
async def test_when_more_than_half_are_useless_the_ranking_stays_and_it_is_said(tmp_path: Path, method: str) -> None:
    done = await ran(tmp_path, "group_llm_reranker", numbered(20), useless(10_000), method=method)
    assert done.ranks == list(range(1, 21))
    assert done.results.documents["_reranking_score_1_"].isna().all()
    message = done.warnings["order-kept"]
    assert "gave no usable order (the answer was prose)" in message
    assert "stays as it was" in message
    assert len(done.warnings) == 1


async def test_a_round_without_use_is_followed_by_no_other(tmp_path: Path) -> None:
    model = useless(10_000)
    await ran(tmp_path, "group_llm_reranker", numbered(20), model, method="stages")
    assert len(model.prompts) == 10


async def test_a_provider_s_reason_is_told_once(tmp_path: Path) -> None:
    model = useless(10_000, ModelError("OpenAI: rate limit reached, try again in 20 s."))
    done = await ran(tmp_path, "group_llm_reranker", numbered(20), model)
    (message,) = done.warnings.values()
    assert message.count("rate limit reached, try again in 20 s") == 1
    assert message.startswith("10 of 10 calls")


@pytest.mark.parametrize("answer", [[0, 0, 1], [], [0, 1, 99]])
async def test_an_order_that_is_none_counts_as_useless(tmp_path: Path, answer: list[int]) -> None:
    model = OrderingModel(spoil=lambda call, documents: answer)
    done = await ran(tmp_path, "group_llm_reranker", numbered(3), model)
    assert "does not name each document once" in done.warnings["order-kept"]
    assert done.ranks == [1, 2, 3]


async def test_a_fault_of_the_program_is_not_taken_for_a_useless_answer(tmp_path: Path) -> None:
    def spoil(call: int, documents: Sequence[PromptDocument]) -> None:
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError, match="a bug"):
        await ran(tmp_path, "group_llm_reranker", numbered(20), OrderingModel(spoil=spoil))


async def test_cancelling_reaches_every_call_under_way(tmp_path: Path) -> None:
    model = OrderingModel(gate=asyncio.Event(), all_here=(10, asyncio.Event()))
    task = asyncio.create_task(ran(tmp_path, "group_llm_reranker", numbered(20), model))
    await model.all_here[1].wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.under_way == 0


# --- old specs, limits, no model


async def test_an_old_spec_runs_by_blocks_and_says_so(tmp_path: Path) -> None:
    old = {"model": "gemma2", "input_column": "full-text", "window_size": "3", "query": ""}
    model = OrderingModel()
    done = await ran(tmp_path, "group_llm_reranker", numbered(20), model, **old)
    assert len(model.prompts) == 10
    message = done.warnings["method-replaced"]
    assert "balanced blocks, 10 calls" in message
    assert "1,140" in message
    named = await ran(tmp_path, "group_llm_reranker", numbered(20), None, **old, method="blocks")
    assert "method-replaced" not in named.warnings


async def test_an_old_spec_is_kept_to_the_letter(tmp_path: Path) -> None:
    old: dict[str, object] = {"model": "gemma2", "input_column": "full-text", "window_size": "3", "query": ""}
    spec = spec_of(services_with(tmp_path), ("index_datasource", {"index": "x"}), ("group_llm_reranker", old))
    assert spec.dump()["pipeline"]["2"]["parameters"] == old


async def test_the_paper_s_scheme_asks_every_combination_once(tmp_path: Path) -> None:
    model = OrderingModel()
    done = await ran(tmp_path, "group_llm_reranker", numbered(7), model, method="exhaustive", window_size=3)
    assert len({frozenset(one.id for one in prompt.documents) for prompt in model.prompts}) == len(model.prompts) == 35
    assert done.order == ["6", "5", "4", "3", "2", "1", "0"]


async def test_more_calls_than_allowed_are_refused_before_the_first(tmp_path: Path) -> None:
    model = OrderingModel()
    with pytest.raises(ModuleError, match="takes 19,600 calls, more than max_calls"):
        await ran(tmp_path, "group_llm_reranker", numbered(50), model, method="exhaustive", window_size=3)
    assert not model.prompts


async def test_without_a_language_model_the_nearest_meaning_is_first_and_it_is_said(tmp_path: Path) -> None:
    rows = [
        document("tax", "The parliament passed a law on income tax in 1920."),
        document("feline", "A feline purrs when it is content."),
    ]
    for identifier in ("group_llm_reranker", "tournament_llm_reranker"):
        run = step_run(services_with(tmp_path), identifier)
        module = Registry().get(identifier)()
        after = await module.transform(result_set(rows, "happy cat sounds"), run)
        assert list(after.documents["_reranking_rank_1_"]) == [2, 1]
        (warning,) = run.warnings
        assert warning.code == "no-language-model"
        assert "embedding similarity (all-MiniLM-L6-v2)" in warning.message
        assert run.meter.calls == 0
