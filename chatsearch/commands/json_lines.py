"""In which line of a JSON text each value stands, so that a problem of a spec can be shown where it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from chatsearch.errors import SpecError, SpecProblem

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_LINE = re.compile(r" at line (\d+), column \d+")


@dataclass(frozen=True)
class LocatedProblem(SpecProblem):
    """A problem with the line of the JSON text it is in; 1 is the first."""

    line: int = 1

    def __str__(self) -> str:
        return f"line {self.line}, {super().__str__()}"


def located(error: SpecError, text: str, name: str = "") -> SpecError:
    """The same error with the line of every problem, in the order of the lines."""
    lines = lines_of(text)
    problems = [LocatedProblem(one.where, one.message, _line(one, lines)) for one in error.problems]
    problems.sort(key=lambda one: one.line)
    return SpecError(problems, name, error.notices)


def lines_of(text: str) -> dict[str, int]:
    """The line of every value of a JSON text by its path, such as `pipeline.2.parameters.k`; what is no JSON is left out."""
    lines = {"": 1}
    open_paths: list[_Inside] = []
    for sign, line in _tokens(text):
        inside = open_paths[-1] if open_paths else None
        if sign in "{[":
            path = inside.path() if inside else ""
            lines.setdefault(path, line)
            open_paths.append(_Inside(path, sign == "["))
        elif sign in "}]":
            open_paths[-1:] = []
        elif inside is not None and sign == ",":
            inside.next()
        elif inside is not None and sign != ":":
            if inside.key is None:
                inside.key = _text(sign)
            lines.setdefault(inside.path(), line)
    return lines


class _Inside:
    """An object or a list that is being read: the key, or the place, of the value that comes."""

    def __init__(self, where: str, is_list: bool) -> None:
        self.where = where
        self.is_list = is_list
        self.place = 0
        self.key: str | None = "0" if is_list else None

    def next(self) -> None:
        self.place += 1
        self.key = str(self.place) if self.is_list else None

    def path(self) -> str:
        return f"{self.where}.{self.key}" if self.where else str(self.key)


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    line, last = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", last, match.start())
        yield match[0], line
        line += match[0].count("\n")
        last = match.end()


def _text(token: str) -> str:
    try:
        return str(json.loads(token)) if token.startswith('"') else token
    except ValueError:
        return token


def _line(problem: SpecProblem, lines: Mapping[str, int]) -> int:
    said = _LINE.search(problem.message)
    if said:
        return int(said[1])
    parts: Sequence[str] = problem.where.split(".")
    paths = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((lines[path] for path in paths if path in lines), 1)
