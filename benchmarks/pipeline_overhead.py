"""What the framework itself costs per step, over 100 rows with 10 columns: `python -m benchmarks.pipeline_overhead`."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from chatsearch.module import Category, DataSource, Hits, Module, Reranker, RowModule, StepRun
from chatsearch.pipeline import Pipeline
from chatsearch.registry import Registry
from chatsearch.results import ResultSet, Role
from chatsearch.services import Services
from chatsearch.settings import load_settings
from chatsearch.spec import Spec

ROWS, COLUMNS, STEPS, RUNS = 100, 10, 5, 60
FOUND: Sequence[dict[str, object]] = [
    {"id": str(row), "title": "T", "url": f"https://example.org/{row}", "full-text": f"text {row}"}
    | {f"column {column}": row * column for column in range(COLUMNS - 6)}
    for row in range(ROWS)
]


class Source(DataSource):
    """Gives rows."""

    id: ClassVar[str] = "source"
    name: ClassVar[str] = "Source"
    limit: int = ROWS

    def label(self) -> str:
        return "source"

    async def fetch(self, query: str, run: StepRun) -> Hits:
        return Hits(FOUND)


class Nothing(Module):
    """Does nothing."""

    id: ClassVar[str] = "nothing"
    name: ClassVar[str] = "Nothing"
    category: ClassVar[Category] = Category.PRE_PROCESSING

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        return results


class Constant(Reranker):
    """Gives every document the same score."""

    id: ClassVar[str] = "constant"
    name: ClassVar[str] = "Constant"

    async def scores(self, query: str, texts: Sequence[str], run: StepRun) -> np.ndarray:
        return np.zeros(len(texts))


class Length(RowModule):
    """The length of each text: 13 batches, each in a thread."""

    id: ClassVar[str] = "length"
    name: ClassVar[str] = "Length"
    category: ClassVar[Category] = Category.METADATA_ANALYSIS
    role: ClassVar[Role] = "chip"

    def compute(self, text: str, query: str) -> object:
        return len(text)


class Own(Registry):
    @cached_property
    def modules(self) -> dict[str, type[Module]]:
        return {module.id: module for module in (Source, Nothing, Constant, Length)}


async def milliseconds(services: Services, module: str, steps: int) -> tuple[float, float]:
    """The least time and the least processor time of a run with `steps` steps of `module` after the source."""
    pipeline = {"1": {"id": "source"}, **{str(n + 2): {"id": module} for n in range(steps)}}
    spec = Spec.load({"pipeline": pipeline}, services.registry)
    clock: list[float] = []
    processor: list[float] = []
    for _ in range(RUNS):
        started, used = time.perf_counter(), time.process_time()
        async for _event in Pipeline(services).run(spec, "a query"):
            pass
        clock.append((time.perf_counter() - started) * 1000)
        processor.append((time.process_time() - used) * 1000)
    return min(clock), min(processor)


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        services = Services(load_settings(data_dir=Path(folder), step_cache_mb=0), Own())
        alone = await milliseconds(services, "nothing", 0)
        print(f"{ROWS} rows, {COLUMNS} columns, best of {RUNS} runs")
        print(f"source alone (fetch, fuse, number): {alone[0]:.2f} ms, processor {alone[1]:.2f} ms")
        for module in ("nothing", "constant", "length"):
            taken = await milliseconds(services, module, STEPS)
            clock, processor = ((mine - without) / STEPS for mine, without in zip(taken, alone, strict=True))
            print(f"{module:9s} {clock:.2f} ms per step, processor {processor:.2f} ms (budget: 1 ms)")


if __name__ == "__main__":
    asyncio.run(main())
