"""The commands for language models and settings: which are used, and where that is said."""

from __future__ import annotations

from chatsearch.commands import edits
from chatsearch.commands.changes import reply_to
from chatsearch.commands.command import Command
from chatsearch.commands.config import settings_lines
from chatsearch.commands.reply import Paragraph, Reply, table
from chatsearch.commands.session import Session
from chatsearch.errors import InputError, did_you_mean
from chatsearch.services import EXTRACTIVE

_DEFAULT = "default"


async def _model(session: Session, argument: str) -> Reply:
    catalog = session.services.catalog
    names = list(dict.fromkeys((*(one.name for one in catalog.endpoints()), EXTRACTIVE)))
    wanted = session.spec.engine.conversation.model
    if not argument:
        model, notice = session.services.language_model(wanted)
        rows = [(name, _marks(name, model.name, catalog.default)) for name in names]
        how = "/model NAME answers with another one, /model default with the server's."
        return Reply((table(("model", ""), rows), *([Paragraph(notice)] if notice else []), Paragraph(how)))
    name = "" if argument.casefold() == _DEFAULT else _named(session, argument, names)
    changed = session.change(edits.with_field(session.spec.data, ("conversation", "model"), name))
    head = f"Questions are answered by {name or catalog.default}. Steps of the pipeline have a parameter “model” of their own."
    return await reply_to(session, changed, head)


def _named(session: Session, text: str, names: list[str]) -> str:
    if text.casefold() == EXTRACTIVE:
        return EXTRACTIVE
    endpoint = session.services.catalog.find(text)
    if endpoint is None:
        near = did_you_mean(text, names)
        raise InputError(
            f"The model “{text[:60]}” cannot be had here.{near} There are: {', '.join(names)}. "
            "Whoever runs the server adds one with the setting models."
        )
    return endpoint.name


def _marks(name: str, now: str, default: str) -> str:
    marks = [("in use", name == now), ("the server's default", name == default), ("quotes, no LLM", name == EXTRACTIVE)]
    return ", ".join(mark for mark, true in marks if true)


async def _config(session: Session, argument: str) -> Reply:
    word = argument.casefold()
    lines = [line for line in settings_lines(session) if not word or word in line[0].casefold()]
    if not lines:
        near = did_you_mean(argument, [line[0] for line in settings_lines(session)])
        raise InputError(f"No setting has “{argument[:40]}” in its name.{near} /config lists all.")
    order = "A command comes before the engine, the engine before the environment, that before chatsearch.toml, then the default."
    return Reply((table(("setting", "value", "from"), lines), Paragraph(order)))


COMMANDS = (
    Command(
        name="model",
        usage="/model [NAME | default]",
        help="Lists the language models there are, or answers questions with another one.",
        examples=("/model", "/model extractive"),
        perform=_model,
        changes_spec=True,
        shows=True,
        icon="bot",
    ),
    Command(
        name="config",
        usage="/config [WORD]",
        help="Lists the settings with their values and where each comes from. Keys and passwords are never shown.",
        examples=("/config", "/config model"),
        perform=_config,
        icon="settings",
    ),
)
