"""One chat: its engine, its current result set, and what each message does."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import chainlit as cl

from chatsearch.chat.answer_view import AnswerView
from chatsearch.chat.document_page import RecentDocuments
from chatsearch.chat.list_props import Pages
from chatsearch.chat.markdown import escape
from chatsearch.chat.memory import Memory
from chatsearch.chat.reply_view import show_reply
from chatsearch.chat.view import SearchView
from chatsearch.commands.registry import respond
from chatsearch.commands.reply import Reply
from chatsearch.commands.session import ResultLine, Session
from chatsearch.conversation import Conversation
from chatsearch.errors import ChatsearchError, StoreError
from chatsearch.pipeline import Pipeline
from chatsearch.results import Answer, ResultSet
from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.suggestions import suggested_questions

if TYPE_CHECKING:
    from chatsearch.store.store import StoredResults

log = logging.getLogger(__name__)

_SECONDS_FOR_SUGGESTIONS = 2.0


@dataclass
class Talk:
    """What one person says to one engine. A search makes a new result set; older messages keep theirs.

    The spec is the session's: commands change it, for this chat alone.
    """

    services: Services
    spec: Spec
    engine: str
    documents: RecentDocuments
    memory: Memory | None = None
    conversation: Conversation | None = None
    suggested: list[str] = field(default_factory=list)
    _list: SearchView | None = None
    _restored: StoredResults | None = None
    _set: str = ""
    _remembered: bool = False
    _told: bool = False
    _saving: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.session = Session(self.services, self.spec, self.engine)
        self.session.result_sets = self if self.memory else None

    async def hear(self, content: str, picked: str | None = None) -> None:
        """Do what a message asks for. Every error reaches the person as a message, and the log with an id."""
        try:
            self.session.address = self.session.address or _address(cl.context.session)
            await self._remember()
            await self._do(await respond(self.session, content, picked))
        except ChatsearchError as error:
            log.info("told the person: %s", error.code)
            await cl.ErrorMessage(content=escape_lines(error.message)).send()
        except Exception:
            identifier = uuid.uuid4().hex[:8]
            log.exception("error %s", identifier)
            await cl.ErrorMessage(content=_unexpected(identifier)).send()

    async def lines(self) -> Sequence[ResultLine]:
        """The chat's result sets, for /results. Raises StoreError."""
        memory = await self._memory()
        kept = await memory.sets()
        return [ResultLine(n, one.asked, one.documents, memory.is_current(one)) for n, one in enumerate(kept, start=1)]

    async def go_back(self, n: int) -> ResultSet:
        """The n-th of them, which later messages are answered from. Raises InputError and StoreError."""
        self._restored = await (await self._memory()).go_back(n)
        return self._restored.results

    async def _memory(self) -> Memory:
        if self.memory is None:
            raise StoreError("Earlier results are not kept here.")
        if self._saving is not None:
            await asyncio.shield(self._saving)
        return self.memory

    async def _do(self, reply: Reply) -> None:
        """What a reply says is shown, what it asks for is done."""
        put_away = self.conversation is not None and self.session.results is None
        self._follow()
        if put_away and self.memory is not None:
            await self.memory.put_away()
        await show_reply(reply)
        if reply.search:
            await self._search(reply.search)
        elif reply.ask and self.conversation is not None:
            await self._ask(self.conversation, reply.ask)
        elif reply.view_changed and self.session.results is not None:
            await self._show_list(self.session.results)

    def _follow(self) -> None:
        """Later messages are answered from the session's results, with the session's spec."""
        results, restored = self.session.results, self._restored
        if results is None:
            self.conversation = None
        elif self.conversation is None or self.conversation.results is not results:
            answers = list(restored.answers) if restored is not None and restored.results is results else []
            self._set = restored.id if restored is not None and restored.results is results else self._set
            self.documents.remember(self.engine, results, self._set, own=self._is_own)
            self.conversation = Conversation(self.services, self.session.spec, results, answers)
            self._list = None
        else:
            self.conversation.spec = self.session.spec
        self.session.answers = self.conversation.answers if self.conversation else []

    async def _search(self, query: str) -> None:
        spec = self.session.spec
        view = SearchView(spec, Pages(self.engine, uuid.uuid4().hex))
        await view.start()
        try:
            async for event in Pipeline(self.services).run(spec, query):
                await view.show(event)
        except asyncio.CancelledError:
            await view.stop()
            self._keep(view, query)
            raise
        except BaseException:
            await view.fail()
            raise
        self._keep(view, query)
        await self._kept()
        if self.memory and self.memory.current_set:
            await view.take_votes()
        if self.conversation and len(self.conversation.results):
            await self._suggest(view, self.conversation, limit=3)

    @property
    def _is_own(self) -> bool:
        """Whether the results are those of the engine at this URL: a changed pipeline's are this chat's alone."""
        return self.session.spec.digest == self.spec.digest

    async def _remember(self) -> None:
        """Once per chat: after a restart of the server an open page goes on where it was."""
        if self._remembered or self.memory is None:
            return
        self._remembered = True
        stored = await self.memory.current()
        if stored is not None and self.session.results is None:
            self._restored = stored
            self._restore_spec(stored)
            self.session.searched_for(stored.results.asked, stored.results)
            self._follow()

    def _restore_spec(self, stored: StoredResults) -> None:
        """The pipeline as this chat had changed it; /undo goes back to the engine's own."""
        if stored.spec is None or self.session.locked:
            return
        try:
            self.session.change(dict(stored.spec))
        except ChatsearchError as error:
            log.warning("a chat goes on with the engine's own spec: %s", error)

    def _keep(self, view: SearchView, query: str) -> None:
        """The new result set is what later messages are answered from."""
        if view.results is None:
            return
        self._set = view.pages.set
        self.session.searched_for(query, view.results)
        # what was filtered and sorted was another list
        self.session.view = replace(self.session.view, conditions=(), sort="", descending=False)
        self._follow()
        self._list = view
        if self.memory is not None:
            # apart from the chat's own task: what was found is kept also when the person presses Stop
            self._saving = asyncio.create_task(self.memory.keep(view.results, self.session.spec, self._set, own=self._is_own))

    async def _kept(self, answer: Answer | None = None) -> None:
        """Wait until the result set is kept, then keep an answer about it. What goes wrong is told once."""
        if self.memory is None:
            return
        if self._saving is not None:
            await asyncio.shield(self._saving)
        if answer is not None:
            await self.memory.add(answer)
        if self.memory.trouble and not self._told:
            self._told = True
            await cl.Message(content=escape(self.memory.trouble)).send()

    async def _show_list(self, results: ResultSet) -> None:
        """The list as the session's view has it: the one that is there already, or a new one."""
        if self._list is None:
            self._list = SearchView(self.session.spec, Pages(self.engine, self._set))
        await self._list.show_list(results, self.session.view, self.services)

    async def _ask(self, conversation: Conversation, question: str) -> None:
        view = AnswerView(conversation.results, Pages(self.engine, self._set))
        try:
            async for event in conversation.ask(question):
                await view.show(event)
        except asyncio.CancelledError:
            await view.stop()
            raise
        except BaseException:
            await view.fail()
            raise
        if conversation.answers:
            await self._kept(conversation.answers[-1])
            if self.memory and self.memory.current_set:
                await view.take_votes(len(conversation.answers))
            if not conversation.answers[-1].refused:
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


def _address(session: object) -> str:
    """Where this server is for the person who connected: the origin their browser names, else the host it asked for."""
    environ = getattr(session, "environ", None) or {}
    origin, host = environ.get("HTTP_ORIGIN", ""), environ.get("HTTP_HOST", "")
    if origin.startswith(("http://", "https://")):
        return str(origin)
    return f"{environ.get('wsgi.url_scheme') or 'http'}://{host}" if host else ""


def escape_lines(text: str) -> str:
    """An error's lines as Markdown paragraphs."""
    return "\n\n".join(escape(line) for line in text.splitlines() if line.strip())


def _unexpected(identifier: str) -> str:
    return (
        "Something went wrong on the server, and your message was not answered. Your results are still here: try again. "
        f"If it happens once more, tell the people who run this engine the number **{identifier}**; their log explains it."
    )
