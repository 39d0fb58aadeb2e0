"""What the commands of one chat work on: its spec with everything that was undone, its results, how its list is shown."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from chatsearch.commands.differences import differences
from chatsearch.commands.reply import Changed
from chatsearch.commands.view import ListView
from chatsearch.errors import InputError, SpecError, SpecProblem
from chatsearch.results import Answer, ResultSet
from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.spec_problems import secrets_in

_MOST_UNDONE = 100
_MOST_STEPS = 200
_MOST_CHARACTERS = 5_000_000


@dataclass(frozen=True)
class ResultLine:
    """An earlier result set of a chat: `n` is what `/results n` takes, 1 is the first."""

    n: int
    query: str
    documents: int
    current: bool = False


class ResultSets(Protocol):
    """The result sets of a chat, kept by whoever can keep them."""

    async def lines(self) -> Sequence[ResultLine]:
        """Oldest first."""

    async def go_back(self, n: int) -> ResultSet:
        """The n-th, which later questions are answered from. Raises InputError when there is none."""


@dataclass(frozen=True)
class Opened:
    """A spec with where it came from: the spec as it was opened, and the id of its engine."""

    spec: Spec
    opened: Spec
    engine: str


@dataclass
class Session:
    """One chat. What a person changes here is this session's alone.

    `opened` is the spec as it was loaded, which `/reset` goes back to; `find` is how `/load` and `/diff` come by an engine
    (the built-in ones and JSON texts, unless a surface gives another). `administrator` is true where the person runs the
    program: only then `/config` shows paths and addresses of servers. `address` is where this server is for people (such as
    `https://search.example.org`; empty when there is none), `tokens` are the edit tokens of the engines saved in this chat.
    """

    services: Services
    spec: Spec
    engine: str = ""
    opened: Spec = field(init=False)
    last_query: str = ""
    results: ResultSet | None = None
    answers: list[Answer] = field(default_factory=list)
    view: ListView = field(default_factory=ListView)
    find: Callable[[str], Awaitable[Spec]] | None = None
    result_sets: ResultSets | None = None
    administrator: bool = False
    address: str = ""
    tokens: dict[str, str] = field(default_factory=dict, repr=False)
    searched: Spec | None = None
    _past: list[Opened] = field(default_factory=list, repr=False)
    _future: list[Opened] = field(default_factory=list, repr=False)
    _locked_here: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.opened = self.spec
        self._locked_here = not self.spec.engine.permissions.edit

    @property
    def locked(self) -> bool:
        """Whether the owner of the opened engine allows no changes; what a visitor writes into a spec locks nothing.

        Who has the engine's edit token is its owner.
        """
        return not self.opened.engine.permissions.edit and self.engine not in self.tokens

    def check_unlocked(self) -> None:
        """Raises InputError when the engine may not be changed."""
        if self.locked:
            raise InputError(
                f"The owner of “{self.opened.title}” has locked this engine (permissions.edit is false): it can be searched and "
                "read with /spec, but not changed. Ask its owner, or open another engine."
            )

    def check_may_leave(self) -> None:
        """Raises InputError when this chat belongs to a locked engine, which no other one may take the place of."""
        if self._locked_here:
            self.check_unlocked()

    def searched_for(self, query: str, results: ResultSet) -> None:
        """After a search: its results are what later commands work on."""
        self.last_query, self.results, self.searched = query, results, self.spec
        self.answers = []

    def checked(self, data: object) -> Spec:
        """The spec of that data. Raises SpecError with all its problems, a new secret and too large a size included."""
        data = dict(data) if isinstance(data, Mapping) else data
        spec = Spec.load(data, self.services.registry, self.spec.name)
        secrets = secrets_in(data)
        if secrets and len(secrets) >= (len(secrets_in(self.spec.data)) or 1):
            raise SpecError(secrets, self.spec.name)
        return within_limits(spec, self.services.settings.max_spec_bytes)

    def change(self, data: object) -> tuple[Changed, ...]:
        """Make `data` the spec, if it is right; returns what changed, nothing when it means the same.

        Raises InputError when the engine is locked and SpecError when the spec is wrong; nothing is changed then.
        """
        self.check_unlocked()
        spec = self.checked(data)
        changed = differences(self.spec, spec)
        if changed:
            self._keep()
            self.spec = spec
        return changed

    def open(self, spec: Spec, engine: str) -> tuple[Changed, ...]:
        """Another engine takes this one's place; it can be undone. Raises InputError when this chat's engine is locked."""
        self.check_may_leave()
        changed = differences(self.spec, spec)
        self._keep()
        self.spec = self.opened = spec
        self.engine = engine
        return changed

    def saved_as(self, spec: Spec, engine: str) -> bool:
        """The spec is saved under that id: nothing is unsaved, and what is undone from here is a change of that engine.

        Returns whether saving changed the spec, as a new title does; that can be undone.
        """
        before, changed = self.engine, spec.digest != self.spec.digest
        if changed:
            self._keep()
            self.spec = spec
        self.opened = self.spec
        self.engine = engine
        for kept in (self._past, self._future):
            kept[:] = [replace(one, engine=engine) if one.engine == before else one for one in kept]
        return changed

    def undo(self) -> tuple[Changed, ...]:
        """The spec as it was before the last change; returns what changed by that. Raises InputError when there is none."""
        return self._go(self._past, self._future, "There is nothing to undo: this is the engine as it was opened.")

    def redo(self) -> tuple[Changed, ...]:
        """The last change that was undone, again. Raises InputError when there is none."""
        return self._go(self._future, self._past, "There is nothing to redo: the last change was not undone.")

    def _go(self, source: list[Opened], other: list[Opened], nothing: str) -> tuple[Changed, ...]:
        self.check_may_leave()
        if not source:
            raise InputError(nothing)
        before = self.spec
        other.append(Opened(self.spec, self.opened, self.engine))
        to = source.pop()
        self.spec, self.opened, self.engine = to.spec, to.opened, to.engine
        return differences(before, self.spec)

    def _keep(self) -> None:
        """Remember the present spec for undoing, within limits: a session lives in the server's memory."""
        self._future.clear()
        self._past.append(Opened(self.spec, self.opened, self.engine))
        sizes = [len(_text(one.spec)) for one in self._past]
        while len(self._past) > 1 and (len(self._past) > _MOST_UNDONE or sum(sizes) > _MOST_CHARACTERS):
            del self._past[0], sizes[0]


def within_limits(spec: Spec, most_bytes: int) -> Spec:
    """The spec itself. Raises SpecError when it is too long, or has more steps than any pipeline: every change compares them."""
    size = len(_text(spec).encode())
    if size > most_bytes:
        raise SpecError([SpecProblem("", f"it would be {size:,} bytes long; at most {most_bytes:,} are read.")], spec.name)
    if len(spec.steps) > _MOST_STEPS:
        raise SpecError(
            [SpecProblem("pipeline", f"it has {len(spec.steps):,} steps; at most {_MOST_STEPS} are taken.")], spec.name
        )
    return spec


def _text(spec: Spec) -> str:
    return json.dumps(dict(spec.data), ensure_ascii=False)
