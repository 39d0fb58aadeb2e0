"""Re-ranking by LLARS's formula."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ranking.judges import ran
from tests.sources import document, result_set

ROWS = [
    document("first", "A river in the north."),
    document("second", "The RED bridge over the river."),
    document("third", "Nothing of the kind."),
    document("fourth", "Red, red, red."),
]
SCORE = "_reranking_score_1_"


async def test_without_scores_the_ranks_are_the_score(tmp_path: Path) -> None:
    done = await ran(tmp_path, "lexical_reranker", result_set(ROWS, "red bridge"))
    # .85 × (1 − (rank − 1) / 4) + .15 × share of {red, bridge}
    expected = [0.85, 0.85 * 0.75 + 0.15, 0.85 * 0.5, 0.85 * 0.25 + 0.075]
    assert done.results.documents[SCORE].tolist() == pytest.approx(expected)
    assert done.order == ["first", "second", "third", "fourth"]


async def test_the_scores_of_the_last_re_ranker_are_scaled(tmp_path: Path) -> None:
    results = result_set([{**row, SCORE: 4 - n * n, "_reranking_rank_1_": n + 1} for n, row in enumerate(ROWS)], "red bridge")
    done = await ran(tmp_path, "lexical_reranker", results)
    expected = [0.85, 0.85 * 8 / 9 + 0.15, 0.85 * 5 / 9, 0.075]
    assert done.results.documents["_reranking_score_2_"].tolist() == pytest.approx(expected)
    assert done.order == ["second", "first", "third", "fourth"]


@pytest.mark.parametrize("scores", [[0.5, None, 0.2, 0.1], [1.0, 1.0, 1.0, 1.0]])
async def test_scores_that_are_missing_or_all_equal_give_way_to_the_ranks(tmp_path: Path, scores: list[float | None]) -> None:
    ranks = [4, 3, 2, 1]
    rows = [{**row, SCORE: score, "_reranking_rank_1_": rank} for row, score, rank in zip(ROWS, scores, ranks, strict=True)]
    done = await ran(tmp_path, "lexical_reranker", result_set(rows, "zzz"))
    assert done.results.documents["_reranking_score_2_"].tolist() == pytest.approx(
        [0.85 * share for share in (0.25, 0.5, 0.75, 1)]
    )
    assert done.ranks == ranks


async def test_alpha_1_is_the_words_alone_and_alpha_0_keeps_the_order(tmp_path: Path) -> None:
    done = await ran(tmp_path, "lexical_reranker", result_set(ROWS, "red bridge red"), alpha="1")
    assert done.results.documents[SCORE].tolist() == [0.0, 1.0, 0.0, 0.5]
    assert done.order == ["second", "fourth", "first", "third"]
    assert (await ran(tmp_path, "lexical_reranker", result_set(ROWS, "red bridge"), alpha=0)).ranks == [1, 2, 3, 4]


async def test_a_query_without_words_keeps_the_order(tmp_path: Path) -> None:
    assert (await ran(tmp_path, "lexical_reranker", result_set(ROWS, "…"))).ranks == [1, 2, 3, 4]


@given(query=st.text(max_size=40), texts=st.lists(st.text(max_size=60), max_size=6))
async def test_any_texts_have_a_score_from_0_to_1(tmp_path_factory: pytest.TempPathFactory, query: str, texts: list[str]) -> None:
    rows = [document(f"d{n}", text) for n, text in enumerate(texts)]
    done = await ran(tmp_path_factory.getbasetemp(), "lexical_reranker", result_set(rows, query))
    scores = done.results.documents[SCORE].dropna()
    assert ((scores >= 0) & (scores <= 1)).all()
    assert sorted(done.ranks) == list(range(1, len(rows) + 1))
