"""Data sources in memory, and what a test needs to run a pipeline over them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from chatsearch.events import Event, Finished, Warned
from chatsearch.module import DataSource, Hits, Module, StepRun
from chatsearch.pipeline import Pipeline
from chatsearch.registry import Registry
from chatsearch.results import ORIGINAL_RANKING, SOURCE_INDEX, ResultSet, Role
from chatsearch.services import Services
from chatsearch.settings import load_settings
from chatsearch.spec import Spec


class OwnRegistry(Registry):
    """The modules of this checkout, and those of a test."""

    def __init__(self, *own: type[Module]) -> None:
        super().__init__()
        self._own = own

    @cached_property
    def modules(self) -> Mapping[str, type[Module]]:
        return {**super().modules, **{module.id: module for module in self._own}}


class MemorySource(DataSource):
    """Gives documents that a test wrote down."""

    id: ClassVar[str] = "memory"
    name: ClassVar[str] = "Memory"
    found: ClassVar[Sequence[dict[str, object]]] = ()
    more: ClassVar[tuple[str, ...]] = ()
    is_open: ClassVar[bool] = False
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {}

    def label(self) -> str:
        return self.id

    def open_columns(self, services: Services) -> bool:
        return self.is_open

    def more_columns(self, services: Services) -> tuple[str, ...]:
        return self.more

    async def fetch(self, query: str, run: StepRun) -> Hits:
        return Hits(self.found[: self.limit], self.roles)


def memory_source(
    identifier: str, documents: Sequence[dict[str, object]], *, is_open: bool = False, more: tuple[str, ...] = ()
) -> type[MemorySource]:
    """A source of its own id that gives `documents`."""

    class Source(MemorySource):
        """Gives documents that a test wrote down."""

        id: ClassVar[str] = identifier
        found: ClassVar[Sequence[dict[str, object]]] = documents

    Source.is_open, Source.more = is_open, more
    return Source


def failing_source(identifier: str, error: Exception) -> type[MemorySource]:
    """A source that raises `error`."""

    class Failing(MemorySource):
        """Raises an error."""

        id: ClassVar[str] = identifier

        async def fetch(self, query: str, run: StepRun) -> Hits:
            raise error

    return Failing


def waiting_source(identifier: str, reached: asyncio.Event, gate: asyncio.Event) -> type[MemorySource]:
    """A source that says when it was reached, and answers when its gate opens."""

    class Waiting(MemorySource):
        """Waits for a gate."""

        id: ClassVar[str] = identifier

        async def fetch(self, query: str, run: StepRun) -> Hits:
            reached.set()
            await gate.wait()
            return Hits([document(identifier)])

    return Waiting


def document(identifier: str, text: str = "", **more: object) -> dict[str, object]:
    """A document as a source gives it."""
    made: dict[str, object] = {
        "id": identifier,
        "title": f"Title {identifier}",
        "url": "",
        "full-text": text or f"The text of {identifier}.",
    }
    return {**made, **more}


def documents(*identifiers: str) -> list[dict[str, object]]:
    return [document(one) for one in identifiers]


def result_set(rows: Sequence[Mapping[str, object]], query: str = "what", **more: Any) -> ResultSet:
    """A result set of rows in their order, as a source leaves it."""
    core = ["id", "title", "url", "full-text", SOURCE_INDEX, ORIGINAL_RANKING]
    frame = pd.DataFrame([{SOURCE_INDEX: "memory", ORIGINAL_RANKING: rank, **row} for rank, row in enumerate(rows, start=1)])
    frame = frame if len(frame) else pd.DataFrame(columns=core)
    return ResultSet(query, query, frame, **more)


def services_with(data_dir: Path, *modules: type[Module], **settings: object) -> Services:
    return Services(load_settings(data_dir=data_dir, **settings), OwnRegistry(*modules))


def spec_of(services: Services, *steps: str | tuple[str, dict[str, object]], **top: object) -> Spec:
    """A spec of steps, each a module's id or (id, parameters)."""
    pairs = [(one, {}) if isinstance(one, str) else one for one in steps]
    pipeline = {str(n): {"id": identifier, "parameters": values} for n, (identifier, values) in enumerate(pairs, start=1)}
    return Spec.load({**top, "pipeline": pipeline}, services.registry)


async def events_of(services: Services, spec: Spec, query: str = "what", cancel: asyncio.Event | None = None) -> list[Event]:
    return [event async for event in Pipeline(services).run(spec, query, cancel=cancel)]


async def results_of(services: Services, *steps: str | tuple[str, dict[str, object]], query: str = "what") -> ResultSet:
    return finished(await events_of(services, spec_of(services, *steps), query))


def finished(events: Sequence[Event]) -> ResultSet:
    last = events[-1]
    assert isinstance(last, Finished)
    return last.results


def warned(events: Sequence[Event]) -> list[str]:
    return [event.warning.code for event in events if isinstance(event, Warned)]


def step_run(services: Services, module: str = "test", emit: Any = None) -> StepRun:
    return StepRun(services, 1, module, emit or (lambda event: None))
