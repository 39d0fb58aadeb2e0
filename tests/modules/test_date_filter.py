"""Filtering by date."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from chatsearch.errors import MissingColumnError
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from tests.frames import owi, quick_services, transformed
from tests.sources import document, documents, result_set

FILTER = Registry().get("date_filter")


def dated(*dates: object, column: str = "warc_date") -> ResultSet:
    return result_set([{**document(str(n)), column: one} for n, one in enumerate(dates)])


async def kept(tmp_path: Path, results: ResultSet, **parameters: object) -> tuple[list[str], dict[str, str]]:
    after, warnings = await transformed(FILTER, results, quick_services(tmp_path), **parameters)
    return list(after.documents["id"]), dict(warnings)


async def test_both_ends_belong_to_the_time(tmp_path: Path) -> None:
    rows = dated("2021-04-30T23:59:59Z", "2021-05-01", "2021-05-31T23:59:59Z", "2021-06-01")
    assert await kept(tmp_path, rows, from_date="2021-05-01", to_date="2021-05-31") == (["1", "2"], {})
    assert await kept(tmp_path, rows, from_date="2021-05", to_date="2021-05") == (["1", "2"], {})
    assert (await kept(tmp_path, rows, from_date="2021-05"))[0] == ["1", "2", "3"]
    assert (await kept(tmp_path, rows, to_date="2021"))[0] == ["0", "1", "2", "3"]


async def test_a_document_of_a_whole_year_is_kept_when_some_of_it_may_be_in_the_time(tmp_path: Path) -> None:
    assert (await kept(tmp_path, dated("2021", "2020", 2022), from_date="2021-05", to_date="2021-06"))[0] == ["0"]


async def test_time_zones_count(tmp_path: Path) -> None:
    rows = dated("2021-01-01T00:30:00+01:00", "2020-12-31T23:30:00-01:00")
    assert (await kept(tmp_path, rows, from_date="2021"))[0] == ["1"]


async def test_unreadable_dates_are_counted_and_dropped_or_kept(tmp_path: Path) -> None:
    rows = dated("2021", "soon", None, "")
    assert (await kept(tmp_path, rows, from_date="2020"))[0] == ["0"]
    left, warnings = await kept(tmp_path, rows, from_date="2020", missing="keep")
    assert left == ["0", "1", "2", "3"]
    assert warnings == {"date-unreadable": "2 documents have dates that cannot be read; they were kept (parameter missing)."}


@pytest.mark.parametrize("column", ["warcDate", "date"])
async def test_other_names_stand_in_for_the_default_column(tmp_path: Path, column: str) -> None:
    assert (await kept(tmp_path, dated(1620820800000000, -1, column=column), from_date="2021"))[0] == ["0"]


async def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingColumnError, match="“warc_date” or “warcDate” or “date”"):
        await kept(tmp_path, result_set(documents("a")), from_date="2021")


def test_a_date_that_cannot_be_read_or_an_end_before_the_beginning_is_an_error() -> None:
    with pytest.raises(ValidationError, match="“soon” is no date"):
        FILTER.model_validate({"from_date": "soon"})
    with pytest.raises(ValidationError, match="is before from_date"):
        FILTER.model_validate({"from_date": "2021", "to_date": "2020"})


async def test_the_open_web_index_is_of_the_day_its_folder_says(shared: Path, tmp_path: Path) -> None:
    frame = owi(shared, "eng", 50)
    assert len((await kept(tmp_path, frame, from_date="2026-02-03", to_date="2026-02-03"))[0]) == 50
    assert (await kept(tmp_path, frame, to_date="2026-02-02"))[0] == []
