"""Saved engines as rows of the database: the statements, each in a transaction that comes to its end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, and_, desc, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from chatsearch.store.engines import EngineLine, Owner, StoredEngine, VersionLine, engine_revoked, no_engine
from chatsearch.store.rows import storable
from chatsearch.store.tables import engine_versions, engines

if TYPE_CHECKING:
    from chatsearch.store.database import Database

_MOST_VERSIONS = 2**31 - 1
"""The highest number that the column can hold."""


@dataclass(frozen=True)
class EngineRow:
    """A version of an engine to be kept; `text` is its spec."""

    text: str
    digest: str
    title: str
    subtitle: str


class EngineRows:
    """The tables `engines` and `engine_versions` of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def insert(self, identifier: str, row: EngineRow, public: bool, salt: bytes, digest: bytes) -> bool:
        """A new engine with its first version; False when the id is taken."""
        return await self._database.finish(self._insert(identifier, row, public, salt, digest))

    async def add_version(self, identifier: str, row: EngineRow, owner: Owner) -> int:
        """The next version, or the newest when that has the same text."""
        return await self._database.finish(self._add_version(identifier, row, owner))

    async def revoke(self, identifier: str, owner: Owner) -> None:
        await self._database.finish(self._revoke(identifier, owner))

    async def find(self, identifier: str, version: int | None) -> StoredEngine | None:
        return await self._database.finish(self._find(identifier, version))

    async def state(self, identifier: str) -> tuple[int, bool] | None:
        return await self._database.finish(self._state(identifier))

    async def public(self, limit: int, offset: int) -> list[EngineLine]:
        return await self._database.finish(self._public(limit, offset))

    async def versions(self, identifier: str) -> list[VersionLine]:
        return await self._database.finish(self._versions(identifier))

    async def _insert(self, identifier: str, row: EngineRow, public: bool, salt: bytes, digest: bytes) -> bool:
        now = datetime.now(UTC)
        values = {"public": public, "version": 1, "token_salt": salt, "token_hash": digest, "created": now, "updated": now}
        async with self._database.writing() as connection:
            adding = _insert_unless_there(connection).values(id=identifier, **values).on_conflict_do_nothing()
            if (await connection.execute(adding.returning(engines.c.id))).first() is None:
                return False
            await connection.execute(insert(engine_versions).values(engine=identifier, version=1, **_values(row, now)))
        return True

    async def _add_version(self, identifier: str, row: EngineRow, owner: Owner) -> int:
        now = datetime.now(UTC)
        async with self._database.writing() as connection:
            newest: int = (await _owned(connection, identifier, owner)).version
            its_newest = and_(engine_versions.c.engine == identifier, engine_versions.c.version == newest)
            text = (await connection.execute(select(engine_versions.c.spec).where(its_newest))).scalar()
            if text == row.text:
                return newest
            version = newest + 1
            await connection.execute(insert(engine_versions).values(engine=identifier, version=version, **_values(row, now)))
            await connection.execute(update(engines).where(engines.c.id == identifier).values(version=version, updated=now))
        return version

    async def _revoke(self, identifier: str, owner: Owner) -> None:
        async with self._database.writing() as connection:
            await _owned(connection, identifier, owner)
            await connection.execute(update(engines).where(engines.c.id == identifier).values(revoked=datetime.now(UTC)))

    async def _find(self, identifier: str, version: int | None) -> StoredEngine | None:
        if version is not None and not 1 <= version <= _MOST_VERSIONS:
            return None
        wanted = engines.c.version if version is None else version
        joined = and_(engine_versions.c.engine == engines.c.id, engine_versions.c.version == wanted)
        columns = (
            *(engine_versions.c[name] for name in ("version", "spec", "digest", "title", "created")),
            engines.c.version.label("current"),
            engines.c.public,
            engines.c.revoked,
        )
        statement = select(*columns).join_from(engines, engine_versions, joined).where(engines.c.id == storable(identifier))
        async with self._database.reading() as connection:
            found = (await connection.execute(statement)).first()
        if found is None:
            return None
        number, text, digest, title, created, current, public, revoked = found
        return StoredEngine(identifier, number, text, digest, title, created, current, public, revoked is not None)

    async def _state(self, identifier: str) -> tuple[int, bool] | None:
        statement = select(engines.c.version, engines.c.revoked).where(engines.c.id == storable(identifier))
        async with self._database.reading() as connection:
            found = (await connection.execute(statement)).first()
        return None if found is None else (found[0], found[1] is not None)

    async def _public(self, limit: int, offset: int) -> list[EngineLine]:
        newest = and_(engine_versions.c.engine == engines.c.id, engine_versions.c.version == engines.c.version)
        columns = (engines.c.id, engine_versions.c.title, engine_versions.c.subtitle, engines.c.version, engines.c.updated)
        statement = select(*columns).join_from(engines, engine_versions, newest)
        shown = statement.where(engines.c.public, engines.c.revoked.is_(None))
        async with self._database.reading() as connection:
            rows = await connection.execute(shown.order_by(desc(engines.c.updated), engines.c.id).limit(limit).offset(offset))
            return [EngineLine(*row) for row in rows]

    async def _versions(self, identifier: str) -> list[VersionLine]:
        columns = (engine_versions.c[name] for name in ("version", "title", "digest", "created"))
        joined = select(*columns).join_from(engine_versions, engines, engine_versions.c.engine == engines.c.id)
        its_own = joined.where(engines.c.id == storable(identifier), engines.c.revoked.is_(None))
        async with self._database.reading() as connection:
            rows = await connection.execute(its_own.order_by(desc(engine_versions.c.version)))
            return [VersionLine(*row) for row in rows]


async def _owned(connection: AsyncConnection, identifier: str, owner: Owner) -> Row[Any]:
    """The engine's row, which nobody else changes before this transaction ends. Raises NotOwnerError and InputError."""
    statement = select(engines).where(engines.c.id == storable(identifier)).with_for_update()
    found = (await connection.execute(statement)).first()
    if found is None:
        raise no_engine(identifier)
    owner.check(found.token_salt, found.token_hash)
    if found.revoked is not None:
        raise engine_revoked(identifier)
    return found


def _values(row: EngineRow, now: datetime) -> dict[str, object]:
    texts = {"title": storable(row.title), "subtitle": storable(row.subtitle)}
    return {"spec": row.text, "digest": row.digest, "created": now, **texts}


def _insert_unless_there(connection: AsyncConnection) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(engines) if connection.dialect.name == "postgresql" else sqlite.insert(engines)
