"""Re-ranks by meaning: the cosine of the query's and the text's embeddings."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import numpy as np
from pydantic import Field

from chatsearch.module import StepRun
from chatsearch.ranking.candidates import CandidateReranker, Candidates, not_sent
from chatsearch.ranking.similarity import chosen_model, similarities


class EmbeddingReranker(CandidateReranker):
    """Orders the documents by how near their meaning is to the query's; of a long text its nearest passage counts."""

    id: ClassVar[str] = "embedding_reranker"
    name: ClassVar[str] = "Embedding re-ranker"

    model: str = Field(
        "",
        description="An embedding model: a packaged one, one of sentence-transformers, or a service's (`ollama/…`); empty: by "
        "the language of the texts.",
    )

    async def candidate_scores(self, candidates: Candidates, run: StepRun) -> np.ndarray:
        embeddings, documents = run.services.embeddings, await candidates.documents()
        name, notice = await chosen_model(embeddings, self.model, candidates.query, documents)
        if notice:
            run.warn("model-replaced", notice)
        model = await asyncio.to_thread(embeddings.get, name)
        sent = np.flatnonzero(candidates.may_leave(model.remote))
        if len(sent) < len(candidates):
            run.warn("not-sent", not_sent(len(candidates) - len(sent), name))
        scores = np.full(len(candidates), np.nan)
        chosen = [documents[place] for place in sent]
        scores[sent] = await similarities(embeddings, name, candidates.query, chosen, run.progress)
        return scores
