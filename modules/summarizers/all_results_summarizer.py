"""Writes one summary of all results, with footnotes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from chatsearch.answering import language_of, prompt_documents
from chatsearch.citing import cite, cited_text
from chatsearch.errors import ModelError
from chatsearch.llm.model import LanguageModel, Refusal
from chatsearch.module import Column, StepRun, Summarizer
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.results import ResultSet, Summary
from chatsearch.services import EXTRACTIVE
from chatsearch.summarizing import Reading, summarize
from chatsearch.wording import refusal


class AllResultsSummarizer(Summarizer):
    """Answers the query from all results in a few sentences with footnotes; says so when the results do not answer it.

    What does not fit a language model's window is summarised in groups, and those summaries in one. When the model fails, the
    extractive one quotes instead, and a warning says why.
    """

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
        try:
            return results.with_summary(await self._summary(results, model, run))
        except ModelError as error:
            instead, _ = run.services.language_model(EXTRACTIVE)
            if instead is model:
                raise
            run.warn("model-failed", f"{error} The extractive model quotes instead.")
            return results.with_summary(await self._summary(results, instead, run))

    async def _summary(self, results: ResultSet, model: LanguageModel, run: StepRun) -> Summary:
        documents = prompt_documents(results, self.input_column, model, run.warn)
        if not documents:
            return self._refused(results, documents, model.name, run)
        prompt = Prompt(
            Task.SUMMARIZE_RESULTS, results.query, documents, self.summarize_prompt, self._language(results, documents)
        )
        cited = cited_text(prompt, results.sources(self.input_column), run.services.checker)
        reading = Reading(len(documents))
        try:
            async for part in cite(summarize(model, prompt, reading, run.progress, run.meter), cited):
                if isinstance(part, Refusal):
                    return self._refused(results, documents, model.name, run)
                run.summary_token(self.output_column, *part)
        except ModelError:
            if cited.text:  # what comes instead stands apart from what was streamed
                run.summary_token(self.output_column, " …\n\n")
            raise
        self._say_what_was_read(reading, run)
        notes, unsupported = tuple(cited.footnotes), tuple(cited.unsupported)
        return Summary(self.output_column, cited.text, model.name, notes, unsupported=unsupported)

    def _language(self, results: ResultSet, documents: Sequence[PromptDocument]) -> str:
        """The language the person asked in; that of the documents where they asked nothing."""
        return language_of(results.asked, documents) if results.asked.strip() else ""

    def _say_what_was_read(self, reading: Reading, run: StepRun) -> None:
        if reading.failed:
            run.warn("group-failed", f"A part of the documents is not in the summary. {reading.failed[0]}")
        if reading.sentence():
            run.warn("documents-used", reading.sentence())

    def _refused(self, results: ResultSet, documents: Sequence[PromptDocument], model: str, run: StepRun) -> Summary:
        text = refusal(results, language_of(results.asked, documents), offer_search=False)
        run.summary_token(self.output_column, text)
        return Summary(self.output_column, text, model, refused=True)
