"""Keeping the best documents of a ranking."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.errors import MissingColumnError, ModuleError, SpecError
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from tests.sources import documents, memory_source, result_set, results_of, services_with, spec_of, step_run

REDUCTION = Registry().get("reduction_step")
ABC = result_set(documents("a", "b", "c"))


async def kept(tmp_path: Path, results: ResultSet, **parameters: object) -> list[str]:
    after = await REDUCTION.model_validate(parameters).transform(results, step_run(services_with(tmp_path)))
    return list(after.documents["id"])


async def test_the_k_best_of_the_original_ranking_stay_in_their_rows_order(tmp_path: Path) -> None:
    turned = ABC.with_column("_original_ranking_", [3, 1, 2])
    assert await kept(tmp_path, turned, k=2) == ["b", "c"]
    assert await kept(tmp_path, turned, k="1") == ["b"]
    assert await kept(tmp_path, turned, k=100) == ["a", "b", "c"]


async def test_latest_is_the_ranking_of_the_last_reranker(tmp_path: Path) -> None:
    reranked = ABC.with_column("_reranking_rank_1_", [3, 2, 1]).with_column("_reranking_rank_2_", [2, 3, 1])
    assert await kept(tmp_path, reranked, k=1, ranking_column="latest") == ["c"]
    assert await kept(tmp_path, reranked, k=2, ranking_column="latest") == ["a", "c"]
    assert await kept(tmp_path, ABC, k=1, ranking_column="latest") == ["a"]


async def test_what_has_no_rank_goes_first(tmp_path: Path) -> None:
    assert await kept(tmp_path, ABC.with_column("_reranking_rank_1_", [None, 2, 1]), k=2, ranking_column="latest") == ["b", "c"]


async def test_a_column_without_ranks_is_an_error_and_nothing_is_removed_by_chance(tmp_path: Path) -> None:
    with pytest.raises(ModuleError, match="“title” holds no ranks"):
        await kept(tmp_path, ABC, ranking_column="title")


async def test_nothing_is_reduced_to_nothing(tmp_path: Path) -> None:
    assert await kept(tmp_path, result_set([]), k=3) == []


@pytest.mark.parametrize("k", [0, -1, "many", 10_001])
def test_k_is_at_least_one(tmp_path: Path, k: object) -> None:
    services = services_with(tmp_path, memory_source("left", documents("a")))
    with pytest.raises(SpecError, match="a whole number from 1 to 10,000"):
        spec_of(services, "left", ("reduction_step", {"k": k}))


async def test_in_a_pipeline_the_ledger_says_how_many_rows_went(tmp_path: Path) -> None:
    services = services_with(tmp_path, memory_source("left", documents("a", "b", "c")))
    results = await results_of(services, "left", ("reduction_step", {"k": 2}))
    assert [(row.rows_in, row.rows_out) for row in results.ledger] == [(0, 3), (3, 2)]
    assert results.numbers == {"a": 1, "b": 2}


async def test_a_minimum_score_holds_among_the_k_best(tmp_path: Path) -> None:
    scored = ABC.with_column("_reranking_score_1_", [0.1, 0.9, 0.5]).with_column("_reranking_rank_1_", [3, 1, 2])
    assert await kept(tmp_path, scored, minimum_score=0.5) == ["b", "c"]
    assert await kept(tmp_path, scored, minimum_score="0.5", k=1, ranking_column="latest") == ["b"]
    assert await kept(tmp_path, scored, minimum_score=0) == ["a", "b", "c"]
    assert await kept(tmp_path, scored, minimum_score=2) == []


async def test_a_document_without_a_score_does_not_reach_the_minimum(tmp_path: Path) -> None:
    assert await kept(tmp_path, ABC.with_column("quality", [None, -5, "x"]), minimum_score=-10, score_column="quality") == ["b"]


async def test_a_minimum_without_a_score_to_compare_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingColumnError, match="put a re-ranker before"):
        await kept(tmp_path, ABC, minimum_score=0.5)


async def test_when_nothing_reaches_the_minimum_the_run_says_so(tmp_path: Path) -> None:
    services = services_with(tmp_path, memory_source("left", documents("a", "b")))
    results = await results_of(services, "left", "tf_idf_reranker", ("reduction_step", {"minimum_score": 99}))
    assert len(results) == 0
    assert [warning.message for warning in results.warnings] == [
        "No document is left: step 3 (reduction_step) removed the last 2."
    ]
