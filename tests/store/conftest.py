"""Every test of the store runs against SQLite and against a real PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from chatsearch.settings import Settings, load_settings
from chatsearch.store import Store
from tests.postgres import PostgresServer, postgres_server


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One server for all tests; each takes a database of its own."""
    with postgres_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
async def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """The settings of a new store."""
    given: dict[str, Any] = {"data_dir": tmp_path / "data"}
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        given["database_url"] = await server.new_database()
    return load_settings(**given)


@pytest.fixture
async def store(settings: Settings) -> AsyncIterator[Store]:
    opened = await Store.open(settings)
    yield opened
    await opened.close()
