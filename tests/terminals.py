"""The chat in a pseudo-terminal (PROGRAM is what runs in it, `Terminal` the person at it), and line by line (`shown`)."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType

from rich.console import Console

from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.terminal_chat import TerminalChat, session_of
from tests.sources import document

CTRL_C, CTRL_D, TAB, ENTER = "\x03", "\x04", "\t", "\r"

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [
    document("a", "Tesla died in New York on 7 January 1943.", title="Nikola Tesla", language="en"),
    document("b", "Warsaw lies on the Vistula.", title="Warsaw", language="en"),
]
ENGINE = {"title": "Two documents", "pipeline": {"1": {"id": "patient_datasource"}}}
SECONDS = 60  # on a busy machine

_WHERE_IS_THE_CURSOR = b"\x1b[6n"  # a terminal answers with row and column, else no toolbar is drawn
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>()][B0]?")


PROGRAM = """
import asyncio, contextlib, fcntl, json, sys, termios
from functools import cached_property
from pathlib import Path
from typing import ClassVar

with contextlib.suppress(OSError):
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C is a signal

from chatsearch.module import DataSource, Hits
from chatsearch.registry import Registry
from chatsearch.services import Services
from chatsearch.settings import load_settings
from chatsearch.terminal_chat import chat_in_terminal

class Patient(DataSource):
    "Gives the documents of the test, and never any to a query about slowness."
    id: ClassVar[str] = "patient_datasource"
    name: ClassVar[str] = "Patient"
    def label(self):
        return self.id
    async def fetch(self, query, run):
        if "slow" in query:
            await asyncio.Event().wait()
        return Hits(json.loads(sys.argv[3]))

class WithPatient(Registry):
    @cached_property
    def modules(self):
        return {**super().modules, Patient.id: Patient}

asyncio.run(chat_in_terminal(Services(load_settings(data_dir=Path(sys.argv[1])), WithPatient()), sys.argv[2]))
"""


class Terminal:
    """The chat on a terminal of 100 columns, as a person sees it: `seen` is all it has written, without escape sequences."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self._read = 0
        self._raw = b""
        self.folder = folder
        spec = folder / "two.json"
        spec.write_text(json.dumps(ENGINE), encoding="utf-8")
        self._fd, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        own = {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(folder / "data"), str(spec), json.dumps(DOCUMENTS)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env={**os.environ, **own, **environment},
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._fd)

    @property
    def seen(self) -> str:
        return _ESCAPE.sub("", self._raw.decode("utf-8", errors="replace")).replace("\r", "")

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def say(self, line: str, expected: str) -> str:
        """Type a line at the prompt; what is written until `expected`, which the line itself must not hold."""
        assert expected not in line
        self.type(line + ENTER)
        return self.until(expected)

    def until(self, expected: str) -> str:
        """What is written from the last time on until `expected`, included."""
        deadline = time.monotonic() + SECONDS
        while (found := self.seen.find(expected, self._read)) < 0:
            assert time.monotonic() < deadline, f"no {expected!r} in:\n{self.seen[self._read :]}"
            if not self._more():
                raise AssertionError(f"the chat ended before {expected!r}:\n{self.seen[self._read :]}")
        start, self._read = self._read, found + len(expected)
        return self.seen[start : self._read]

    def ended(self) -> int:
        """The status the program ends with, all of its output being read."""
        deadline = time.monotonic() + SECONDS
        while self._more():
            assert time.monotonic() < deadline, f"the chat does not end:\n{self.seen[self._read :]}"
        return self.process.wait(SECONDS)

    def _more(self) -> bool:
        ready, _, _ = select.select([self._fd], [], [], 1)
        if not ready:
            return True
        data = b""
        with contextlib.suppress(OSError):  # how Linux says that nobody has the other end open any more
            data = os.read(self._fd, 65536)
        self._raw += data
        for _ in range(data.count(_WHERE_IS_THE_CURSOR)):
            self.type("\x1b[1;1R")
        return bool(data)


class Script:
    """Lines that a test wrote down; None is the end, an exception is raised."""

    def __init__(self, *lines: str | Exception) -> None:
        self.lines = list(lines)
        self.asked: list[str] = []

    async def read(self, message: str = "") -> str | None:
        self.asked += [message] if message else []
        line = self.lines.pop(0) if self.lines else None
        if isinstance(line, Exception):
            raise line
        return line


async def shown(services: Services, spec: Spec, *lines: str | Exception, typed: bool = True) -> str:
    """What a chat of these lines shows, on a terminal that takes no colours."""
    written = io.StringIO()
    console = Console(file=written, width=100, highlight=False)
    chat = TerminalChat(session_of(services, spec), Script(*lines), console, console, typed=typed)
    await chat.talk()
    await chat.close()
    await services.close()
    assert "\x1b" not in written.getvalue()
    return written.getvalue()
