"""Filtering by Curlie's labels."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from chatsearch.cells import cells
from chatsearch.errors import MissingColumnError
from chatsearch.labels import labels_of
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from tests.frames import owi, quick_services, transformed
from tests.sources import document, documents, memory_source, result_set, results_of, services_with

FILTER = Registry().get("curlie_filter")
ROWS = result_set(
    [
        document("list", curlielabels_en=["Arts/Music", "Reference"]),
        document("array", curlielabels_en=np.array(["Arts"], dtype=object)),
        document("json", curlielabels_en=json.dumps(["Science/Maths", "Arts"])),
        document("commas", curlielabels_en="Science , Artsy/Stuff"),
        document("missing", curlielabels_en=None),
        document("nan", curlielabels_en=float("nan")),
        document("empty", curlielabels_en=[]),
    ]
)


async def kept(tmp_path: Path, results: ResultSet, **parameters: object) -> list[str]:
    after, _ = await transformed(FILTER, results, quick_services(tmp_path), **parameters)
    return list(after.documents["id"])


@pytest.mark.parametrize(
    ("labels", "mode", "left"),
    [
        ("Arts", "OR", ["array", "json"]),
        ("arts , REFERENCE", "OR", ["list", "array", "json"]),
        ("Arts/", "OR", ["list", "array", "json"]),
        ("Arts*", "OR", ["list", "array", "json", "commas"]),
        ("Arts/, Science/", "AND", ["json"]),
        ("Arts/Music,Reference", "AND", ["list"]),
        ("Arts/", "NOT", ["commas", "missing", "nan", "empty"]),
        ("Nothing", "OR", []),
        ("Nothing", "NOT", ["list", "array", "json", "commas", "missing", "nan", "empty"]),
    ],
)
async def test_labels_and_modes(tmp_path: Path, labels: str, mode: str, left: list[str]) -> None:
    assert await kept(tmp_path, ROWS, filter_by=labels, filter_mode=mode) == left


async def test_a_missing_value_has_no_labels_and_is_no_error(tmp_path: Path) -> None:
    only = result_set([document("a", curlielabels_en=None)])
    assert await kept(tmp_path, only, filter_by="Arts") == []
    assert await kept(tmp_path, only, filter_by="Arts", filter_mode="NOT") == ["a"]


async def test_without_labels_nothing_is_removed_and_that_is_said(tmp_path: Path) -> None:
    after, warnings = await transformed(FILTER, ROWS, quick_services(tmp_path), filter_by=" , ")
    assert len(after) == len(ROWS)
    assert warnings == {"nothing-to-filter": "No document was removed: filter_by names no label."}


async def test_what_stays_keeps_its_order_its_ranks_and_a_whole_index(tmp_path: Path) -> None:
    turned = ROWS.with_column("_original_ranking_", [7, 6, 5, 4, 3, 2, 1])
    after, _ = await transformed(FILTER, turned, quick_services(tmp_path), filter_by="Arts/, Science", filter_mode="OR")
    assert list(after.documents["id"]) == ["list", "array", "json", "commas"]
    assert list(after.documents["_original_ranking_"]) == [7, 6, 5, 4]
    assert list(after.documents.index) == [0, 1, 2, 3]
    assert after.with_column("n", [1, 2, 3, 4]).documents["n"].notna().all()


async def test_a_step_after_it_works_and_the_ledger_says_how_many_went(tmp_path: Path) -> None:
    rows = [document(one, curlielabels_en=["Arts" if one in "bd" else "Other"]) for one in "abcd"]
    services = services_with(tmp_path, memory_source("left", rows, is_open=True))
    results = await results_of(
        services, "left", ("curlie_filter", {"filter_by": "Arts"}), ("tf_idf_reranker", {"query": "text d"})
    )
    assert [(row.rows_in, row.rows_out) for row in results.ledger] == [(0, 4), (4, 2), (2, 2)]
    assert results.numbers == {"d": 1, "b": 2}


async def test_when_nothing_is_left_the_run_says_which_step_removed_it(tmp_path: Path) -> None:
    services = services_with(tmp_path, memory_source("left", [document("a", curlielabels_en=["Other"])], is_open=True))
    results = await results_of(services, "left", ("curlie_filter", {"filter_by": "Arts"}))
    assert [warning.message for warning in results.warnings] == [
        "No document is left: step 2 (curlie_filter) removed the last 1."
    ]


async def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    services = services_with(tmp_path, memory_source("left", documents("a")))
    with pytest.raises(MissingColumnError, match="“curlielabels_en”"):
        await results_of(services, "left", ("curlie_filter", {"filter_by": "Arts"}))


async def test_the_lists_of_the_open_web_index_are_read(shared: Path, tmp_path: Path) -> None:
    frame = owi(shared, "deu", 200)
    with_label = [cell for cell in cells(frame.documents["curlielabels_en"]) if labels_of(cell)]
    after, _ = await transformed(FILTER, frame, quick_services(tmp_path), filter_by="*")
    assert 0 < len(after) == len(with_label)
