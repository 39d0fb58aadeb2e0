"""The documents a re-ranker orders, as it finds them, and how its scores become ranks without moving what has no score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chatsearch.cells import cell_text, cells, is_missing
from chatsearch.languages import detect, iso639_1
from chatsearch.module import Reranker, StepRun
from chatsearch.prompts import PromptDocument
from chatsearch.results import NO_LLM, RERANKING_RANK, RERANKING_SCORE, ResultSet
from chatsearch.work import in_batches

_ENOUGH_TEXT = 1_000  # code points that tell a language; the time taken grows with them
_NO = ("", "false", "0", "0.0", "no", "f", "n", "off")


@dataclass(frozen=True)
class Candidates:
    """The documents with a text, best first in the present ranking; `rows` are their row numbers in `results`."""

    results: ResultSet
    query: str
    rows: tuple[int, ...]
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def may_leave(self, remote: bool) -> list[bool]:
        """Whether each document's text may be given to a model; only a remote one gets none marked `_no_llm_`."""
        frame = self.results.documents
        if not remote or NO_LLM not in frame.columns:
            return [True] * len(self)
        marks = cells(frame[NO_LLM])
        # anything but a clear no keeps a document here
        return [is_missing(marks[row]) or str(marks[row]).strip().lower() in _NO for row in self.rows]

    async def documents(self) -> list[PromptDocument]:
        """Each document with its language, as its column says or else detected."""
        ids, titles, stated = (cell_text(self.results.documents, name) for name in ("id", "title", "language"))
        codes = [iso639_1(stated[row]) if stated[row] else "" for row in self.rows]
        unsaid = [text for text, code in zip(self.texts, codes, strict=True) if not code]
        detected = iter(await in_batches(lambda batch: [detect(text[:_ENOUGH_TEXT]) for text in batch], unsaid))
        known = [code or next(detected) for code in codes]
        fields = zip(self.rows, self.texts, known, strict=True)
        return [
            PromptDocument(place, ids[row], titles[row], text, language)
            for place, (row, text, language) in enumerate(fields, start=1)
        ]


class CandidateReranker(Reranker):
    """A re-ranker that needs more than texts: the present ranking, titles, languages, or what may leave this machine."""

    @abstractmethod
    async def candidate_scores(self, candidates: Candidates, run: StepRun) -> np.ndarray:
        """A score per candidate (float, in their order), higher is better.

        NaN: this document keeps its place. Minus infinity: it cannot be compared and comes after those that can.
        """

    async def scores(self, query: str, texts: Sequence[str], run: StepRun) -> np.ndarray:
        """Never called: `transform` asks for `candidate_scores`."""
        raise NotImplementedError("a CandidateReranker scores candidates, not texts")

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        candidates = candidates_of(results, self.input_column, self.query or results.query)
        found = await self.candidate_scores(candidates, run) if len(candidates) else np.empty(0)
        return ranked(candidates, found)


def candidates_of(results: ResultSet, column: str, query: str) -> Candidates:
    """The documents of a result set that have a text in `column`."""
    texts = cell_text(results.documents, column)
    rows = tuple(row for row in results.shown_order() if texts[row].strip())
    return Candidates(results, query, rows, tuple(texts[row] for row in rows))


def ranked(candidates: Candidates, found: np.ndarray) -> ResultSet:
    """The result set with the next `_reranking_score_N_` and `_reranking_rank_N_`; documents without a text come last."""
    results = candidates.results
    n = results.reranking_count() + 1
    rows = [candidates.rows[place] for place in order_by(found)]
    with_text = set(rows)
    rows += [row for row in results.shown_order() if row not in with_text]
    scores, ranks = np.full(len(results), np.nan), np.empty(len(results), dtype=int)
    scores[list(candidates.rows)] = np.where(np.isinf(found), np.nan, found)
    ranks[rows] = np.arange(1, len(rows) + 1)  # the rank goes to the row, not the row to the rank
    return results.with_column(RERANKING_SCORE.format(n=n), scores).with_column(RERANKING_RANK.format(n=n), ranks, "rank")


def order_by(scores: np.ndarray) -> list[int]:
    """Places by descending score; equal ones keep their order, one without a score (NaN) stays exactly where it is."""
    scored = np.flatnonzero(~np.isnan(scores))
    order = np.arange(len(scores))
    order[scored] = scored[np.argsort(-scores[scored], kind="stable")]
    places: list[int] = order.tolist()
    return places


def not_sent(count: int, model: str) -> str:
    """What to say of documents marked `_no_llm_` that a remote model did not get."""
    documents = "1 document" if count == 1 else f"{count} documents"
    return f"{documents} may not be sent to “{model}”: they keep their places and the others are ordered around them."
