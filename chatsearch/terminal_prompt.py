"""The lines a person types into the terminal chat: a prompt with history and completion, or plain lines from a pipe."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from chatsearch.commands.session import Session
from chatsearch.spec_problems import secrets_in
from chatsearch.terminal import plain_text
from chatsearch.terminal_completion import candidates

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.history import History
    from prompt_toolkit.key_binding import KeyBindings

log = logging.getLogger(__name__)

HISTORY = "terminal_history"
"""The file in the data directory that keeps what was typed; only its owner may read it."""

_EDIT_TOKEN = "token="  # noqa: S105 - as /save and /revoke take it
_LONGEST_KEPT = 10_000  # characters of a line in the history: pasted engines are not kept


class Interrupted(Exception):  # noqa: N818 - no error
    """Ctrl-C was pressed where there was nothing to stop."""


class Lines(Protocol):
    """Where lines come from."""

    async def read(self, message: str = "") -> str | None:
        """The next line; None at the end. `message` asks for a line that answers it. Raises Interrupted."""


class PipedLines:
    """The lines of standard input, as they are."""

    async def read(self, message: str = "") -> str | None:
        return await asyncio.to_thread(self._line, message)

    def _line(self, message: str) -> str | None:
        try:
            return input((message or "\n> ") if sys.stdin.isatty() else "")
        except EOFError:
            return None


class TypedLines:
    """A prompt with completion, history, and a toolbar that says which engine this is and how many results there are."""

    def __init__(self, session: Session, data_dir: Path) -> None:
        from prompt_toolkit import PromptSession

        self._session = session
        keys = _keys()
        self._prompt: PromptSession[str] = PromptSession(
            completer=_completer(session),
            history=history_in(data_dir),
            key_bindings=keys,
            bottom_toolbar=self._toolbar,
            interrupt_exception=Interrupted,
        )
        self._question: PromptSession[str] = PromptSession(key_bindings=keys, interrupt_exception=Interrupted)

    async def read(self, message: str = "") -> str | None:
        try:
            return await (self._question.prompt_async(message) if message else self._prompt.prompt_async("\n> "))
        except EOFError:
            return None

    def _toolbar(self) -> StyleAndTextTuples:
        return [("", f" {toolbar(self._session)} ")]


def toolbar(session: Session) -> str:
    """`Wikipedia sample · 10 results`."""
    results = session.results
    count = "no results yet" if results is None else "1 result" if len(results) == 1 else f"{len(results)} results"
    return f"{plain_text(' '.join(session.spec.title.split()))[:60]} · {count}"


def history_in(data_dir: Path) -> History:
    """The lines of earlier chats, in a file that only its owner may read; none are kept where it cannot be written."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    class Kept(FileHistory):
        def store_string(self, string: str) -> None:
            if len(string) > _LONGEST_KEPT or _EDIT_TOKEN in string.casefold() or secrets_in(string):
                return
            try:
                super().store_string(string)
            except OSError as error:
                log.warning("a line is not kept in %s: %s", self.filename, error)

    path = data_dir / HISTORY
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
        path.chmod(0o600)  # also where it was made by hand
        path.read_bytes()
    except OSError as error:
        log.warning("lines are not kept in %s: %s", path, error)
        return InMemoryHistory()
    return Kept(path)


def unfinished_json(text: str) -> bool:
    """Whether a text ends within the JSON of an engine, so that Enter is a new line; an empty line ends it all the same."""
    typed = text.strip()
    _, load, argument = typed.partition("/load")
    value = argument.strip() if load and typed.startswith("/load") else typed
    if not value.startswith(("{", "[")) or text.endswith("\n"):
        return False
    try:
        json.loads(value)
    except json.JSONDecodeError as error:
        return error.pos >= len(value)
    except RecursionError:
        return False
    return False


def _keys() -> KeyBindings:
    """Ctrl-C empties the line, and interrupts when it is empty; Enter goes on within the JSON of an engine."""
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

    keys = KeyBindings()

    @keys.add("c-c")
    @keys.add("<sigint>")
    def interrupt(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=Interrupted(), style="class:aborting")

    @keys.add("enter", filter=Condition(lambda: unfinished_json(get_app().current_buffer.text)))
    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    return keys


def _completer(session: Session) -> Completer:
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document

    class FromSession(Completer):
        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
            for one in candidates(session, document.text_before_cursor):
                yield Completion(one.text, start_position=-one.replaces, display_meta=one.meaning)

    return FromSession()
