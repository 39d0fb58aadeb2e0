"""The figures that re-ranking must reach on cranfield, with simulated judges (benchmarks/reranking.py has the whole)."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from chatsearch.registry import Registry

QUERIES = 60


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    module: ModuleType = pytest.importorskip("benchmarks.reranking", reason="the benchmarks are not part of a source archive")
    return module


@pytest.fixture(scope="module")
def cranfield(shared: Path, benchmark: ModuleType) -> Any:
    return benchmark.read_collection(shared / "cranfield")


@pytest.fixture(scope="module")
def bm25(cranfield: Any, benchmark: ModuleType) -> dict[str, list[str]]:
    runs: dict[str, list[str]] = benchmark.lucene_bm25(cranfield, 20)
    return runs


def test_the_scale_is_that_of_the_published_figures(cranfield: Any, bm25: dict[str, list[str]], benchmark: ModuleType) -> None:
    assert benchmark.mean_ndcg(cranfield, bm25) == pytest.approx(0.4945, abs=0.0005)
    assert benchmark.mean_ndcg(cranfield, benchmark.perfect(cranfield, bm25)) == pytest.approx(0.6807, abs=0.0005)


@pytest.mark.parametrize(
    ("identifier", "parameters", "least", "calls", "rounds"),
    [
        ("group_llm_reranker", {}, 0.665, 10, 1),
        ("tournament_llm_reranker", {"method": "stages"}, 0.66, 20, 3),
    ],
)
async def test_a_judge_of_85_percent_gives_nearly_the_perfect_order(
    cranfield: Any,
    bm25: dict[str, list[str]],
    benchmark: ModuleType,
    tmp_path: Path,
    identifier: str,
    parameters: dict[str, object],
    least: float,
    calls: int,
    rounds: int,
) -> None:
    some = dict(list(bm25.items())[:QUERIES])
    perfect = benchmark.mean_ndcg(cranfield, benchmark.perfect(cranfield, some))
    module = Registry().get(identifier).model_validate(parameters)
    found = await benchmark.judged(cranfield, some, module, benchmark.flat, 0, tmp_path)
    assert found[0] / perfect >= least / 0.6807  # the share of the perfect order that `least` is of all 225 queries
    assert found[1:] == (calls, rounds)
