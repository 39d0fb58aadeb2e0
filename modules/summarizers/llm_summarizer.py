"""Writes a short summary of each document into a column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field, PrivateAttr

from chatsearch.answering import prompt_documents
from chatsearch.cells import cell_text
from chatsearch.errors import ModelError
from chatsearch.languages import detect
from chatsearch.llm.model import LanguageModel
from chatsearch.module import Category, Column, RowModule, StepRun
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.results import ResultSet, Role
from chatsearch.services import EXTRACTIVE


@dataclass(frozen=True)
class _Work:
    """What one run needs beside the texts: the model, and each text's document; a text that is not there may not be sent."""

    model: LanguageModel
    documents: Mapping[str, PromptDocument]


class LlmSummarizer(RowModule):
    """Summarises each document in two or three sentences, in its own language; without a language model it quotes the document.

    Rows are summarised at the same time, as many as the provider lets us; a row that fails stays empty and is a warning.
    """

    id: ClassVar[str] = "llm_summarizer"
    name: ClassVar[str] = "Summary of each document"
    category: ClassVar[Category] = Category.SUMMARIZERS
    role: ClassVar[Role] = "text"
    batch_size: ClassVar[int] = 1
    concurrency: ClassVar[int] = 64  # the gateway has its own limit for each provider
    missing_value: ClassVar[object] = ""

    model: str = Field("", description="The language model; empty: the setting's. `extractive` quotes and needs no LLM.")
    input_column: Column = Field("full-text", description="The column whose text is summarised.")
    output_column: Column = Field("summary", description="The column that takes the summary.")
    summarize_prompt: str = Field("", description="What a language model is told beside our rules; no use to the extractive one.")

    _work: _Work | None = PrivateAttr(None)

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        model, notice = run.services.language_model(self.model)
        if notice:
            run.warn("model-replaced", notice)
        documents = self._may_be_sent(results, model, run)
        mine = self.model_copy()  # a module may run twice at once, and each run has its own work
        mine._work = _Work(model, documents)
        return await super(LlmSummarizer, mine).transform(results, run)

    def compute(self, text: str, query: str) -> object:
        raise NotImplementedError("compute_batch asks a model")

    async def compute_batch(self, texts: Sequence[str], query: str, run: StepRun) -> list[object]:
        """The summary of each text, or the error of the model."""
        return [await self._summary(text, run) for text in texts]

    async def _summary(self, text: str, run: StepRun) -> object:
        assert self._work is not None
        known = self._work.documents.get(text)
        model = self._work.model if known else run.services.language_model(EXTRACTIVE)[0]
        document = known or PromptDocument(1, "", "", text)
        prompt = Prompt(Task.SUMMARIZE_DOCUMENT, "", (document,), self.summarize_prompt, document.language or detect(text))
        try:
            parts = [piece.text async for piece in model.stream(prompt, None, run.meter) if hasattr(piece, "text")]
        except ModelError as error:
            return error
        return (" " if model.name == EXTRACTIVE else "").join(parts).strip()

    def _may_be_sent(self, results: ResultSet, model: LanguageModel, run: StepRun) -> dict[str, PromptDocument]:
        """The documents the model may see, by their text; a text that one row keeps back is sent for no other row."""
        found = prompt_documents(results, self.input_column, model, lambda code, message: None)
        sent = {document.id for document in found}
        rows = zip(map(str, results.documents["id"]), cell_text(results.documents, self.input_column), strict=True)
        kept_back = [text for one, text in rows if text.strip() and one not in sent]
        if kept_back:
            which = "1 document may" if len(kept_back) == 1 else f"{len(kept_back)} documents may"
            run.warn("not-sent", f"{which} not be sent to a language model: the extractive model quotes instead.")
        return {document.text: document for document in found if document.text not in set(kept_back)}
