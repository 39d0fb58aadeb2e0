"""Where the value of each setting comes from: a command, the engine, the environment, `chatsearch.toml`, or the default."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping

from chatsearch.commands.differences import shown
from chatsearch.commands.session import Session
from chatsearch.errors import ChatsearchError
from chatsearch.llm.catalog import MOSAIC_RAG_KEY, OWN_KEY

Line = tuple[str, str, str]

COMMAND_LINE = "command line"
DEFAULT = "default"
_PUBLIC = ("model", "models", "embedding_models")
"""What a visitor sees beside numbers; all else may tell of the machine and its network."""
_OF_ENGINE = (
    ("conversation", "model"), ("conversation", "column"), ("conversation", "instructions"), ("conversation", "unknown_answer"),
    ("display", "rank_column"), ("display", "text_column"), ("display", "chip_columns"), ("theme", "color"), ("theme", "mode"),
    ("language",),
)  # fmt: skip
_OF_VIEW = {"display.rank_column": "rank", "display.text_column": "text", "display.chip_columns": "chips"}


def settings_lines(session: Session) -> list[Line]:
    """(name, value, where it comes from): first what an engine can say, then the settings of the server, then the keys."""
    return [*_engine_lines(session), *_setting_lines(session), *_key_lines(session)]


def _engine_lines(session: Session) -> Iterator[Line]:
    now, opened = (spec.engine.model_dump(mode="json") for spec in (session.spec, session.opened))
    for path in _OF_ENGINE:
        name = ".".join(path)
        value, before = _inside(now, path), _inside(opened, path)
        chosen = getattr(session.view, _OF_VIEW[name]) if name in _OF_VIEW else None
        if chosen:
            yield name, shown(list(chosen) if isinstance(chosen, tuple) else chosen), "this chat"
        elif value != before:
            yield name, shown(value), "a command in this chat"
        elif value:
            yield name, shown(value), "the engine"
        elif path == ("conversation", "model"):
            yield name, session.services.catalog.default, "the setting model"
        else:
            yield name, "", DEFAULT


def _inside(values: object, path: tuple[str, ...]) -> object:
    for key in path:
        values = values.get(key) if isinstance(values, Mapping) else None
    return values


def _setting_lines(session: Session) -> Iterator[Line]:
    from chatsearch.settings import Settings

    settings = session.services.settings
    origins = _origins(session)
    for name in Settings.model_fields:
        value = getattr(settings, name)
        seen = session.administrator or name in _PUBLIC or isinstance(value, int | float)
        yield name, shown(_as_text(value), name) if seen else "(the administrator sees it)", origins[name]


def _origins(session: Session) -> dict[str, str]:
    """Where each setting comes from: what the environment and the file would not give came with the command line."""
    from chatsearch.settings import MOSAIC_RAG_NAMES, Settings, environment_name, load_settings, mosaic_rag_environment

    settings = session.services.settings
    environment = {name.upper() for name, value in os.environ.items() if value}
    theirs, file = mosaic_rag_environment(), _toml(session)
    try:
        without, there = load_settings(), load_settings(data_dir=settings.data_dir)
    except ChatsearchError:  # the environment was changed since the start, and is wrong now
        without = there = settings
    origins: dict[str, str] = {}
    for name in Settings.model_fields:
        known = without if name == "data_dir" else there
        if getattr(known, name) != getattr(settings, name):
            origins[name] = COMMAND_LINE
        elif environment_name(name) in environment:
            origins[name] = f"environment, {environment_name(name)}"
        elif name in theirs:
            origins[name] = f"environment, {MOSAIC_RAG_NAMES[name]}"
        else:
            origins[name] = "chatsearch.toml" if name in file else DEFAULT
    return origins


def _toml(session: Session) -> Mapping[str, object]:
    from chatsearch.settings import toml_file

    try:
        return tomllib.loads(toml_file(session.services.settings.data_dir).read_text("utf-8"))
    except (OSError, ValueError):  # there is none, which is usual; a wrong one stops the start
        return {}


def _key_lines(session: Session) -> Iterator[Line]:
    """Which keys are there; never what they are."""
    wanted = {one.key_variable for one in session.services.catalog.endpoints() if one.key_variable}
    for name in sorted({OWN_KEY, MOSAIC_RAG_KEY, *wanted}):
        is_set = bool(os.environ.get(name, "").strip())
        yield name, "set (not shown)" if is_set else "not set", "environment" if is_set else DEFAULT


def _as_text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
