"""`chatsearch chat`: the chat of the browser in a terminal, with the same commands, searches and answers."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from chatsearch import terminal
from chatsearch.chat.memory import Memory
from chatsearch.commands.form import apply_edit
from chatsearch.commands.registry import respond
from chatsearch.commands.reply import File, Form, Offer, Reply
from chatsearch.commands.session import Session
from chatsearch.conversation import Conversation
from chatsearch.engines import find_spec
from chatsearch.errors import ChatsearchError, SpecError
from chatsearch.events import Answered, AnswerToken, Finished, Warned
from chatsearch.pipeline import Pipeline
from chatsearch.restriction import without_note
from chatsearch.results import Answer, ResultSet, RunWarning
from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.terminal_completion import LEAVING
from chatsearch.terminal_editor import edited, editor
from chatsearch.terminal_interrupt import Left, Stopped, on_interrupt, stoppable
from chatsearch.terminal_list import Listed, listed
from chatsearch.terminal_prompt import Interrupted, Lines, PipedLines, TypedLines
from chatsearch.terminal_reply import show_blocks, show_offers, show_styled_blocks, write_file
from chatsearch.terminal_results import KeptResults

log = logging.getLogger(__name__)

T = TypeVar("T")

_MOST_LISTED = 50
_LEAVE = "Ctrl-C again, or Ctrl-D, leaves."


async def chat_in_terminal(services: Services, reference: str) -> None:
    """Talk until the end of input: the first line searches, later ones ask, those with a slash are commands."""
    console, err = Console(highlight=False), Console(stderr=True, highlight=False)
    session = session_of(services, find_spec(reference, services))
    typed = sys.stdin.isatty() and sys.stdout.isatty()
    lines: Lines = TypedLines(session, services.settings.data_dir) if typed else PipedLines()
    chat = TerminalChat(session, lines, console, err, typed=typed)
    terminal.show_welcome(console, session.spec)
    try:
        await chat.talk()
    finally:
        await chat.close()
        await services.close()


def session_of(services: Services, spec: Spec) -> Session:
    """A chat of the person who runs the program: files can be loaded, and nothing of the settings is hidden."""

    async def find(reference: str) -> Spec:
        return await asyncio.to_thread(find_spec, reference, services)

    return Session(services, spec, spec.name, find=find, administrator=True)


@dataclass
class TerminalChat:
    """One chat. `typed`: a person sits at it, so that offers are numbered, and Enter and Ctrl-C mean something."""

    session: Session
    lines: Lines
    console: Console
    err: Console
    typed: bool = True
    kept: KeptResults = field(init=False)
    _offers: list[Offer] = field(default_factory=list)
    _again: str = ""
    _pressed: bool = False

    def __post_init__(self) -> None:
        # no engine's name: what a chat here finds is not to be a page on a server that has the same store
        memory = Memory(self.session.services, f"terminal-{uuid.uuid4().hex}", engine="/terminal")
        self.session.result_sets = self.kept = KeptResults(memory)

    async def talk(self) -> None:
        """Hear lines until one of them, or a second Ctrl-C, ends it."""
        while True:
            try:
                line = await self.lines.read()
            except Interrupted:
                if self._pressed:
                    return
                self._pressed = True
                self.console.print(_LEAVE, style="dim")
                continue
            if line is None or line.strip().casefold() in LEAVING:
                return
            self._pressed = False
            try:
                await self.hear(line)
            except Left:
                return

    async def hear(self, line: str) -> None:
        """Do what a line asks for; every error is shown, and the chat goes on. Raises Left."""
        content = self._meant(line.strip())
        if not content:
            return
        self._offers, self._again = [], ""
        try:
            await self._do(content)
        except Stopped:
            self.console.print("Stopped.", style="yellow")
            self._pressed = True
        except ChatsearchError as error:
            terminal.show_error(self.console, error.message)
        except Left:
            raise
        except Exception as error:
            log.exception("a line was not answered")
            what = f"Something unexpected went wrong ({type(error).__name__}: {error}). Your results are still here."
            terminal.show_error(self.console, f"{what} `chatsearch -v chat` shows the traceback.")
        self._tell_trouble()

    async def close(self) -> None:
        """Wait until what was found is kept."""
        await self.kept.settled()
        self._tell_trouble()

    def _tell_trouble(self) -> None:
        trouble = self.kept.trouble()
        terminal.show_warnings(self.err, [RunWarning(0, "", "not-kept", trouble)] if trouble else [])

    def _meant(self, typed: str) -> str:
        """The message of a line: of a number the offer, of an empty line the query to run again, of JSON that it is opened."""
        if self.typed and typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(self._offers):
            return self._offers[int(typed) - 1].command
        if self.typed and not typed and self._again:
            return f"/search {self._again}"
        return f"/load {typed}" if typed.startswith("{") and '"pipeline"' in typed else typed

    async def _do(self, content: str) -> None:
        before = self.session.results
        reply = await self._stoppable(respond(self.session, content))
        if self.session.results is not before:
            self.session.answers = list(self.kept.answers) if self.session.results is not None else []
        await self._show(reply)
        if reply.search:
            await self._search(reply.search)
        elif reply.ask:
            await self._ask(reply.ask)
        elif reply.view_changed and self.session.results is not None:
            terminal.show_list(self.console, self.session.results, await self._listed(self.session.results))

    async def _show(self, reply: Reply) -> None:
        (show_styled_blocks if self.typed else show_blocks)(self.console, reply)
        for block in reply.blocks:
            if isinstance(block, File):
                path = await asyncio.to_thread(write_file, block, Path.cwd())
                self.console.print(Text(f"Written: {terminal.plain_text(str(path))}"), soft_wrap=True)
            elif isinstance(block, Form) and self.typed:
                await self._edit(block.json)
        if self.typed:
            self._offer([block for block in reply.blocks if isinstance(block, Offer)], reply.run_again)

    def _offer(self, offers: list[Offer], again: str = "") -> None:
        if not offers and not again:
            return
        self._offers, self._again = offers, again
        show_offers(self.console, offers)
        how = [*(["Type a number to choose."] if offers else []), *(["Enter alone searches again."] if again else [])]
        self.console.print(Text(f"  {' '.join(how)}", style="dim"))

    async def _search(self, query: str) -> None:
        session, started, stop = self.session, time.perf_counter(), asyncio.Event()
        finished = await self._stoppable(self._run(query, stop), stop.set)
        if finished.cancelled and not len(finished.results):
            raise Stopped
        session.searched_for(query, finished.results)
        self.kept.keep(finished.results, session.spec)
        seconds = time.perf_counter() - started
        terminal.show_results(self.console, finished.results, seconds, await self._listed(finished.results))
        self._pressed = finished.cancelled

    async def _run(self, query: str, stop: asyncio.Event) -> Finished:
        steps = terminal.LiveSteps(self.err)
        with steps.shown():
            async for event in Pipeline(self.session.services).run(self.session.spec, query, cancel=stop):
                steps.show(event)
                if isinstance(event, Finished):
                    return event
        raise AssertionError("a run ends with Finished or raises")

    async def _listed(self, results: ResultSet) -> Listed:
        session, most = self.session, _MOST_LISTED if self.typed else None
        return await self._stoppable(listed(results, session.spec.engine.display, session.services, session.view, most))

    async def _ask(self, question: str) -> None:
        session, streamed = self.session, terminal.Streamed()
        assert session.results is not None
        talk = Conversation(session.services, session.spec, session.results, session.answers)
        try:
            answer = await self._stoppable(self._answer(talk, question, streamed))
        except BaseException:
            if streamed.text:  # what was said stays
                self.console.print(Text(streamed.text))
            raise
        self.kept.add(answer)
        terminal.show_answer(self.console, answer, asked=not self.typed)
        if self.typed and answer.refused:
            query = without_note(answer.understood_as)
            self._offer([Offer(f"Search “{query}”", f"/search {query}")])

    async def _answer(self, talk: Conversation, question: str, streamed: terminal.Streamed) -> Answer:
        with terminal.live(self.console, streamed):
            async for event in talk.ask(question):
                if isinstance(event, Warned):
                    terminal.show_warnings(self.err, [event.warning])
                elif isinstance(event, AnswerToken):
                    streamed.add(event)
                elif isinstance(event, Answered):
                    return event.answer
        raise AssertionError("a follow-up ends with Answered or raises")

    async def _edit(self, text: str) -> None:
        """Hand the JSON to the person's editor until it is right, or given up."""
        command = editor()
        if not command:
            self.console.print("There is no editor: set EDITOR, such as EDITOR=nano. /set N.PARAMETER VALUE changes one value.")
            return
        while (changed := await self._edited(text, command)) != text:
            try:
                reply = await apply_edit(self.session, changed)
            except SpecError as error:
                terminal.show_error(self.console, error.message)
            else:
                await self._show(reply)
                return
            answer = await self.lines.read("Edit it again? [Y/n] ")
            if answer is None or answer.strip().casefold() not in ("", "y", "yes"):
                break
            text = changed
        self.console.print("Nothing was changed.")

    async def _edited(self, text: str, command: list[str]) -> str:
        with on_interrupt(lambda: None):  # Ctrl-C is the editor's
            return await edited(text, command)

    async def _stoppable(self, work: Coroutine[None, None, T], stop: Callable[[], object] | None = None) -> T:
        """As `stoppable`; where nobody types, Ctrl-C ends the program as it ends any in a pipe."""
        return await (stoppable(work, stop) if self.typed else work)
