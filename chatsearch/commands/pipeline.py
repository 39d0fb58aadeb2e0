"""The commands that show and change the pipeline."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from chatsearch.commands import edits
from chatsearch.commands.arguments import Argument, UsageError, arguments, first_word, step_number, unquoted, value_for
from chatsearch.commands.changes import notes, place_of, reply_to
from chatsearch.commands.command import Command
from chatsearch.commands.differences import shown
from chatsearch.commands.fields import FIELDS, field_path
from chatsearch.commands.reply import Block, Card, Cards, Code, Note, Paragraph, Reply, table
from chatsearch.commands.session import Session
from chatsearch.errors import InputError, did_you_mean
from chatsearch.module import Module
from chatsearch.registry import Registry
from chatsearch.results import LedgerRow
from chatsearch.spec import Step


async def _spec(session: Session, argument: str) -> Reply:
    if argument.casefold() not in ("", "json"):
        raise UsageError(f"“{argument[:40]}” is not understood.")
    text = Code(json.dumps(session.spec.dump(), ensure_ascii=False, indent=2), "json")
    if argument:
        return Reply((text,))
    blocks: list[Block] = [Paragraph(session.spec.title), Cards(tuple(_card(session, step) for step in session.spec.steps)), text]
    if session.searched is not None and session.searched.digest != session.spec.digest:
        blocks.append(Note("The figures are of the last search; the engine was changed since."))
    return Reply((*blocks, *await notes(session)))


def _card(session: Session, step: Step) -> Card:
    ran = _ledger_row(session, step)
    chosen = step.module.model_dump(mode="json", exclude_defaults=True)
    return Card(
        number=step.number,
        module=step.module.id,
        name=step.module.name,
        category=step.module.category.value,
        parameters=tuple((name, shown(value, name)) for name, value in chosen.items()),
        enabled=step.enabled,
        rows_in=ran.rows_in if ran else None,
        rows_out=ran.rows_out if ran else None,
        seconds=ran.seconds if ran else None,
    )


def _ledger_row(session: Session, step: Step) -> LedgerRow | None:
    rows = session.results.ledger if session.results is not None else ()
    return next((row for row in rows if (row.step, row.module) == (step.number, step.module.id)), None)


async def _modules(session: Session, argument: str) -> Reply:
    registry = session.services.registry
    words = argument.casefold().split()
    found = [module for module in registry.modules.values() if all(word in _text(module) for word in words)]
    if not found:
        near = did_you_mean(argument, registry.modules)
        raise InputError(f"No module has “{argument[:60]}” in its name or description.{near} /modules lists all.")
    rows = [(module.id, module.category.value, module.description()) for module in found]
    example = found[0].id if len(found) == 1 else "MODULE"
    return Reply((table(("module", "category", "what it does"), rows), Paragraph(f"/add {example} adds one to the pipeline.")))


def _text(module: type[Module]) -> str:
    return f"{module.id} {module.name} {module.category.value} {module.description()}".casefold()


async def _add(session: Session, argument: str) -> Reply:
    words = arguments(argument)
    if not words or words[0].name:
        raise UsageError("The module is missing. /modules lists them.")
    module = _module_named(session.services.registry, words[0].value)
    rest, at = _without_place(words[1:])
    place = edits.place_of_new(session.spec.steps, module) if at is None else _place_for(session, at)
    step = {"id": module.id, "parameters": edits.typed(module, {}, _parameters(module, rest))}
    steps = edits.steps_of(session.spec)
    return await reply_to(session, session.change(edits.with_steps(session.spec, [*steps[:place], step, *steps[place:]])))


def _module_named(registry: Registry, text: str) -> type[Module]:
    wanted = text.casefold().replace("-", "_")
    module = next((module for name, module in registry.modules.items() if name.casefold() == wanted), None)
    if module is None:
        raise UsageError(registry.unknown(text[:60]).replace("`chatsearch modules` lists them.", "/modules lists them."))
    return module


def _without_place(words: Sequence[Argument]) -> tuple[list[Argument], int | None]:
    """The words without `at N`, and N."""
    for place, word in enumerate(words):
        if not word.name and word.value.casefold() == "at":
            if place + 1 == len(words) or words[place + 1].name:
                raise UsageError("After “at” the number of a step is missing.")
            return [*words[:place], *words[place + 2 :]], step_number(words[place + 1].value)
    return list(words), None


def _place_for(session: Session, number: int) -> int:
    """Before the step of that number; one more than the last is the end."""
    last = session.spec.steps[-1].number
    return len(session.spec.steps) if number == last + 1 else place_of(session, number)


def _parameters(module: type[Module], words: Sequence[Argument], step: str = "") -> dict[str, object]:
    """The parameters that the words give a module. Raises UsageError naming the nearest for one it has not."""
    found: dict[str, object] = {}
    for word in words:
        if not word.name:
            raise UsageError(f"“{word.value[:40]}” is not PARAMETER=VALUE; a value with spaces stands in quotes.")
        name = _parameter_named(module, word.name, step)
        if name in found:
            raise UsageError(f"The parameter “{name}” is given twice.")
        found[name] = value_for(module.model_fields[name], word.value)
    return found


def _parameter_named(module: type[Module], text: str, step: str = "") -> str:
    for name in module.model_fields:
        if name.casefold() == text.casefold().replace("-", "_"):
            return name
    listed = ", ".join(module.model_fields) or "none"
    near = did_you_mean(text, module.model_fields)
    raise UsageError(f"{module.id}{step} has no parameter “{text[:60]}”.{near} It has: {listed}.")


async def _set(session: Session, argument: str) -> Reply:
    target, rest = first_word(argument)
    number, dot, name = target.partition(".")
    if dot and "=" in name:
        name, _, start = name.partition("=")
        rest = f"{start} {rest}".strip()
    if number and not number.isdigit():
        return await _set_field(session, argument)
    place = place_of(session, step_number(number))
    module = type(session.spec.steps[place].module)
    given = _single(module, number, name, rest) if dot else _several(module, number, rest)
    return await reply_to(session, session.change(edits.with_parameters(session.spec, {place: given})))


def _single(module: type[Module], number: str, name: str, text: str) -> Mapping[str, object]:
    """`N.param value`: the value is the whole rest."""
    found = _parameter_named(module, name, f" (step {number})")
    if not text.strip():
        raise UsageError(f'The value of “{found}” is missing; "" stands for its default.')
    return {found: value_for(module.model_fields[found], unquoted(text))}


def _several(module: type[Module], number: str, text: str) -> Mapping[str, object]:
    """`N param=value …`, or `N param value`."""
    first, rest = first_word(text)
    if first and "=" not in first:
        return _single(module, number, first, rest)
    found = _parameters(module, arguments(text), f" (step {number})")
    if not found:
        raise UsageError(
            f"What to set is missing. {module.id} (step {number}) has: {', '.join(module.model_fields) or 'nothing'}."
        )
    return found


async def _set_field(session: Session, argument: str) -> Reply:
    """A field outside the pipeline, such as `subtitle`."""
    name, equals, value = argument.partition("=")
    if not equals or " " in name.strip():
        name, value = first_word(argument)
    path = field_path(name.strip())
    if not value.strip():
        raise UsageError(f'The value of “{".".join(path)}” is missing; "" makes it empty.')
    return await reply_to(session, session.change(edits.with_field(session.spec.data, path, FIELDS[path](unquoted(value)))))


async def _remove(session: Session, argument: str) -> Reply:
    place = place_of(session, step_number(argument))
    steps = edits.steps_of(session.spec)
    return await reply_to(session, session.change(edits.with_steps(session.spec, [*steps[:place], *steps[place + 1 :]])))


async def _move(session: Session, argument: str) -> Reply:
    words = [word for word in argument.split() if word.casefold() != "to"]
    if len(words) != 2:
        raise UsageError("Two numbers are needed: the step, and the place it goes to.")
    at, to = (place_of(session, step_number(word)) for word in words)
    steps = edits.steps_of(session.spec)
    steps.insert(to, steps.pop(at))
    return await reply_to(session, session.change(edits.with_steps(session.spec, steps)))


async def _enable(session: Session, argument: str) -> Reply:
    return await _switch(session, argument, on=True)


async def _disable(session: Session, argument: str) -> Reply:
    return await _switch(session, argument, on=False)


async def _switch(session: Session, argument: str, *, on: bool) -> Reply:
    place = place_of(session, step_number(argument))
    data, key = edits.with_parameters(session.spec, {}), edits.keys_of(session.spec)[place]
    data["pipeline"][key]["enabled"] = on
    return await reply_to(session, session.change(data))


COMMANDS = (
    Command(
        name="spec",
        usage="/spec [json]",
        help="Shows the pipeline, with how many documents came into and out of each step in the last search, and its JSON.",
        examples=("/spec", "/spec json"),
        perform=_spec,
        icon="file-json",
    ),
    Command(
        name="modules",
        usage="/modules [WORD]",
        help="Lists the modules, or those with a word in their name or description.",
        examples=("/modules", "/modules rerank"),
        perform=_modules,
        icon="blocks",
    ),
    Command(
        name="add",
        usage="/add MODULE [at N] [PARAMETER=VALUE …]",
        help="Adds a step to the pipeline, at the place where it belongs or before step N.",
        examples=("/add embedding_reranker", '/add field_filter at 2 column=language operator="starts with" value=en'),
        perform=_add,
        changes_spec=True,
        icon="plus",
    ),
    Command(
        name="set",
        usage="/set N.PARAMETER VALUE, or /set N PARAMETER=VALUE …, or /set FIELD VALUE",
        help='Changes parameters of a step, or a field of the engine such as subtitle. "" stands for the default.',
        examples=("/set 1.limit 20", "/set 1 limit=20 weight=2", "/set subtitle Art and music"),
        perform=_set,
        changes_spec=True,
        icon="sliders-horizontal",
    ),
    Command(
        name="remove",
        usage="/remove N",
        help="Removes a step.",
        examples=("/remove 2",),
        perform=_remove,
        changes_spec=True,
        icon="minus",
    ),
    Command(
        name="move",
        usage="/move N to M",
        help="Moves a step to the place of another.",
        examples=("/move 2 to 3",),
        perform=_move,
        changes_spec=True,
        icon="move-vertical",
    ),
    Command(
        name="enable",
        usage="/enable N",
        help="Switches a step on again.",
        examples=("/enable 2",),
        perform=_enable,
        changes_spec=True,
        icon="toggle-right",
    ),
    Command(
        name="disable",
        usage="/disable N",
        help="Switches a step off; it stays in the pipeline with its parameters.",
        examples=("/disable 2",),
        perform=_disable,
        changes_spec=True,
        icon="toggle-left",
    ),
)
