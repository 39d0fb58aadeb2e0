"""What Tab offers in the terminal chat."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.commands.registry import BY_NAME
from chatsearch.commands.session import Session
from chatsearch.terminal_completion import candidates
from tests.commands.sessions import session_of


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """The engine memory, tf_idf_reranker, all_results_summarizer, after a search."""
    return session_of(tmp_path_factory.mktemp("data"), searched=True)


def offered(session: Session, typed: str) -> list[str]:
    """The lines that a choice would make."""
    found = candidates(session, typed)
    return [typed[: len(typed) - one.replaces] + one.text for one in found]


def test_a_query_is_not_completed(session: Session) -> None:
    assert offered(session, "lexical") == []
    assert offered(session, "") == []


def test_every_command_with_what_it_does(session: Session) -> None:
    found = candidates(session, "/")
    assert {one.text for one in found} == {*(f"/{name}" for name in BY_NAME), "/quit"}
    assert all(one.meaning for one in found)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("/ad", "/add"),
        ("/help und", "/help undo"),
        ("/add lexical", "/add lexical_reranker"),
        ("/add rerank", "/add tf_idf_reranker"),
        ("/add tf_idf_reranker sim", "/add tf_idf_reranker similarity_metric="),
        ("/add tf_idf_reranker similarity_metric=b", "/add tf_idf_reranker similarity_metric=BM25"),
        ("/add tf_idf_reranker input_column=full", "/add tf_idf_reranker input_column=full-text"),
        ("/add field_filter operator=starts", '/add field_filter operator="starts with"'),
        ("/add tf_idf_reranker at ", "/add tf_idf_reranker at 2"),
        ("/set 2", "/set 2."),
        ("/set 2.sim", "/set 2.similarity_metric"),
        ("/set 2.similarity_metric C", "/set 2.similarity_metric Cosine"),
        ("/set 2 sim", "/set 2 similarity_metric="),
        ("/set sub", "/set subtitle"),
        ("/set display.rank_column _rer", "/set display.rank_column _reranking_rank_1_"),
        ("/remove ", "/remove 3"),
        ("/disable ", "/disable 1"),
        ("/move 1 ", "/move 1 to"),
        ("/move 1 to ", "/move 1 to 3"),
        ("/load de", "/load demo"),
        ("/diff de", "/diff demo"),
        ("/rank or", "/rank _original_ranking_"),
        ("/text ful", "/text full-text"),
        ("/chips on lang", "/chips on language"),
        ("/filter lang", "/filter language"),
        ("/filter language con", "/filter language contains"),
        ("/sort words d", "/sort words desc"),
        ("/model ext", "/model extractive"),
        ("/export mark", "/export markdown"),
        ("/theme dark", "/theme darkgreen"),
        ("/starters remove ", "/starters remove 2"),
        ("/config source_t", "/config source_timeout"),
        ("/spec ", "/spec json"),
    ],
)
def test_what_can_come_next(session: Session, typed: str, expected: str) -> None:
    assert expected in offered(session, typed)


def test_what_begins_so_comes_before_what_has_it_inside(session: Session) -> None:
    found = offered(session, "/add reduction")
    assert found[0] == "/add reduction_step"


def test_nothing_is_offered_twice_or_where_nothing_fits(session: Session) -> None:
    assert offered(session, "/enable ") == []  # every step is on
    assert "/set 2 similarity_metric=BM25 similarity_metric=" not in offered(session, "/set 2 similarity_metric=BM25 ")
    assert offered(session, "/nosuch x") == []
    assert offered(session, "/export csv ") == []


def test_files_of_the_folder_can_be_loaded(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.json").touch()
    (tmp_path / "own.txt").touch()
    (tmp_path / "owned").mkdir()
    (tmp_path / "owned" / "other.json").touch()
    assert offered(session, "/load ow") == ["/load own.json", "/load owned/"]
    assert offered(session, "/load owned/") == ["/load owned/other.json"]
    assert offered(session, "/load nowhere/") == []


@given(st.text() | st.sampled_from(sorted(BY_NAME)).flatmap(lambda name: st.text().map(lambda rest: f"/{name} {rest}")))
def test_any_line_can_be_completed(session: Session, typed: str) -> None:
    for one in candidates(session, typed):
        assert 0 <= one.replaces <= len(typed)
        assert one.text
