"""The list is ranked, filtered and sorted for one chat; numbers, results and spec stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.commands.edits import with_view
from chatsearch.commands.registry import respond
from chatsearch.commands.reply import Note
from chatsearch.commands.session import Session
from chatsearch.commands.view import chip_columns, rank_column, shown_rows, text_column
from chatsearch.errors import InputError
from chatsearch.results import ResultSet
from tests.commands.sessions import ENGINE, Kept, refusal, results, said, session_of


def results_of(session: Session) -> ResultSet:
    assert session.results is not None
    return session.results


async def shown(session: Session) -> list[str]:
    """The ids of the documents as they are shown."""
    found = results_of(session)
    rows = await shown_rows(session.view, session.spec.engine.display, found, session.services)
    return [str(found.documents["id"].iloc[row]) for row in rows.rows]


async def test_the_order_is_the_last_ranking_and_can_be_another(tmp_path: Path) -> None:
    session = session_of(tmp_path, searched=True)
    assert await shown(session) == ["c", "b", "a"]
    reply = await respond(session, "/rank ORIGINAL_ranking")
    assert (reply.view_changed, reply.spec_changed) == (True, False)
    assert await shown(session) == ["a", "b", "c"]
    assert "_reranking_rank_1_" in await said(session, "/rank")
    assert "There are: _original_ranking_, _reranking_rank_1_" in await refusal(session, "/rank title")


async def test_the_specs_display_holds_until_a_person_chooses(tmp_path: Path) -> None:
    display = {"rank_column": "_original_ranking_", "text_column": "title", "chip_columns": ["words", "gone"]}
    session = session_of(tmp_path, {**ENGINE, "display": display}, searched=True)
    found, of_spec = results_of(session), session.spec.engine.display
    assert await shown(session) == ["a", "b", "c"]
    assert text_column(session.view, of_spec, found) == "title"
    assert chip_columns(session.view, of_spec, found) == ("words",)
    for typed in ("/rank reranking_rank_1", "/text full-text", "/chips on language"):
        await respond(session, typed)
    assert rank_column(session.view, of_spec, found) == "_reranking_rank_1_"
    assert text_column(session.view, of_spec, found) == "full-text"
    assert chip_columns(session.view, of_spec, found) == ("words", "language")


async def test_what_was_chosen_can_be_saved_in_the_spec(tmp_path: Path) -> None:
    session = session_of(tmp_path, searched=True)
    for typed in ("/rank original_ranking", "/text title", "/chips none"):
        await respond(session, typed)
    assert with_view(session.spec, session.view)["display"] == {
        "rank_column": "_original_ranking_",
        "text_column": "title",
        "chip_columns": [],
    }


async def test_chips_are_switched_on_and_off(tmp_path: Path) -> None:
    session = session_of(tmp_path, searched=True)
    display = session.spec.engine.display
    for typed, columns in [
        ("/chips off words", ("language",)),
        ("/chips on year, Words", ("language", "year", "words")),
        ("/chips none", ()),
        ("/chips all", ("language", "words")),
    ]:
        await respond(session, typed)
        assert chip_columns(session.view, display, results_of(session)) == columns
    assert "Did you mean “words”?" in await refusal(session, "/chips on word")
    assert "on or off" in await refusal(session, "/chips words")


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        ("language=en", ["c", "a"]),
        ("Language = EN", ["c", "a"]),
        ("language != en", ["b"]),
        ("words>20", ["c", "a"]),
        ("words >= 20", ["c", "b", "a"]),
        ("words ≤ 300", ["b", "a"]),
        ("year<2000", ["a"]),
        ("title contains RHINE", ["c"]),
        ('title contains "the river"', ["c"]),
        ("title starts with war", ["b"]),
        ("year is empty", ["b"]),
        ("year is not empty", ["c", "a"]),
        ("full-text contains 1943", ["a"]),
    ],
)
async def test_a_filter(tmp_path: Path, condition: str, ids: list[str]) -> None:
    session = session_of(tmp_path, searched=True)
    assert f"{len(ids)} of 3 are shown" in await said(session, f"/filter {condition}")
    assert await shown(session) == ids


async def test_filters_add_up_and_are_switched_off(tmp_path: Path) -> None:
    session = session_of(tmp_path, searched=True)
    for typed in ("/filter language=en", "/filter words>100", "/filter words>500"):
        await respond(session, typed)
    assert await shown(session) == ["c"]
    assert "language = en and words > 500" in await said(session, "/filter")
    await respond(session, "/filter off")
    assert await shown(session) == ["c", "b", "a"]


@pytest.mark.parametrize(
    "typed", ["/filter language", "/filter = en", "/filter language =", "/filter langage=en", "/filter nosuch"]
)
async def test_a_filter_that_cannot_be_read_changes_nothing(tmp_path: Path, typed: str) -> None:
    session = session_of(tmp_path, searched=True)
    await refusal(session, typed)
    assert session.view.conditions == ()


async def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    session = session_of(tmp_path, searched=True)
    assert "Not shown because they cannot be compared with “5”" in await said(session, "/filter title > 5")


async def test_a_filter_on_a_column_that_later_results_lack_is_said(tmp_path: Path) -> None:
    session = session_of(tmp_path, searched=True)
    await respond(session, "/filter words>100")
    found = results_of(session)
    session.results = found.with_documents(found.documents.drop(columns="words"))
    reply = await respond(session, "/sort title")
    assert any(isinstance(block, Note) and "no column “words”" in block.text for block in reply.blocks)
    assert await shown(session) == ["c", "b", "a"] or await shown(session)


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("/sort title", ["c", "a", "b"]),
        ("/sort title desc", ["b", "a", "c"]),
        ("/sort words", ["b", "a", "c"]),
        ("/sort year desc", ["c", "a", "b"]),
        ("/sort year asc", ["a", "c", "b"]),
        ("/sort off", ["c", "b", "a"]),
    ],
)
async def test_sorting_puts_what_has_no_value_last(tmp_path: Path, typed: str, ids: list[str]) -> None:
    session = session_of(tmp_path, searched=True)
    before = results_of(session)
    await respond(session, typed)
    assert await shown(session) == ids
    assert results_of(session) is before


@pytest.mark.parametrize("typed", ["/rank", "/text", "/chips", "/filter a=b", "/sort title", "/export csv"])
async def test_without_results_it_says_what_to_do(tmp_path: Path, typed: str) -> None:
    assert "There are no results" in await refusal(session_of(tmp_path), typed)


# --- searching --------------------------------------------------------------------------------------------------------------


async def test_a_search_and_what_plain_text_means(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert (await respond(session, "/search  Tesla ")).search == "Tesla"
    assert (await respond(session, "Tesla")).search == "Tesla"
    assert "Usage: /search QUERY" in await refusal(session, "/search")
    assert "empty" in await refusal(session, " ")
    session.searched_for("Tesla", results())
    assert (await respond(session, "when did he die?")).ask == "when did he die?"


async def test_earlier_results(tmp_path: Path) -> None:
    session = session_of(tmp_path, searched=True)
    assert "not kept here" in await said(session, "/results")
    session.result_sets = Kept(results(), results())
    assert "Tesla" in await said(session, "/results")
    session.results = None
    reply = await respond(session, "/results 1")
    assert reply.view_changed
    assert len(results_of(session)) == 3
    assert "There are no results 9" in await refusal(session, "/results 9")
    session.result_sets = Kept()
    assert "no results yet" in await said(session, "/results")


async def test_clear_puts_the_results_away_and_leaves_the_engine(tmp_path: Path) -> None:
    session = session_of(tmp_path, searched=True)
    await respond(session, "/title X")
    await respond(session, "/clear")
    assert (session.results, session.answers, session.last_query, session.spec.title) == (None, [], "", "X")
    assert (await respond(session, "next")).search == "next"


async def test_too_long_a_query_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at most"):
        await respond(session_of(tmp_path, max_query_characters=5), "/search abcdef")
