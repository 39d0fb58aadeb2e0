"""Keeps the best documents of a ranking and removes the rest."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from chatsearch.cells import numbers_of
from chatsearch.errors import MissingColumnError, ModuleError
from chatsearch.filters import kept_rows
from chatsearch.module import Category, Column, Module, StepRun
from chatsearch.results import ORIGINAL_RANKING, RERANKING_SCORE, ResultSet

LATEST = "latest"


class ReductionStep(Module):
    """Keeps the k best documents of a ranking, and of these, when a minimum is given, the ones with at least that score."""

    id: ClassVar[str] = "reduction_step"
    name: ClassVar[str] = "Reduction"
    category: ClassVar[Category] = Category.PRE_PROCESSING
    removes_rows: ClassVar[bool] = True

    k: int = Field(10, ge=1, le=10_000, description="How many documents to keep.")
    ranking_column: Column = Field(
        ORIGINAL_RANKING, description="The ranking that decides, where 1 is best; `latest` is that of the last re-ranker."
    )
    minimum_score: float | None = Field(None, description="The least score a document must have; empty: any will do.")
    score_column: Column = Field(
        LATEST, description="The score that must reach the minimum, higher is better; `latest` is that of the last re-ranker."
    )

    def reads(self) -> tuple[str, ...]:
        score = () if self.minimum_score is None or self.score_column == LATEST else (self.score_column,)
        return (*(() if self.ranking_column == LATEST else (self.ranking_column,)), *score)

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        if not len(results):
            return results
        return kept_rows(results, self._among_the_best(results) & self._good_enough(results))

    def _among_the_best(self, results: ResultSet) -> np.ndarray:
        column = results.ranking_column() if self.ranking_column == LATEST else self.ranking_column
        ranks = numbers_of(results.documents[column])
        if np.isnan(ranks).all():
            raise ModuleError(f"the column “{column}” holds no ranks, so it cannot say which documents to keep")
        kept = np.zeros(len(ranks), dtype=bool)
        kept[np.argsort(np.where(np.isnan(ranks), np.inf, ranks), kind="stable")[: self.k]] = True
        return kept

    def _good_enough(self, results: ResultSet) -> np.ndarray:
        """All of them without a minimum; a document without a score does not reach any."""
        if self.minimum_score is None:
            return np.ones(len(results), dtype=bool)
        newest = RERANKING_SCORE.format(n=results.reranking_count())
        column = newest if self.score_column == LATEST else self.score_column
        if column not in results.documents.columns:
            there = ", ".join(map(str, results.documents.columns))
            raise MissingColumnError(f"There is no score “{column}”: put a re-ranker before. The columns are: {there}.")
        reached: np.ndarray = numbers_of(results.documents[column]) >= self.minimum_score
        return reached
