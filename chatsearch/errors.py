"""Every error that chatsearch raises on purpose, as one tree; each class says who sees it.

ChatsearchError               whoever ran the command or sent the request: message and exit code 1
├── InputError                the person who typed a query, a question or a command
│   ├── UnknownEngineError    no engine of that name, id or URL (engines.py)
│   └── RevokedEngineError    its owner took it back (engines.py)
├── NotOwnerError             the person who changes a saved engine with another token than its owner's (store/engines.py)
├── SpecError                 the person who edits an engine: all problems of the spec at once
├── ModuleError               the person who searches, with the step it happened in
│   ├── MissingColumnError    a step reads a column that no earlier step gives
│   └── SourceError           a data source gave nothing; a warning while another source answers
├── LocalIndexError           the person who builds or searches an index of this machine
│   ├── IndexNotFoundError    no index of that name
│   ├── IndexDamagedError     its files cannot be read
│   └── IndexMismatchError    it was made by another format or another embedding model
├── ReadError                 the person who gave a file to be indexed
├── ModelError                a model is unknown, cannot be loaded, or its file is not the one expected
│   └── ModelAnswerError      a model answered, and the answer is of no use
├── DataDirectoryError        the administrator: the data directory cannot be read or written
└── StoreError                the administrator: the store cannot be opened, read or written, or does not hold what was named

A message says what happened, where, and what to do next. Cancellation is `asyncio.CancelledError`, never one of these.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class ChatsearchError(Exception):
    """Shown as it stands to whoever ran the command; `code` names the kind for programs."""

    code = "error"

    @property
    def message(self) -> str:
        return str(self)


class InputError(ChatsearchError):
    """Shown to the person who typed the query or the question."""

    code = "input"


@dataclass(frozen=True)
class SpecProblem:
    """One thing wrong in a spec. `where` is a path such as `pipeline.2.parameters.k`."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class SpecError(ChatsearchError):
    """Shown to the person who edits an engine; carries every problem of the spec, not only the first.

    `notices` is what was ignored in it (a misspelt parameter), which alone would be no error; the message has it too.
    """

    code = "spec"

    def __init__(self, problems: Sequence[SpecProblem], name: str = "", notices: Sequence[str] = ()) -> None:
        self.problems = tuple(problems)
        self.notices = tuple(notices)
        count = len(self.problems)
        head = f"The spec{f' {name}' if name else ''} has {'a problem' if count == 1 else f'{count} problems'}:"
        ignored = ["Ignored in it:", *(f"  {notice}" for notice in self.notices)] if self.notices else []
        super().__init__("\n".join([head, *(f"  {problem}" for problem in self.problems), *ignored]))


class ModuleError(ChatsearchError):
    """Shown to the person who searches: a step could not do its work."""

    code = "module"


class MissingColumnError(ModuleError):
    """A step reads a column that is not there; the message lists those that are."""

    code = "missing-column"


class SourceError(ModuleError):
    """A data source failed: a warning while another source answers, else the error of the search."""

    code = "source"


class LocalIndexError(ChatsearchError):
    """Shown to the person who builds or searches an index of this machine."""

    code = "index"


class IndexNotFoundError(LocalIndexError):
    """No index of that name in the data directory."""

    code = "index-not-found"


class IndexDamagedError(LocalIndexError):
    """The files of an index cannot be read, or contradict its manifest."""

    code = "index-damaged"


class IndexMismatchError(LocalIndexError):
    """An index of another format version, or of an embedding model that is not at hand."""

    code = "index-mismatch"


class ReadError(ChatsearchError):
    """Shown to the person who gave a file to be indexed: it cannot be read at all."""

    code = "read"


class ModelError(ChatsearchError):
    """A model is unknown, cannot be loaded, or its file is not the one expected."""

    code = "model"


class ModelAnswerError(ModelError):
    """A model answered, and the answer is of no use: the step keeps what there was and says so."""

    code = "model-answer"


class DataDirectoryError(ChatsearchError):
    """Shown to the administrator: the data directory cannot be read or written."""

    code = "data-directory"


class StoreError(ChatsearchError):
    """Shown to the administrator: the store cannot be opened, read or written, or does not hold what was named."""

    code = "store"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word`, whatever its case, or None when none is like it."""
    words = {one.casefold(): one for one in reversed(list(known))}
    matches = difflib.get_close_matches(word.casefold(), list(words), n=1, cutoff=0.6)
    return words[matches[0]] if matches else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` Did you mean “x”?`, or nothing when no known word is near: to be added to a message."""
    match = nearest(word, known)
    return f" Did you mean “{match}”?" if match else ""
