"""What the result list is given: rankings, texts, chips, dates and places by name, and few enough bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.chat.list_props import Props, chosen_view, label_of, list_props, ranking_label, ranking_names
from chatsearch.commands.view import Condition, ListView
from chatsearch.results import ResultSet, Role
from chatsearch.spec import Display
from tests.sources import services_with, spec_of

ROLES: dict[str, tuple[Role, ...]] = {"_source_index_": ("chip",), "_original_ranking_": ("rank",)}


def results_with(
    columns: Mapping[str, Sequence[object]] | None = None, count: int = 3, roles: dict[str, tuple[Role, ...]] | None = None
) -> ResultSet:
    """A numbered result set of `count` documents with more columns."""
    frame: dict[str, object] = {
        "id": [f"d{row}" for row in range(count)],
        "title": [f"Title {row}" for row in range(count)],
        "url": ["" for _ in range(count)],
        "full-text": [f"The text of {row}." for row in range(count)],
        "_source_index_": ["one"] * count,
        "_original_ranking_": list(range(1, count + 1)),
    }
    made = ResultSet("asked", "text", pd.DataFrame(frame | dict(columns or {})), roles={**ROLES, **(roles or {})})
    return made.numbered()[0]


def shown(results: ResultSet, view: Props | None = None, **display: object) -> Props:
    made = list_props(results, "demo", [""] * len(results), display=Display.model_validate(display), view=view)
    assert json.loads(json.dumps(made)) is not None
    return made


def rows(results: ResultSet, name: str) -> list[object]:
    return [one.get(name) for one in shown(results)["documents"]]


# --- rankings -----------------------------------------------------------------------------------------------------------------


def test_the_newest_ranking_is_first_and_chosen_and_every_row_has_its_ranks() -> None:
    made = shown(results_with({"_reranking_rank_1_": [3, 1, None]}, roles={"_reranking_rank_1_": ("rank",)}))
    assert [one["column"] for one in made["rankings"]] == ["_reranking_rank_1_", "_original_ranking_"]
    assert made["view"]["rank"] == "_reranking_rank_1_"
    assert [(one["n"], one["title"], one["ranks"]) for one in made["documents"]] == [
        (1, "Title 1", (1, 2)),
        (2, "Title 0", (3, 1)),
        (3, "Title 2", (None, 3)),
    ]


def test_rankings_are_called_by_the_modules_that_made_them(data_dir: Path) -> None:
    services = services_with(data_dir)
    steps = ("index_datasource", "tf_idf_reranker", "embedding_reranker", "tf_idf_reranker")
    names = ranking_names(spec_of(services, *steps))
    assert names == ("TF-IDF", "Embedding", "TF-IDF")
    results = results_with({f"_reranking_rank_{n}_": [1, 2, 3] for n in (1, 2, 3)})
    labels = [ranking_label(f"_reranking_rank_{n}_", names, results) for n in (1, 2, 3)]
    assert labels == ["TF-IDF 1", "Embedding", "TF-IDF 2"]
    assert ranking_label("_original_ranking_", names, results) == "original"


def test_a_ranking_whose_module_is_not_sure_has_its_number() -> None:
    results = results_with({"_reranking_rank_1_": [1, 2, 3]})
    assert ranking_label("_reranking_rank_1_", ("TF-IDF", "Embedding"), results) == "re-ranking 1"


@pytest.mark.parametrize(
    ("column", "label"),
    [("wordCount", "word count"), ("_source_index_", "source"), ("full-text", "full-text"), ("OWI", "OWI"), ("_", "_")],
)
def test_columns_are_called_in_words(column: str, label: str) -> None:
    assert label_of(column) == label


# --- texts and their size -----------------------------------------------------------------------------------------------------


def test_every_text_column_can_be_chosen_and_the_quoted_one_has_the_snippets() -> None:
    results = results_with({"summary": ["a", "b", None], "notes": ["x", "y", "z"]}, roles={"summary": ("text",)})
    made = shown(results, text_column="notes")
    assert [one["column"] for one in made["texts"]] == ["full-text", "notes", "summary"]
    assert (made["view"]["text"], made["snippet"]) == ("notes", 0)
    assert [one["texts"] for one in made["documents"]][2] == ["The text of 2.", "z", ""]


def test_a_text_that_fits_is_whole_and_a_longer_one_says_that_it_is_cut() -> None:
    first, second = rows(results_with({"full-text": ["short", "long " * 2000]}, 2), "cut")
    assert (first, second) == ([0], [1])


@pytest.mark.parametrize("letter", ["e", "ж", "書", "😀"])
def test_the_texts_of_a_thousand_rows_are_short_enough_in_every_script(letter: str) -> None:
    results = results_with({"full-text": [letter * 5000] * 1000}, 1000)
    snippets = ["A sentence of some two hundred and twenty characters " * 4] * 1000
    size = len(json.dumps(list_props(results, "demo", snippets)))
    assert size < 1_000_000


# --- chips --------------------------------------------------------------------------------------------------------------------


def test_chips_are_the_labels_of_columns_with_that_role_or_named_in_the_spec() -> None:
    results = results_with(
        {"mood": [["joy", "calm"], "a, b", None], "none": [None] * 3, "score": [0.12345, 2.0, float("nan")]},
        roles={"mood": ("chip",), "none": ("chip",)},
    )
    made = shown(results, chip_columns=["score"])
    assert [one["column"] for one in made["chips"]] == ["mood", "score"]
    assert made["view"]["chips"] == ["score"]
    assert [one["chips"] for one in made["documents"]] == [(["joy", "calm"], ["0.123"]), (["a", "b"], ["2"]), ([], [])]


def test_the_source_is_a_chip_only_where_there_are_several() -> None:
    assert shown(results_with())["chips"] == []
    made = shown(results_with({"_source_index_": ["one", "one, two", "two"]}))
    assert made["chips"] == [{"column": "_source_index_", "label": "source"}]
    assert made["documents"][1]["chips"] == (["one", "two"],)


# --- dates and places ---------------------------------------------------------------------------------------------------------


def test_dates_are_as_exact_as_they_are_known() -> None:
    results = results_with({"published": ["2021", "May 2021", "2021-05-12T10:00:00Z", "no date"]}, 4)
    assert rows(results, "date") == ["2021", "2021-05", "2021-05-12", None]
    assert shown(results)["date"] == {"column": "published", "label": "published"}
    assert shown(results_with())["date"] is None


@pytest.mark.parametrize(
    "columns",
    [
        {"latitude": [47.07, None, 95], "longitude": [15.44, 1, 1]},
        {"Lat": ["47.07", "", "x"], "lng": ["15.44", "", "y"]},
        {"geo": ["47.07, 15.44", "nowhere", None]},
        {"locations": [[{"latitude": 47.07, "longitude": 15.44}], "[]", None]},
        {"address": ['[{"street": "x", "geo": [{"lat": 47.07, "lon": 15.44}]}]', "", None]},
    ],
)
def test_places_are_found_in_pairs_of_columns_and_in_lists(columns: dict[str, list[object]]) -> None:
    assert rows(results_with(columns), "places") == [[(47.07, 15.44)], None, None]


# --- the view of a chat's commands --------------------------------------------------------------------------------------------


async def test_commands_choose_columns_filters_and_the_order(data_dir: Path) -> None:
    services = services_with(data_dir)
    results = results_with({"mood": ["b", "a", "c"], "words": [30, 10, 20]}, roles={"mood": ("chip",)})
    view = ListView(chips=(), conditions=(Condition("words", "at least", "20"),), sort="words", descending=True)
    chosen = await chosen_view(view, Display(), results, services)
    assert chosen["filters"] == [{"label": str(view.conditions[0]), "rows": [1, 3]}]
    assert (chosen["sort"], chosen["descending"], chosen["order"]) == ("words", True, [1, 3, 2])
    made = shown(results, chosen)
    assert made["view"]["chips"] == []
    assert [one["column"] for one in made["chips"]] == ["mood"]


async def test_a_filter_on_a_column_that_is_not_there_is_a_note(data_dir: Path) -> None:
    services, results = services_with(data_dir), results_with({"words": [1, 2, 3]})
    view = ListView(conditions=(Condition("gone", "equals", "1"),))
    assert "no column “gone”" in (await chosen_view(view, Display(), results, services))["notes"][0]


# --- anything -----------------------------------------------------------------------------------------------------------------

CELL = st.none() | st.text(max_size=30) | st.floats() | st.integers() | st.lists(st.text(max_size=5), max_size=3) | st.booleans()


@given(st.lists(CELL, min_size=3, max_size=3), st.sampled_from(["mood", "latitude", "geo", "published", "full-text", "title"]))
def test_any_cell_makes_props_that_are_json_with_one_document_per_row(values: list[object], column: str) -> None:
    results = results_with({"longitude": [1, 2, 3], column: values}, roles={column: ("chip", "text")})
    made = shown(results)
    assert [one["n"] for one in made["documents"]] == [1, 2, 3]
    assert all(len(one["chips"]) == len(made["chips"]) for one in made["documents"])
    json.dumps(made, allow_nan=False)


def test_no_documents_make_an_empty_list() -> None:
    made = shown(results_with(count=0))
    assert (made["documents"], made["total"], made["chips"]) == ([], 0, [])
