"""The base of modules that remove documents: they say which rows stay, and nothing else about the rows changes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from chatsearch.cells import cells
from chatsearch.errors import MissingColumnError
from chatsearch.module import Category, Module, StepRun
from chatsearch.results import ResultSet

Missing = Literal["drop", "keep"]


class Filter(Module):
    """Removes documents. Those that stay keep their order, their ranks and their columns; the ledger has how many went."""

    category: ClassVar[Category] = Category.PRE_PROCESSING
    removes_rows: ClassVar[bool] = True

    @abstractmethod
    async def keeps(self, results: ResultSet, run: StepRun) -> Sequence[bool] | np.ndarray:
        """For each row whether it stays."""

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        if not len(results):
            return results
        return kept_rows(results, await self.keeps(results, run))

    def everything(self, results: ResultSet, run: StepRun, without: str) -> list[bool]:
        """Every row stays, since the filter was given nothing to go by: said, because a filter was asked for."""
        run.warn("nothing-to-filter", f"No document was removed: {without}.")
        return [True] * len(results)


def kept_rows(results: ResultSet, kept: Sequence[bool] | np.ndarray) -> ResultSet:
    """The rows that stay, in their order, under a RangeIndex."""
    mask = np.asarray(kept, dtype=bool)
    return results if mask.all() else results.with_documents(results.documents[mask])


def column_cells(results: ResultSet, *names: str) -> list[object]:
    """The cells of the first column of `names` that is there. Raises MissingColumnError when none is."""
    there = results.documents.columns
    for name in names:
        if name in there:
            return cells(results.documents[name])
    wanted = " or ".join(f"“{name}”" for name in names)
    raise MissingColumnError(f"There is no column {wanted}. The columns are: {', '.join(map(str, there))}.")
