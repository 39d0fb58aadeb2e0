"""Changes of a spec's data: each returns a new object, in which every other key stays where it was."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from chatsearch.commands.view import ListView
from chatsearch.module import DataSource, Module, Summarizer
from chatsearch.spec import OLD_KEYS, Spec, Step
from chatsearch.spec_canonical import is_number

Data = dict[str, Any]


def steps_of(spec: Spec) -> list[Data]:
    """Copies of the steps' objects, in the order they run in, which is that of `spec.steps`."""
    return [copy.deepcopy(spec.data["pipeline"][key]) for key in keys_of(spec)]


def keys_of(spec: Spec) -> list[str]:
    """The steps' keys in the pipeline, in the order they run in."""
    return sorted((key for key in spec.data["pipeline"] if is_number(key)), key=int)


def with_steps(spec: Spec, steps: Sequence[Data]) -> Data:
    """The spec with these steps, numbered from 1, where the first step stood; all other keys keep their order."""
    numbered = {str(n): step for n, step in enumerate(steps, start=1)}
    pipeline: Data = {}
    for key, value in spec.data["pipeline"].items():
        pipeline |= numbered if is_number(key) else {key: copy.deepcopy(value)}
    return {**copy.deepcopy(dict(spec.data)), "pipeline": pipeline}


def with_parameters(spec: Spec, given: Mapping[int, Mapping[str, object]]) -> Data:
    """The spec with these parameters of these places (0 is the first step), as their types write them where they fit."""
    steps, data = steps_of(spec), copy.deepcopy(dict(spec.data))
    for place, values in given.items():
        module = type(spec.steps[place].module)
        known = steps[place].get("parameters") or {}
        steps[place]["parameters"] = {**known, **typed(module, {**spec.steps[place].parameters, **known}, values)}
    data["pipeline"] |= dict(zip(keys_of(spec), steps, strict=True))
    return data


def typed(module: type[Module], parameters: Mapping[str, object], given: Mapping[str, object]) -> dict[str, object]:
    """The given parameters with their values as JSON writes their types; as they were given when they are not right."""
    try:
        checked = module.model_validate({**parameters, **given})
    except ValidationError:  # the check of the whole spec says what is wrong, and all of it
        return dict(given)
    dumped = checked.model_dump(mode="json")
    return {name: dumped.get(name, value) for name, value in given.items()}


def place_of_new(steps: Sequence[Step], module: type[Module]) -> int:
    """Where a new step goes when nobody says: a source after the last source, an overall summary last, others before it."""
    sources = [place for place, step in enumerate(steps) if isinstance(step.module, DataSource)]
    if issubclass(module, DataSource):
        return sources[-1] + 1 if sources else 0
    place = len(steps)
    while not issubclass(module, Summarizer) and place and isinstance(steps[place - 1].module, Summarizer):
        place -= 1
    return place


def with_view(spec: Spec, view: ListView) -> Data:
    """The spec with what a person chose for the list in its `display`, to be saved with it."""
    data: Mapping[str, Any] = spec.data
    chosen = {
        "rank_column": view.rank,
        "text_column": view.text,
        "chip_columns": None if view.chips is None else list(view.chips),
    }
    for name, value in chosen.items():
        if value or value == []:
            data = with_field(data, ("display", name), value)
    return dict(data)


def with_field(data: Mapping[str, Any], path: Sequence[str], value: object) -> Data:
    """The spec's data with a field outside the pipeline, such as ("theme", "color"), under the name by which the spec has it."""
    out = copy.deepcopy(dict(data))
    old = next((key for key, ours in OLD_KEYS.items() if tuple(path) == ours and key in out), None)
    if old is not None:
        out[old] = value
        if not _has(out, path):
            return out
    parent = out
    for key in path[:-1]:
        parent = parent.setdefault(key, {})
    parent[path[-1]] = value
    return out


def _has(data: Mapping[str, Any], path: Sequence[str]) -> bool:
    inner: Any = data
    for key in path:
        if not isinstance(inner, Mapping) or key not in inner:
            return False
        inner = inner[key]
    return True
