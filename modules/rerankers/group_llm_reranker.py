"""Re-ranks by a language model that orders groups of documents."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from chatsearch.ranking.exhaustive import combination_calls, combination_scores
from chatsearch.ranking.judging import Ask
from chatsearch.ranking.llm_reranker import LLMReranker


class GroupLLMReranker(LLMReranker):
    """Has a language model order groups of documents, each document in several, and averages its places.

    `method: exhaustive` is MOSAIC-RAG's scheme: all combinations of `window_size` documents, one call each.
    """

    id: ClassVar[str] = "group_llm_reranker"
    name: ClassVar[str] = "Group re-ranker by a language model"
    old_scheme: ClassVar[str] = "every combination of documents"

    window_size: int = Field(2, ge=2, le=20, description="How many documents are compared at once by method `exhaustive`.")

    def is_old(self) -> bool:
        return "window_size" in self.model_fields_set and "method" not in self.model_fields_set

    def exhaustive_calls(self, rows: int) -> int:
        return combination_calls(rows, self.window_size)

    async def exhaustive_scores(self, rows: int, ask: Ask) -> np.ndarray:
        return await combination_scores(rows, ask, window=self.window_size, seed=self.seed)
