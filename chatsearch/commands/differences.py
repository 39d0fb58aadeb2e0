"""What differs between two specs: the look and the settings by name, the pipeline step by step."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from chatsearch.commands.reply import Changed
from chatsearch.spec import Spec, Step
from chatsearch.spec_canonical import PIPELINE_EXTRAS, is_number
from chatsearch.spec_problems import secrets_in

_NOT_SHOWN = ("spec_version",)
_LONGEST_LIST = 200  # entries of two lists that are compared one by one


def differences(old: Spec, new: Spec) -> tuple[Changed, ...]:
    """Everything that makes their digests differ; none when they are equal. Defaults count as if they were written."""
    if old.digest == new.digest:
        return ()
    return (*_fields(_top(old), _top(new)), *_steps(old, new))


def shown(value: object, name: str = "") -> str:
    """A value as a person writes it: texts as they are, anything else as JSON. A secret is not repeated."""
    if secrets_in({name: value}):
        return "(what looks like a secret)"
    if value is None or value == "":
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:197]}…"


def step_settings(spec: Spec, step: Step) -> dict[str, object]:
    """Every parameter of a step with its value, those nobody knows included, and the step's other keys."""
    raw = next(value for key, value in spec.data["pipeline"].items() if is_number(key) and int(key) == step.number)
    others = {key: value for key, value in raw.items() if key not in ("id", "parameters", "enabled")}
    return {**others, **step.parameters, **step.module.model_dump(mode="json")}


def _top(spec: Spec) -> dict[str, object]:
    others = {key: value for key, value in spec.data["pipeline"].items() if not is_number(key)}
    pipeline = {f"pipeline.{key}": value for key, value in others.items() if value or key not in PIPELINE_EXTRAS}
    top = spec.engine.model_dump(mode="json")
    return {**_flat({key: value for key, value in top.items() if key not in _NOT_SHOWN}), **pipeline}


def _flat(values: Mapping[str, object], where: str = "") -> dict[str, object]:
    out: dict[str, object] = {}
    for key, value in values.items():
        path = f"{where}.{key}" if where else key
        out |= _flat(value, path) if isinstance(value, Mapping) and value else {path: value}
    return out


def _fields(old: Mapping[str, object], new: Mapping[str, object], prefix: str = "") -> Iterator[Changed]:
    for name in dict.fromkeys((*old, *new)):
        if name not in old:
            yield Changed(prefix + name, None, shown(new[name], name))
        elif name not in new:
            yield Changed(prefix + name, shown(old[name], name), None)
        elif old[name] != new[name]:
            yield from _changed(prefix + name, name, old[name], new[name])


def _changed(what: str, name: str, old: object, new: object) -> Iterator[Changed]:
    """Of two lists what came and what went, where that is all; else both values."""
    if isinstance(old, list) and isinstance(new, list) and len(old) + len(new) <= _LONGEST_LIST:
        gone, came = [one for one in old if one not in new], [one for one in new if one not in old]
        if [one for one in old if one in new] == [one for one in new if one in old] and (gone or came):
            yield from (Changed(what, shown(one, name), None) for one in gone)
            yield from (Changed(what, None, shown(one, name)) for one in came)
            return
    yield Changed(what, shown(old, name), shown(new, name))


def _steps(old: Spec, new: Spec) -> Iterator[Changed]:
    """Steps of the same module in the same order are compared; the others came, went or moved."""
    before, after = [step.module.id for step in old.steps], [step.module.id for step in new.steps]
    gone: list[Step] = []
    came: list[Step] = []
    pairs: list[tuple[Step, Step]] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            pairs += zip(old.steps[a:b], new.steps[c:d], strict=True)
        else:
            gone += old.steps[a:b]
            came += new.steps[c:d]
    moved = [(one, other) for one in gone if (other := _same_module(one, came)) is not None]
    for one, other in moved:
        yield Changed(f"{one.module.id}, its place", f"step {one.number}", f"step {other.number}")
    for one, other in sorted((*pairs, *moved), key=lambda pair: pair[1].number):
        yield from _step(old, one, new, other)
    elsewhere = {one.number for one, _ in moved}
    yield from (Changed(_named(one), one.module.name, None) for one in gone if one.number not in elsewhere)
    yield from (Changed(_named(one), None, _described(one)) for one in came)


def _same_module(step: Step, came: list[Step]) -> Step | None:
    """The step of the same module among those that came, taken from them."""
    for place, one in enumerate(came):
        if one.module.id == step.module.id:
            return came.pop(place)
    return None


def _step(old: Spec, before: Step, new: Spec, after: Step) -> Iterator[Changed]:
    if before.enabled != after.enabled:
        yield Changed(_named(after), "on" if before.enabled else "off", "on" if after.enabled else "off")
    yield from _fields(step_settings(old, before), step_settings(new, after), f"{after.number}.")


def _named(step: Step) -> str:
    return f"step {step.number} ({step.module.id})"


def _described(step: Step) -> str:
    """A new step: its name and the parameters that were chosen."""
    chosen = [f"{name}={shown(value, name)}" for name, value in step.module.model_dump(exclude_defaults=True).items()]
    return " ".join([step.module.name, *chosen, *([] if step.enabled else ["(off)"])])
