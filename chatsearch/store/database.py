"""The database: opened, upgraded, and used in transactions whose errors say what happened and what to do."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import URL, Connection, event
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from chatsearch.errors import StoreError
from chatsearch.store.address import EXAMPLE, Address, address
from chatsearch.store.failures import WAIT_SECONDS, explained
from chatsearch.store.upgrade import is_newest, upgrade

if TYPE_CHECKING:
    import asyncpg

    from chatsearch.settings import Settings

log = logging.getLogger(__name__)

T = TypeVar("T")

_CONNECT_SECONDS = 10


class Database:
    """SQLite or PostgreSQL with the newest schema; made by `open`."""

    def __init__(self, where: Address, engine: AsyncEngine) -> None:
        self.where = where
        self._engine = engine
        self._reading = engine if where.file else engine.execution_options(isolation_level="REPEATABLE READ")
        self._writing = engine.execution_options(writing=True)
        # SQLite has one writer at a time: ours queue here, which is fair, and do not poll for the lock
        self._turn = asyncio.Lock() if where.file else nullcontext()
        self._under_way: set[asyncio.Task[Any]] = set()

    @classmethod
    async def open(cls, settings: Settings) -> Database:
        """Connects, and upgrades the schema when it is older. Raises StoreError."""
        where = address(settings.database_url.get_secret_value(), settings.data_dir)
        if where.file is not None:
            with explained(where):
                await asyncio.to_thread(_begin_file, where.file)
        database = cls(where, _sqlite(where) if where.file is not None else _postgresql(where))
        try:
            await database._upgrade()
        except BaseException:
            await database.close()
            raise
        return database

    async def close(self) -> None:
        """Waits for what is being written, and lets go of the connections."""
        await asyncio.gather(*self._under_way, return_exceptions=True)
        await self._engine.dispose()

    async def finish(self, work: Coroutine[Any, Any, T]) -> T:
        """Awaits work with the database; it comes to its end also when whoever awaits it is cancelled.

        A transaction of SQLite whose task is cancelled stays open in the driver's thread, and holds up all others.
        """
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._under_way.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.debug("work with the store failed: %s", task.exception())  # raised too, where somebody still waits for it

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that sees one state of the database. Raises StoreError for what the database refuses."""
        with explained(self.where):
            async with self._reading.begin() as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that is kept whole at its end, or not at all. Raises StoreError for what the database refuses."""
        with explained(self.where):
            async with self._turn, self._writing.begin() as connection:
                yield connection

    async def _upgrade(self) -> None:
        async with self.reading() as connection:
            if await connection.run_sync(is_newest):
                return
        with explained(self.where):
            async with self._writing.execution_options(upgrading=True).begin() as connection:
                await connection.run_sync(upgrade)
            await self._engine.dispose()  # that connection does not look at foreign keys


def _begin_file(file: Path) -> None:
    """An empty file where there is none, which only its owner may read: it holds what people asked."""
    file.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))


def _sqlite(where: Address) -> AsyncEngine:
    engine = create_async_engine(
        URL.create("sqlite+aiosqlite", database=str(where.file)), connect_args={"timeout": WAIT_SECONDS}, hide_parameters=True
    )

    @event.listens_for(engine.sync_engine, "connect")
    def configure(connection: Any, _: object) -> None:
        connection.isolation_level = None  # the driver begins no transactions: `begin` does, and for changes of the schema too
        cursor = connection.cursor()
        for pragma in ("journal_mode = WAL", "foreign_keys = ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Connection) -> None:
        # a transaction that reads first and writes later fails at once when another one wrote in between; this one waits
        options = connection.get_execution_options()
        if options.get("upgrading"):  # a table that is rebuilt is dropped, and what refers to it would go with it
            connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writing") else "BEGIN")

    return engine


def _postgresql(where: Address) -> AsyncEngine:
    async def connect() -> asyncpg.Connection:
        import asyncpg

        try:
            # its own reading of the URL: sslmode, host=/socket, several hosts, PGPASSWORD and .pgpass work as with psql
            return await asyncpg.connect(where.dsn, timeout=_CONNECT_SECONDS)
        except ValueError:  # what it says may have a part of the password in it
            raise StoreError(f"The setting database_url cannot be read as a URL. {EXAMPLE}") from None

    try:
        return create_async_engine("postgresql+asyncpg://", async_creator=connect, pool_pre_ping=True, hide_parameters=True)
    except ModuleNotFoundError as error:
        raise StoreError(
            f"The store is to be in {where.shown}, and Python's driver for PostgreSQL is not installed. "
            "To install it: pip install asyncpg"
        ) from error
