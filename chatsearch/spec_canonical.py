"""The canonical form of a spec: the one text that all equal engines have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chatsearch.module import DataSource

if TYPE_CHECKING:
    from chatsearch.spec import Engine, Step

PIPELINE_EXTRAS = ("query", "parameters")
_LONGEST_NUMBER = 9  # digits of a step number


def canonical(engine: Engine, steps: Sequence[Step], raw: Mapping[str, Any]) -> str:
    """Of an engine, its steps, and the pipeline as it was loaded: see `Spec.canonical`."""
    top = engine.model_dump(mode="json", exclude_defaults=True)
    top.pop("spec_version", None)
    pipeline = {key: value for key, value in raw.items() if not is_number(key) and key not in PIPELINE_EXTRAS}
    pipeline |= {"query": raw["query"]} if raw.get("query") else {}
    unused = _unused_parameters(raw.get("parameters"), steps)
    pipeline |= {"parameters": unused} if unused else {}
    pipeline |= {str(n): _canonical_step(step, raw) for n, step in enumerate(steps, start=1)}
    return json.dumps({**top, "pipeline": pipeline}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def is_number(key: str) -> bool:
    """Whether a key of the pipeline is a step's number."""
    return key.isascii() and key.isdigit() and len(key) <= _LONGEST_NUMBER


def _unused_parameters(shared: Mapping[str, Any] | None, steps: Iterable[Step]) -> dict[str, Any]:
    """Those of `pipeline.parameters` that no source takes; the others are among the parameters of the source."""
    source = next((step.module for step in steps if isinstance(step.module, DataSource) and step.enabled), None)
    known = type(source).model_fields if source is not None else {}
    return {name: value for name, value in (shared or {}).items() if name not in known}


def _canonical_step(step: Step, pipeline: Mapping[str, Any]) -> dict[str, Any]:
    raw = next(value for key, value in pipeline.items() if is_number(key) and int(key) == step.number)
    others = {key: value for key, value in raw.items() if key not in ("id", "parameters", "enabled")}
    unknown = {name: value for name, value in step.parameters.items() if name not in type(step.module).model_fields}
    known = step.module.model_dump(mode="json", exclude_defaults=True)
    out = {**others, "id": step.module.id, "parameters": {**unknown, **known}}
    return out if step.enabled else {**out, "enabled": False}
