"""Dates as they are written, read as periods."""

from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.dates import period_of


def iso(value: object) -> tuple[str, str]:
    period = period_of(value)
    assert period
    return period.start.strftime("%Y-%m-%dT%H:%M"), period.end.strftime("%Y-%m-%dT%H:%M")


@pytest.mark.parametrize(
    ("written", "start", "end"),
    [
        ("2021", "2021-01-01T00:00", "2022-01-01T00:00"),
        (2021, "2021-01-01T00:00", "2022-01-01T00:00"),
        (2020.0, "2020-01-01T00:00", "2021-01-01T00:00"),
        ("2024-02", "2024-02-01T00:00", "2024-03-01T00:00"),
        ("May 2021", "2021-05-01T00:00", "2021-06-01T00:00"),
        ("2021-5-2", "2021-05-02T00:00", "2021-05-03T00:00"),
        ("20210512", "2021-05-12T00:00", "2021-05-13T00:00"),
        ("12 May 2021", "2021-05-12T00:00", "2021-05-13T00:00"),
        ("12.05.2021", "2021-05-12T00:00", "2021-05-13T00:00"),
        ("05/12/2021", "2021-05-12T00:00", "2021-05-13T00:00"),
        ("25/12/2021", "2021-12-25T00:00", "2021-12-26T00:00"),
        (date(2021, 5, 12), "2021-05-12T00:00", "2021-05-13T00:00"),
    ],
)
def test_what_is_not_written_is_open(written: object, start: str, end: str) -> None:
    assert iso(written) == (start, end)


@pytest.mark.parametrize(
    ("written", "start"),
    [
        ("2021-05-12T10:00:00Z", "2021-05-12T10:00"),
        ("2021-05-12T01:00:00+02:00", "2021-05-11T23:00"),
        ("2021-05-12 10:00", "2021-05-12T10:00"),
        ("Tue, 03 Feb 2026 12:00:00 GMT", "2026-02-03T12:00"),
        ("Tue, 03 Feb 2026 12:00:00 -0500", "2026-02-03T17:00"),
        ("3 Feb 2026 12:00 CET", "2026-02-03T11:00"),
        ("3 Feb 2026 12:00 XYZ", "2026-02-03T12:00"),
        (1620820800, "2021-05-12T12:00"),
        (1620820800000, "2021-05-12T12:00"),
        (1620820800000000, "2021-05-12T12:00"),
        ("1620820800000000000", "2021-05-12T12:00"),
        (datetime(2021, 5, 12, 12, tzinfo=UTC), "2021-05-12T12:00"),
        (pd.Timestamp("2021-05-12T12:00", tz="Europe/Vienna"), "2021-05-12T10:00"),
        (np.datetime64("2021-05-12T12:00:00"), "2021-05-12T12:00"),
    ],
)
def test_a_moment_is_in_utc(written: object, start: str) -> None:
    assert iso(written)[0] == start


@pytest.mark.parametrize(
    "written",
    [None, float("nan"), pd.NaT, "", "rubbish", "-1", -1, 0, 42, "12:30", "May", "Monday", "2021-13-01", "2021-02-30", True,
     "9" * 30, "1" * 500, "99999-01-01", float("inf"), [], "0000", "31 31 31"],
)  # fmt: skip
def test_what_names_no_time_is_none(written: object) -> None:
    assert period_of(written) is None


@given(st.one_of(st.text(max_size=40), st.floats(), st.integers(), st.text("0123456789-:/. TZ+", max_size=25)))
def test_nothing_makes_it_fail(written: object) -> None:
    period = period_of(written)
    assert period is None or period.start < period.end


@given(st.datetimes(datetime(1000, 1, 1), datetime(2999, 1, 1)))  # noqa: DTZ001
def test_iso_moments_come_back(moment: datetime) -> None:
    period = period_of(moment.isoformat())
    assert period
    assert period.start <= moment.replace(tzinfo=UTC) < period.end
