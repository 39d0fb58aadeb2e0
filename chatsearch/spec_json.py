"""Reads the JSON text of a spec more strictly than JSON parsers do, so that what is saved again is what was read."""

from __future__ import annotations

import json
import math
from typing import Any

from chatsearch.errors import SpecError, SpecProblem

DEEPEST = 50
"""Levels of objects and lists in a spec; engines need five."""
LONGEST_INTEGER = 300
"""Digits of a whole number; a float has no more either."""


def parse_json(text: str | bytes, name: str = "", max_bytes: int = 1_000_000) -> object:
    """The JSON value of a spec's text. Raises SpecError with line and column."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(raw) > max_bytes:
        raise SpecError([SpecProblem("", f"it is {len(raw):,} bytes long; at most {max_bytes:,} are read.")], name)
    try:
        return json.loads(
            raw.decode("utf-8-sig"), object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        problem = f"it is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
    except UnicodeDecodeError as error:
        problem = f"it is not UTF-8 text: byte {error.start}."
    except RecursionError:
        problem = _TOO_DEEP
    except ValueError as error:
        problem = f"{error}."
    raise SpecError([SpecProblem("", problem)], name) from None


def not_json(value: object) -> list[SpecProblem]:
    """What in a value JSON cannot hold or we do not read: NaN and infinity, halves of characters, more than `DEEPEST` levels."""
    found: list[SpecProblem] = []
    waiting: list[tuple[str, object, int]] = [("", value, 0)]
    while waiting:
        where, one, depth = waiting.pop()
        if depth > DEEPEST:
            return [SpecProblem("", _TOO_DEEP)]
        if isinstance(one, dict):
            found += [SpecProblem(where, _HALF_CHARACTER) for key in one if _is_broken(str(key))]
            waiting += [(_path(where, key), inner, depth + 1) for key, inner in one.items() if not _is_broken(str(key))]
        elif isinstance(one, list):
            waiting += [(_path(where, place), inner, depth + 1) for place, inner in enumerate(one)]
        elif isinstance(one, float) and not math.isfinite(one):
            found.append(SpecProblem(where, f"{one} is not a number that JSON can hold."))
        elif isinstance(one, str) and _is_broken(one):
            found.append(SpecProblem(where, _HALF_CHARACTER))
    return found


_TOO_DEEP = f"it is nested too deeply; at most {DEEPEST} levels are read."
_HALF_CHARACTER = "it holds half of a character (a lone surrogate such as \\ud800)."


def _path(where: str, key: object) -> str:
    return f"{where}.{key}" if where else str(key)


def _is_broken(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text) if not text.isascii() else False


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in pairs:
        if key in out:
            raise ValueError(f"the key “{_brief(key)}” stands twice in one object")
        out[key] = value
    return out


def _brief(key: str) -> str:
    return key if len(key) <= 60 else f"{key[:57]}…"


def _integer(digits: str) -> int:
    if len(digits) > LONGEST_INTEGER:
        raise ValueError(f"it holds a whole number of {len(digits):,} digits; at most {LONGEST_INTEGER} are read")
    return int(digits)


def _no_constant(name: str) -> None:
    raise ValueError(f"it holds {name}, which is not JSON")
