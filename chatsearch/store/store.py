"""The store as the rest of chatsearch sees it: result sets by id, chat and document, their answers; saved engines; feedback."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from chatsearch.errors import StoreError

if TYPE_CHECKING:
    from chatsearch.results import Answer, ResultSet
    from chatsearch.settings import Settings
    from chatsearch.store.engines import Engines
    from chatsearch.store.feedback import Feedback, Judgement
    from chatsearch.store.rows import ResultRows, StoredRow

log = logging.getLogger(__name__)

SECONDS_BETWEEN_PURGES = 3600


@dataclass(frozen=True)
class StoredResults:
    """A result set as it was kept: the chat and engine it belongs to, when it was made (UTC), the spec that made it (JSON; None
    when it was not given), and the answers about it, oldest first."""

    id: str
    chat: str
    engine: str
    created: datetime
    spec: Mapping[str, object] | None
    results: ResultSet
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class ResultSetLine:
    """A result set in a list: `documents` and `answers` are counts, `created` is in UTC."""

    id: str
    asked: str
    documents: int
    answers: int
    created: datetime


class Store:
    """Result sets, answers, saved engines (`engines`) and feedback that survive a restart; several processes may share one.

    Made by `open`, used in the event loop that opened it. Every method raises StoreError when the database cannot be used.
    Ids cannot be guessed: whoever knows one may read that result set. Packing and unpacking happen in threads. A call that is
    cancelled once it has reached the database is finished all the same.
    """

    def __init__(self, rows: ResultRows, engines: Engines, feedback: Feedback) -> None:
        self.engines = engines
        self._rows = rows
        self._feedback = feedback
        self._next_purge = time.monotonic()
        self._purging: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, settings: Settings) -> Store:
        """The store of these settings, made or upgraded when needed.

        Raises StoreError when it cannot be reached, read or written, or was made by a newer chatsearch.
        """
        from chatsearch.store.database import Database
        from chatsearch.store.engine_rows import EngineRows
        from chatsearch.store.engines import Engines
        from chatsearch.store.feedback import Feedback
        from chatsearch.store.rows import ResultRows

        database = await Database.open(settings)
        rows = ResultRows(database, settings.results_keep_days, settings.results_keep_most)
        return cls(rows, Engines(EngineRows(database), settings.max_spec_bytes), Feedback(database))

    async def close(self) -> None:
        """Lets go of the database; a purge that is running is stopped between two batches."""
        if self._purging is not None:
            self._purging.cancel()
            await asyncio.gather(self._purging, return_exceptions=True)
        await self._rows.database.close()

    async def save_results(
        self,
        results: ResultSet,
        *,
        chat: str,
        engine: str,
        spec: Mapping[str, object] | None = None,
        id: str = "",  # noqa: A002
    ) -> str:
        """Keeps a new result set, which becomes the chat's current one; returns its id (32 hexadecimal digits).

        `id` is one that the caller made, at random; empty: one is made here.
        """
        from chatsearch.store.packing import packed

        contents = await asyncio.to_thread(packed, results, spec)
        identifier = await self._rows.insert(contents, chat, engine, id)
        self._purge_now_and_then()
        return identifier

    async def update_results(self, id: str, results: ResultSet) -> None:  # noqa: A002
        """Replaces what is kept of a result set, such as one whose summary came later; its answers stay."""
        from chatsearch.store.packing import packed

        await self._rows.replace(id, await asyncio.to_thread(packed, results))

    async def load_results(self, id: str) -> StoredResults | None:  # noqa: A002
        """The result set of that id, or None when there is none (any more)."""
        return await _unpacked(await self._rows.find(id))

    async def add_answer(self, id: str, answer: Answer) -> None:  # noqa: A002
        """Keeps an answer about a result set, after those it has. Raises StoreError when the result set is not there."""
        from chatsearch.store.packing import packed_answer

        await self._rows.add_answer(id, packed_answer(answer))

    async def current(self, chat: str) -> StoredResults | None:
        """The result set that the chat's questions are about: the last one saved or made current."""
        return await _unpacked(await self._rows.current(chat))

    async def sets_of(self, chat: str) -> list[ResultSetLine]:
        """The chat's result sets, oldest first."""
        return await self._rows.lines(chat)

    async def make_current(self, chat: str, id: str) -> bool:  # noqa: A002
        """Goes back to an earlier result set of the chat; False when the chat has none of that id."""
        return await self._rows.make_current(chat, id)

    async def find_document(self, engine: str, document_id: str) -> tuple[StoredResults, int] | None:
        """The engine's newest result set that has the document, and its row there (from 0)."""
        stored = await _unpacked(await self._rows.holding(engine, document_id))
        if stored is None:
            return None
        ids = [str(one) for one in stored.results.documents["id"]]
        return stored, ids.index(document_id)

    async def add_feedback(
        self, result_set_id: str, document_id: str | None, answer_place: int | None, value: int, comment: str = ""
    ) -> None:
        """What a person thinks of one document of a result set, or of its answer at a place: 1 is the first, 0 the summary.

        `value` is 1, -1, or 0 to take it back. A later judgement of the same replaces the one before. Raises StoreError when
        there is no such result set, document or answer, InputError for another value or too long a comment.
        """
        await self._feedback.add(result_set_id, document_id, answer_place, value, comment)

    async def feedback_of(self, engine: str) -> list[Judgement]:
        """The judgements about an engine's results, oldest first; they stay when the result sets go."""
        return await self._feedback.of(engine)

    async def put_away(self, chat: str) -> None:
        """The chat is about nothing from now on; its result sets stay, and `make_current` goes back to one."""
        await self._rows.put_away(chat)

    async def purge(self) -> int:
        """Removes the result sets that were not used for too long, or are too many; returns how many went."""
        return await self._rows.purge()

    def _purge_now_and_then(self) -> None:
        running = self._purging is not None and not self._purging.done()
        if time.monotonic() >= self._next_purge and not running:
            self._next_purge = time.monotonic() + SECONDS_BETWEEN_PURGES
            self._purging = asyncio.create_task(self._purge_quietly())

    async def _purge_quietly(self) -> None:
        try:
            log.info("%d old result sets were removed", await self.purge())
        except StoreError as error:
            log.warning("old result sets were not removed: %s", error)


async def _unpacked(row: StoredRow | None) -> StoredResults | None:
    from chatsearch.store.packing import unpacked

    return None if row is None else await asyncio.to_thread(unpacked, row)
