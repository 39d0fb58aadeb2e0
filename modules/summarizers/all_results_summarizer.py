"""Writes one summary of all results, with footnotes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from chatsearch.answering import language_of, prompt_documents
from chatsearch.citations import CitedText
from chatsearch.llm.model import Refusal
from chatsearch.module import Column, StepRun, Summarizer
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.results import ResultSet, Summary
from chatsearch.wording import refusal


class AllResultsSummarizer(Summarizer):
    """Answers the query from all results in a few sentences with footnotes; says so when the results do not answer it."""

    id: ClassVar[str] = "all_results_summarizer"
    name: ClassVar[str] = "Summary of all results"

    input_column: Column = Field("full-text", description="The column whose text is summarised.")
    output_column: Column = Field("Summary", description="The title of the summary.")
    model: str = Field("", description="The language model; empty: the setting's. `extractive` quotes and needs no LLM.")
    summarize_prompt: str = Field("", description="What a language model is told beside our rules; no use to the extractive one.")

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        model, notice = run.services.language_model(self.model)
        if notice:
            run.warn("model-replaced", notice)
        documents = prompt_documents(results, self.input_column, model, run.warn)
        if not documents:
            return self._refused(results, documents, model.name, run)
        prompt = Prompt(Task.SUMMARIZE_RESULTS, results.query, documents, self.summarize_prompt)
        cited = CitedText(documents, results.sources(self.input_column))
        async for piece in model.stream(prompt, run.progress, run.meter):
            if isinstance(piece, Refusal):
                return self._refused(results, documents, model.name, run)
            run.summary_token(self.output_column, *cited.add(piece))
        return results.with_summary(Summary(self.output_column, cited.text, model.name, tuple(cited.footnotes)))

    def _refused(self, results: ResultSet, documents: Sequence[PromptDocument], model: str, run: StepRun) -> ResultSet:
        text = refusal(results, language_of(results.asked, documents), offer_search=False)
        run.summary_token(self.output_column, text)
        return results.with_summary(Summary(self.output_column, text, model, refused=True))
