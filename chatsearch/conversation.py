"""Follow-up questions, answered only from one result set: every statement a quotation with its footnote, or a refusal."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

from chatsearch.answering import language_of, prompt_documents, text_column
from chatsearch.citations import CitedText
from chatsearch.events import Answered, AnswerToken, Event, Sources, Understood, Warned
from chatsearch.llm.model import LanguageModel, Refusal
from chatsearch.pipeline import checked_query
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.results import Answer, ResultSet, RunWarning
from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.understanding import turns_of, understand
from chatsearch.wording import refusal


@dataclass
class Conversation:
    """The talk about one result set; `answers` are the turns so far, oldest first."""

    services: Services
    spec: Spec
    results: ResultSet
    answers: list[Answer] = field(default_factory=list)

    async def ask(self, question: str) -> AsyncIterator[Event]:
        """The events of one follow-up: Understood, Sources, AnswerToken…, Answered. Raises InputError for an empty question."""
        run_id, seq = uuid.uuid4().hex, 0
        async for event in self._events(checked_query(question, self.services.settings.max_query_characters)):
            seq += 1
            yield replace(event, run_id=run_id, seq=seq)

    async def _events(self, question: str) -> AsyncIterator[Event]:
        options = self.spec.engine.conversation
        column = text_column(self.results, options.column)
        model, notice = self.services.language_model(options.model)
        warnings = [RunWarning(0, "", "model-replaced", notice)] if notice else []
        documents = prompt_documents(
            self.results, column, model, lambda code, message: warnings.append(RunWarning(0, "", code, message))
        )
        for warning in warnings:
            yield Warned(warning=warning)
        language = language_of(question, documents)
        understood = understand(question, turns_of(self.results, self.answers), language)
        yield Understood(question=question, understood_as=understood)
        async for event in self._answer(Answer(question, understood, "", False, model.name), model, documents, column, language):
            if isinstance(event, Answered):
                self.answers.append(event.answer)
            yield event

    async def _answer(
        self, answer: Answer, model: LanguageModel, documents: Sequence[PromptDocument], column: str, language: str
    ) -> AsyncIterator[Event]:
        sources = self.results.sources(column)
        yield Sources(sources=tuple((document.n, sources[document.n]) for document in documents))
        prompt = Prompt(Task.ANSWER, answer.understood_as, tuple(documents), self.spec.engine.conversation.instructions, language)
        cited = CitedText(documents, sources)
        async for piece in model.stream(prompt) if documents else _nothing():
            if isinstance(piece, Refusal):
                text = self.spec.engine.conversation.unknown_answer or refusal(self.results, language, offer_search=True)
                yield AnswerToken(token=text)
                yield Answered(answer=replace(answer, text=text, refused=True))
                return
            token, notes = cited.add(piece)
            yield AnswerToken(token=token, footnotes=notes)
        yield Answered(answer=replace(answer, text=cited.text, footnotes=tuple(cited.footnotes)))


async def _nothing() -> AsyncIterator[Refusal]:
    yield Refusal("the result set has no text")
