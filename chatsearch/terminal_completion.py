"""What can come next on a line of the terminal chat: commands, modules, steps, parameters, values, columns, engines, models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from chatsearch.chat.css_colors import CSS_COLORS
from chatsearch.commands.exporting import FORMATS
from chatsearch.commands.fields import FIELDS
from chatsearch.commands.registry import BY_NAME
from chatsearch.commands.session import Session
from chatsearch.commands.view import columns_with
from chatsearch.engines import built_in_engines
from chatsearch.module import Module
from chatsearch.parameters import choices, parameter_type
from chatsearch.services import EXTRACTIVE
from chatsearch.spec import MODES

LEAVING = ("/quit", "/exit")
"""The commands that end the chat; the terminal alone has them."""

Option = tuple[str, str]
"""A word that can stand here, and what it means."""

_LONGEST_MEANING = 60
_MOST_FILES = 1000
_OPERATORS = ("=", "!=", ">", "<", ">=", "<=", "contains", "starts with", "is empty", "is not empty")


@dataclass(frozen=True)
class Candidate:
    """A text that can take the place of the last `replaces` characters before the cursor."""

    text: str
    replaces: int
    meaning: str = ""


def candidates(session: Session, typed: str) -> list[Candidate]:
    """What can stand at the cursor, `typed` being all before it: first what begins so, then what has it inside.

    Nothing for a query or a question.
    """
    if not typed.startswith("/"):
        return []
    name, space, argument = typed[1:].partition(" ")
    if not space:
        return list(_matching([*_commands(), (LEAVING[0], "Ends the chat.")], typed))
    options = _ARGUMENTS.get(name.casefold())
    if options is None:
        return []
    *before, last = argument.split(" ")
    return list(_matching(options(session, [word for word in before if word], last), last))


def _matching(options: Iterable[Option], typed: str) -> Iterator[Candidate]:
    wanted = _bare(typed)
    others = [(text, meaning) for text, meaning in options if text != typed]
    begins = [one for one in others if _bare(one[0]).startswith(wanted)]
    inside = [one for one in others if one not in begins and wanted.strip("/") and wanted.strip("/") in _bare(one[0])]
    for text, meaning in (*begins, *inside):
        yield Candidate(text, len(typed), meaning if len(meaning) <= _LONGEST_MEANING else f"{meaning[: _LONGEST_MEANING - 1]}…")


def _bare(text: str) -> str:
    return text.replace('"', "").casefold()


def _commands(sign: str = "/") -> list[Option]:
    return [(f"{sign}{one.name}", one.help) for one in BY_NAME.values()]


def _add(session: Session, words: Sequence[str], last: str) -> list[Option]:
    registry = session.services.registry
    if not words:
        return [(module.id, module.description()) for module in registry.modules.values()]
    if words[-1].casefold() == "at":
        return _steps(session)
    module = registry.modules.get(words[0].casefold().replace("-", "_"))
    place = [("at", "before which step")] if "at" not in words else []
    return [*place, *_parameters(session, module, words[1:], last)] if module else []


def _set(session: Session, words: Sequence[str], last: str) -> list[Option]:
    number, dot, name = (words[0] if words else last).partition(".")
    step = next((step for step in session.spec.steps if str(step.number) == number), None)
    module = type(step.module) if step else None
    if not words and dot and module:
        return [(f"{number}.{one}", _meaning(module, one)) for one in module.model_fields]
    if not words:
        return [*((f"{n}.", meaning) for n, meaning in _steps(session)), *((".".join(path), "") for path in FIELDS)]
    if module is None:
        return _columns(session) if words[0].casefold().startswith("display.") else []
    return _values(session, module, name) if dot else _parameters(session, module, words[1:], last)


def _parameters(session: Session, module: type[Module], given: Sequence[str], last: str) -> list[Option]:
    """`name=` of those that are not given yet, or `name=value` after the sign."""
    name, sign, _ = last.partition("=")
    if sign:
        return [(f"{name}={_quoted(value)}", meaning) for value, meaning in _values(session, module, name)]
    there = {word.partition("=")[0] for word in given}
    return [(f"{one}=", _meaning(module, one)) for one in module.model_fields if one not in there]


def _values(session: Session, module: type[Module], name: str) -> list[Option]:
    info = module.model_fields.get(name)
    if info is None:
        return []
    listed = choices(info.annotation)
    kind = parameter_type(info.annotation, info.json_schema_extra)
    if listed:
        return _plain(one for one in listed if one)
    if kind == "boolean":
        return _plain(("true", "false"))
    if kind == "column":
        return _columns(session)
    return _models(session)[:-1] if name == "model" else []


def _meaning(module: type[Module], name: str) -> str:
    return module.model_fields[name].description or ""


def _columns(session: Session) -> list[Option]:
    """The columns of the results, and those that the steps surely write."""
    found: dict[str, str] = {}
    for step in session.spec.enabled_steps:
        found |= {column: f"of step {step.number}" for column in step.module.writes() if "_N_" not in column}
    if session.results is not None:
        found |= dict.fromkeys(map(str, session.results.documents.columns), "")
    return list(found.items())


def _found_columns(session: Session) -> list[str]:
    return [] if session.results is None else list(map(str, session.results.documents.columns))


def _steps(session: Session, enabled: bool | None = None) -> list[Option]:
    there = [step for step in session.spec.steps if enabled is None or step.enabled is enabled]
    return [(str(step.number), step.module.id) for step in there]


def _engine(session: Session, words: Sequence[str], last: str) -> list[Option]:
    """The built-in engines, and the JSON files and folders where the path that is typed has come to."""
    if words:
        return []
    folder, _, name = last.rpartition("/")
    start = f"{folder}/" if "/" in last else ""
    try:
        there = sorted(Path(start or ".").expanduser().iterdir())[:_MOST_FILES]
        files = [f"{one.name}/" if one.is_dir() else one.name for one in there if one.is_dir() or one.suffix == ".json"]
    except (OSError, RuntimeError):  # a folder that is not there or may not be read, ~ of nobody
        files = []
    return [*_plain(built_in_engines()), *((start + one, "") for one in files if name.startswith(".") or one[0] != ".")]


def _move(session: Session, words: Sequence[str], last: str) -> list[Option]:
    return [("to", "")] if len(words) == 1 else _steps(session) if len(words) < 3 else []


def _rank(session: Session, words: Sequence[str], last: str) -> list[Option]:
    return _plain(columns_with(session.results, "rank")) if session.results and not words else []


def _text(session: Session, words: Sequence[str], last: str) -> list[Option]:
    return _plain(columns_with(session.results, "text")) if session.results and not words else []


def _chips(session: Session, words: Sequence[str], last: str) -> list[Option]:
    return _plain(_found_columns(session) if words else ("on", "off", "all", "none"))


def _filter(session: Session, words: Sequence[str], last: str) -> list[Option]:
    return _plain(_OPERATORS if len(words) == 1 else () if words else [*_found_columns(session), "off"])


def _sort(session: Session, words: Sequence[str], last: str) -> list[Option]:
    return _plain(("asc", "desc") if words else [*_found_columns(session), "off"])


def _models(session: Session) -> list[Option]:
    names = dict.fromkeys((*(one.name for one in session.services.catalog.endpoints()), EXTRACTIVE))
    return [*_plain(names), ("default", "the one of the settings")]


def _starters(session: Session, words: Sequence[str], last: str) -> list[Option]:
    if words == ["remove"]:
        return [(str(n), one) for n, one in enumerate(session.spec.engine.starters, start=1)]
    return _plain(("add", "remove", "clear")) if not words else []


def _config(session: Session, words: Sequence[str], last: str) -> list[Option]:
    fields = type(session.services.settings).model_fields
    return [(name, info.description or "") for name, info in fields.items()] if not words else []


def _plain(values: Iterable[str]) -> list[Option]:
    return [(value, "") for value in values]


def _quoted(value: str) -> str:
    return f'"{value}"' if " " in value else value


def _first(values: Callable[[Session], Iterable[Option]]) -> Callable[[Session, Sequence[str], str], list[Option]]:
    """An argument of one word."""
    return lambda session, words, last: [] if words else list(values(session))


_ARGUMENTS: Mapping[str, Callable[[Session, Sequence[str], str], list[Option]]] = MappingProxyType({
    "add": _add, "set": _set, "move": _move, "rank": _rank, "text": _text, "chips": _chips, "filter": _filter,
    "sort": _sort, "starters": _starters, "config": _config,
    "help": _first(lambda session: _commands("")),
    "remove": _first(_steps),
    "enable": _first(lambda session: _steps(session, enabled=False)),
    "disable": _first(lambda session: _steps(session, enabled=True)),
    "load": _engine, "diff": _engine,
    "model": _first(_models),
    "export": _first(lambda session: _plain(FORMATS)),
    "theme": lambda session, words, last: _plain((*MODES, "system", "default", *CSS_COLORS)),
    "spec": _first(lambda session: _plain(("json",))),
})  # fmt: skip
