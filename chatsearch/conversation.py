"""Follow-up questions, answered only from one result set: every statement a quotation with its footnote, or a refusal."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

from chatsearch.answering import language_of, prompt_documents, text_column
from chatsearch.citations import CitedText
from chatsearch.errors import ModelError
from chatsearch.events import Answered, AnswerToken, Event, Sources, Understood, Warned
from chatsearch.languages import stop_words, words
from chatsearch.llm.model import LanguageModel, Refusal
from chatsearch.pipeline import checked_query
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.replies import replier, reply
from chatsearch.results import Answer, ResultSet, RunWarning
from chatsearch.services import EXTRACTIVE, Services
from chatsearch.spec import Spec
from chatsearch.turns import Turn, turns_of
from chatsearch.understanding import Kind, Understanding, understand
from chatsearch.wording import SPOKEN, refusal

_FEW_WORDS = 3


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
        column = self._column
        model, notice = self.services.language_model(options.model)
        warnings = [RunWarning(0, "", "model-replaced", notice)] if notice else []
        # long sets take a moment: away from the event loop, so that other chats go on
        documents = await asyncio.to_thread(
            prompt_documents, self.results, column, model, lambda code, message: warnings.append(RunWarning(0, "", code, message))
        )
        for warning in warnings:
            yield Warned(warning=warning)
        turns = turns_of(self.results, self.answers)
        language = await asyncio.to_thread(_language, question, turns, documents)
        understood = await asyncio.to_thread(understand, question, turns, language, self.results)
        yield Understood(question=question, understood_as=understood.understood_as, numbers=understood.numbers)
        async for event in self._answer(question, understood, turns, model, documents, column):
            if isinstance(event, Answered):
                self.answers.append(event.answer)
            yield event

    def _answer(
        self,
        question: str,
        understood: Understanding,
        turns: Sequence[Turn],
        model: LanguageModel,
        documents: Sequence[PromptDocument],
        column: str,
    ) -> AsyncIterator[Event]:
        if understood.kind not in (Kind.QUESTION, Kind.SUMMARY):
            answer = Answer(question, understood.understood_as, "", False, replier(understood.kind))
            return self._reply(answer, understood, turns)
        answer = Answer(question, understood.understood_as, "", False, model.name)
        chosen = [document for document in documents if not understood.numbers or document.n in understood.numbers]
        return self._from_documents(answer, understood, model, chosen, column)

    async def _reply(self, answer: Answer, understood: Understanding, turns: Sequence[Turn]) -> AsyncIterator[Event]:
        """An answer without a model."""
        parts = await reply(understood, self.results, turns, self.services)
        for part in parts:
            yield AnswerToken(token=part.text, footnotes=part.footnotes)
        notes = tuple(note for part in parts for note in part.footnotes)
        yield Answered(answer=replace(answer, text="".join(part.text for part in parts), footnotes=notes))

    async def _from_documents(
        self, answer: Answer, understood: Understanding, model: LanguageModel, documents: Sequence[PromptDocument], column: str
    ) -> AsyncIterator[Event]:
        sources = self.results.sources(column)
        yield Sources(sources=tuple((document.n, sources[document.n]) for document in documents))
        task = Task.SUMMARIZE_RESULTS if understood.kind is Kind.SUMMARY else Task.ANSWER
        language, instructions = understood.language, self.spec.engine.conversation.instructions
        prompt = Prompt(task, understood.query, tuple(documents), instructions, language)
        try:
            async for event in self._said(answer, understood, model, prompt):
                yield event
        except ModelError as error:
            instead, _ = self.services.language_model(EXTRACTIVE)
            if instead is model:
                raise
            # never empty: the reason, and what the built-in model finds
            yield Warned(warning=RunWarning(0, "", "model-failed", f"{error} The extractive model quotes instead."))
            async for event in self._said(replace(answer, model=instead.name), understood, instead, prompt):
                yield event

    async def _said(
        self, answer: Answer, understood: Understanding, model: LanguageModel, prompt: Prompt
    ) -> AsyncIterator[Event]:
        """What a model says to a prompt, ended by Answered. Raises ModelError."""
        cited = CitedText(prompt.documents, self.results.sources(self._column))
        async for piece in model.stream(prompt) if prompt.documents else _nothing():
            if isinstance(piece, Refusal):
                text = self.spec.engine.conversation.unknown_answer or await asyncio.to_thread(
                    refusal, self._only(understood.numbers), understood.language, offer_search=True, only=understood.numbers
                )
                yield AnswerToken(token=text)
                yield Answered(answer=replace(answer, text=text, refused=True))
                return
            token, notes = cited.add(piece)
            yield AnswerToken(token=token, footnotes=notes)
        yield Answered(answer=replace(answer, text=cited.text, footnotes=tuple(cited.footnotes)))

    @property
    def _column(self) -> str:
        return text_column(self.results, self.spec.engine.conversation.column)

    def _only(self, numbers: Sequence[int]) -> ResultSet:
        """The results that a question was restricted to; all when it was not."""
        known = self.results.numbers or self.results.ranks()
        wanted = [not numbers or known[str(one)] in numbers for one in self.results.documents["id"]]
        return self.results.with_documents(self.results.documents[wanted])


def _language(question: str, turns: Sequence[Turn], documents: Sequence[PromptDocument]) -> str:
    """The language of a question; that of the turn before for a few words that tell none ("document 7", "Edison?")."""
    said = [word for word in words(question) if not word.isdigit()]  # some languages' stop words hold digits
    language = language_of(" ".join(said) or question, documents)
    tells = len(said) > _FEW_WORDS or (language in SPOKEN and any(word in stop_words(language) for word in said))
    if tells or not turns or not question.isascii():
        return language
    return language_of(turns[-1].question, documents)


async def _nothing() -> AsyncIterator[Refusal]:
    yield Refusal("the result set has no text")
