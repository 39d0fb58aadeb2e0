"""Reads the argument of a command: words, `name=value`, quoted texts, and JSON lists and objects."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from chatsearch.errors import InputError

CLOSING: Mapping[str, str] = MappingProxyType(
    {'"': '"', "'": "'", "“": "”“", "„": "“”", "”": "”", "‘": "’‘", "‚": "‘’", "«": "»", "»": "«"}
)
"""By the quotation mark that opens a text, those that may close it."""

_NAME = re.compile(r"[\w.-]+=")
_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"\S+")


class UsageError(InputError):
    """The argument cannot be read; the command adds its usage."""


@dataclass(frozen=True)
class Argument:
    """A word of the argument; `name` is empty when it was not `name=value`."""

    name: str
    value: str


def arguments(text: str) -> list[Argument]:
    """The words of an argument. A value with spaces stands in quotes or is a JSON list or object. Raises UsageError."""
    found, at = [], _skip(text, 0)
    while at < len(text):
        name = _NAME.match(text, at)
        at = name.end() if name else at
        value, at = _value(text, at)
        found.append(Argument(name[0][:-1] if name else "", value))
        if at < len(text) and not text[at].isspace():
            raise UsageError(f"After {_short(value)} a space is missing.")
        at = _skip(text, at)
    return found


def first_word(text: str) -> tuple[str, str]:
    """The first word of a text, and the rest without white space around it."""
    first, *rest = text.split(maxsplit=1) or [""]
    return first, rest[0].strip() if rest else ""


def unquoted(text: str) -> str:
    """A text without the quotation marks around the whole of it."""
    stripped = text.strip()
    if stripped[:1] in CLOSING:
        end = _closing(stripped, 0)
        if end == len(stripped) - 1:
            return _unescaped(stripped[1:end], stripped[end])
    return stripped


def value_for(info: FieldInfo, text: str) -> object:
    """What a parameter is given: the text itself, but a list or an object where its type is one. Raises UsageError.

    A list is JSON, or values with commas between them. Numbers and booleans stay texts: the spec reads them.
    """
    kinds = _containers(info.annotation)
    if not kinds:
        return text
    if text.lstrip().startswith(("[", "{")):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{_short(text)} is not valid JSON: {error}.") from None
    if kinds <= {list, tuple, set, frozenset}:
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def step_number(text: str) -> int:
    """A step's number. Raises UsageError."""
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise UsageError(f"{_short(text)} is not the number of a step." if text else "The number of a step is missing.")
    return int(text)


def _value(text: str, at: int) -> tuple[str, int]:
    """The value that begins at a place, and where it ends."""
    first = text[at : at + 1]
    if first in CLOSING:
        end = _closing(text, at)
        if end < 0:
            raise UsageError(f"The quotation mark {first} in {_short(text[at:])} is not closed.")
        return _unescaped(text[at + 1 : end], text[end]), end + 1
    if first and first in "[{":
        with contextlib.suppress(ValueError, RecursionError):  # not JSON: a word like any other
            _, end = json.JSONDecoder().raw_decode(text, at)
            return text[at:end], end
    word = _WORD.match(text, at)
    return (word[0], word.end()) if word else ("", at)


def _closing(text: str, opening: int) -> int:
    """Where the quotation is closed, or -1. A backslash before a quotation mark keeps it."""
    marks, at = CLOSING[text[opening]], opening + 1
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] and text[at + 1] in (*marks, "\\"):
            at += 1
        elif text[at] in marks:
            return at
        at += 1
    return -1


def _unescaped(text: str, mark: str) -> str:
    return re.sub(rf"\\([\\{re.escape(mark)}])", r"\1", text)


def _containers(annotation: Any) -> set[Any]:
    """The kinds of list and object that a type is."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _containers(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return {kind for one in get_args(annotation) for kind in _containers(one)}
    kind = origin or annotation
    if kind in (list, tuple, set, frozenset, dict):
        return {kind}
    return {dict} if isinstance(kind, type) and issubclass(kind, BaseModel) else set()


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _short(text: str) -> str:
    return f"“{text}”" if len(text) <= 40 else f"“{text[:37]}…”"
