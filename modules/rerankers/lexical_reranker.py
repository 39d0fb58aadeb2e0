"""Re-ranks by the words of the query that a text holds, mixed with the ranking there is (LLARS's formula)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from pydantic import Field

from chatsearch.module import StepRun
from chatsearch.ranking.candidates import CandidateReranker, Candidates
from chatsearch.ranking.overlap import ALPHA, lexical_scores


class LexicalReranker(CandidateReranker):
    """Lifts documents that hold many of the query's words: (1 − α) · present score + α · share of the query's words.

    The present score is that of the last re-ranker, scaled to 0 … 1, or is made of the present ranks where there is none.
    """

    id: ClassVar[str] = "lexical_reranker"
    name: ClassVar[str] = "Lexical re-ranker"

    alpha: float = Field(ALPHA, ge=0, le=1, description="How much the words count: 0 keeps the order, 1 is the words alone.")

    async def candidate_scores(self, candidates: Candidates, run: StepRun) -> np.ndarray:
        return await lexical_scores(candidates, self.alpha)
