"""The cells of a frame: their texts and numbers, which are missing, and how JSON holds them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd


def cell_text(documents: pd.DataFrame, column: str) -> list[str]:
    """The texts of a column; a missing one, or a missing column, is the empty text."""
    if column not in documents.columns:
        return [""] * len(documents)
    return [value if isinstance(value, str) else "" if is_missing(value) else str(value) for value in cells(documents[column])]


def cells(column: pd.Series) -> list[object]:
    """The values of a column; many times faster than iterating over one of texts, which pandas keeps in Arrow's format."""
    return list(column.to_numpy(dtype=object))


def column_of(values: Sequence[object]) -> pd.Series:
    """Values as a column. Whole numbers stay whole where some are missing: as floats a year would be 1999.0."""
    there = [value for value in values if not is_missing(value)]
    if len(there) < len(values) and there and all(isinstance(one, int) and not isinstance(one, bool) for one in there):
        whole = [None if is_missing(value) else value for value in values]
        return pd.Series(whole, dtype="Int64" if all(abs(int(str(one))) < 2**63 for one in there) else "object")
    return pd.Series(list(values), dtype=None if len(values) else "object")


def numbers_of(column: pd.Series) -> np.ndarray:
    """A column as floats, shape (rows,); NaN where it holds no number."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":  # ten times faster than the general way
        return column.to_numpy().astype(float)
    return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def is_missing(value: object) -> bool:
    """Whether a cell holds nothing: None, NaN, NaT or pandas' NA."""
    if value is None or value is pd.NA or value is pd.NaT:
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return isinstance(value, float | np.floating) and math.isnan(value)


def plain(value: object) -> object:
    """A cell as JSON can hold it: NaN and infinities are None, dates ISO 8601 in UTC, arrays lists."""
    if is_missing(value):
        return None
    if isinstance(value, np.datetime64 | np.timedelta64):
        return _utc(pd.Timestamp(value)) if isinstance(value, np.datetime64) else str(pd.Timedelta(value))
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, pd.Timestamp):
        return _utc(value)
    if isinstance(value, np.ndarray | list | tuple | set):
        return [plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str | int | bool) else _utc_or_text(value)


def _utc_or_text(value: object) -> str:
    try:
        return _utc(pd.Timestamp(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return str(value)


def _utc(moment: pd.Timestamp) -> str:
    utc = moment.tz_localize("UTC") if moment.tzinfo is None else moment.tz_convert("UTC")
    return utc.isoformat().replace("+00:00", "Z")
