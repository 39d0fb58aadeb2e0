"""The result sets of a terminal chat, kept in the store while the person goes on."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chatsearch.chat.memory import Memory
from chatsearch.commands.session import ResultLine

if TYPE_CHECKING:
    from chatsearch.results import Answer, ResultSet
    from chatsearch.spec import Spec


@dataclass
class KeptResults:
    """What `/results` lists and goes back to. Saving happens in the background, in order; a store that fails is told, once.

    `answers` are those about the result set that was gone back to last.
    """

    memory: Memory
    answers: list[Answer] = field(default_factory=list)
    _saving: asyncio.Task[None] | None = field(default=None, repr=False)
    _told: bool = field(default=False, repr=False)

    def keep(self, results: ResultSet, spec: Spec) -> None:
        """A new result set, which becomes the current one."""
        self._later(self.memory.keep(results, spec, uuid.uuid4().hex))

    def add(self, answer: Answer) -> None:
        """An answer about the current one."""
        self._later(self.memory.add(answer))

    async def settled(self) -> None:
        """Wait until all is kept."""
        if self._saving is not None:
            await asyncio.shield(self._saving)

    def trouble(self) -> str:
        """What to tell the person, the first time: that something could not be kept."""
        if self._told or not self.memory.trouble:
            return ""
        self._told = True
        return "The results of this chat cannot be kept, so /results does not go back to them. `chatsearch -v chat` says why."

    async def lines(self) -> Sequence[ResultLine]:
        """Oldest first. Raises StoreError."""
        await self.settled()
        sets = await self.memory.sets()
        return [
            ResultLine(n, one.asked, one.documents, current=self.memory.is_current(one)) for n, one in enumerate(sets, start=1)
        ]

    async def go_back(self, n: int) -> ResultSet:
        """The n-th, with `answers`. Raises InputError when there is none, and StoreError."""
        await self.settled()
        stored = await self.memory.go_back(n)
        self.answers = list(stored.answers)
        return stored.results

    def _later(self, work: Coroutine[None, None, None]) -> None:
        before = self._saving

        async def in_turn() -> None:
            if before is not None:
                await before
            await work

        self._saving = asyncio.create_task(in_turn())
