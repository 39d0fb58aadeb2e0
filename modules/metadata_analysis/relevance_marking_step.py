"""Marks the sentences of each document that are relevant to the query."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from chatsearch.answering import prompt_documents
from chatsearch.at_once import at_once
from chatsearch.cells import cell_text
from chatsearch.errors import ModelAnswerError
from chatsearch.llm.evidence import Sentence, WordMatch, shortlist, split
from chatsearch.llm.model import LanguageModel
from chatsearch.marks import marked
from chatsearch.module import Category, Column, Module, StepRun
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.results import ResultSet
from chatsearch.row_languages import text_language
from chatsearch.services import EXTRACTIVE

_JUDGED = 24
"""Sentences of one document that are judged: those with the most words of the query, where it has more."""

_JUDGED_BY_LLM = 10
"""The same where each costs: as many as a language model is asked about in one call."""


class RelevanceMarkingStep(Module):
    """Puts `**` around the sentences of each document that a language model judges relevant to the query.

    The model only judges; the text is ours and stays as it is. A `**` of the text itself is written `*\\*`.
    """

    id: ClassVar[str] = "relevance_marking_step"
    name: ClassVar[str] = "Relevance marking"
    category: ClassVar[Category] = Category.METADATA_ANALYSIS

    model: str = Field("", description="The language model; empty: the setting's. `extractive` needs no LLM.")
    input_column: Column = Field("full-text", description="The column whose text is marked.")
    output_column: Column = Field("highlight-full-text", description="The column that takes the marked text.")
    query: str = Field("", description="Another query for this step; empty: the query of the search.")
    minimum: float = Field(0.3, ge=0, le=1, description="The least relevance of a sentence that is marked.")
    most: int = Field(3, ge=1, le=_JUDGED, description="How many sentences of a document are marked at most.")

    def writes(self) -> tuple[str, ...]:
        return (self.output_column,)

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        model, notice = run.services.language_model(self.model)
        if notice:
            run.warn("model-replaced", notice)
        texts = cell_text(results.documents, self.input_column)
        column: list[object] = [text or None for text in texts]
        marks = await self._all_marks(results, model, run)
        for row, one in enumerate(results.documents["id"]):
            if str(one) in marks:
                column[row] = marks[str(one)]
        return results.with_column(self.output_column, column, "text")

    async def _all_marks(self, results: ResultSet, model: LanguageModel, run: StepRun) -> dict[str, str]:
        """The marked text of each document that has one, by id. What may not be sent to a model is judged by the built-in one."""
        query = self.query or results.query
        builtin, _ = run.services.language_model(EXTRACTIVE)
        judges: dict[str, tuple[LanguageModel, PromptDocument]] = {}
        for judge in (builtin, model):
            documents = prompt_documents(results, self.input_column, judge, lambda code, message: None)
            judges |= {one.id: (judge, one) for one in documents}
        failed = 0

        async def one(pair: tuple[LanguageModel, PromptDocument]) -> str:
            nonlocal failed
            try:
                return await self._marked(*pair, query, run)
            except ModelAnswerError:
                failed += 1
                return marked(pair[1].text, ())

        found = await at_once(one, judges.values(), progress=run.progress)
        if failed:
            run.warn("not-marked", f"{failed} of {len(judges)} documents are not marked: the model’s answers were of no use.")
        return dict(zip(judges, found, strict=True))

    async def _marked(self, judge: LanguageModel, document: PromptDocument, query: str, run: StepRun) -> str:
        sentences = await asyncio.to_thread(_sentences, document, query, _JUDGED_BY_LLM if judge.remote else _JUDGED)
        if not sentences:
            return marked(document.text, ())
        parts = tuple(
            PromptDocument(n, f"{document.id}#{n}", document.title, sentence.text, document.language)
            for n, sentence in enumerate(sentences, start=1)
        )
        relevance = await judge.judge(Prompt(Task.JUDGE, query, parts), None, run.meter)
        best = sorted(range(len(sentences)), key=lambda place: -relevance[place])[: self.most]
        return marked(document.text, [sentences[place].span for place in best if relevance[place] >= self.minimum])


def _sentences(document: PromptDocument, query: str, most: int) -> Sequence[Sentence]:
    """The sentences that are judged, in their order. Blocking."""
    language = document.language or text_language(document.text)
    found = split([document], language)
    return [found[place] for place in shortlist(found, WordMatch(query, [document], found, language), most)]
