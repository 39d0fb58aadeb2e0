"""The commands that take changes back, and the form."""

from __future__ import annotations

import json
from dataclasses import replace

from chatsearch.commands.arguments import UsageError, first_word
from chatsearch.commands.changes import reply_to
from chatsearch.commands.command import Command
from chatsearch.commands.form import apply_edit, apply_form, form_of
from chatsearch.commands.reply import Offer, Paragraph, Reply
from chatsearch.commands.session import Session


async def _undo(session: Session, argument: str) -> Reply:
    _no_argument(argument)
    reply = await reply_to(session, session.undo(), "The last change is undone.", Offer("Redo", "/redo"))
    return replace(reply, spec_changed=True)


async def _redo(session: Session, argument: str) -> Reply:
    _no_argument(argument)
    return replace(await reply_to(session, session.redo(), "The change is made again."), spec_changed=True)


async def _reset(session: Session, argument: str) -> Reply:
    _no_argument(argument)
    changed = session.change(session.opened.data)
    head = "The engine is as it was opened; /undo takes that back." if changed else "The engine is as it was opened already."
    return await reply_to(session, changed, head)


async def _edit(session: Session, argument: str) -> Reply:
    """The form; with JSON after it, what the form sends: the whole spec, or after `steps` parameters by the steps' numbers."""
    if not argument:
        how = "Change what you want to and apply it. Nothing is changed when something is wrong; /undo takes it back."
        return Reply((Paragraph(how), form_of(session.spec)))
    word, rest = first_word(argument)
    if word.casefold() == "steps" and rest:
        return await apply_form(session, _by_step(rest))
    if not argument.startswith("{"):
        raise UsageError("After /edit stands nothing, or the whole engine as JSON.")
    return await apply_edit(session, argument)


def _by_step(text: str) -> dict[int, dict[str, object]]:
    """Parameters by the numbers of their steps. Raises UsageError."""
    try:
        given = json.loads(text)
    except ValueError as error:
        raise UsageError(f"What stands after “steps” is no JSON ({error}).") from None
    if not isinstance(given, dict) or not all(key.isdecimal() and isinstance(value, dict) for key, value in given.items()):
        raise UsageError("After “steps” stands an object of step numbers with their parameters.")
    return {int(number): parameters for number, parameters in given.items()}


def _no_argument(argument: str) -> None:
    if argument:
        raise UsageError(f"It takes nothing after it, and got “{argument[:40]}”.")


COMMANDS = (
    Command(
        name="undo",
        usage="/undo",
        help="Takes the last change of the engine back; again, the one before it.",
        examples=("/undo",),
        perform=_undo,
        changes_spec=True,
        leaves=True,
        icon="undo-2",
    ),
    Command(
        name="redo",
        usage="/redo",
        help="Makes the change again that was undone last.",
        examples=("/redo",),
        perform=_redo,
        changes_spec=True,
        leaves=True,
        icon="redo-2",
    ),
    Command(
        name="reset",
        usage="/reset",
        help="Makes the engine again what it was when it was opened.",
        examples=("/reset",),
        perform=_reset,
        changes_spec=True,
        icon="rotate-ccw",
    ),
    Command(
        name="edit",
        usage="/edit [JSON]",
        help="Opens a form with all steps and their parameters, and the engine as JSON; with JSON, makes that the engine.",
        examples=("/edit", '/edit {"title": "Mine", "pipeline": {"1": {"id": "index_datasource"}}}'),
        perform=_edit,
        changes_spec=True,
        icon="square-pen",
    ),
)
