"""Makes one ranking of several that the documents have already."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from chatsearch.cells import numbers_of
from chatsearch.errors import ModuleError
from chatsearch.module import Category, Column, Module, StepRun
from chatsearch.ranking.candidates import Candidates, ranked
from chatsearch.ranking.combining import reciprocal_ranks, scaled_sum
from chatsearch.results import ORIGINAL_RANKING, RERANKING_RANK, RERANKING_SCORE, ResultSet

ALL = "all"


class Fusion(Module):
    """Combines rankings into a new one: by their ranks (weighted reciprocal rank fusion) or by their scaled scores (min-max)."""

    id: ClassVar[str] = "fusion"
    name: ClassVar[str] = "Fusion of rankings"
    category: ClassVar[Category] = Category.RERANKERS
    moves_rows: ClassVar[bool] = True

    columns: Column = Field(
        ALL,
        description="Columns of ranks or scores, separated by commas; `all`: every ranking there is. Ranks are best when low, "
        "any other number when high; a minus before a name turns it round.",
    )
    weights: str = Field("", description="A number for each column, separated by commas; empty: all count the same.")
    method: Literal["rrf", "min-max"] = Field("rrf", description="`rrf`: by ranks; `min-max`: by scores scaled to 0 … 1.")
    k: int = Field(60, ge=0, le=10_000, description="The constant of `rrf`: the higher, the less the first places stand out.")

    @field_validator("weights")
    @classmethod
    def _numbers(cls, given: str) -> str:
        for one in filter(None, map(str.strip, given.split(","))):
            try:
                good = 0 <= float(one) <= 1_000_000
            except ValueError:
                good = False
            if not good:
                raise ValueError(f"“{one}” is not a weight; write numbers from 0, such as “1, 0.5”")
        return given

    @model_validator(mode="after")
    def _a_weight_for_each_column(self) -> Fusion:
        if not self._names():
            raise ValueError("it names no column; write their names, or `all`")
        weights = self._weights()
        if weights and not any(weights):
            raise ValueError("all weights are 0")
        if self.columns != ALL and weights and len(weights) != len(self._names()):
            raise ValueError(f"{len(weights)} weights for {len(self._names())} columns: give one for each, or none")
        return self

    def reads(self) -> tuple[str, ...]:
        return (ORIGINAL_RANKING,) if self.columns == ALL else tuple(name.removeprefix("-") for name in self._names())

    def writes(self) -> tuple[str, ...]:
        return (RERANKING_SCORE.format(n="N"), RERANKING_RANK.format(n="N"))

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        rows = tuple(results.shown_order())
        names = self._all_rankings(results) if self.columns == ALL else self._names()
        weights = self._weights() or [1.0] * len(names)
        if len(weights) != len(names):
            raise ModuleError(f"{len(weights)} weights are given for {len(names)} rankings: {', '.join(names)}")
        rankings = [_values(results, name)[list(rows)] for name in names]
        empty = [name for name, values in zip(names, rankings, strict=True) if np.isnan(values).all()]
        if empty and rows:
            run.warn("column-without-numbers", f"{' and '.join(empty)} holds no number and does not count.")
        found = reciprocal_ranks(rankings, weights, self.k) if self.method == "rrf" else scaled_sum(rankings, weights)
        return ranked(Candidates(results, results.query, rows, ("",) * len(rows)), found)

    def _all_rankings(self, results: ResultSet) -> list[str]:
        """`_original_ranking_` and every re-ranking: its ranks, or for min-max its scores where every document has one."""
        names = [ORIGINAL_RANKING]
        for n in range(1, results.reranking_count() + 1):
            rank, score = RERANKING_RANK.format(n=n), RERANKING_SCORE.format(n=n)
            by_score = self.method == "min-max" and score in results.documents.columns
            if by_score and not np.isnan(numbers_of(results.documents[score])).any():
                names.append(score)
            elif rank in results.documents.columns:
                names.append(rank)
        return names

    def _names(self) -> list[str]:
        return [one for one in map(str.strip, self.columns.split(",")) if one.removeprefix("-")]

    def _weights(self) -> list[float]:
        return [float(one) for one in filter(None, map(str.strip, self.weights.split(",")))]


def _values(results: ResultSet, name: str) -> np.ndarray:
    """A column as numbers of which the highest is best."""
    turned, column = name.startswith("-") and name not in results.documents.columns, name.removeprefix("-")
    values = numbers_of(results.documents[column])
    values = np.where(np.isinf(values), np.nan, values)
    is_rank = "rank" in results.roles.get(column, ()) or column == ORIGINAL_RANKING or column.startswith("_reranking_rank_")
    return -values if is_rank != turned else values
