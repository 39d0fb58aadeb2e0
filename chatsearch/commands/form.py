"""The form of `/edit`, made from the declarations of the modules, and what is done with it when it is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping

from chatsearch.commands import edits
from chatsearch.commands.arguments import value_for
from chatsearch.commands.changes import place_of, reply_to
from chatsearch.commands.json_lines import located
from chatsearch.commands.reply import Form, FormField, FormStep, Reply
from chatsearch.commands.session import Session
from chatsearch.errors import InputError, SpecError, did_you_mean
from chatsearch.module import Module
from chatsearch.parameters import choices, parameter, parameter_type
from chatsearch.spec import Spec, Step
from chatsearch.spec_json import parse_json
from chatsearch.spec_problems import allowed


def form_of(spec: Spec) -> Form:
    """Every step with its parameters, and the whole spec as JSON. Raises SpecError when it holds a secret."""
    return Form(tuple(map(_form_step, spec.steps)), json.dumps(spec.dump(), ensure_ascii=False, indent=2))


async def apply_form(session: Session, values: Mapping[int, Mapping[str, object]]) -> Reply:
    """Set parameters of steps, by the steps' numbers; a text is read by the parameter's type, an empty one is the default.

    Raises InputError for a step or a parameter that there is not, SpecError with all problems; nothing is changed then.
    """
    session.check_unlocked()
    given: dict[int, dict[str, object]] = {}
    for number, parameters in values.items():
        place = place_of(session, number)
        fields = type(session.spec.steps[place].module).model_fields
        for name, value in parameters.items():
            if name not in fields:
                raise InputError(f"Step {number} has no parameter “{name}”.{did_you_mean(name, fields)}")
            given.setdefault(place, {})[name] = value_for(fields[name], value) if isinstance(value, str) else value
    return await reply_to(session, session.change(edits.with_parameters(session.spec, given)))


async def apply_edit(session: Session, text: str) -> Reply:
    """Make a JSON text the spec. Raises SpecError whose problems (LocatedProblem) have the lines; nothing is changed then."""
    session.check_unlocked()
    try:
        data = parse_json(text, session.spec.name, session.services.settings.max_spec_bytes)
        changed = session.change(data)
    except SpecError as error:
        raise located(error, text, session.spec.name) from None
    return await reply_to(session, changed)


def _form_step(step: Step) -> FormStep:
    module = type(step.module)
    values = step.module.model_dump(mode="json")
    fields = tuple(_field(module, name, values[name]) for name in module.model_fields)
    return FormStep(step.number, module.id, module.name, module.description(), step.enabled, fields)


def _field(module: type[Module], name: str, value: object) -> FormField:
    info = module.model_fields[name]
    return FormField(
        name=name,
        kind=parameter_type(info.annotation, info.json_schema_extra),
        value=value,
        default=parameter(module, name)["default"],
        choices=choices(info.annotation),
        allowed=allowed(info),
        description=info.description or "",
    )
