"""Fusion of the rankings that documents have already."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from chatsearch.contracts import missing_columns
from chatsearch.errors import ModuleError
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from tests.ranking.judges import ran
from tests.sources import document, result_set

FUSION = Registry().get("fusion")


def three(**more: list[object]) -> ResultSet:
    """a, b, c as found, and c, a, b by a re-ranker that was sure of c."""
    columns: dict[str, list[object]] = {"_reranking_score_1_": [0.2, 0.1, 0.9], "_reranking_rank_1_": [2, 3, 1], **more}
    rows = [{**document(one), **{name: values[n] for name, values in columns.items()}} for n, one in enumerate("abc")]
    return result_set(rows)


async def test_all_rankings_count_by_their_ranks(tmp_path: Path) -> None:
    done = await ran(tmp_path, "fusion", three())
    scores = done.results.documents["_reranking_score_2_"].tolist()
    assert scores == pytest.approx([1 / 61 + 1 / 62, 1 / 62 + 1 / 63, 1 / 63 + 1 / 61])
    assert done.order == ["a", "c", "b"]
    assert done.results.roles["_reranking_rank_2_"] == ("rank",)


async def test_min_max_takes_scores_where_there_are_some_and_ranks_elsewhere(tmp_path: Path) -> None:
    done = await ran(tmp_path, "fusion", three(), method="min-max")
    expected = [(1 + 0.125) / 2, (0.5 + 0) / 2, (0 + 1) / 2]
    assert done.results.documents["_reranking_score_2_"].tolist() == pytest.approx(expected)


async def test_weights_and_columns_may_be_chosen(tmp_path: Path) -> None:
    results = three(price=[9, 1, 5], stars=[1, 5, None])
    assert (await ran(tmp_path, "fusion", results, columns="stars")).order == ["b", "a", "c"]
    assert (await ran(tmp_path, "fusion", results, columns="-price, stars", weights="0, 1")).order == ["b", "a", "c"]
    assert (await ran(tmp_path, "fusion", results, columns="-price")).order == ["b", "c", "a"]
    heavy = await ran(
        tmp_path, "fusion", results, columns="_original_ranking_, _reranking_rank_1_", weights="1; 9".replace(";", ",")
    )
    assert heavy.order == ["c", "a", "b"]


async def test_a_column_with_the_role_of_a_rank_is_best_when_low(tmp_path: Path) -> None:
    results = replace(three(citations=[3, 1, 2]), roles={"citations": ("rank",)})
    assert (await ran(tmp_path, "fusion", results, columns="citations")).order == ["b", "c", "a"]
    assert (await ran(tmp_path, "fusion", three(citations=[3, 1, 2]), columns="citations")).order == ["a", "c", "b"]


async def test_a_column_without_numbers_is_said(tmp_path: Path) -> None:
    done = await ran(tmp_path, "fusion", three(), columns="title, _original_ranking_")
    assert "title holds no number" in done.warnings["column-without-numbers"]
    assert done.order == ["a", "b", "c"]


async def test_a_missing_column_is_named_before_the_run() -> None:
    module = FUSION.model_validate({"columns": "_original_ranking_, -prize"})
    assert "“prize”" in missing_columns(module, ["_original_ranking_", "price"])


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"weights": "1, heavy"}, "“heavy” is not a weight"),
        ({"weights": "-1"}, "“-1” is not a weight"),
        ({"weights": "nan"}, "“nan” is not a weight"),
        ({"weights": "0, 0"}, "all weights are 0"),
        ({"columns": "a, b", "weights": "1"}, "1 weights for 2 columns"),
        ({"columns": " , "}, "names no column"),
    ],
)
def test_wrong_weights_are_refused(parameters: dict[str, str], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        FUSION.model_validate(parameters)


async def test_weights_must_fit_the_rankings_there_are(tmp_path: Path) -> None:
    with pytest.raises(ModuleError, match="3 weights are given for 2 rankings"):
        await ran(tmp_path, "fusion", three(), weights="1, 2, 3")
