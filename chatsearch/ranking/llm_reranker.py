"""What the re-rankers by a language model share: their parameters, what a model reads, and what happens without one."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from chatsearch.errors import ModuleError
from chatsearch.llm.model import LanguageModel
from chatsearch.module import StepRun
from chatsearch.prompts import PromptDocument
from chatsearch.ranking.best_passages import excerpt
from chatsearch.ranking.blocks import block_scores, blocks_calls
from chatsearch.ranking.candidates import CandidateReranker, Candidates, not_sent
from chatsearch.ranking.judging import Ask, Judge, TooFewAnswersError
from chatsearch.ranking.similarity import model_for, similarities
from chatsearch.ranking.stages import stage_scores, stages_calls
from chatsearch.services import EXTRACTIVE
from chatsearch.work import in_batches

Method = Literal["blocks", "stages", "exhaustive"]


class LLMReranker(CandidateReranker):
    """Orders the documents by what a language model says of groups of them; a subclass brings its paper's exhaustive scheme."""

    old_scheme: ClassVar[str]

    model: str = Field("", description="The language model; empty: the setting's.")
    method: Method = Field(
        "blocks",
        description="`blocks`: every document in several shuffled blocks, all asked at once; `stages`: tournaments in which the "
        "better half goes on; `exhaustive`: the scheme the module is named after.",
    )
    block_size: int = Field(10, ge=2, le=50, description="How many documents one call orders; 5 for a small model.")
    rounds: int = Field(5, ge=1, le=50, description="How often each document is in a block, or how many tournaments are held.")
    prior: float = Field(0.3, ge=0, le=10, description="How much the present rank counts beside the mean place in the blocks.")
    seed: int = Field(0, ge=0, description="What the shuffling begins with; the same seed asks the same questions.")
    max_calls: int = Field(2000, ge=1, description="The step is left out when it would take more calls than this.")

    @abstractmethod
    def exhaustive_calls(self, rows: int) -> int:
        """The calls of `exhaustive_scores`."""

    @abstractmethod
    async def exhaustive_scores(self, rows: int, ask: Ask) -> np.ndarray:
        """The paper's own scheme; scores as in `block_scores`."""

    @abstractmethod
    def is_old(self) -> bool:
        """Whether these parameters come from a spec that was written for the exhaustive scheme and names no method."""

    def calls(self, rows: int) -> int:
        """How many calls ordering `rows` documents takes."""
        if self.method == "blocks":
            return blocks_calls(rows, self.block_size, self.rounds)
        if self.method == "stages":
            return stages_calls(rows, self.block_size, self.rounds)
        return self.exhaustive_calls(rows)

    async def candidate_scores(self, candidates: Candidates, run: StepRun) -> np.ndarray:
        model, notice = run.services.language_model(self.model)
        if model.name == EXTRACTIVE:
            return await self._by_similarity(candidates, notice, run)
        if notice:
            run.warn("model-replaced", notice)
        sent = np.flatnonzero(candidates.may_leave(model.remote))
        if len(sent) < len(candidates):
            run.warn("not-sent", not_sent(len(candidates) - len(sent), model.name))
        total = self.calls(len(sent))
        self._say_what_is_asked(total, len(sent), run)
        scores = np.full(len(candidates), np.nan)
        documents = [one for place, one in enumerate(await candidates.documents()) if place in set(sent.tolist())]
        scores[sent] = await self._judged(model, candidates.query, documents, total, run)
        return scores

    async def _judged(
        self, model: LanguageModel, query: str, documents: list[PromptDocument], total: int, run: StepRun
    ) -> np.ndarray:
        read = await in_batches(lambda batch: [_as_read(one, query) for one in batch], documents)
        judge = Judge(model, query, read, run, total)
        try:
            scores = await self._scores(len(read), judge.ask)
        except TooFewAnswersError as error:
            run.warn("order-kept", str(error))
            return np.full(len(read), np.nan)
        if judge.unusable:
            run.warn("answers-unusable", f"{judge.failures()} For these the documents count in the order they had.")
        return scores

    async def _scores(self, rows: int, ask: Ask) -> np.ndarray:
        if self.method == "blocks":
            return await block_scores(rows, ask, size=self.block_size, rounds=self.rounds, prior=self.prior, seed=self.seed)
        if self.method == "stages":
            return await stage_scores(rows, ask, size=self.block_size, rounds=self.rounds, seed=self.seed)
        return await self.exhaustive_scores(rows, ask)

    def _say_what_is_asked(self, total: int, rows: int, run: StepRun) -> None:
        """Raises ModuleError when it is more than may be asked."""
        if total > self.max_calls:
            raise ModuleError(
                f"ordering {rows} documents by “{self.method}” takes {total:,} calls, more than max_calls ({self.max_calls:,}). "
                "Put a reduction_step before it, or use method “blocks”."
            )
        if self.is_old():
            message = (
                f"This step names no method and runs by balanced blocks, {total:,} calls; "
                f"{self.old_scheme} would take {self.exhaustive_calls(rows):,} (method “exhaustive”)."
            )
            run.warn("method-replaced", message)

    async def _by_similarity(self, candidates: Candidates, notice: str, run: StepRun) -> np.ndarray:
        embeddings, documents = run.services.embeddings, await candidates.documents()
        model = model_for(embeddings, candidates.query, documents)
        why = notice or "No language model is set (CHATSEARCH_MODEL)."
        run.warn("no-language-model", f"{why} The documents are ordered by embedding similarity ({model}).")
        return await similarities(embeddings, model, candidates.query, documents, run.progress)


def _as_read(document: PromptDocument, query: str) -> PromptDocument:
    text = excerpt(document.text, query, document.language)
    return PromptDocument(document.n, document.id, document.title, text, document.language)
