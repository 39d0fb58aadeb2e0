"""Re-ranks by word statistics of the result set itself: TF-IDF vectors, or BM25."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field

from chatsearch.languages import detect, terms
from chatsearch.module import StepRun
from chatsearch.prompts import PromptDocument
from chatsearch.ranking.candidates import CandidateReranker, Candidates
from chatsearch.work import in_batches

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Metric = Literal["Cosine", "Euclidean", "Manhattan", "BM25"]


class TfIdfReranker(CandidateReranker):
    """Orders the documents by how well their words match the query's, weighted by how rare a word is in the result set."""

    id: ClassVar[str] = "tf_idf_reranker"
    name: ClassVar[str] = "TF-IDF re-ranker"

    similarity_metric: Metric = Field("Cosine", description="How texts are compared: by a measure of TF-IDF vectors, or BM25.")

    async def candidate_scores(self, candidates: Candidates, run: StepRun) -> np.ndarray:
        """Higher is better; distances are negated. All scores are 0 when no word of the query occurs."""
        documents = await candidates.documents()
        tokens = await in_batches(_terms, documents, progress=run.progress)
        # the query's words are also read as the documents' languages read them, so that stems meet
        languages = dict.fromkeys([await asyncio.to_thread(detect, candidates.query), *(one.language for one in documents)])
        wanted = list(dict.fromkeys(term for language in languages for term in terms(candidates.query, language)))
        measure = _bm25 if self.similarity_metric == "BM25" else _vectors
        scores = np.full(len(documents), -np.inf)
        worded = [row for row, words in enumerate(tokens) if words]  # "…" and the like cannot be compared
        if worded:
            scores[worded] = await asyncio.to_thread(measure, wanted, [tokens[row] for row in worded], self.similarity_metric)
        return scores


def _terms(documents: Sequence[PromptDocument]) -> list[list[str]]:
    return [terms(one.text, one.language) for one in documents]


def _bm25(query: list[str], documents: list[list[str]], metric: Metric) -> np.ndarray:
    from rank_bm25 import BM25Plus

    # delta 0 makes it plain BM25 with an idf that stays positive in small sets, where Okapi's turns negative
    return np.asarray(BM25Plus(documents, delta=0).get_scores(query), dtype=float)


def _vectors(query: list[str], documents: list[list[str]], metric: Metric) -> np.ndarray:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import euclidean_distances, linear_kernel

    vectorizer = TfidfVectorizer(analyzer=_as_they_are)
    rows = vectorizer.fit_transform(documents)
    wanted = vectorizer.transform([query])
    if not wanted.nnz:
        return np.zeros(len(documents))
    if metric == "Cosine":
        return np.asarray(linear_kernel(rows, wanted), dtype=float).ravel()
    if metric == "Euclidean":
        return -np.asarray(euclidean_distances(rows, wanted), dtype=float).ravel()
    return _manhattan(rows, wanted)


def _manhattan(rows: csr_matrix, wanted: csr_matrix) -> np.ndarray:
    """The negated sum of absolute differences, without making the rows dense."""
    repeated = wanted[np.zeros(rows.shape[0], dtype=int)]
    return -np.asarray(abs(rows - repeated).sum(axis=1), dtype=float).ravel()


def _as_they_are(tokens: list[str]) -> list[str]:
    return tokens
