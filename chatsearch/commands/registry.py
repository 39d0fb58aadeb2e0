"""All commands, and the way from what a person typed to the reply."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from chatsearch.commands import ASK, editing, engines, exporting, look, models, parse, pipeline, saving, searching
from chatsearch.commands import help as helping
from chatsearch.commands import listing as lists
from chatsearch.commands.command import Command
from chatsearch.commands.reply import Reply
from chatsearch.commands.session import Session
from chatsearch.errors import InputError

FAMILIES: Mapping[str, tuple[Command, ...]] = MappingProxyType({
    "Searching": searching.COMMANDS,
    "The list of results": lists.COMMANDS,
    "The pipeline": pipeline.COMMANDS,
    "Taking back and editing": editing.COMMANDS,
    "Engines": (*engines.COMMANDS, *saving.COMMANDS, *exporting.COMMANDS),
    "The look": look.COMMANDS,
    "Models, settings, help": (*models.COMMANDS, *helping.COMMANDS),
})  # fmt: skip
"""The commands by what they are for, in the order in which they are listed."""

BY_NAME: Mapping[str, Command] = MappingProxyType({one.name: one for family in FAMILIES.values() for one in family})

USAGES: Mapping[str, str] = MappingProxyType({name: one.usage for name, one in BY_NAME.items()})
"""The usage of every command by its name: what `parse` takes."""


async def respond(session: Session, content: str, picked: str | None = None) -> Reply:
    """The reply to a message. A plain text is a search while there are no results, then a question.

    Raises ChatsearchError with what to say to the person; the session is then as it was.
    """
    longest = session.services.settings.max_spec_bytes
    if len(content) > longest:
        raise InputError(f"The message has {len(content):,} characters; at most {longest:,} are read.")
    said = parse(content, picked, USAGES)
    if said.command != ASK:
        return await BY_NAME[said.command].run(session, said.text)
    if not said.text:
        raise InputError("The message is empty. Type what you are looking for, or /help.")
    return Reply(search=said.text) if session.results is None else Reply(ask=said.text)
