"""Modules that count how often they run, and what a test needs to tell two runs apart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from chatsearch.errors import ModelError
from chatsearch.module import Category, Hits, Module, Reranker, StepRun
from chatsearch.results import ResultSet
from chatsearch.services import Services
from tests.sources import MemorySource, documents, events_of, finished, services_with, spec_of

RAN: Counter[str] = Counter()
"""How often each module ran; `ran` begins anew."""


class Source(MemorySource):
    """Gives three documents, and counts."""

    id: ClassVar[str] = "source"
    found: ClassVar[Sequence[dict[str, object]]] = documents("a", "b", "c")

    async def fetch(self, query: str, run: StepRun) -> Hits:
        RAN[self.id] += 1
        return await super().fetch(query, run)


class Other(Source):
    """Another source."""

    id: ClassVar[str] = "other"
    found: ClassVar[Sequence[dict[str, object]]] = documents("c", "d")


class Mark(Module):
    """Adds a column, and counts; `warn` is the code of a warning, `error` lets it fail."""

    id: ClassVar[str] = "mark"
    name: ClassVar[str] = "Mark"
    category: ClassVar[Category] = Category.METADATA_ANALYSIS
    value: int = 0
    warn: str = ""
    error: bool = False

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        RAN[f"{self.id} {self.value}"] += 1
        if self.warn:
            run.warn(self.warn, "a message")
        if self.error:
            raise ModelError("the model does not answer.")
        return results.with_column(f"{self.id} {self.value}", [f"{self.value} {n}" for n in range(len(results))])


class Reverse(Reranker):
    """Turns the order round, and counts."""

    id: ClassVar[str] = "reverse"
    name: ClassVar[str] = "Reverse"

    async def scores(self, query: str, texts: Sequence[str], run: StepRun) -> np.ndarray:
        RAN[self.id] += 1
        return np.arange(len(texts), dtype=float)


class Fresh(Mark):
    """Is never taken from an earlier run."""

    id: ClassVar[str] = "fresh"
    cacheable: ClassVar[bool] = False


OWN: tuple[type[Module], ...] = (Source, Other, Mark, Reverse, Fresh)
FIRST: tuple[str, dict[str, object]] = ("mark", {"value": 1})
LAST: tuple[str, dict[str, object]] = ("mark", {"value": 2})


def services(directory: Path, *more: type[Module], **given: object) -> Services:
    return services_with(directory, *OWN, *more, **given)


async def ran(there: Services, *steps: Any, query: str = "what", **top: object) -> tuple[list[str], ResultSet]:
    """What was executed of a run, in the order of first execution, and its results."""
    RAN.clear()
    results = finished(await events_of(there, spec_of(there, *steps, **top), query))
    return list(RAN), results


def comparable(results: ResultSet) -> str:
    """All of a result set but what its steps cost."""
    given: Any = results.to_json()
    for row in given["ledger"]:
        for name in ("seconds", "cached", "calls", "tokens_in", "tokens_out", "cost_usd"):
            del row[name]
    journey = [(one.step, one.module, dict(one.ranks)) for one in results.journey]
    frame = results.documents.to_dict("split")
    return json.dumps([given, journey, dict(results.numbers), frame], default=str)
