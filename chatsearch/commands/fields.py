"""The fields of a spec outside its pipeline that `/set` reaches, by their paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from chatsearch.commands.arguments import UsageError
from chatsearch.errors import did_you_mean

Path = tuple[str, ...]


def _text(value: str) -> object:
    return value


def _listed(value: str) -> object:
    return [part.strip() for part in value.split(",") if part.strip()]


FIELDS: Mapping[Path, Callable[[str], object]] = MappingProxyType({
    ("title",): _text,
    ("subtitle",): _text,
    ("description",): _text,
    ("language",): _text,
    ("theme", "logo_url"): _text,
    ("conversation", "column"): _text,
    ("conversation", "instructions"): _text,
    ("conversation", "unknown_answer"): _text,
    ("display", "rank_column"): _text,
    ("display", "text_column"): _text,
    ("display", "chip_columns"): _listed,
})  # fmt: skip
"""Each field with what makes its value of a text; the others have commands of their own."""


def field_path(name: str) -> Path:
    """The field of that name, such as `subtitle` or `conversation.instructions`. Raises UsageError with the nearest."""
    path = tuple(name.casefold().split("."))
    if path in FIELDS:
        return path
    names = [".".join(one) for one in FIELDS]
    near = did_you_mean(name, names)
    raise UsageError(f"“{name[:60]}” is neither N.PARAMETER nor a field of the engine.{near} The fields are: {', '.join(names)}.")
