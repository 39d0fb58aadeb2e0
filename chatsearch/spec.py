"""The format of an engine: load a spec, check it, dump it without losing a key, and its canonical form and digest."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from chatsearch.errors import SpecError, SpecProblem, did_you_mean
from chatsearch.module import DataSource, Module
from chatsearch.results import RunWarning
from chatsearch.spec_canonical import PIPELINE_EXTRAS, canonical, is_number
from chatsearch.spec_json import not_json, parse_json
from chatsearch.spec_problems import explain, secrets_in

if TYPE_CHECKING:
    from chatsearch.registry import Registry

SPEC_VERSION = 1
OLD_KEYS = {  # MOSAIC-RAG's own names, and where we keep the same thing
    "colorTheme": ("theme", "color"),
    "subTitle": ("subtitle",),
    "pipelineConfigAllowed": ("permissions", "edit"),
    "logsAllowed": ("permissions", "logs"),
}
MODES = ("light", "dark")


class Part(BaseModel):
    """A part of a spec; keys nobody knows are kept."""

    model_config = ConfigDict(extra="allow", frozen=True, str_strip_whitespace=True)


class Theme(Part):
    color: str = Field("", description="A CSS colour, or a theme name such as `orange-dark`.")
    mode: Literal["", "light", "dark"] = ""
    logo_url: str = ""

    @field_validator("color")
    @classmethod
    def _mode_last(cls, color: str) -> str:
        """`dark-orange` and `orange-dark` are the same theme."""
        parts = color.split("-")
        return "-".join([*parts[1:], parts[0]]) if len(parts) > 1 and parts[0] in MODES else color


class ConversationOptions(Part):
    model: str = Field("", description="The language model of the answers; empty: the setting's.")
    column: str = Field("", description="The column whose text is quoted; empty: `full-text`, or the first text column.")
    instructions: str = ""
    unknown_answer: str = Field("", description="What is said when the documents do not answer; empty: our own sentence.")


class Display(Part):
    rank_column: str = ""
    text_column: str = ""
    chip_columns: tuple[str, ...] = ()


class Permissions(Part):
    edit: bool = True
    logs: bool = True
    embed_origins: tuple[str, ...] = ()


class Engine(Part):
    """The top level of a spec, apart from its pipeline."""

    spec_version: int = Field(SPEC_VERSION, ge=1)
    title: str = ""
    subtitle: str = ""
    description: str = ""
    language: str = ""
    theme: Theme = Theme()
    starters: tuple[str, ...] = ()
    conversation: ConversationOptions = ConversationOptions()
    display: Display = Display()
    permissions: Permissions = Permissions()


@dataclass(frozen=True)
class Step:
    """A module configured at a position. `number` is the position in the pipeline's own numbering."""

    number: int
    module: Module
    parameters: Mapping[str, Any]
    enabled: bool = True


@dataclass(frozen=True)
class Spec:
    """A checked spec. `data` is what was loaded, `engine` and `steps` what it means, `warnings` what was ignored in it."""

    data: Mapping[str, Any]
    engine: Engine
    steps: tuple[Step, ...]
    warnings: tuple[RunWarning, ...] = ()
    name: str = ""

    @classmethod
    def load(cls, data: object, registry: Registry, name: str = "") -> Spec:
        """A spec from a parsed JSON object, which is copied. Raises SpecError with every problem at once."""
        loader = _Loader(registry)
        spec = loader.load(data, name)
        if loader.problems or spec is None:
            raise SpecError(loader.problems, name, [warning.message for warning in loader.warnings])
        return spec

    @classmethod
    def loads(cls, text: str | bytes, registry: Registry, name: str = "", max_bytes: int = 1_000_000) -> Spec:
        """A spec from JSON text. Raises SpecError."""
        return cls.load(parse_json(text, name, max_bytes), registry, name)

    @property
    def enabled_steps(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.enabled)

    @property
    def title(self) -> str:
        return self.engine.title or self.name or "chatsearch"

    @property
    def query(self) -> str:
        """A query the spec itself carries; empty in most."""
        return str(self.data["pipeline"].get("query") or "")

    def dump(self) -> dict[str, Any]:
        """The spec as it was loaded: every key, in its order. Raises SpecError when it holds a secret."""
        problems = secrets_in(self.data)
        if problems:
            raise SpecError(problems, self.name)
        return copy.deepcopy(dict(self.data))

    def canonical(self) -> str:
        """Values coerced, steps from 1 without gaps, defaults removed, keys sorted, no white space; unknown keys included."""
        return canonical(self.engine, self.steps, self.data["pipeline"])

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the canonical form in hex: equal engines have equal digests."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()


class _Loader:
    """Loads one spec and gathers its problems."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.problems: list[SpecProblem] = []
        self.warnings: list[RunWarning] = []

    def load(self, data: object, name: str) -> Spec | None:
        if not isinstance(data, dict):
            self.problem("", f"a spec is a JSON object with a “pipeline”, not {_kind(data)}.")
            return None
        self.problems += not_json(data)
        if self.problems:
            return None
        data = copy.deepcopy(data)
        engine = self.engine(data)
        steps = tuple(self.steps(data))
        if engine is None or self.problems:
            return None
        return Spec(data=data, engine=engine, steps=steps, warnings=tuple(self.warnings), name=name)

    def problem(self, where: str, message: str) -> None:
        self.problems.append(SpecProblem(where, message))

    def engine(self, data: dict[str, Any]) -> Engine | None:
        try:
            engine = Engine.model_validate(with_new_names(data))
        except ValidationError as error:
            self.problems += explain(error, Engine)
            return None
        if engine.spec_version > SPEC_VERSION:
            newest = f"{SPEC_VERSION}, the newest this chatsearch knows"
            self.problem("spec_version", f"{engine.spec_version} is newer than {newest}: update chatsearch.")
        return engine

    def steps(self, data: dict[str, Any]) -> Iterator[Step]:
        pipeline = data.get("pipeline")
        if not isinstance(pipeline, dict):
            self.problem("pipeline", f"it is needed, as an object of steps “1”, “2”, …, not {_kind(pipeline)}.")
            return
        numbered = self.numbered(pipeline)
        self.extras(pipeline)
        shared = pipeline.get("parameters")
        first_source: Mapping[str, Any] = shared if isinstance(shared, dict) else {}
        sources = wrong = 0
        for number, key in sorted(numbered.items()):
            step = self.step(number, f"pipeline.{key}", pipeline[key], first_source if not sources else {})
            if step is None:
                wrong += 1
                continue
            sources += isinstance(step.module, DataSource) and step.enabled
            yield step
        if numbered and not sources and not wrong:
            ids = ", ".join(one for one, module in self.registry.modules.items() if issubclass(module, DataSource))
            self.problem("pipeline", f"no step finds documents. Add a data source ({ids}) as the first step.")

    def extras(self, pipeline: dict[str, Any]) -> None:
        query, parameters = pipeline.get("query"), pipeline.get("parameters")
        if query is not None and not isinstance(query, str):
            self.problem("pipeline.query", f"it is a text, not {_kind(query)}.")
        if parameters is not None and not isinstance(parameters, dict):
            self.problem("pipeline.parameters", f"they are an object of names and values, not {_kind(parameters)}.")

    def numbered(self, pipeline: dict[str, Any]) -> dict[int, str]:
        numbered: dict[int, str] = {}
        for key, value in pipeline.items():
            if is_number(key):
                other = numbered.setdefault(int(key), key)
                if other != key:
                    self.problem(f"pipeline.{key}", f"“{other}” and “{key}” are the same step number.")
            elif key not in PIPELINE_EXTRAS and isinstance(value, dict):
                self.warn(0, "", "unknown-key", f"pipeline.{key}: not a step number, so it is kept and ignored.")
        if not numbered:
            self.problem("pipeline", "it has no steps; the first one is called “1”.")
        return numbered

    def step(self, number: int, where: str, value: Any, extra: Mapping[str, Any]) -> Step | None:
        if not isinstance(value, dict) or not isinstance(value.get("id"), str):
            self.problem(where, "a step is an object with an “id” (a module's) and “parameters”.")
            return None
        module = self.registry.modules.get(value["id"])
        parameters = value.get("parameters") if value.get("parameters") is not None else {}
        if module is None:
            self.problem(f"{where}.id", self.registry.unknown(value["id"]))
            return None
        if not isinstance(parameters, dict):
            self.problem(f"{where}.parameters", f"they are an object of names and values, not {_kind(parameters)}.")
            return None
        if issubclass(module, DataSource):
            parameters = {**{name: one for name, one in extra.items() if name in module.model_fields}, **parameters}
        return self.configured(number, where, module, parameters, value.get("enabled", True))

    def configured(
        self, number: int, where: str, module: type[Module], parameters: dict[str, Any], enabled: object
    ) -> Step | None:
        for name in parameters:
            if name not in module.model_fields:
                known = did_you_mean(name, module.model_fields) or f" It has: {', '.join(module.model_fields) or 'none'}."
                message = f"{where}.parameters.{name} is unknown, kept and ignored.{known}"
                self.warn(number, module.id, "unknown-parameter", message)
        try:
            on = _Switch.model_validate({"enabled": enabled}).enabled
            return Step(number, module.model_validate(parameters), parameters, on)
        except ValidationError as error:
            switch = error.title == _Switch.__name__
            self.problems += explain(error, _Switch if switch else module, where if switch else f"{where}.parameters")
            return None

    def warn(self, step: int, module: str, code: str, message: str) -> None:
        self.warnings.append(RunWarning(step, module, code, message))


class _Switch(BaseModel):
    enabled: bool


def with_new_names(data: Mapping[str, Any]) -> dict[str, Any]:
    """The spec without its pipeline, MOSAIC-RAG's own keys read as ours; a key of ours wins."""
    out = {key: copy.deepcopy(value) for key, value in data.items() if key != "pipeline" and key not in OLD_KEYS}
    for old, path in OLD_KEYS.items():
        if old not in data:
            continue
        parent = out
        for key in path[:-1]:
            parent = parent.setdefault(key, {})
            if not isinstance(parent, dict):
                break
        else:
            parent.setdefault(path[-1], data[old])
    return out


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "nothing")
