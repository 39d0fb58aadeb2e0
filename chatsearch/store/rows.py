"""Result sets and answers as rows of the database: the statements, and nothing of what the bytes in them mean."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Select, and_, delete, desc, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from chatsearch.errors import StoreError
from chatsearch.store.packing import document_key
from chatsearch.store.store import ResultSetLine
from chatsearch.store.tables import answers, result_documents, result_sets

if TYPE_CHECKING:
    from chatsearch.store.database import Database
    from chatsearch.store.packing import PackedResults

P = ParamSpec("P")
T = TypeVar("T")

_BATCH = 100
"""Result sets removed in one transaction, so that a purge never holds others up for long."""


@dataclass(frozen=True)
class StoredRow:
    """A result set and its answers (oldest first) as packing.py packed them."""

    id: str
    chat: str
    engine: str
    created: datetime
    spec: bytes | None
    state: bytes
    frame: bytes
    answers: tuple[bytes, ...]


def finished(
    method: Callable[Concatenate[ResultRows, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[ResultRows, P], Awaitable[T]]:
    """A method whose transaction comes to its end whatever happens to its caller."""

    def started(self: ResultRows, /, *args: P.args, **named: P.kwargs) -> Awaitable[T]:
        return self.database.finish(method(self, *args, **named))

    update_wrapper(started, method)
    return started


class ResultRows:
    """The rows of one database; those not used for `keep_days`, or beyond the `keep_most` used last, are removed by `purge`."""

    def __init__(self, database: Database, keep_days: int, keep_most: int) -> None:
        self.database = database
        self._keep = timedelta(days=keep_days)
        self._keep_most = keep_most

    @finished
    async def insert(self, contents: PackedResults, chat: str, engine: str, identifier: str = "") -> str:
        """A new result set, the chat's current one; returns its id."""
        identifier = identifier or uuid.uuid4().hex
        now = datetime.now(UTC)
        row = {"id": identifier, "chat": storable(chat), "engine": storable(engine), "created": now, "used": now}
        async with self.database.writing() as connection:
            statement = insert(result_sets).values(**row, **_contents(contents), spec=contents.spec, turn=_next_turn(chat))
            number = (await connection.execute(statement.returning(result_sets.c.number))).scalar_one()
            await _insert_documents(connection, number, contents.keys)
        return identifier

    @finished
    async def replace(self, identifier: str, contents: PackedResults) -> None:
        """Other contents for a result set. Raises StoreError when it is not there."""
        async with self.database.writing() as connection:
            number = await _touched(connection, identifier, **_contents(contents))
            await connection.execute(delete(result_documents).where(result_documents.c.result_set == number))
            await _insert_documents(connection, number, contents.keys)

    @finished
    async def add_answer(self, identifier: str, answer: bytes) -> None:
        """One more answer. Raises StoreError when the result set is not there."""
        async with self.database.writing() as connection:
            number = await _touched(connection, identifier)
            await connection.execute(insert(answers).values(result_set=number, created=datetime.now(UTC), answer=answer))

    async def find(self, identifier: str) -> StoredRow | None:
        return await self._first(select(result_sets).where(result_sets.c.id == storable(identifier)))

    async def current(self, chat: str) -> StoredRow | None:
        """The chat's result set of the latest turn; none after `put_away`."""
        newest = (desc(result_sets.c.turn), desc(result_sets.c.number))
        its_own = and_(result_sets.c.chat == storable(chat), result_sets.c.turn > 0)
        return await self._first(select(result_sets).where(its_own).order_by(*newest))

    @finished
    async def put_away(self, chat: str) -> None:
        """None of the chat's result sets is its current one; they stay."""
        async with self.database.writing() as connection:
            await connection.execute(update(result_sets).where(result_sets.c.chat == storable(chat)).values(turn=0))

    async def holding(self, engine: str, document_id: str) -> StoredRow | None:
        """The engine's newest result set that has the document."""
        having = and_(result_documents.c.result_set == result_sets.c.number, result_documents.c.key == document_key(document_id))
        wanted = select(result_sets).join(result_documents, having).where(result_sets.c.engine == storable(engine))
        return await self._first(wanted.order_by(desc(result_sets.c.number)))

    @finished
    async def lines(self, chat: str) -> list[ResultSetLine]:
        """The chat's result sets, oldest first."""
        table = result_sets.c
        count = select(func.count()).where(answers.c.result_set == table.number).scalar_subquery()
        wanted = select(table.id, table.asked, table.document_count, count.label("answers"), table.created)
        async with self.database.reading() as connection:
            rows = await connection.execute(wanted.where(table.chat == storable(chat)).order_by(table.number))
            return [ResultSetLine(*row) for row in rows]

    @finished
    async def make_current(self, chat: str, identifier: str) -> bool:
        """Gives a result set the chat's next turn; False when it is none of the chat's."""
        its_own = and_(result_sets.c.id == storable(identifier), result_sets.c.chat == storable(chat))
        async with self.database.writing() as connection:
            done = await connection.execute(
                update(result_sets).where(its_own).values(turn=_next_turn(chat), used=datetime.now(UTC))
            )
        return done.rowcount > 0

    async def purge(self) -> int:
        """Removes what is too old or too much, some at a time; returns how many result sets went."""
        removed = 0
        while went := await self._purge_some():
            removed += went
        return removed

    @finished
    async def _purge_some(self) -> int:
        table = result_sets.c
        by_use = (desc(table.used), desc(table.number))
        surplus = select(table.number).order_by(*by_use).limit(_BATCH).offset(self._keep_most)
        outdated = select(table.number).where(table.used < datetime.now(UTC) - self._keep).limit(_BATCH)
        async with self.database.writing() as connection:
            numbers = [*(await connection.execute(outdated)).scalars()] or [*(await connection.execute(surplus)).scalars()]
            if numbers:
                await connection.execute(delete(result_sets).where(table.number.in_(numbers)))
        return len(numbers)

    @finished
    async def _first(self, wanted: Select[tuple[object, ...]]) -> StoredRow | None:
        """The first result set of a selection, with its answers."""
        async with self.database.reading() as connection:
            found = (await connection.execute(wanted.limit(1))).first()
            if found is None:
                return None
            of_it = select(answers.c.answer).where(answers.c.result_set == found.number).order_by(answers.c.number)
            its_answers = tuple((await connection.execute(of_it)).scalars())
        return StoredRow(found.id, found.chat, found.engine, found.created, found.spec, found.state, found.frame, its_answers)


def storable(text: str) -> str:
    """A text as both databases can keep it: without NUL, which PostgreSQL refuses, and without lone surrogates."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _contents(contents: PackedResults) -> dict[str, object]:
    return {
        "asked": storable(contents.asked),
        "document_count": contents.documents,
        "state": contents.state,
        "frame": contents.frame,
    }


def _next_turn(chat: str) -> object:
    """One more than the chat's latest turn, worked out by the database."""
    latest = select(func.coalesce(func.max(result_sets.c.turn), 0)).where(result_sets.c.chat == storable(chat))
    return latest.correlate(None).scalar_subquery() + 1


async def _touched(connection: AsyncConnection, identifier: str, **values: object) -> int:
    """Marks a result set as used just now; returns its number."""
    statement = update(result_sets).where(result_sets.c.id == storable(identifier)).values(used=datetime.now(UTC), **values)
    number: int | None = (await connection.execute(statement.returning(result_sets.c.number))).scalar()
    if number is None:
        raise StoreError(f"The store has no result set {identifier}: it was removed (docs/store.md, retention). Search again.")
    return number


async def _insert_documents(connection: AsyncConnection, number: int, keys: tuple[bytes, ...]) -> None:
    if keys:
        await connection.execute(insert(result_documents), [{"key": key, "result_set": number} for key in keys])
