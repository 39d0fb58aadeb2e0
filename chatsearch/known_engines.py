"""The engines that a server shows, by id: the default one, the built-in ones, and the saved ones in their newest version."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chatsearch.chat.logo import look_problems
from chatsearch.engines import (
    UnknownEngineError,
    built_in_engines,
    find_spec,
    load_stored,
    may_be_saved,
    read_spec,
    revoked,
    spec_file,
)
from chatsearch.errors import ChatsearchError, StoreError
from chatsearch.services import Services
from chatsearch.spec import Spec

log = logging.getLogger(__name__)

_MOST_KEPT = 200
"""Saved engines whose spec a process remembers."""


@dataclass(frozen=True)
class PublicEngines:
    """A page of the gallery: ids with specs. `more` follow; `trouble` when the saved ones could not be read."""

    engines: Sequence[tuple[str, Spec]]
    more: bool = False
    trouble: bool = False


@dataclass
class KnownEngines:
    """One per process; `open` makes it. A chat that was begun keeps the spec that it was given."""

    services: Services
    default: Spec
    default_is_saved: bool = False
    _files: dict[str, Path] = field(default_factory=built_in_engines)
    _built_in: dict[str, Spec] = field(default_factory=dict)
    _saved: OrderedDict[str, tuple[int, Spec]] = field(default_factory=OrderedDict)

    def __post_init__(self) -> None:
        _log_look(self.default, self.services)

    @classmethod
    def open(cls, services: Services, default: str) -> KnownEngines:
        """With the engine of `/`, as the settings name it. Blocking. Raises ChatsearchError when it cannot be had."""
        spec = find_spec(default, services)
        return cls(services, spec, default_is_saved=_is_saved(default, services))

    async def find(self, id: str = "") -> Spec:  # noqa: A002
        """The spec of an engine as it is now; the default one without an id.

        Raises UnknownEngineError, RevokedEngineError, SpecError when its spec is not right (any more), and StoreError.
        """
        wanted = id or self.default.name
        if wanted == self.default.name and not self.default_is_saved:
            return self.default
        if wanted in self._files:
            return await self._of_a_file(wanted)
        if not may_be_saved(wanted, self.services):
            raise UnknownEngineError(f"There is no engine “{wanted[:60]}” here.")
        return await self._newest(wanted)

    async def public(self, page: int = 1, size: int = 60) -> PublicEngines:
        """The engines to show to everybody: the default one and the built-in ones on page 1, then the saved public ones."""
        first = [found for name in self._own() if (found := await self._or_none(name)) is not None] if page == 1 else []
        try:
            store = await self.services.store()
            lines = await store.engines.list_public(limit=size + 1, offset=(page - 1) * size)
        except StoreError as error:
            log.warning("the gallery has no saved engines: %s", error)
            return PublicEngines(first, trouble=True)
        shown = [await self._or_none(line.id, line.version) for line in lines[:size] if line.id != self.default.name]
        return PublicEngines([*first, *filter(None, shown)], more=len(lines) > size)

    def _own(self) -> list[str]:
        return list(dict.fromkeys([self.default.name, *self._files]))

    async def _or_none(self, id: str, version: int | None = None) -> tuple[str, Spec] | None:  # noqa: A002
        """An engine of a list, saved ones in this version; one that cannot be opened is left out, and the log says why."""
        try:
            return id, await (self.find(id) if version is None else self._of_version(id, version))
        except ChatsearchError as error:
            log.warning("the engine %s is not listed: %s", id, error)
            return None

    async def _of_a_file(self, name: str) -> Spec:
        if name not in self._built_in:
            self._built_in[name] = await asyncio.to_thread(read_spec, self._files[name], self.services)
        return self._built_in[name]

    async def _newest(self, id: str) -> Spec:  # noqa: A002
        """The newest version of a saved engine; the store is asked each time which one that is."""
        engines = (await self.services.store()).engines
        state = await engines.state(id)
        if state is None:
            raise UnknownEngineError(f"There is no engine “{id[:60]}” here.")
        version, is_revoked = state
        if is_revoked:
            self._saved.pop(id, None)
            raise revoked(id)
        return await self._of_version(id, version)

    async def _of_version(self, id: str, version: int) -> Spec:  # noqa: A002
        """A version of a saved engine, checked once."""
        kept = self._saved.get(id)
        if kept is None or kept[0] != version:
            stored = await (await self.services.store()).engines.get(id, version)
            if stored is None:
                raise UnknownEngineError(f"There is no engine “{id[:60]}” here.")
            kept = version, await asyncio.to_thread(load_stored, stored, self.services)
            _log_look(kept[1], self.services)
        self._saved[id] = kept
        self._saved.move_to_end(id)
        while len(self._saved) > _MOST_KEPT:
            self._saved.popitem(last=False)
        return kept[1]


def _log_look(spec: Spec, services: Services) -> None:
    """What of a spec's look is not shown as it says; the page itself has the usual colour and no logo then."""
    for problem in look_problems(spec, services.settings):
        log.warning("the engine %s: %s", spec.name, problem)


def _is_saved(reference: str, services: Services) -> bool:
    """Whether what `find_spec` found was neither a file nor built in."""
    if not may_be_saved(reference, services):
        return False
    try:
        spec_file(reference)
    except ChatsearchError:
        return True
    return False
