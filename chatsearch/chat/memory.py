"""What a chat keeps beyond the server's life: its result sets and the answers about them, in the store."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from chatsearch.errors import InputError, StoreError

if TYPE_CHECKING:
    from chatsearch.results import Answer, ResultSet
    from chatsearch.services import Services
    from chatsearch.spec import Spec
    from chatsearch.store.store import ResultSetLine, StoredResults

log = logging.getLogger(__name__)


def chat_name(session: str) -> str:
    """What a browser's chat is called in the store: whoever reads the store cannot take up the chat with it."""
    return sha256(session.encode()).hexdigest()[:32]


def changed(engine: str) -> str:
    """What the results of a changed pipeline are filed under: they are not the engine's own."""
    return f"{engine}/changed"


@dataclass
class Memory:
    """The result sets of one chat with one engine. A store that fails is logged, and never in the way of an answer.

    `trouble` is what the person should be told of it, once; empty when all is kept.
    """

    services: Services
    chat: str
    engine: str
    trouble: str = ""
    _current: str = field(default="", repr=False)

    async def keep(self, results: ResultSet, spec: Spec, identifier: str, *, own: bool = True) -> None:
        """A new result set under that id, which becomes the chat's current one; `own`: the engine's pipeline is unchanged."""
        self._current = ""
        engine = self.engine if own else changed(self.engine)
        try:
            store = await self.services.store()
            self._current = await store.save_results(results, chat=self.chat, engine=engine, spec=spec.data, id=identifier)
        except StoreError as error:
            self._failed(error)
        except Exception as error:  # whatever it is, the chat goes on
            log.exception("a result set could not be kept")
            self._failed(error)

    async def add(self, answer: Answer) -> None:
        """An answer about the current result set; nothing when that could not be kept."""
        if not self._current:
            return
        try:
            await (await self.services.store()).add_answer(self._current, answer)
        except StoreError as error:
            self._failed(error)

    async def put_away(self) -> None:
        """The person put the results away: the next message searches, after a restart too."""
        self._current = ""
        try:
            await (await self.services.store()).put_away(self.chat)
        except StoreError as error:
            self._failed(error)

    async def current(self) -> StoredResults | None:
        """What the chat was about when it was last heard of; None for a new chat."""
        try:
            stored = await (await self.services.store()).current(self.chat)
        except StoreError as error:
            self._failed(error)
            return None
        self._current = stored.id if stored else ""
        return stored

    async def sets(self) -> Sequence[ResultSetLine]:
        """All of the chat, oldest first. Raises StoreError."""
        return await (await self.services.store()).sets_of(self.chat)

    async def go_back(self, n: int) -> StoredResults:
        """The n-th result set of the chat (1 is the first), now its current one. Raises InputError and StoreError."""
        store = await self.services.store()
        lines = await store.sets_of(self.chat)
        if not 1 <= n <= len(lines):
            there = f"There are {len(lines)}" if len(lines) > 1 else "There is one" if lines else "There is none"
            raise InputError(f"There is no result set {n} in this chat. {there}; /results lists them.")
        chosen = lines[n - 1].id
        stored = await store.load_results(chosen)
        if stored is None or not await store.make_current(self.chat, chosen):
            raise InputError(f"Result set {n} is no longer kept. Search again: “{lines[n - 1].asked}”.")
        self._current = chosen
        return stored

    @property
    def current_set(self) -> str:
        """The id that the current result set is kept under; empty when it is not kept."""
        return self._current

    def is_current(self, line: ResultSetLine) -> bool:
        return line.id == self._current

    def _failed(self, error: Exception) -> None:
        log.warning("a chat is not kept: %s", error)
        self.trouble = self.trouble or "This chat cannot be kept just now; it is lost when the server restarts."
