"""The base classes of modules: their declaration, their parameters, what row modules and re-rankers give for free."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, ValidationError

from chatsearch.errors import ModelError
from chatsearch.events import Event, StepProgress
from chatsearch.module import Category, Column, Module, Reranker, RowModule, StepRun, ranks_of
from chatsearch.results import ResultSet, Role
from tests.sources import document, documents, result_set, services_with, step_run

NAN = float("nan")


class Described(Module):
    """Does one thing
    over two lines.

    And has a second paragraph.
    """

    id: ClassVar[str] = "described"
    name: ClassVar[str] = "Described"
    category: ClassVar[Category] = Category.PRE_PROCESSING

    input_column: Column = Field("full-text", description="Which column.")
    mode: Literal["a", "b"] = Field("a", description="How.")
    share: float | None = Field(None, ge=0, description="How much.")
    count: int = Field(description="How many.")
    on: bool = Field(True, description="Whether.")

    @classmethod
    def missing_requirement(cls) -> str:
        return "pip install it"

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        return results


class Rows(RowModule):
    """Doubles a text."""

    id: ClassVar[str] = "rows"
    name: ClassVar[str] = "Rows"
    category: ClassVar[Category] = Category.METADATA_ANALYSIS
    role: ClassVar[Role] = "chip"
    batch_size: ClassVar[int] = 2

    def compute(self, text: str, query: str) -> object:
        if text == "bad":
            raise ValueError("this one is bad")
        return f"{query}: {text}"


class Scores(Reranker):
    """Scores that a text spells out."""

    id: ClassVar[str] = "scores"
    name: ClassVar[str] = "Scores"

    async def scores(self, query: str, texts: Sequence[str], run: StepRun) -> np.ndarray:
        return np.array([float(text) for text in texts])


def test_the_declaration_is_the_module_of_the_design() -> None:
    declared = Described.declaration()
    assert list(declared) == ["id", "name", "category", "description", "reads", "writes", "parameters", "available", "install"]
    assert declared["description"] == "Does one thing over two lines."
    assert (declared["category"], declared["reads"], declared["available"]) == ("Pre-Processing", ["full-text"], False)
    assert declared["install"] == "pip install it"
    parameters = declared["parameters"]
    assert isinstance(parameters, list)
    assert [list(one) for one in parameters] == [["name", "type", "default", "choices", "description", "required"]] * 5
    assert [(one["name"], one["type"], one["default"], one["choices"], one["required"]) for one in parameters] == [
        ("input_column", "column", "full-text", [], False),
        ("mode", "choice", "a", ["a", "b"], False),
        ("share", "number", None, [], False),
        ("count", "integer", None, [], True),
        ("on", "boolean", True, [], False),
    ]


def test_an_empty_text_for_a_required_number_is_missing() -> None:
    with pytest.raises(ValidationError, match="Field required"):
        Described.model_validate({"count": ""})


def test_a_module_cannot_be_changed_and_ignores_what_it_does_not_know() -> None:
    module = Described.model_validate({"count": "3", "later": 1})
    assert module.count == 3
    with pytest.raises(ValidationError):
        module.count = 4  # type: ignore[misc]


async def test_a_row_module_computes_equal_texts_once_and_reports_progress(tmp_path: Path) -> None:
    events: list[Event] = []
    run = step_run(services_with(tmp_path), emit=events.append)
    rows = [document("a", "x"), document("b", "y"), document("c", "x"), document("d", " "), document("e", "z")]
    results = await Rows().transform(result_set(rows, "q"), run)
    assert [row["output"] for row in results.documents_json()] == ["q: x", "q: y", "q: x", None, "q: z"]
    assert results.roles == {"output": ("chip",)}
    assert run.meter.cached == 1
    assert [(one.done, one.total) for one in events if isinstance(one, StepProgress)] == [(2, 3), (3, 3)]


async def test_a_row_that_fails_costs_no_other(tmp_path: Path) -> None:
    run = step_run(services_with(tmp_path))
    results = await Rows().transform(result_set([document("a", "x"), document("b", "bad"), document("c", "y")], "q"), run)
    assert [row["output"] for row in results.documents_json()] == ["q: x", None, "q: y"]
    assert [one.code for one in run.warnings] == ["row-failed"]
    assert "this one is bad" in run.warnings[0].message


async def test_a_row_module_that_cannot_work_at_all_fails_with_its_own_error(tmp_path: Path) -> None:
    class NoModel(Rows):
        """Has no model."""

        async def compute_batch(self, texts: Sequence[str], query: str, run: StepRun) -> list[object]:
            raise ModelError("the model is not there")

    with pytest.raises(ModelError, match="the model is not there"):
        await NoModel().transform(result_set(documents("a", "b", "c")), step_run(services_with(tmp_path)))


async def test_a_row_module_never_has_more_batches_under_way_than_it_says(tmp_path: Path) -> None:
    under_way, most = 0, 0

    class Counting(Rows):
        """Counts its batches."""

        concurrency: ClassVar[int] = 3
        batch_size: ClassVar[int] = 1

        async def compute_batch(self, texts: Sequence[str], query: str, run: StepRun) -> list[object]:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0)
            under_way -= 1
            return list(texts)

    await Counting().transform(result_set(documents(*(f"d{n}" for n in range(12)))), step_run(services_with(tmp_path)))
    assert most == 3


async def test_a_reranker_numbers_its_ranking_and_puts_what_has_no_text_last(tmp_path: Path) -> None:
    run = step_run(services_with(tmp_path))
    rows = [document("a", "1"), document("b", " "), document("c", "3"), document("d", "3"), document("e", "nan")]
    once = await Scores().transform(result_set(rows), run)
    assert list(once.documents["_reranking_rank_1_"]) == [3, 4, 1, 2, 5]
    assert once.roles == {"_reranking_rank_1_": ("rank",)}
    assert list(once.documents["_reranking_score_1_"].isna()) == [False, True, False, False, True]
    twice = await Scores().transform(once, run)
    assert [column for column in twice.documents.columns if "rank" in column][-2:] == [
        "_reranking_score_2_",
        "_reranking_rank_2_",
    ]


async def test_ties_keep_the_order_of_the_ranking_before(tmp_path: Path) -> None:
    rows = [document(one, "1") for one in "abc"]
    results = result_set(rows).with_column("_reranking_rank_1_", [3, 1, 2])
    again = await Scores().transform(results, step_run(services_with(tmp_path)))
    assert list(again.documents["_reranking_rank_2_"]) == [3, 1, 2]


@given(st.lists(st.floats(), max_size=10).flatmap(lambda scores: st.tuples(st.just(scores), st.permutations(range(len(scores))))))
def test_ranks_are_1_to_n_best_first_and_nan_last(case: tuple[list[float], list[int]]) -> None:
    values, previous = np.array(case[0], dtype=float), case[1]
    ranks = ranks_of(values, previous)
    assert sorted(ranks) == list(range(1, len(values) + 1))
    in_order = values[np.argsort(ranks)]
    scored = in_order[~np.isnan(in_order)]
    assert np.all(scored[:-1] >= scored[1:])
    assert not np.isnan(in_order[: len(scored)]).any() or np.isneginf(scored).any()
