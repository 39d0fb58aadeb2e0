"""Frames come back with the same values and the same dtypes, whatever their columns hold."""

from __future__ import annotations

import datetime as dt
import math
import uuid
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatsearch.store.exact_json import dumps, loads
from chatsearch.store.frames import pack_frame, unpack_frame

VIENNA = ZoneInfo("Europe/Vienna")
MOMENTS = pd.DatetimeIndex(["1066-10-14", "NaT", "2026-03-29T02:30:00.123456"])
EARLIEST = MOMENTS[2].to_pydatetime(warn=False).replace(year=1900)


class Mood(StrEnum):
    """An enumeration, as a module may put into a column."""

    GLAD = "glad"


def objects(*values: object) -> pd.Series:
    return pd.Series(list(values), dtype=object)


COLUMNS: dict[str, Any] = {
    "text": pd.Series(["a", None, "Grüße 🎨\0"]),
    "text in Python's storage": pd.Series(["a", None, ""], dtype="string[python]"),
    "text with NA": pd.Series(["a", None, ""], dtype="string[pyarrow]"),
    "text as objects": objects("a", None, "b"),
    "text with a lone surrogate": objects("a\ud800", "\ud83d\ude00", None),
    "whole numbers": pd.Series([1, -(2**63), 2**63 - 1]),
    "small numbers": pd.Series([0, 255, 7], dtype="uint8"),
    "large numbers": objects(2**70, 2**64 - 1, -1),
    "whole numbers, some missing": pd.Series([1, None, 3], dtype="Int64"),
    "floats": pd.Series([0.1, math.nan, -math.inf]),
    "short floats": pd.Series([0.1, math.nan, 3], dtype="float32"),
    "floats with NA": pd.Series([0.1, None, 3], dtype="Float64"),
    "truths": pd.Series([True, False, True]),
    "truths, some missing": pd.Series([True, None, False], dtype="boolean"),
    "truths as objects": objects(True, None, np.False_),
    "dates": pd.Series(MOMENTS),
    "dates in seconds": pd.Series(MOMENTS.astype("datetime64[s]")),
    "dates in nanoseconds": pd.Series(pd.to_datetime([1, 2, 3], unit="ns")),
    "dates in a zone": pd.Series(MOMENTS.tz_localize("UTC").tz_convert("Europe/Vienna")),
    "dates at a distance from UTC": pd.Series(MOMENTS.tz_localize(dt.timezone(dt.timedelta(hours=5, minutes=30)))),
    "durations": pd.Series(pd.to_timedelta([1, None, 3], unit="s")),
    "categories": pd.Series(["b", None, "a"], dtype=pd.CategoricalDtype(["b", "a", "c"], ordered=True)),
    "categories of numbers": pd.Series([3, 1, 3], dtype="category"),
    "Arrow's own": pd.Series([[1], None, []], dtype=pd.ArrowDtype(pa.list_(pa.int8()))),
    "lists": pd.Series([["a", "b"], [], ["c", None]]),
    "lists of one length": pd.Series([[1, 2], [3, 4], [5, 6]]),
    "dicts": pd.Series([{"a": 1, "~": [2]}, {}, {1: {"b": (1,)}, None: math.nan}]),
    "vectors": pd.Series(list(np.arange(6, dtype=np.float32).reshape(3, 2))),
    "matrices": pd.Series([np.zeros((2, 0)), np.ones((1, 2), dtype=bool), np.array([["é"]])]),
    "arrays of objects": pd.Series([np.array([{"a": 1}, None], dtype=object), None, None]),
    "nothing": pd.Series([None, None, None]),
    "missing of all kinds": objects(None, math.nan, pd.NA),
    "moments as objects": objects(pd.NaT, dt.date(2026, 1, 1), dt.datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=VIENNA)),
    "times as objects": objects(dt.time(1, 2, 3), dt.timedelta(days=-1), dt.datetime(2026, 1, 1, tzinfo=dt.UTC)),
    "pandas' scalars": objects(pd.Timestamp("2026-01-01", tz="Europe/Vienna"), pd.Timedelta("1s"), pd.Timestamp(1)),
    "numpy's scalars": objects(np.float32(0.1), np.int8(3), np.datetime64("2026-01-01")),
    "other scalars": objects(Decimal("1.10"), uuid.UUID(int=7), 1 + 2j),
    "collections": objects({1, "a"}, frozenset({2}), (1, (2, [b"\xff"]))),
    "anything": objects(1, "1", 1.0),
}  # fmt: skip


def same(one: object, other: object) -> bool:
    """Whether two cells have the same type and value; NaN is NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        assert isinstance(other, np.ndarray)
        return one.dtype == other.dtype and one.shape == other.shape and same(one.ravel().tolist(), other.ravel().tolist())
    if isinstance(one, list | tuple):
        assert isinstance(other, list | tuple)
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        assert isinstance(other, dict)
        return same(list(one), list(other)) and same(list(one.values()), list(other.values()))
    if isinstance(one, dt.datetime | dt.time) and one == one:  # NaT is not
        assert isinstance(other, dt.datetime | dt.time)
        return one.isoformat() == other.isoformat() and one.fold == other.fold
    return one is other or bool(one == other) or (one != one and other != other)


def assert_same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    assert same(list(one.columns), list(other.columns))
    assert one.columns.dtype == other.columns.dtype
    assert isinstance(other.index, pd.RangeIndex)
    assert len(one) == len(other)
    for place in range(one.shape[1]):
        left, right = one.iloc[:, place], other.iloc[:, place]
        assert left.dtype == right.dtype
        assert same(list(left), list(right)), (list(left), list(right))


def again(frame: pd.DataFrame) -> pd.DataFrame:
    return unpack_frame(pack_frame(frame))


@pytest.mark.parametrize("name", list(COLUMNS))
@pytest.mark.parametrize("rows", [3, 0])
def test_a_column_comes_back_with_its_values_and_its_dtype(name: str, rows: int) -> None:
    frame = pd.DataFrame({name: COLUMNS[name][:rows]})
    assert_same(frame, again(frame))


def test_many_columns_come_back_in_their_order() -> None:
    frame = pd.DataFrame(COLUMNS)
    assert_same(frame, again(frame))


def test_names_of_columns_may_be_of_any_kind_and_stand_twice() -> None:
    frame = pd.DataFrame([[1, "a", None, 2.0, True]] * 2)
    odd: list[list[Any]] = [["", "a b", "~", "é\ud800", "n"], [0, None, 2.5, "z", (1, 2)]]
    for names in (
        *(pd.Index(each, dtype=object, tupleize_cols=False) for each in odd),
        pd.Index([*"xxxyy"]),
        pd.Index([5, 6, 7, 8, 8]),
    ):
        frame.columns = names
        assert_same(frame, again(frame))


def test_a_row_index_becomes_a_range() -> None:
    frame = pd.DataFrame({"a": ["x", "y"]}, index=[7, 7])
    assert_same(frame.reset_index(drop=True), again(frame))


@pytest.mark.parametrize("frame", [pd.DataFrame(), pd.DataFrame(index=range(3)), pd.DataFrame(columns=["id", "title"])])
def test_a_frame_of_nothing_comes_back(frame: pd.DataFrame) -> None:
    assert again(frame).shape == frame.shape
    assert list(again(frame).columns) == list(frame.columns)


def test_what_comes_back_can_be_changed() -> None:
    frame = again(pd.DataFrame({"n": [1, 2], "x": [1.5, 2.5], "on": [True, False], "t": ["a", "b"]}))
    changed: dict[str, Any] = {"n": 7, "x": 0.5, "on": False, "t": "z"}
    for name, value in changed.items():
        frame.loc[0, name] = value
    assert frame.iloc[0].tolist() == [7, 0.5, False, "z"]


def test_objects_of_unknown_classes_become_texts_and_derived_ones_their_base(caplog: pytest.LogCaptureFixture) -> None:
    frame = pd.DataFrame({"a": pd.Series([Path("a/b"), Mood.GLAD], dtype=object)})
    assert list(again(frame)["a"]) == ["a/b", "glad"]
    assert "Path" in caplog.text


def test_periods_and_sparse_columns_become_objects() -> None:
    frame = pd.DataFrame({"p": pd.period_range("2026-01", periods=2, freq="M"), "s": pd.arrays.SparseArray([0, 1])})
    assert list(again(frame)["p"]) == ["2026-01", "2026-02"]
    assert list(again(frame)["s"]) == [0, 1]


def test_a_file_of_another_kind_is_an_error() -> None:
    for wrong in (b"", b"PK", pack_frame(pd.DataFrame({"a": [1]}))[:-40], b"\x80\x04K\x01."):
        with pytest.raises((ValueError, KeyError, TypeError, OSError)):
            unpack_frame(wrong)


def cells() -> st.SearchStrategy[Any]:
    text = st.text() | st.text(st.characters(categories=["Cs", "Lu"]))
    numbers = st.integers() | st.floats() | st.booleans() | st.complex_numbers()
    dates = st.dates() | st.datetimes() | st.datetimes(timezones=st.timezones()) | st.timedeltas() | st.times()
    others = st.none() | st.binary() | st.decimals(allow_nan=False) | st.uuids()
    arrays = st.lists(st.floats(width=32)).map(lambda values: np.array(values, dtype=np.float32)) | st.lists(text).map(np.array)
    leaves = text | numbers | dates | others | arrays
    keys = st.text() | st.integers() | st.just("~") | st.none()
    return st.recursive(
        leaves, lambda inner: st.lists(inner) | st.dictionaries(keys, inner) | st.tuples(inner, inner), max_leaves=8
    )


@given(cells())
def test_any_cell_comes_back(cell: object) -> None:
    assert same(cell, loads(dumps(cell)))


def columns(rows: int) -> st.SearchStrategy[pd.Series]:
    def of(values: st.SearchStrategy[Any], dtype: str) -> st.SearchStrategy[pd.Series]:
        return st.lists(values, min_size=rows, max_size=rows).map(lambda them: pd.Series(them, dtype=dtype))

    return st.one_of(
        of(cells(), "object"),
        of(st.none() | st.text(), "str"),
        of(st.none() | st.text(), "object"),
        of(st.integers(-(2**63), 2**63 - 1), "int64"),
        of(st.none() | st.integers(0, 255), "UInt8"),
        of(st.floats(), "float64"),
        of(st.floats(width=32), "float32"),
        of(st.booleans(), "bool"),
        of(st.none() | st.datetimes(), "datetime64[us]"),
        of(st.none() | st.datetimes(EARLIEST), "datetime64[us, Europe/Vienna]"),
        of(st.none() | st.sampled_from("abc"), "category"),
    )


@settings(max_examples=40)
@given(st.data(), st.integers(0, 3))
def test_any_frame_comes_back(data: st.DataObject, rows: int) -> None:
    names = data.draw(st.lists(st.text() | st.integers() | st.none(), max_size=4))
    frame = pd.DataFrame({place: data.draw(columns(rows)) for place in range(len(names))}, index=range(rows))
    frame.columns = pd.Index(names, dtype=object)
    assert_same(frame, again(frame))
