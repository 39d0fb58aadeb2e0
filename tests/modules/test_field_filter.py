"""Filtering by any column."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.registry import Registry
from tests.frames import quick_services, transformed
from tests.sources import document, result_set

FILTER = Registry().get("field_filter")
ROWS = result_set(
    [
        document("a", year=1999, name="Tesla", tags=["x", "y"], on="2021-05-12"),
        document("b", year="2010", name="EDISON", tags='["y"]', on="2021"),
        document("c", year=2010.0, name="tesla coil", tags="z, x", on="soon"),
        document("d", year="n/a", name="", tags=None, on=None),
        document("e", year=None, name=None, tags=[], on="2022-01-01T00:00:00Z"),
    ]
)


@pytest.mark.parametrize(
    ("column", "operator", "value", "left"),
    [
        ("name", "equals", "tesla", "a"),
        ("name", "not equals", "Tesla", "bcde"),
        ("name", "equals", "", "de"),
        ("name", "contains", "ES", "ac"),
        ("name", "starts with", "tesla", "ac"),
        ("name", "starts with", ".", ""),
        ("name", "matches any of", "edison, TESLA", "ab"),
        ("name", "is empty", "", "de"),
        ("name", "is not empty", "", "abc"),
        ("name", "contains", "(", ""),
        ("name", "greater", "f", "ac"),
        ("year", "equals", "2010", "bc"),
        ("year", "matches any of", "2010.0,1999", "abc"),
        ("year", "greater", "1999", "bc"),
        ("year", "at least", "1999", "abc"),
        ("year", "less", "2010", "a"),
        ("year", "at most", "2010", "abc"),
        ("year", "greater", "900", "abc"),
        ("tags", "equals", "Y", "ab"),
        ("tags", "is empty", "", "de"),
        ("tags", "contains", "x", "ac"),
        ("on", "at least", "2021-05", "abe"),
        ("on", "less", "2021-06", "a"),
        ("on", "greater", "2021", "e"),
        ("on", "equals", "12 May 2021", "ab"),
    ],
)
async def test_operators(tmp_path: Path, column: str, operator: str, value: str, left: str) -> None:
    after, _ = await transformed(FILTER, ROWS, quick_services(tmp_path), column=column, operator=operator, value=value)
    assert "".join(after.documents["id"]) == left


async def test_what_cannot_be_compared_is_removed_and_counted(tmp_path: Path) -> None:
    _, warnings = await transformed(FILTER, ROWS, quick_services(tmp_path), column="year", operator="less", value=3000)
    assert warnings == {"not-comparable": "Removed because they cannot be compared with “3000”: 1 of 5 documents."}


async def test_without_a_value_nothing_is_removed_and_that_is_said(tmp_path: Path) -> None:
    after, warnings = await transformed(FILTER, ROWS, quick_services(tmp_path), column="year", operator="greater")
    assert len(after) == 5
    assert warnings == {"nothing-to-filter": "No document was removed: no value is given for “greater”."}


async def test_true_and_false_are_words(tmp_path: Path) -> None:
    rows = result_set([document("a", ok=True), document("b", ok=False)])
    after, _ = await transformed(FILTER, rows, quick_services(tmp_path), column="ok", operator="equals", value="True")
    assert list(after.documents["id"]) == ["a"]
