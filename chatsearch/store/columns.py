"""One column of a frame as an Arrow array and a note of what it was, and back with the same values and the same dtype."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from chatsearch.store.exact_json import dumps, loads
from chatsearch.store.exact_types import zone_name

if TYPE_CHECKING:
    import pyarrow as pa

Note = dict[str, Any]
"""`as` names the way a column is kept; the other keys are what this way needs to restore it. JSON."""

_MASKED = frozenset({"boolean", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64", "Float32", "Float64"})


def to_arrow(column: pd.Series) -> tuple[Note, pa.Array]:
    """The column as an Arrow array, and the note that `from_arrow` needs."""
    import pyarrow as pa

    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biufmM" and dtype.itemsize <= 8:
        return _numpy(column.to_numpy(), dtype)
    if isinstance(dtype, pd.DatetimeTZDtype):
        moments = column.to_numpy(dtype=f"datetime64[{dtype.unit}]").view(np.int64)
        return {"as": "zoned", "unit": dtype.unit, "zone": zone_name(dtype.tz)}, pa.array(moments)
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(column, dtype)
    if isinstance(dtype, pd.ArrowDtype) or str(dtype) in _MASKED:
        return {"as": "extension", "dtype": str(dtype)}, _whole(pa.array(column.array))
    return _texts(column) or ({"as": "cells"}, pa.array(list(map(dumps, column)), type=pa.large_binary()))


def from_arrow(note: Mapping[str, Any], array: pa.Array) -> pd.Series:
    """The column again, with a RangeIndex. Its values may be changed without changing `array`."""
    values = _RESTORED[note["as"]](note, array)
    column: pd.Series = pd.Series(values, dtype=values.dtype)
    return column


def _categories(column: pd.Series, dtype: pd.CategoricalDtype) -> tuple[Note, pa.Array]:
    import pyarrow as pa

    of, categories = to_arrow(pd.Series(dtype.categories, dtype=dtype.categories.dtype))
    codes = column.cat.codes.to_numpy()
    array = pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), categories)
    return {"as": "category", "ordered": bool(dtype.ordered), "of": of}, array


def _numpy(values: np.ndarray, dtype: np.dtype[Any]) -> tuple[Note, pa.Array]:
    import pyarrow as pa

    native = values.astype(dtype.newbyteorder("="), copy=False)  # Arrow holds the machine's own byte order only
    whole = native.view(np.int64) if dtype.kind in "mM" else native
    return {"as": "numpy", "dtype": dtype.str}, pa.array(whole, from_pandas=False)


def _texts(column: pd.Series) -> tuple[Note, pa.Array] | None:
    """A column of texts; None when it is not, or when it has a text that UTF-8 cannot write."""
    import pyarrow as pa

    dtype = column.dtype
    try:
        if isinstance(dtype, pd.StringDtype):
            note = {"as": "string", "storage": dtype.storage, "missing": "NA" if dtype.na_value is pd.NA else "nan"}
            return note, _whole(pa.array(column.array, type=pa.large_string()))
        if pd.api.types.is_object_dtype(dtype) and {str, type(None)}.issuperset(map(type, column)):
            return {"as": "texts"}, pa.array(list(column), type=pa.large_string())
    except UnicodeEncodeError:
        return None
    return None


def _whole(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _numpy_again(note: Mapping[str, Any], array: pa.Array) -> np.ndarray:
    dtype = np.dtype(note["dtype"])
    values = np.array(array.to_numpy(zero_copy_only=False))
    return values.view(dtype.newbyteorder("=")).astype(dtype) if dtype.kind in "mM" else values.astype(dtype, copy=False)


def _zoned_again(note: Mapping[str, Any], array: pa.Array) -> Any:
    moments = pd.DatetimeIndex(np.array(array.to_numpy()).view(f"datetime64[{note['unit']}]"))
    return moments.tz_localize("UTC").tz_convert(note["zone"]).array


def _category_again(note: Mapping[str, Any], array: pa.Array) -> pd.Categorical:
    categories = from_arrow(note["of"], array.dictionary)
    codes = np.array(array.indices.fill_null(-1).to_numpy(zero_copy_only=False))
    return pd.Categorical.from_codes(codes, pd.Index(categories, dtype=categories.dtype), ordered=note["ordered"])


def _extension_again(note: Mapping[str, Any], array: pa.Array) -> Any:
    dtype: Any = pd.ArrowDtype(array.type) if note["dtype"].endswith("[pyarrow]") else pd.api.types.pandas_dtype(note["dtype"])
    return dtype.__from_arrow__(array)


def _string_again(note: Mapping[str, Any], array: pa.Array) -> Any:
    dtype: Any = pd.StringDtype(note["storage"], na_value=pd.NA if note["missing"] == "NA" else np.nan)
    return dtype.__from_arrow__(array)


def _objects(values: Sequence[object]) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):  # a slice would make lists of one length a second axis
        array[row] = value
    return array


_RESTORED: Mapping[str, Callable[[Mapping[str, Any], Any], Any]] = {
    "numpy": _numpy_again,
    "zoned": _zoned_again,
    "category": _category_again,
    "extension": _extension_again,
    "string": _string_again,
    "texts": lambda _, array: _objects(array.to_pylist()),
    "cells": lambda _, array: _objects([loads(cell) for cell in array.to_pylist()]),
}
