"""The types beside JSON's own that exact_json.py keeps: each with a name, and how it becomes JSON and comes back."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

_RAW = "biufcmMSU"
"""NumPy's kinds of values whose bytes say everything."""


def zone_name(zone: tzinfo | None) -> str | None:
    """A zone's name such as `Europe/Vienna`, or `UTC` when it has none that could be found again."""
    if zone is None:
        return None
    try:
        pd.DatetimeTZDtype("us", str(zone))
    except (TypeError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return "UTC"
    return str(zone)


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")


def _array(value: np.ndarray) -> list[object]:
    if value.dtype.kind in _RAW:
        return [value.dtype.str, list(value.shape), _base64(value.tobytes())]
    return ["O", list(value.shape), value.ravel().tolist()]


def _array_again(read: list[Any]) -> np.ndarray:
    kind, shape, values = read
    if kind != "O":
        return np.frombuffer(base64.b64decode(values), dtype=np.dtype(kind)).reshape(shape).copy()
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array.reshape(shape)


def _offset(moment: datetime | time) -> object:
    """The name of a moment's zone, else its distance from UTC in seconds."""
    if moment.tzinfo is None or isinstance(moment.tzinfo, ZoneInfo):
        return moment.tzinfo.key if moment.tzinfo else None
    distance = moment.utcoffset()
    return distance.total_seconds() if distance is not None else None


def _zone_again(offset: str | float | None) -> tzinfo | None:
    if offset is None:
        return None
    return ZoneInfo(offset) if isinstance(offset, str) else timezone(timedelta(seconds=offset))


def _moment(value: datetime | time) -> list[object]:
    return [value.replace(tzinfo=None).isoformat(), value.fold, _offset(value)]


def _datetime_again(read: list[Any]) -> datetime:
    return datetime.fromisoformat(read[0]).replace(fold=read[1], tzinfo=_zone_again(read[2]))


def _time_again(read: list[Any]) -> time:
    return time.fromisoformat(read[0]).replace(fold=read[1], tzinfo=_zone_again(read[2]))


def _timestamp(value: pd.Timestamp) -> list[object]:
    return [int(value.asm8.astype(np.int64)), value.unit, zone_name(value.tzinfo)]


def _timestamp_again(read: list[Any]) -> pd.Timestamp:
    naive = pd.Timestamp(np.datetime64(read[0], read[1]))
    return naive if read[2] is None else naive.tz_localize("UTC").tz_convert(read[2])


def _timedelta_again(read: list[Any]) -> pd.Timedelta:
    return pd.Timedelta(np.timedelta64(read[0], read[1]))


PACKED_TYPES: dict[type, tuple[str, Callable[[Any], object]]] = {
    tuple: ("tuple", list),
    set: ("set", list),
    frozenset: ("frozenset", list),
    bytes: ("bytes", _base64),
    bytearray: ("bytes", _base64),
    complex: ("complex", lambda value: [value.real, value.imag]),
    Decimal: ("decimal", str),
    uuid.UUID: ("uuid", str),
    pd.Timestamp: ("timestamp", _timestamp),
    pd.Timedelta: ("duration", lambda value: [int(value.asm8.astype(np.int64)), value.unit]),
    type(pd.NA): ("NA", lambda _: None),
    type(pd.NaT): ("NaT", lambda _: None),
    datetime: ("datetime", _moment),
    date: ("date", date.isoformat),
    time: ("time", _moment),
    timedelta: ("timedelta", lambda value: [value.days, value.seconds, value.microseconds]),
    np.ndarray: ("array", _array),
    np.generic: ("scalar", lambda value: _array(np.asarray(value))),
}

UNPACKED_TYPES: dict[str, Callable[[Any], object]] = {
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "bytes": base64.b64decode,
    "complex": lambda read: complex(*read),
    "decimal": Decimal,
    "uuid": uuid.UUID,
    "timestamp": _timestamp_again,
    "duration": _timedelta_again,
    "NA": lambda _: pd.NA,
    "NaT": lambda _: pd.NaT,
    "datetime": _datetime_again,
    "date": date.fromisoformat,
    "time": _time_again,
    "timedelta": lambda read: timedelta(*read),
    "array": _array_again,
    "scalar": lambda read: _array_again(read)[()],
}
