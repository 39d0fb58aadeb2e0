"""Lexical re-ranking as LLARS does it: the score a document has already, mixed with the share of the query's words it holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chatsearch.cells import numbers_of
from chatsearch.languages import words
from chatsearch.prompts import PromptDocument
from chatsearch.ranking.candidates import Candidates
from chatsearch.results import RERANKING_SCORE
from chatsearch.work import in_batches

ALPHA = 0.15


async def lexical_scores(candidates: Candidates, alpha: float = ALPHA) -> np.ndarray:
    """(1 − α) · score + α · |Q ∩ C| / |Q| over the sets of lower-cased words, 0 to 1; `score` as in `present_scores`."""
    documents = await candidates.documents()
    shares = await in_batches(lambda batch: shared_words(candidates.query, batch), documents)
    return (1 - alpha) * present_scores(candidates) + alpha * np.array(shares)


def shared_words(query: str, documents: Sequence[PromptDocument]) -> list[float]:
    """The share of the query's different words that each text holds, 0 to 1. Scripts without spaces: pairs of characters."""
    shares = []
    for document in documents:
        wanted = frozenset(words(query, document.language))
        shares.append(len(wanted.intersection(words(document.text, document.language))) / max(len(wanted), 1))
    return shares


def present_scores(candidates: Candidates) -> np.ndarray:
    """The present ranking as scores from 0 to 1, where 1 is best.

    The scores of the last re-ranker, scaled so that its worst has 0 and its best 1. Without a re-ranker, or where a document
    has no score of it, the places: 1 for the first of n, 1/n for the last. The scores of several sources cannot be compared.
    """
    frame, n = candidates.results.documents, candidates.results.reranking_count()
    column = RERANKING_SCORE.format(n=n)
    by_place = 1 - np.arange(len(candidates)) / max(len(candidates), 1)
    if not n or column not in frame.columns:
        return by_place
    scores = numbers_of(frame[column])[list(candidates.rows)]
    return scaled(scores) if np.isfinite(scores).all() and np.ptp(scores) > 0 else by_place


def scaled(scores: np.ndarray) -> np.ndarray:
    """Scores from 0 for the lowest to 1 for the highest (min-max); all 0 when they are equal. NaN stays NaN."""
    known = scores[~np.isnan(scores)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    return (scores - low) / (high - low) if high > low else np.where(np.isnan(scores), np.nan, 0.0)
