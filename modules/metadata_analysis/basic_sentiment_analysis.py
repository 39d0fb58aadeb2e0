"""Says which of six emotions each text expresses."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from chatsearch.answering import prompt_documents
from chatsearch.at_once import at_once
from chatsearch.cells import cell_text
from chatsearch.embedding import ENGLISH_MODEL
from chatsearch.emotions import EMOTIONS, READ, emotions, prototypes
from chatsearch.errors import ModelAnswerError, ModelError
from chatsearch.llm.model import LanguageModel
from chatsearch.module import Category, Column, Module, StepRun
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.results import ResultSet
from chatsearch.row_languages import report_unknown, row_languages
from chatsearch.services import EXTRACTIVE
from chatsearch.work import in_batches

_LABELS = tuple(
    PromptDocument(n, emotion, emotion, f"The text expresses {emotion}.") for n, emotion in enumerate(EMOTIONS, start=1)
)
_INSTRUCTIONS = "The query is a text. Order the emotions by how strongly the text expresses them, the strongest first."
_BUILT_IN = "built-in classifier"


class BasicSentimentAnalysis(Module):
    """Says which emotion each text expresses most: sadness, joy, love, anger, fear or surprise.

    By a classifier of a model hub when one is named, else by the language model where one is set, else by the built-in mix of
    embeddings, a lexicon and VADER, which reads English only and leaves other languages empty.
    """

    id: ClassVar[str] = "basic_sentiment_analysis"
    name: ClassVar[str] = "Sentiment analysis"
    category: ClassVar[Category] = Category.METADATA_ANALYSIS

    input_column: Column = Field("full-text", description="The column whose text is read.")
    output_column: Column = Field("sentiment", description="The column that takes the emotion.")
    classifier: str = Field("", description="A text classifier on a model hub, or the path of one; empty: none.")
    model: str = Field("", description="The language model; empty: the setting's, `extractive`: the built-in classifier.")
    language_column: Column = Field("language", description="The column with each text's language; a missing one is detected.")

    def writes(self) -> tuple[str, ...]:
        return (self.output_column,)

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        texts = cell_text(results.documents, self.input_column)
        found: list[str | None] = [None] * len(texts)
        left = [row for row, text in enumerate(texts) if text.strip()]
        if left and self.classifier:
            left = await self._by_classifier(texts, left, found, run)
        if left:
            left = await self._by_language_model(results, left, found, run)
        if left:
            await self._by_built_in(results, texts, left, found, run)
        return results.with_column(self.output_column, found, "chip")

    async def _by_classifier(self, texts: Sequence[str], rows: list[int], found: list[str | None], run: StepRun) -> list[int]:
        """Fills in `found`; the rows that are left, all of them when the classifier cannot be had."""
        from chatsearch.text_classifier import emotion_classifier

        try:
            classify = await asyncio.to_thread(emotion_classifier, self.classifier)
        except ModelError as error:
            run.warn("classifier-replaced", f"{error} Another classifier was taken.")
            return rows
        run.progress(0, len(rows), self.classifier)
        run.meter.calls += 1
        for row, emotion in zip(rows, await in_batches(classify, [texts[row] for row in rows]), strict=True):
            found[row] = emotion
        return []

    async def _by_language_model(self, results: ResultSet, rows: list[int], found: list[str | None], run: StepRun) -> list[int]:
        """Fills in `found`; the rows that are left: those that may not be sent, or all when no language model is set."""
        model, notice = run.services.language_model(self.model)
        if notice:
            run.warn("model-replaced", notice)
        if model.name == EXTRACTIVE:
            return rows
        places = {str(one): row for row, one in enumerate(results.documents["id"])}
        sent = prompt_documents(results, self.input_column, model, lambda code, message: None)
        run.progress(0, len(sent), model.name)
        answers = await at_once(lambda one: _asked(model, one.text, run), sent)
        for one, emotion in zip(sent, answers, strict=True):
            found[places[one.id]] = emotion
        failed = answers.count(None)
        if failed:
            run.warn("not-classified", f"{failed} of {len(sent)} texts have no emotion: the model’s answers were of no use.")
        return [row for row in rows if row not in {places[one.id] for one in sent}]

    async def _by_built_in(
        self, results: ResultSet, texts: Sequence[str], rows: list[int], found: list[str | None], run: StepRun
    ) -> None:
        languages = await asyncio.to_thread(row_languages, results, self.language_column, texts)
        outcome = "have no emotion, since the built-in classifier reads English only"
        report_unknown([languages[row] for row in rows], lambda language: language == "en", outcome, run)
        english = [row for row in rows if languages[row] == "en"]
        own = [texts[row][:READ] for row in english]
        run.progress(0, len(own), _BUILT_IN)
        run.meter.calls += 1
        examples = await run.services.embeddings.encode(ENGLISH_MODEL, prototypes(), "passage")
        vectors = await run.services.embeddings.encode(ENGLISH_MODEL, own, "passage", run.progress)
        pairs = list(range(len(own)))
        named = await in_batches(lambda batch: emotions([own[n] for n in batch], vectors[list(batch)], examples), pairs)
        for row, emotion in zip(english, named, strict=True):
            found[row] = emotion


async def _asked(model: LanguageModel, text: str, run: StepRun) -> str | None:
    """The emotion a language model puts first; None when its answer is of no use."""
    try:
        order = await model.order(Prompt(Task.ORDER, text[:READ], _LABELS, _INSTRUCTIONS), None, run.meter)
    except ModelAnswerError:
        return None
    return EMOTIONS[order[0]]
