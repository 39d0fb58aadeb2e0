"""Dataclasses such as an answer with its footnotes as plain values, in a form that newer and older versions of them can read."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any, TypeVar

Record = TypeVar("Record")


def dump_record(record: object, *, without: frozenset[str] = frozenset()) -> dict[str, object]:
    """The fields of a dataclass by name, with the dataclasses inside it; `without` are fields of this one to leave out."""
    fields = dataclasses.fields(typing.cast("Any", record))
    return {one.name: _dump(getattr(record, one.name)) for one in fields if one.name not in without}


def load_record(kind: type[Record], read: Mapping[str, object], **given: object) -> Record:
    """The dataclass of `kind` again. A field that `read` lacks gets its default, one that `kind` lacks is left out.

    `given` are fields that were not dumped. Raises TypeError or ValueError when a field without a default is missing or wrong.
    """
    hints = _hints(typing.cast("type", kind))
    return kind(**{name: _load(hints[name], read[name]) for name in hints if name in read}, **given)


def _dump(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dump_record(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [_dump(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _dump(one) for key, one in value.items()}
    return value


def _load(hint: Any, value: Any) -> Any:
    """A value as its type in the dataclass says."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if value is None:
        return None
    if origin in (typing.Union, types.UnionType):
        return _load(next(one for one in arguments if one is not type(None)), value)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return load_record(hint, value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(value)
    if origin is tuple:
        kinds = [arguments[0]] * len(value) if arguments[-1] is ... else arguments
        return tuple(_load(kind, one) for kind, one in zip(kinds, value, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: _load(arguments[1], one) for key, one in value.items()}
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {one.name: hints[one.name] for one in dataclasses.fields(kind) if one.init}
