"""Re-ranks by a tournament that a language model decides."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from chatsearch.ranking.exhaustive import knock_out_calls, knock_out_scores
from chatsearch.ranking.judging import Ask
from chatsearch.ranking.llm_reranker import LLMReranker

_OLD = frozenset({"model", "input_column"})
_OURS = frozenset({"method", "block_size", "rounds", "prior", "seed", "max_calls"})


class TournamentLLMReranker(LLMReranker):
    """Has a language model let documents compete: by balanced blocks, in stages whose better halves go on, or by knock-out.

    `method: exhaustive` is MOSAIC-RAG's knock-out, each match asked in both orders; it finds the best document and orders the
    others roughly.
    """

    id: ClassVar[str] = "tournament_llm_reranker"
    name: ClassVar[str] = "Tournament re-ranker by a language model"
    old_scheme: ClassVar[str] = "the knock-out tournament"

    def is_old(self) -> bool:
        """MOSAIC-RAG writes all its parameters and knows none of ours."""
        return self.model_fields_set >= _OLD and self.model_fields_set.isdisjoint(_OURS)

    def exhaustive_calls(self, rows: int) -> int:
        return knock_out_calls(rows)

    async def exhaustive_scores(self, rows: int, ask: Ask) -> np.ndarray:
        return await knock_out_scores(rows, ask)
