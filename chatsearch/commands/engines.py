"""The commands that open another engine, and compare with one."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from chatsearch.commands.arguments import UsageError, unquoted
from chatsearch.commands.changes import reply_to
from chatsearch.commands.command import Command
from chatsearch.commands.differences import differences
from chatsearch.commands.json_lines import located
from chatsearch.commands.reply import Paragraph, Reply, Upload, say
from chatsearch.commands.session import Session, within_limits
from chatsearch.engines import built_in_engines, find_shared, load_stored, may_be_saved, revoked
from chatsearch.errors import InputError, SpecError
from chatsearch.services import Services
from chatsearch.spec import Spec


async def find(session: Session, reference: str) -> Spec:
    """The engine that a person names, in a version with `@`, or writes out as JSON.

    Raises InputError when there is none, SpecError with the lines.
    """
    services = session.services
    if reference.lstrip().startswith(("{", "[")):
        return await asyncio.to_thread(spec_of_text, reference, services)
    name = unquoted(reference)
    identifier, at, version = name.rpartition("@")
    if at and version.isdecimal():
        spec = await _in_version(identifier, int(version), services)
    else:
        spec = await (session.find(name) if session.find is not None else find_shared(name, services))
    return within_limits(spec, services.settings.max_spec_bytes)


async def _in_version(identifier: str, version: int, services: Services) -> Spec:
    engines = (await services.store()).engines
    stored = await engines.get(identifier, version)
    if stored is None:
        raise InputError(f"There is no version {version} of “{identifier[:60]}”. /versions lists those of the open engine.")
    if stored.revoked:
        raise revoked(identifier)
    return await asyncio.to_thread(load_stored, stored, services)


def spec_of_text(text: str, services: Services, name: str = "") -> Spec:
    """The engine of a JSON text, such as an uploaded file. Raises SpecError with every problem and its line."""
    most = services.settings.max_spec_bytes
    try:
        return within_limits(Spec.loads(text, services.registry, name, most), most)
    except SpecError as error:
        raise located(error, text, name) from None


async def load_text(session: Session, text: str, name: str = "") -> Reply:
    """Open the engine of a JSON text, such as an uploaded file. Raises SpecError with every problem and its line."""
    return await _opened(session, await asyncio.to_thread(spec_of_text, text, session.services, name))


async def _load(session: Session, argument: str) -> Reply:
    if not argument:
        return Reply(
            (Paragraph("Choose the JSON file of an engine, or type its name after /load."), Upload("Choose a file", "/load"))
        )
    spec = await find(session, argument)
    own = spec.name if session.find is not None else ""
    return await _opened(session, spec, _id_of(argument, session) or own)


def _id_of(reference: str, session: Session) -> str:
    """The id that an engine so named has here; empty for one from JSON, a file or a URL, which has no address here."""
    name = unquoted(reference).partition("@")[0].strip()
    built_in = name.casefold().removesuffix(".json")
    if built_in in built_in_engines():
        return built_in
    return name if may_be_saved(name, session.services) else ""


async def _opened(session: Session, spec: Spec, engine: str = "") -> Reply:
    changed = session.open(spec, engine)
    head = f"“{spec.title}” is open. The results there are stay; /undo goes back to the engine before."
    if session.locked:
        head += " Its owner has locked it: it can be searched and read, but not changed."
    return replace(await reply_to(session, changed, head), spec_changed=True, run_again=session.last_query)


async def _diff(session: Session, argument: str) -> Reply:
    if not argument:
        raise UsageError("Which engine is this one to be compared with?")
    other = await find(session, argument)
    changed = differences(session.spec, other)
    if not changed:
        return say(f"“{other.title}” and this engine are the same (digest {other.digest[:12]}).")
    return Reply((Paragraph(f"This engine → “{other.title}”: {len(changed)} differences."), *changed))


COMMANDS = (
    Command(
        name="load",
        usage="/load [ENGINE | ID@VERSION | URL | JSON]",
        help="Opens another engine in this chat: by its name, id or URL, or from JSON; with nothing after it, from a file.",
        examples=("/load arts", '/load {"pipeline": {"1": {"id": "index_datasource"}}}'),
        perform=_load,
        changes_spec=True,
        shows=True,
        leaves=True,
        icon="folder-open",
    ),
    Command(
        name="diff",
        usage="/diff ENGINE",
        help="Shows what differs between this engine and another, step by step.",
        examples=("/diff arts",),
        perform=_diff,
        icon="diff",
    ),
)
