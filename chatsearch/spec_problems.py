"""What is wrong with a spec, in words a person can act on: types and limits, and secrets that do not belong there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from chatsearch.errors import SpecProblem, did_you_mean
from chatsearch.parameters import choices, parameter_type

_KEY_NAMES = r"(?:api[_-]?key|access[_-]?key|secret|password|passwd|token|authorization|bearer|credentials?)"
_SECRET_KEY = re.compile(rf"(?:^|[_\W]){_KEY_NAMES}$", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"\b(?:sk|pk|rk)-(?=[\w-]*\d)[\w-]{8,}|\b(?:sk|pk|rk)-[\w-]{16,}|\bBearer\s+\S{8,}"
    r"|\b(?:ghp|gho|hf|xox[bap])[_-][A-Za-z0-9]{16,}|\bAKIA[0-9A-Z]{16}\b"
)
_SECRET_URL = re.compile(
    rf"[a-z][a-z0-9+.-]*://(?:[^/\s:@]*:[^/\s@]+@|\S*[?&](?:[\w-]*[_-])?{_KEY_NAMES}=[^&\s]+)", re.IGNORECASE
)
_WORD_BEGINS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "column": "the name of a column",
    "text": "a text",
}


def explain(error: ValidationError, model: type[BaseModel], where: str = "") -> list[SpecProblem]:
    """Every problem of a validation: its path, the value, what is allowed, the nearest right word."""
    start = [where] if where else []
    return [SpecProblem(".".join([*start, *map(str, one["loc"])]), _sentence(one, model)) for one in error.errors()]


def secrets_in(value: object, where: str = "") -> list[SpecProblem]:
    """Fields and values of a spec that look like secrets; the values are not repeated."""
    texts = _texts(value, where)
    return [SpecProblem(path, _NO_SECRETS) for path, key, text in texts if _is_secret_key(key, text) or _is_secret(text)]


_NO_SECRETS = "this looks like a secret. A spec is shared, so it cannot hold one: put it in the environment of the server."


def allowed(info: FieldInfo) -> str:
    """What a parameter takes: `a whole number from 1 to 1,000`, `one of: hybrid, lexical, dense`."""
    listed = choices(info.annotation)
    if listed:
        return f"one of: {', '.join(one or '(empty)' for one in listed)}"
    kind = _kind(info)
    low = next((f"from {_number(one.ge)}" for one in info.metadata if isinstance(one, Ge)), "")
    low = low or next((f"above {_number(one.gt)}" for one in info.metadata if isinstance(one, Gt)), "")
    high = next((f"to {_number(one.le)}" for one in info.metadata if isinstance(one, Le)), "")
    high = high or next((f"below {_number(one.lt)}" for one in info.metadata if isinstance(one, Lt)), "")
    return " ".join(part for part in (kind, low, high) if part)


def _sentence(problem: Any, model: type[BaseModel]) -> str:
    given, info = problem["input"], _field(model, problem["loc"])
    shown = _shown(given, str(problem["loc"][-1]) if problem["loc"] else "")
    if problem["type"] == "missing":
        return "it is needed."
    if info is None:
        return f"{problem['msg']} (given: {shown})."
    nearest = did_you_mean(given, choices(info.annotation)) if isinstance(given, str) else ""
    return f"{shown} is not allowed here; it takes {allowed(info)}.{nearest}"


def _field(model: type[BaseModel], path: tuple[int | str, ...]) -> FieldInfo | None:
    info = model.model_fields.get(str(path[0])) if path else None
    for key in path[1:]:
        inner = info.annotation if info else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return None
        info = inner.model_fields.get(str(key))
    return info


def _kind(info: FieldInfo) -> str:
    if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
        return "an object"
    if get_origin(info.annotation) in (tuple, list):
        return "a list of texts" if str in get_args(info.annotation) else "a list"
    return _KINDS.get(parameter_type(info.annotation, info.json_schema_extra), "a value")


def _shown(value: object, key: str = "") -> str:
    """The value as JSON writes it, cut to a length; a secret is not repeated."""
    if any(_is_secret(text) or _is_secret_key(name, text) for _, name, text in _texts(value, "", key)):
        return "(what looks like a secret)"
    text = f"“{value}”" if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _texts(value: object, where: str, key: str = "") -> Iterator[tuple[str, str, str]]:
    """(path, key, text) of every text, number and key; what is inside a secret's object or list has the secret's key."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            shown = "(a secret)" if _is_secret(str(name)) else str(name)
            path = f"{where}.{shown}" if where else shown
            yield path, "", str(name)
            yield from _texts(inner, path, key if _SECRET_KEY.search(_words(key)) else str(name))
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            yield from _texts(inner, f"{where}.{place}", key)
    elif value is not None and not isinstance(value, bool):
        yield where, key, str(value)


def _is_secret_key(key: str, text: str) -> bool:
    return bool(_SECRET_KEY.search(_words(key)) and text.strip())


def _is_secret(text: str) -> bool:
    return bool(_SECRET_VALUE.search(text) or _SECRET_URL.search(text))


def _words(key: str) -> str:
    """`accessToken` as `access_Token`."""
    return _WORD_BEGINS.sub("_", key)
