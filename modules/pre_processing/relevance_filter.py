"""Removes the documents that are not relevant enough."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from chatsearch.cells import numbers_of
from chatsearch.errors import MissingColumnError, ModuleError
from chatsearch.filters import Filter, Missing
from chatsearch.module import Column, StepRun
from chatsearch.relevance import judgements, likeness
from chatsearch.results import RERANKING_SCORE, ResultSet

Measure = Literal["model", "embedding", "score"]


class RelevanceFilter(Filter):
    """Keeps the documents whose relevance is at least the minimum. The minimum means what it says: nothing may be left.

    Relevance is what the language model judges (0 to 1), the likeness of meaning (0 unrelated, 1 equal), or a re-ranker's score.
    """

    id: ClassVar[str] = "relevance_filter"
    name: ClassVar[str] = "Relevance filter"

    minimum: float = Field(0.5, description="The least relevance; of the built-in model 0.5 is where an answer begins.")
    measure: Measure = Field(
        "model", description="What relevance is: the model's judgement, the likeness of embeddings, or a score."
    )
    model: str = Field("", description="The language model that judges, or the embedding model; empty: the default one.")
    score_column: Column = Field("latest", description="The column of the score; `latest` is that of the last re-ranker.")
    input_column: Column = Field("full-text", description="The column whose text is judged.")
    query: str = Field("", description="Another query for this step; empty: the query of the search.")
    missing: Missing = Field("drop", description="What becomes of documents without a text, or without a score.")

    def reads(self) -> tuple[str, ...]:
        if self.measure != "score":
            return (self.input_column,)
        return () if self.score_column == "latest" else (self.score_column,)

    async def keeps(self, results: ResultSet, run: StepRun) -> np.ndarray:
        relevance = await self._relevance(results, run)
        kept: np.ndarray = np.where(np.isnan(relevance), self.missing == "keep", relevance >= self.minimum)
        return kept

    async def _relevance(self, results: ResultSet, run: StepRun) -> np.ndarray:
        query = self.query or results.query
        if self.measure == "score":
            return self._scores(results)
        if self.measure == "embedding":
            return await likeness(results, query, self.input_column, self.model, run)
        return await judgements(results, query, self.input_column, self.model, run)

    def _scores(self, results: ResultSet) -> np.ndarray:
        column = self.score_column
        if column == "latest":
            column = RERANKING_SCORE.format(n=results.reranking_count())
        if column not in results.documents.columns:
            there = ", ".join(map(str, results.documents.columns))
            raise MissingColumnError(
                f"There is no score “{column}” to filter by: put a re-ranker before. The columns are: {there}."
            )
        scores = numbers_of(results.documents[column])
        if np.isnan(scores).all():
            raise ModuleError(f"the column “{column}” holds no numbers, so it cannot say which documents are relevant")
        return scores
