"""What a module's parameters are, read off its fields: one declaration serves help, forms, schema and error messages."""

from __future__ import annotations

from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import MinLen
from pydantic import BaseModel, Field

Column = Annotated[str, Field(min_length=1, json_schema_extra={"x-type": "column"})]
"""A parameter that names a column of the documents; an empty one means the default."""


def parameter(model: type[BaseModel], name: str) -> dict[str, object]:
    """One parameter as every interface describes it: name, type, default, choices, description, required."""
    info = model.model_fields[name]
    default = None if info.is_required() else info.get_default(call_default_factory=True)
    return {
        "name": name,
        "type": parameter_type(info.annotation, info.json_schema_extra),
        "default": default,
        "choices": list(choices(info.annotation)),
        "description": info.description or "",
        "required": info.is_required(),
    }


def parameter_type(annotation: Any, extra: Any = None) -> str:
    """`column`, `choice`, `boolean`, `integer`, `number` or `text`."""
    if isinstance(extra, dict) and "x-type" in extra:
        return str(extra["x-type"])
    if choices(annotation):
        return "choice"
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number")):
        if kind in _kinds(annotation):
            return name
    return "text"


def choices(annotation: Any) -> tuple[str, ...]:
    """The values a parameter may take, when they are listed in its type."""
    if get_origin(annotation) is Literal:
        return tuple(str(value) for value in get_args(annotation))
    return tuple(value for kind in get_args(annotation) for value in choices(kind)) if _is_union(annotation) else ()


def takes_empty(model: type[BaseModel], name: str) -> bool:
    """Whether an empty text is a value of this parameter rather than "not set"."""
    info = model.model_fields[name]
    shortest = max((one.min_length for one in info.metadata if isinstance(one, MinLen)), default=0)
    return parameter_type(info.annotation, info.json_schema_extra) == "text" and not shortest


def _kinds(annotation: Any) -> Iterable[Any]:
    return get_args(annotation) if _is_union(annotation) else (annotation,)


def _is_union(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, UnionType)
