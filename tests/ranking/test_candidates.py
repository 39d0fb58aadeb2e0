"""Scores become ranks, row by row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.ranking.candidates import candidates_of, order_by, ranked
from tests.sources import document, result_set

SCORES = st.lists(st.one_of(st.just(float("nan")), st.integers(-3, 3).map(float)), max_size=30)


@given(SCORES)
def test_an_order_is_by_score_with_ties_as_they_were_and_what_has_no_score_where_it_was(scores: list[float]) -> None:
    order = order_by(np.array(scores))
    assert sorted(order) == list(range(len(scores)))
    assert all(order[place] == place for place, score in enumerate(scores) if np.isnan(score))
    scored = [place for place in order if not np.isnan(scores[place])]
    assert scored == sorted(scored, key=lambda place: (-scores[place], place))


@given(st.permutations(range(1, 9)), st.permutations(range(8)))
def test_ranks_are_written_by_row_and_not_in_rank_order(present: list[int], worth: list[int]) -> None:
    """MOSAIC-RAG wrote the rows in rank order into the column: [3, 1, 4, 2] was shown as [2, 4, 1, 3]."""
    rows = [document(f"d{row}", _original_ranking_=rank) for row, rank in enumerate(present)]
    candidates = candidates_of(result_set(rows), "full-text", "q")
    assert [present[row] for row in candidates.rows] == list(range(1, 9))
    after = ranked(candidates, np.array([float(worth[row]) for row in candidates.rows])).documents
    assert list(after["id"]) == [row["id"] for row in rows]
    assert list(after["_reranking_score_1_"]) == worth
    assert list(after["_reranking_rank_1_"]) == [8 - one for one in worth]


def test_the_case_of_the_fault() -> None:
    candidates = candidates_of(result_set([document(one) for one in "abcd"]), "full-text", "q")
    after = ranked(candidates, np.array([0.2, 0.4, 0.1, 0.3]))
    assert list(after.documents["_reranking_rank_1_"]) == [3, 1, 4, 2]
    assert [after.documents["id"].iloc[row] for row in after.shown_order()] == ["b", "d", "a", "c"]


def test_documents_without_a_text_come_last_in_their_order() -> None:
    rows = [{**document("a"), "full-text": None}, document("b"), {**document("c"), "full-text": " "}, document("d")]
    after = ranked(candidates_of(result_set(rows), "full-text", "q"), np.array([1.0, 2.0]))
    assert list(after.documents["_reranking_rank_1_"]) == [3, 2, 4, 1]
    assert after.documents["_reranking_score_1_"].isna().tolist() == [True, False, True, False]


@pytest.mark.parametrize("mark", [True, 1.0, "true", "yes", "1"])
def test_only_a_remote_model_is_kept_from_marked_documents(mark: object) -> None:
    rows = [document("a", _no_llm_=mark), document("b", _no_llm_=False), document("c", _no_llm_=None)]
    candidates = candidates_of(result_set(rows), "full-text", "q")
    assert candidates.may_leave(remote=False) == [True, True, True]
    assert candidates.may_leave(remote=True) == [False, True, True]


async def test_a_document_s_language_is_what_its_column_says_or_else_detected(tmp_path: Path) -> None:
    text = "Die Brücke wurde vor langer Zeit über den Fluss gebaut."
    rows = [document("a", text, language="deu"), document("b", text, language=None), document("c", text, language="fra")]
    found = await candidates_of(result_set(rows), "full-text", "q").documents()
    assert [one.language for one in found] == ["de", "de", "fr"]
