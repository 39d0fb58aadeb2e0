"""The result set: its order, its numbers, its JSON; nothing of a document is lost."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.cells import cell_text, is_missing, plain
from chatsearch.citations import Check, Footnote
from chatsearch.results import Answer, JourneyStep, LedgerRow, ResultSet, RunWarning, Summary
from tests.sources import document, documents, result_set

NAN = float("nan")


def shown(results: ResultSet) -> list[str]:
    return [str(results.documents["id"].iloc[row]) for row in results.shown_order()]


def note(n: int, identifier: str, at: int) -> Footnote:
    return Footnote(n, identifier, "T", "U", at, "full-text", "q", 0, 1, Check.EXACT)


# --- order


def test_the_shown_order_is_the_original_one_without_a_reranker() -> None:
    assert shown(result_set(documents("a", "b", "c"))) == ["a", "b", "c"]


def test_the_shown_order_is_that_of_the_ranking_with_the_highest_number() -> None:
    results = result_set(documents("a", "b", "c"))
    results = results.with_column("_reranking_rank_2_", [3, 1, 2]).with_column("_reranking_rank_10_", [2, 3, 1])
    assert results.ranking_column() == "_reranking_rank_10_"
    assert shown(results) == ["c", "a", "b"]
    assert results.ranks() == {"c": 1, "a": 2, "b": 3}


def test_a_rank_that_is_missing_or_no_number_is_last_in_the_original_order() -> None:
    results = result_set(documents("a", "b", "c", "d")).with_column("_reranking_rank_1_", [NAN, "x", 1, None])
    assert shown(results) == ["c", "a", "b", "d"]


@pytest.mark.parametrize("column", ["_reranking_rank_²_", "_reranking_rank__", "_reranking_rank_x_", "_reranking_rank_-1_"])
def test_a_column_that_only_looks_like_a_ranking_is_none(column: str) -> None:
    assert result_set(documents("a")).with_column(column, [1]).reranking_count() == 0


@given(st.lists(st.one_of(st.none(), st.floats(), st.integers(-5, 5)), max_size=12))
def test_any_ranking_gives_every_row_one_place(ranks: list[object]) -> None:
    results = result_set(documents(*(f"d{n}" for n in range(len(ranks))))).with_column("_reranking_rank_1_", list(ranks))
    assert sorted(results.shown_order()) == list(range(len(ranks)))
    assert sorted(results.ranks().values()) == list(range(1, len(ranks) + 1))


# --- columns


def test_a_column_is_added_without_changing_the_frame_that_was_there() -> None:
    before = result_set(documents("a", "b"))
    columns = list(before.documents.columns)
    after = before.with_column("words", [1, 2], "chip").with_column("title", ["x", "y"])
    assert list(before.documents.columns) == columns
    assert list(before.documents["title"]) == ["Title a", "Title b"]
    assert after.roles == {"words": ("chip",)}
    assert after.with_column("words", [3, 4], "text").roles == {"words": ("chip", "text")}


def test_a_series_with_another_index_is_taken_row_by_row() -> None:
    results = result_set(documents("a", "b")).with_column("words", pd.Series([1, 2], index=[7, 8]))
    assert list(results.documents["words"]) == [1, 2]


def test_rows_that_were_taken_out_leave_a_range_index() -> None:
    results = result_set(documents("a", "b", "c"))
    kept = results.with_documents(results.documents.iloc[[2, 0]])
    assert isinstance(kept.documents.index, pd.RangeIndex)
    assert list(kept.documents["id"]) == ["c", "a"]


def test_a_summary_of_the_same_title_is_replaced() -> None:
    results = (
        result_set([])
        .with_summary(Summary("A", "1", "m"))
        .with_summary(Summary("B", "2", "m"))
        .with_summary(Summary("A", "3", "m"))
    )
    assert [(one.title, one.text) for one in results.summaries] == [("B", "2"), ("A", "3")]


# --- numbering


def test_numbers_follow_the_shown_order_and_are_kept() -> None:
    results, dropped = result_set(documents("a", "b", "c")).with_column("_reranking_rank_1_", [3, 1, 2]).numbered()
    assert results.numbers == {"b": 1, "c": 2, "a": 3}
    assert list(results.documents["id"]) == ["b", "c", "a"]
    assert dropped == 0
    later = results.with_column("_reranking_rank_2_", [3, 2, 1])
    assert [row["n"] for row in later.documents_json()] == [1, 2, 3]
    assert later.number(0) == 1


def test_before_the_numbering_a_row_s_number_is_its_place() -> None:
    results = result_set(documents("a", "b")).with_column("_reranking_rank_1_", [2, 1])
    assert [results.number(row) for row in (0, 1)] == [2, 1]
    assert results.sources("full-text")[1].id == "b"


def test_summaries_are_renumbered_with_the_documents() -> None:
    text = "It was [4] said [1] and [2]."
    summary = Summary("S", text, "m", (note(1, "a", text.index("[1]")), note(2, "b", text.index("[2]"))))
    results, dropped = result_set(documents("a", "b")).with_summary(summary).with_column("_reranking_rank_1_", [2, 1]).numbered()
    assert results.summaries[0].text == "It was [4] said [2] and [1]."
    assert [(one.n, results.summaries[0].text[one.at : one.at + 3]) for one in results.summaries[0].footnotes] == [
        (2, "[2]"),
        (1, "[1]"),
    ]
    assert dropped == 0


def test_numbering_nothing_gives_nothing() -> None:
    results, dropped = result_set([]).numbered()
    assert (len(results), results.numbers, dropped) == (0, {}, 0)
    assert results.to_json()["documents"] == []


# --- JSON


def test_the_json_is_that_of_the_design_with_its_keys_in_order() -> None:
    results = ResultSet("asked", "query", result_set([document("a", words=3)]).documents, roles={"words": ("chip",)})
    results = results.with_summary(Summary("S", "t [1]", "m", (note(1, "a", 2),)))
    row, warning = LedgerRow(1, "memory", 0, 1, 0.123456), RunWarning(0, "", "code", "message")
    made = ResultSet(
        **{**vars(results), "ledger": (row,), "warnings": (warning,), "journey": (JourneyStep(1, "memory", {"a": 1}),)}
    )
    out = made.to_json([Answer("q", "u", "t", False, "m", (note(1, "a", 0),))])
    assert list(out) == ["query", "asked", "documents", "roles", "summaries", "answers", "ledger", "warnings"]
    footnote = {
        "n": 1,
        "id": "a",
        "title": "T",
        "url": "U",
        "at": 2,
        "column": "full-text",
        "quote": "q",
        "start": 0,
        "end": 1,
        "check": "exact",
    }
    assert json.loads(json.dumps(out)) == {
        "query": "query",
        "asked": "asked",
        "documents": [
            {
                "n": 1,
                "id": "a",
                "title": "Title a",
                "url": "",
                "_source_index_": "memory",
                "_original_ranking_": 1,
                "full-text": "The text of a.",
                "words": 3,
            }
        ],
        "roles": {"words": ["chip"]},
        "summaries": [{"title": "S", "text": "t [1]", "model": "m", "footnotes": [footnote]}],
        "answers": [
            {
                "question": "q",
                "understood_as": "u",
                "text": "t",
                "refused": False,
                "model": "m",
                "footnotes": [{**footnote, "at": 0}],
            }
        ],
        "ledger": [
            {
                "step": 1,
                "module": "memory",
                "rows_in": 0,
                "rows_out": 1,
                "seconds": 0.1235,
                "calls": 0,
                "tokens_in": 0,
                "tokens_out": 0,
                "cost_usd": 0.0,
                "cached": 0,
                "warnings": 0,
            }
        ],
        "warnings": [{"step": 0, "module": "", "code": "code", "message": "message"}],
    }
    assert list(out["documents"][0])[:4] == ["n", "id", "title", "url"]  # type: ignore[index]
    assert list(out["summaries"][0]["footnotes"][0]) == list(footnote)  # type: ignore[index]
    assert list(out["answers"][0]) == ["question", "understood_as", "text", "refused", "model", "footnotes"]  # type: ignore[index]


VIENNA = dt.timezone(dt.timedelta(hours=2))


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (NAN, None),
        (np.nan, None),
        (None, None),
        (pd.NA, None),
        (pd.NaT, None),
        (np.datetime64("NaT"), None),
        (float("inf"), None),
        (-np.inf, None),
        (np.float32("inf"), None),
        (1.5, 1.5),
        (np.float64(1.5), 1.5),
        (np.int64(3), 3),
        (True, True),
        (np.bool_(False), False),
        (2**70, 2**70),
        ("ä", "ä"),
        (np.str_("x"), "x"),
        (b"a\xff", "a\ufffd"),
        (pd.Timestamp("2024-01-02T03:04:05"), "2024-01-02T03:04:05Z"),
        (pd.Timestamp("2024-01-02T03:04:05", tz="Europe/Vienna"), "2024-01-02T02:04:05Z"),
        (dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=VIENNA), "2024-01-02T01:04:05Z"),
        (dt.date(2024, 1, 2), "2024-01-02T00:00:00Z"),
        (np.datetime64("2024-01-02T03:04:05", "ns"), "2024-01-02T03:04:05Z"),
        (np.datetime64("2024-01-02"), "2024-01-02T00:00:00Z"),
        (np.timedelta64(90, "s"), "0 days 00:01:30"),
        (Decimal("1.50"), "1.50"),
        (np.array([1, 2]), [1, 2]),
        ([1, [NAN, ("a", b"b")]], [1, [None, ["a", "b"]]]),
        ({"a": {1: pd.NaT}}, {"a": {"1": None}}),
        (np.array([["a", None]], dtype=object), [["a", None]]),
        (dt.time(1, 2), "01:02:00"),
    ],
)
def test_a_cell_is_what_json_can_hold(cell: object, expected: object) -> None:
    assert plain(cell) == expected
    assert type(plain(cell)) is type(expected)
    json.dumps(plain(cell), allow_nan=False)


def test_a_column_called_n_does_not_destroy_the_footnote_number_and_is_not_lost() -> None:
    results = result_set([document("a", n="own", n_="taken")]).with_roles({"n": ("chip",), "n_": ("text",)})
    row = results.documents_json()[0]
    assert (row["n"], row["n_"], row["n__"]) == (1, "taken", "own")
    assert results.to_json()["roles"] == {"n__": ["chip"], "n_": ["text"]}


def test_a_missing_title_or_url_column_is_an_empty_text() -> None:
    results = ResultSet("q", "q", pd.DataFrame({"id": ["a"], "_original_ranking_": [1]}))
    assert results.documents_json() == [{"n": 1, "id": "a", "title": "", "url": "", "_original_ranking_": 1}]


def test_a_thousand_rows_keep_their_order_and_their_numbers() -> None:
    results, _ = (
        result_set(documents(*(f"d{n}" for n in range(1000))))
        .with_column("_reranking_rank_1_", list(range(1000, 0, -1)))
        .numbered()
    )
    rows = results.documents_json()
    assert [row["n"] for row in rows] == list(range(1, 1001))
    assert rows[0]["id"] == "d999"


def test_whole_numbers_with_gaps_are_whole_in_the_json() -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "_original_ranking_": [1, 2], "year": pd.array([1999, None], dtype="Int64")})
    assert [row["year"] for row in ResultSet("q", "q", frame).documents_json()] == [1999, None]


# --- cells


def test_texts_of_a_column_are_never_missing() -> None:
    frame = pd.DataFrame({"text": ["a", None, NAN, pd.NA, 3, ""]})
    assert cell_text(frame, "text") == ["a", "", "", "", "3", ""]
    assert cell_text(frame, "absent") == [""] * 6


def test_a_list_or_an_array_is_not_missing() -> None:
    assert not any(is_missing(one) for one in ([], [None], np.array([np.nan, 1]), "", 0, False))
