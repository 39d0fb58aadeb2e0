"""The base classes of modules: a module is a pydantic model whose fields are its parameters.

A new module is one file under `modules/` with one class. Pick the base by what it does: `DataSource` finds documents,
`RowModule` computes a column from a text, `Reranker` scores documents, `Summarizer` writes an overall summary, `Module`
does anything else. docs/writing-modules.md has an example.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from chatsearch.cells import cell_text
from chatsearch.parameters import Column, parameter, takes_empty
from chatsearch.results import RERANKING_RANK, RERANKING_SCORE, ResultSet, Role
from chatsearch.step import StepRun
from chatsearch.work import BATCH

if TYPE_CHECKING:
    from chatsearch.services import Services

log = logging.getLogger(__name__)

__all__ = ["Category", "Column", "DataSource", "Hits", "Module", "Reranker", "RowModule", "StepRun", "Summarizer", "ranks_of"]


class Category(StrEnum):
    """Where a module belongs, in the words of MOSAIC-RAG."""

    DATA_SOURCES = "Data Sources"
    PRE_PROCESSING = "Pre-Processing"
    RERANKERS = "Rerankers"
    SUMMARIZERS = "Summarizers"
    METADATA_ANALYSIS = "Metadata Analysis"


class Module(BaseModel, ABC):
    """A step's transformation of a result set. The class docstring's first paragraph is its description.

    `moves_rows` and `removes_rows` say what it may do to the documents; numbering waits for the last such step. A step that
    removes rows stops the run when it fails; any other is left out with a warning. `cacheable` is false for one whose outcome
    depends on more than the result set, its parameters and the settings, as on the time of day: it is run every time.
    """

    model_config = ConfigDict(
        frozen=True, extra="ignore", coerce_numbers_to_str=True, str_strip_whitespace=True, allow_inf_nan=False
    )

    id: ClassVar[str]
    name: ClassVar[str]
    category: ClassVar[Category]
    moves_rows: ClassVar[bool] = False
    removes_rows: ClassVar[bool] = False
    cacheable: ClassVar[bool] = True

    @abstractmethod
    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        """The result set after this step. Blocking work goes through `chatsearch.work.in_batches`."""

    def reads(self) -> tuple[str, ...]:
        """The columns this step needs; `input_column` unless a module says otherwise."""
        column = getattr(self, "input_column", None)
        return (str(column),) if column else ()

    def writes(self) -> tuple[str, ...]:
        """The columns this step surely adds or replaces; `N` in a name stands for the number of the ranking."""
        return ()

    @classmethod
    def missing_requirement(cls) -> str:
        """How to install what this module needs and has not; empty when it can run."""
        return ""

    @classmethod
    def description(cls) -> str:
        paragraph = inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0]
        return " ".join(paragraph.split())

    @classmethod
    def declaration(cls) -> dict[str, object]:
        """The module as every interface describes it (DESIGN.md, JSON)."""
        needed = cls.missing_requirement()
        defaults = cls.model_construct()
        return {
            "id": cls.id,
            "name": cls.name,
            "category": cls.category.value,
            "description": cls.description(),
            "reads": list(defaults.reads()),
            "writes": list(defaults.writes()),
            "parameters": [parameter(cls, name) for name in cls.model_fields],
            "available": not needed,
            "install": needed,
        }

    @model_validator(mode="before")
    @classmethod
    def _empty_means_default(cls, values: Any) -> Any:
        """An empty text for a number, a choice or a column is how a form says "not set"."""
        if not isinstance(values, dict):
            return values
        fields = cls.model_fields
        return {name: value for name, value in values.items() if value != "" or name not in fields or takes_empty(cls, name)}


class DataSource(Module):
    """Finds documents for the query. Sources that follow each other run at the same time and are fused by their ranks."""

    category: ClassVar[Category] = Category.DATA_SOURCES
    moves_rows: ClassVar[bool] = True

    limit: int = Field(10, ge=1, le=1000, description="How many documents to take at the most.")
    weight: float = Field(1.0, gt=0, le=100, description="How much this source's ranks count when several are fused.")
    output_column: Column = Field("full-text", description="The column that takes the text.")

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        """Never called: the pipeline runs all sources of a group at once and fuses what they found."""
        raise NotImplementedError("the pipeline fetches and fuses data sources itself")

    def reads(self) -> tuple[str, ...]:
        return ()

    def writes(self) -> tuple[str, ...]:
        return ("id", "title", "url", self.output_column, "_source_index_", "_original_ranking_")

    def open_columns(self, services: Services) -> bool:
        """Whether it may give more columns than it declares; then a missing column shows only when a step reads it."""
        return True

    def more_columns(self, services: Services) -> tuple[str, ...]:
        """Further columns it surely gives, where that can be told without asking the source."""
        return ()

    @abstractmethod
    def label(self) -> str:
        """The name that `_source_index_` carries: an index, a collection."""

    async def prepare(self, run: StepRun) -> None:
        """What may take long the first time (load a model, build a shipped index); outside the time limit of a source."""

    @abstractmethod
    async def fetch(self, query: str, run: StepRun) -> Hits:
        """The documents found, best first. Raises SourceError when the source cannot answer."""


@dataclass(frozen=True)
class Hits:
    """What a source found: one dict per document, best first, with `id`, `title`, `url`, the text column and any others."""

    documents: Sequence[dict[str, object]]
    roles: dict[str, tuple[Role, ...]] = field(default_factory=dict)


class RowModule(Module):
    """Computes `output_column` from `input_column`, row by row.

    A subclass implements `compute`, or overrides `compute_batch` when it awaits a service. Equal texts are computed once; a
    row whose text is missing gets `missing_value`; a row that fails gets `missing_value` and the failures are one warning.
    """

    role: ClassVar[Role] = "text"
    batch_size: ClassVar[int] = BATCH
    concurrency: ClassVar[int] = 1
    missing_value: ClassVar[object] = None

    input_column: Column = "full-text"
    output_column: Column = "output"

    @abstractmethod
    def compute(self, text: str, query: str) -> object:
        """The value of one row. Raising ValueError marks this row as failed and no other."""

    async def compute_batch(self, texts: Sequence[str], query: str, run: StepRun) -> list[object]:
        """The value of each text, or the exception it failed with; by default `compute` in a thread."""
        return await asyncio.to_thread(self._compute_each, texts, query)

    def writes(self) -> tuple[str, ...]:
        return (self.output_column,)

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        texts = cell_text(results.documents, self.input_column)
        distinct = list(dict.fromkeys(text for text in texts if text.strip()))
        run.meter.cached += sum(1 for text in texts if text.strip()) - len(distinct)
        values = dict(zip(distinct, await self._compute_all(distinct, results.query, run), strict=True))
        self._report(values, run)
        column = [self._value(values.get(text, self.missing_value)) for text in texts]
        return results.with_column(self.output_column, column, self.role)

    async def _compute_all(self, texts: list[str], query: str, run: StepRun) -> list[object]:
        limit, done = asyncio.Semaphore(self.concurrency), 0

        async def one(batch: Sequence[str]) -> list[object]:
            nonlocal done
            async with limit:
                values = await self.compute_batch(batch, query, run)
            done += len(batch)
            run.progress(done, len(texts))
            return values

        batches = [texts[start : start + self.batch_size] for start in range(0, len(texts), self.batch_size)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(batch)) for batch in batches]
        except ExceptionGroup as errors:  # the step failed for the first reason; a group's own message names none
            raise errors.exceptions[0] from None
        return [value for task in tasks for value in task.result()]

    def _compute_each(self, texts: Sequence[str], query: str) -> list[object]:
        values: list[object] = []
        for text in texts:
            try:
                values.append(self.compute(text, query))
            except Exception as error:  # one bad row must not cost the others
                log.warning("%s failed on a text of %d characters", self.id, len(text), exc_info=True)
                values.append(error)
        return values

    def _report(self, values: dict[str, object], run: StepRun) -> None:
        failed = [value for value in values.values() if isinstance(value, Exception)]
        if failed:
            first = f"{type(failed[0]).__name__}: {failed[0]}"[:200]
            rows = "1 text" if len(failed) == 1 else f"{len(failed)} texts"
            message = f"{rows} of {len(values)} could not be processed, their “{self.output_column}” is empty ({first})."
            run.warn("row-failed", message)

    def _value(self, value: object) -> object:
        return self.missing_value if isinstance(value, Exception) else value


class Reranker(Module):
    """Orders the documents by a score; higher is better. Documents without a text come last, ties keep their order.

    N is one more than the rankings there were, so that the first re-ranker is 1. `query`, when it is not empty, replaces the
    main query for this step.
    """

    category: ClassVar[Category] = Category.RERANKERS
    moves_rows: ClassVar[bool] = True

    input_column: Column = Field("full-text", description="The column whose text is scored.")
    query: str = Field("", description="Another query for this step; empty: the query of the search.")

    @abstractmethod
    async def scores(self, query: str, texts: Sequence[str], run: StepRun) -> np.ndarray:
        """A score for each text (float, shape (len(texts),)), higher is better. NaN: this text could not be scored."""

    def writes(self) -> tuple[str, ...]:
        return (RERANKING_SCORE.format(n="N"), RERANKING_RANK.format(n="N"))

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        n = results.reranking_count() + 1
        scores = np.full(len(results), np.nan)
        texts = cell_text(results.documents, self.input_column)
        rows = [row for row, text in enumerate(texts) if text.strip()]
        if rows:
            scores[rows] = await self.scores(self.query or results.query, [texts[row] for row in rows], run)
        ranked = results.with_column(RERANKING_SCORE.format(n=n), scores)
        return ranked.with_column(RERANKING_RANK.format(n=n), ranks_of(scores, results.shown_order()), "rank")


class Summarizer(Module):
    """Writes overall summaries; adds no column and changes no row."""

    category: ClassVar[Category] = Category.SUMMARIZERS


def ranks_of(scores: np.ndarray, previous: Sequence[int]) -> np.ndarray:
    """The rank of each row by descending score, 1 is best; ties and rows without a score keep their place in `previous`."""
    before = np.empty(len(scores), dtype=int)
    before[list(previous)] = np.arange(len(scores))
    order = np.lexsort((before, np.where(np.isnan(scores), np.inf, -scores)))
    ranks = np.empty(len(scores), dtype=int)
    ranks[order] = np.arange(1, len(scores) + 1)
    return ranks
