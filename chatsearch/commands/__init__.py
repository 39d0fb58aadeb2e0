"""Slash commands: what a person typed becomes a search, a question, or a command with its argument.

`registry.respond(session, content)` is the whole way from a text to a reply; the parts of it are in this folder: `command` is
what a command declares, `session` what it works on, `reply` what it says, and each family of commands has a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from chatsearch.errors import InputError, nearest

SEARCH = "search"
ASK = "ask"

COMMANDS = {SEARCH: "/search QUERY: search anew; later messages are answered from the new results."}
"""The commands of a surface that has no others, by name, with their usage; `registry.USAGES` has all."""


@dataclass(frozen=True)
class Said:
    """What a message asks for: `command` is the name of a command, or ASK for a plain text."""

    command: str
    text: str


def parse(content: str, picked: str | None = None, known: Mapping[str, str] = COMMANDS) -> Said:
    """The meaning of a message: a typed slash wins over the command that was picked from the list.

    `known` are the commands there are, by name, with their usage. Raises InputError for any other, naming the nearest.
    """
    typed = content.strip()
    if not typed.startswith("/"):
        return Said(_known(picked, known), typed) if picked else Said(ASK, typed)
    name, *rest = typed[1:].split(maxsplit=1) or [""]
    return Said(_known(name, known), rest[0].strip() if rest else "")


def _known(name: str, known: Mapping[str, str]) -> str:
    command = name.strip().removeprefix("/").lower()
    if command in known:
        return command
    shown = name if len(name) <= 40 else f"{name[:37]}…"
    near = nearest(command, known)
    if near:
        raise InputError(f"There is no command “/{shown}”. Did you mean “/{near}”? Usage: {known[near]}")
    raise InputError(f"There is no command “/{shown}”. There are: {', '.join(f'/{one}' for one in known)}.")
