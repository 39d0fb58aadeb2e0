"""Follow-up questions, answered only from one result set: every statement with a checked footnote, or a refusal."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from chatsearch.answering import language_of, prompt_documents, text_column
from chatsearch.citing import cite, cited_text
from chatsearch.errors import ModelError
from chatsearch.events import Answered, AnswerToken, Event, Sources, Understood, Warned
from chatsearch.languages import stop_words, words
from chatsearch.llm.model import HasWindow, LanguageModel, Meter, Refusal
from chatsearch.llm_completion import understand_with_model
from chatsearch.passage_choice import with_passages
from chatsearch.pipeline import checked_query
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.replies import replier, reply
from chatsearch.results import Answer, LedgerRow, ResultSet, RunWarning
from chatsearch.services import EXTRACTIVE, Services
from chatsearch.spec import Spec
from chatsearch.turns import Turn, turns_of
from chatsearch.understanding import Kind, Understanding, understand
from chatsearch.wording import SPOKEN, refusal

MODEL_FAILED = "model-failed"
"""The code of the warning that a language model failed and the extractive one answers instead: asking again may help."""

ANSWER = "answer"
"""What stands in the ledger's row of a follow-up for the module."""

_FEW_WORDS = 3


@dataclass
class Conversation:
    """The talk about one result set; `answers` are the turns so far, oldest first."""

    services: Services
    spec: Spec
    results: ResultSet
    answers: list[Answer] = field(default_factory=list)

    async def ask(self, question: str) -> AsyncGenerator[Event, None]:
        """The events of one follow-up: Understood, Sources, AnswerToken…, Answered. Raises InputError for an empty question."""
        run_id, seq = uuid.uuid4().hex, 0
        turn = Followup(self, checked_query(question, self.services.settings.max_query_characters))
        async with aclosing(turn.events()) as events:
            async for event in events:
                seq += 1
                if isinstance(event, Answered):
                    self.answers.append(event.answer)
                yield replace(event, run_id=run_id, seq=seq)


@dataclass
class Followup:
    """One question and what its answer costs."""

    talk: Conversation
    question: str
    warnings: list[RunWarning] = field(default_factory=list)
    meter: Meter = field(default_factory=Meter)
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.services, self.results = self.talk.services, self.talk.results
        self.options = self.talk.spec.engine.conversation
        self.column = text_column(self.results, self.options.column)

    async def events(self) -> AsyncGenerator[Event, None]:
        """Everything that happens, the answer last."""
        model, notice = self.services.language_model(self.options.model)
        if notice:
            self._warn("model-replaced", notice)
        # long sets take a moment: away from the event loop, so that other chats go on
        documents = await asyncio.to_thread(prompt_documents, self.results, self.column, model, self._warn)
        turns = turns_of(self.results, self.talk.answers)
        language = await asyncio.to_thread(_language, self.question, turns, documents)
        understood = await self._understood(turns, language, model)
        for warning in self.warnings:
            yield Warned(warning=warning)
        yield Understood(question=self.question, understood_as=understood.understood_as, numbers=understood.numbers)
        answer = Answer(self.question, understood.understood_as, "", False, model.name)
        if understood.kind in (Kind.QUESTION, Kind.SUMMARY):
            chosen = [document for document in documents if not understood.numbers or document.n in understood.numbers]
            answering = self._from_documents(answer, understood, model, chosen)
        else:
            answering = self._reply(replace(answer, model=replier(understood.kind)), understood, turns)
        async for event in answering:
            yield event

    async def _understood(self, turns: Sequence[Turn], language: str, model: LanguageModel) -> Understanding:
        if model.name == EXTRACTIVE:
            return await asyncio.to_thread(understand, self.question, turns, language, self.results)
        understood = await understand_with_model(self.question, turns, language, self.results, model, self.meter)
        if understood.notice:
            self._warn("not-completed", understood.notice)
        return understood

    async def _reply(self, answer: Answer, understood: Understanding, turns: Sequence[Turn]) -> AsyncIterator[Event]:
        """An answer without a model."""
        parts = await reply(understood, self.results, turns, self.services)
        for part in parts:
            yield AnswerToken(token=part.text, footnotes=part.footnotes)
        notes = tuple(note for part in parts for note in part.footnotes)
        yield self._answered(replace(answer, text="".join(part.text for part in parts), footnotes=notes))

    async def _from_documents(
        self, answer: Answer, understood: Understanding, model: LanguageModel, documents: Sequence[PromptDocument]
    ) -> AsyncIterator[Event]:
        task = Task.SUMMARIZE_RESULTS if understood.kind is Kind.SUMMARY else Task.ANSWER
        prompt = Prompt(task, understood.query, tuple(documents), self.options.instructions, understood.language)
        said = False
        try:
            prompt, sources = await self._sources(prompt, model)
            yield sources
            async for event in self._said(answer, understood, model, prompt):
                said = said or isinstance(event, AnswerToken)
                yield event
        except ModelError as error:
            instead, _ = self.services.language_model(EXTRACTIVE)
            if instead is model:
                raise
            # never empty: the reason, and what the built-in model finds
            yield Warned(warning=RunWarning(0, "", MODEL_FAILED, f"{error} The extractive model quotes instead."))
            async for event in self._said(replace(answer, model=instead.name), understood, instead, prompt, anew=said):
                yield event

    async def _sources(self, prompt: Prompt, model: LanguageModel) -> tuple[Prompt, Sources]:
        """The prompt with the passages that fit the model's window, and the documents they are of."""
        used, cut = {document.n for document in prompt.documents}, 0
        if isinstance(model, HasWindow) and prompt.documents:
            prompt = await with_passages(prompt, self.services.embeddings, await asyncio.to_thread(model.room))
            rendered = await model.rendered(prompt)
            used, cut = set(rendered.used), len(rendered.cut)
        every = self.results.sources(self.column)
        sources = tuple((document.n, every[document.n]) for document in prompt.documents if document.n in used)
        return prompt, Sources(sources=sources, total=len(prompt.documents), cut=cut)

    async def _said(
        self, answer: Answer, understood: Understanding, model: LanguageModel, prompt: Prompt, *, anew: bool = False
    ) -> AsyncIterator[Event]:
        """What a model says to a prompt, ended by Answered. Raises ModelError.

        With `anew` it takes the place of what was streamed.
        """
        cited = cited_text(prompt, self.results.sources(self.column), self.services.checker)
        pieces = model.stream(prompt, None, self.meter) if prompt.documents else _nothing()
        async for part in cite(pieces, cited):
            if isinstance(part, Refusal):
                text = await self._refusal(understood)
                yield AnswerToken(token=text, anew=anew or bool(cited.text))
                yield self._answered(replace(answer, text=text, refused=True))
                return
            yield AnswerToken(token=part[0], footnotes=part[1], anew=anew)
            anew = False
        notes, unsupported = tuple(cited.footnotes), tuple(cited.unsupported)
        yield self._answered(replace(answer, text=cited.text, footnotes=notes, unsupported=unsupported))

    async def _refusal(self, understood: Understanding) -> str:
        """That the documents do not say it, and what they are about; the engine's own sentence where it has one."""
        only = understood.numbers
        return self.options.unknown_answer or await asyncio.to_thread(
            refusal, self._only(only), understood.language, offer_search=True, only=only
        )

    def _only(self, numbers: Sequence[int]) -> ResultSet:
        """The results that a question was restricted to; all when it was not."""
        known = self.results.numbers or self.results.ranks()
        wanted = [not numbers or known[str(one)] in numbers for one in self.results.documents["id"]]
        return self.results.with_documents(self.results.documents[wanted])

    def _answered(self, answer: Answer) -> Answered:
        count, spent, seconds = len(self.results), self.meter, time.monotonic() - self.began
        tokens = (spent.tokens_in, spent.tokens_out)
        row = LedgerRow(0, ANSWER, count, count, seconds, spent.calls, *tokens, spent.cost_usd, spent.cached, len(self.warnings))
        return Answered(answer=answer, row=row)

    def _warn(self, code: str, message: str) -> None:
        self.warnings.append(RunWarning(0, "", code, message))


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
