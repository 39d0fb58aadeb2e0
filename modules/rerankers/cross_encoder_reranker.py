"""Re-ranks by a cross-encoder, which reads query and text together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from chatsearch.errors import ModelError
from chatsearch.module import StepRun
from chatsearch.ranking.best_passages import best_passages
from chatsearch.ranking.candidates import CandidateReranker, Candidates
from chatsearch.ranking.cross_encoders import load, predict
from chatsearch.ranking.overlap import lexical_scores
from chatsearch.work import in_batches

PASSAGES = 3
"""Passages of one document that are read at most: a cross-encoder is slow, and can remember nothing."""


class CrossEncoderReranker(CandidateReranker):
    """Orders the documents by a cross-encoder of sentence-transformers; where it cannot be had, as `lexical_reranker` does."""

    id: ClassVar[str] = "cross_encoder_reranker"
    name: ClassVar[str] = "Cross-encoder re-ranker"

    model: str = Field(
        "cross-encoder/ms-marco-MiniLM-L6-v2",
        min_length=1,
        description="The cross-encoder: its name on a hub (none comes with chatsearch), or the path of its folder.",
    )

    async def candidate_scores(self, candidates: Candidates, run: StepRun) -> np.ndarray:
        try:
            await asyncio.to_thread(load, self.model)
            return await self._read(candidates, run)
        except ModelError as error:
            message = f"{str(error).rstrip('.')}. The documents are ordered by their words instead, as lexical_reranker does."
            run.warn("model-replaced", message)
            return await lexical_scores(candidates)

    async def _read(self, candidates: Candidates, run: StepRun) -> np.ndarray:
        query = candidates.query
        documents = await candidates.documents()

        def passages_of(batch: Sequence[int]) -> list[list[str]]:
            return [_passages(documents[place].text, query, documents[place].language) for place in batch]

        chosen = await in_batches(passages_of, range(len(documents)))
        pairs = [passage for some in chosen for passage in some]
        scores = await in_batches(lambda batch: predict(self.model, query, batch), pairs, progress=run.progress)
        starts = np.cumsum([0, *map(len, chosen)])[:-1]
        return np.maximum.reduceat(np.array(scores), starts)


def _passages(text: str, query: str, language: str) -> list[str]:
    return [span.of(text) for span in best_passages(text, query, PASSAGES, language)] or [text.strip()]
