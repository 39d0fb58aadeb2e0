"""Keeps the best documents of a ranking and removes the rest."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from chatsearch.cells import numbers_of
from chatsearch.errors import ModuleError
from chatsearch.module import Category, Column, Module, StepRun
from chatsearch.results import ORIGINAL_RANKING, ResultSet


class ReductionStep(Module):
    """Keeps the k best documents of a ranking; the others leave the result set."""

    id: ClassVar[str] = "reduction_step"
    name: ClassVar[str] = "Reduction"
    category: ClassVar[Category] = Category.PRE_PROCESSING
    removes_rows: ClassVar[bool] = True

    k: int = Field(10, ge=1, le=10_000, description="How many documents to keep.")
    ranking_column: Column = Field(
        ORIGINAL_RANKING, description="The ranking that decides, where 1 is best; `latest` is that of the last re-ranker."
    )

    def reads(self) -> tuple[str, ...]:
        return () if self.ranking_column == "latest" else (self.ranking_column,)

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        column = results.ranking_column() if self.ranking_column == "latest" else self.ranking_column
        ranks = numbers_of(results.documents[column])
        if len(ranks) and np.isnan(ranks).all():
            raise ModuleError(f"the column “{column}” holds no ranks, so it cannot say which documents to keep")
        best = np.argsort(np.where(np.isnan(ranks), np.inf, ranks), kind="stable")[: self.k]
        return results.with_documents(results.documents.iloc[np.sort(best)])
