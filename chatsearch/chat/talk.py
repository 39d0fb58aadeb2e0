"""One chat: its engine, its current result set, and what each message does."""

from __future__ import annotations

import asyncio
import logging
import uuid
from dataclasses import dataclass, field

import chainlit as cl

from chatsearch.chat.document_page import RecentDocuments
from chatsearch.chat.markdown import escape
from chatsearch.chat.view import AnswerView, SearchView
from chatsearch.commands import SEARCH, parse
from chatsearch.conversation import Conversation
from chatsearch.errors import ChatsearchError, InputError
from chatsearch.pipeline import Pipeline
from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.suggestions import suggested_questions

log = logging.getLogger(__name__)

_SECONDS_FOR_SUGGESTIONS = 2.0


@dataclass
class Talk:
    """What one person says to one engine. A search makes a new result set; older messages keep theirs."""

    services: Services
    spec: Spec
    engine: str
    documents: RecentDocuments
    conversation: Conversation | None = None
    suggested: list[str] = field(default_factory=list)

    async def hear(self, content: str, picked: str | None = None) -> None:
        """Do what a message asks for. Every error reaches the person as a message, and the log with an id."""
        try:
            said = parse(content, picked)
            if said.command == SEARCH or self.conversation is None:
                await self._search(said.text)
            else:
                await self._ask(self.conversation, said.text)
        except ChatsearchError as error:
            log.info("told the person: %s", error.code)
            await cl.ErrorMessage(content=escape_lines(error.message)).send()
        except Exception:
            identifier = uuid.uuid4().hex[:8]
            log.exception("error %s", identifier)
            await cl.ErrorMessage(content=_unexpected(identifier)).send()

    async def _search(self, query: str) -> None:
        if not query.strip():
            raise InputError("Type what you are looking for after /search.")
        view = SearchView(self.spec, self.engine)
        await view.start()
        try:
            async for event in Pipeline(self.services).run(self.spec, query):
                await view.show(event)
        except asyncio.CancelledError:
            await view.stop()
            self._keep(view)
            raise
        except BaseException:
            await view.fail()
            raise
        self._keep(view)
        if self.conversation and len(self.conversation.results):
            await self._suggest(view, self.conversation, limit=3)

    def _keep(self, view: SearchView) -> None:
        """The new result set is what later messages are answered from."""
        if view.results is not None:
            self.documents.remember(self.engine, view.results)
            self.conversation = Conversation(self.services, self.spec, view.results)

    async def _ask(self, conversation: Conversation, question: str) -> None:
        view = AnswerView(conversation.results, self.engine)
        try:
            async for event in conversation.ask(question):
                await view.show(event)
        except asyncio.CancelledError:
            await view.stop()
            raise
        except BaseException:
            await view.fail()
            raise
        if conversation.answers and not conversation.answers[-1].refused:
            await self._suggest(view, conversation, limit=2)

    async def _suggest(self, view: SearchView | AnswerView, conversation: Conversation, limit: int) -> None:
        """Questions to go on with, when they are found soon. The answer is there: a failure here is the log's alone."""
        asked = [*self.suggested, *(answer.question for answer in conversation.answers)]
        try:
            async with asyncio.timeout(_SECONDS_FOR_SUGGESTIONS):
                found = await suggested_questions(conversation.results, self.services, asked, limit=limit)
        except TimeoutError:
            log.info("no questions were suggested: none was found in %g s", _SECONDS_FOR_SUGGESTIONS)
            return
        except Exception:
            log.exception("no questions could be suggested")
            return
        self.suggested += found
        await view.suggest(found)


def escape_lines(text: str) -> str:
    """An error's lines as Markdown paragraphs."""
    return "\n\n".join(escape(line) for line in text.splitlines() if line.strip())


def _unexpected(identifier: str) -> str:
    return (
        "Something went wrong on the server, and your message was not answered. Your results are still here: try again. "
        f"If it happens once more, tell the people who run this engine the number **{identifier}**; their log explains it."
    )
