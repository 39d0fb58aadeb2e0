"""Slash commands: what a person typed becomes a search, a question, or a command with its argument."""

from __future__ import annotations

from dataclasses import dataclass

from chatsearch.errors import InputError, did_you_mean

SEARCH = "search"
ASK = "ask"

COMMANDS = {SEARCH: "/search QUERY: search anew; later messages are answered from the new results."}
"""Every command by name, with its usage."""


@dataclass(frozen=True)
class Said:
    """What a message asks for: `command` is a name of COMMANDS, or ASK for a plain text."""

    command: str
    text: str


def parse(content: str, picked: str | None = None) -> Said:
    """The meaning of a message: a typed slash wins over the command that was picked from the list.

    Raises InputError for a command that there is not, naming the nearest.
    """
    typed = content.strip()
    if not typed.startswith("/"):
        return Said(_known(picked), typed) if picked else Said(ASK, typed)
    name, *rest = typed[1:].split(maxsplit=1) or [""]
    return Said(_known(name), rest[0].strip() if rest else "")


def _known(name: str) -> str:
    command = name.strip().lower()
    if command not in COMMANDS:
        usage = "\n".join(COMMANDS.values())
        nearest = did_you_mean(f"/{command}", [f"/{one}" for one in COMMANDS])
        raise InputError(f"There is no command “/{name}”.{nearest} There are:\n{usage}")
    return command
