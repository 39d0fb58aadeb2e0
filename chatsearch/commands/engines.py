"""The commands that open another engine, and compare with one."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from chatsearch.commands.arguments import UsageError, unquoted
from chatsearch.commands.changes import reply_to
from chatsearch.commands.command import Command
from chatsearch.commands.differences import differences
from chatsearch.commands.json_lines import located
from chatsearch.commands.reply import Paragraph, Reply, say
from chatsearch.commands.session import Session, within_limits
from chatsearch.engines import built_in_engines
from chatsearch.errors import InputError, SpecError, did_you_mean
from chatsearch.services import Services
from chatsearch.spec import Spec


async def find(session: Session, reference: str) -> Spec:
    """The engine that a person names or writes out as JSON. Raises InputError when there is none, SpecError with the lines."""
    services = session.services
    if reference.lstrip().startswith(("{", "[")):
        return await asyncio.to_thread(spec_of_text, reference, services)
    name = unquoted(reference)
    spec = await session.find(name) if session.find is not None else built_in(name, services)
    return within_limits(spec, services.settings.max_spec_bytes)


def built_in(name: str, services: Services) -> Spec:
    """The built-in engine of that name; never a file of this machine. Raises InputError with the nearest."""
    engines = built_in_engines()
    wanted = name.casefold().removesuffix(".json")
    if wanted not in engines:
        near = did_you_mean(wanted, engines)
        raise InputError(f"There is no engine “{name[:60]}”.{near} Built in are: {', '.join(engines)}.")
    return Spec.loads(engines[wanted].read_bytes(), services.registry, wanted, services.settings.max_spec_bytes)


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
        raise UsageError("Which engine?")
    return await _opened(session, await find(session, argument))


async def _opened(session: Session, spec: Spec) -> Reply:
    changed = session.open(spec, spec.name)
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
        usage="/load ENGINE, or /load JSON",
        help="Opens another engine in this chat: a built-in one by its name, or the JSON of one.",
        examples=("/load arts", '/load {"pipeline": {"1": {"id": "index_datasource"}}}'),
        perform=_load,
        changes_spec=True,
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
