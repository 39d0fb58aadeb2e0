"""What an administrator reads when the database cannot be used: what happened, what to do, and no password."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pandas as pd
import pytest
from sqlalchemy import text

from chatsearch.errors import StoreError
from chatsearch.results import ResultSet
from chatsearch.settings import Settings, load_settings
from chatsearch.store import Store
from chatsearch.store.address import address
from chatsearch.store.database import Database
from tests.postgres import NOBODY, PASSWORD, PostgresServer, free_port

EMPTY = ResultSet("?", "?", pd.DataFrame())


async def refusal(settings: Settings) -> str:
    """The message of the error that opening a store raises; it, and all that caused it, keep the password to themselves."""
    with pytest.raises(StoreError) as raised:
        await Store.open(settings)
    error: BaseException | None = raised.value
    while error is not None:
        assert PASSWORD not in f"{error!r}{error}"
        error = error.__cause__
    return raised.value.message


# --- the address --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+asyncpg"])
def test_the_usual_forms_of_a_url_are_read_and_shown_without_the_password(scheme: str, tmp_path: Path) -> None:
    found = address(f" {scheme}://me:{PASSWORD}@db.example:5433/chat?sslmode=require&password={PASSWORD}\n", tmp_path)
    assert found.dsn == f"postgresql://me:{PASSWORD}@db.example:5433/chat?sslmode=require&password={PASSWORD}"
    assert found.shown == "postgresql://me@db.example:5433/chat"
    assert PASSWORD not in repr(found)


def test_a_url_without_a_login_and_no_url_at_all(tmp_path: Path) -> None:
    assert address("postgresql:///chat?host=/run/postgresql", tmp_path).shown == "postgresql:///chat"
    assert address("", tmp_path).file == tmp_path / "store.sqlite"


@pytest.mark.parametrize("url", ["mysql://me:s3cret@host/db", "sqlite:///x", "s3cret", "postgresql+psycopg://me:s3cret@h/d"])
def test_another_kind_of_database_is_refused_with_an_example(url: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="postgresql://user:password@host/name") as raised:
        address(url, tmp_path)
    assert PASSWORD not in raised.value.message


@pytest.mark.parametrize("sign", "/?#@ ")
def test_a_password_that_would_be_misread_is_refused_without_being_shown(sign: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="%2F") as raised:
        address(f"postgresql://me:s3{sign}cret@host/db", tmp_path)
    assert "s3" not in raised.value.message


def test_settings_do_not_show_the_password() -> None:
    settings = load_settings(database_url=f"postgresql://me:{PASSWORD}@host/db")
    assert PASSWORD not in f"{settings!r} {settings} {settings.model_dump()}"


# --- PostgreSQL ---------------------------------------------------------------------------------------------------------------


async def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    url = f"postgresql://me:{PASSWORD}@127.0.0.1:{free_port()}/chat"
    said = await refusal(load_settings(data_dir=tmp_path, database_url=url))
    assert "postgresql://me@127.0.0.1:" in said
    assert "cannot be reached" in said


async def test_a_wrong_password_a_database_that_does_not_exist_and_a_port_that_is_none(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    wrong = postgres.url(password=PASSWORD * 2)
    assert "refuses the user or the password" in await refusal(load_settings(data_dir=tmp_path, database_url=wrong))
    missing = postgres.url("missing")
    assert "does not exist. Create the database" in await refusal(load_settings(data_dir=tmp_path, database_url=missing))
    misread = f"postgresql://me:{PASSWORD}@127.0.0.1:{PASSWORD}/db"
    assert "cannot be read as a URL" in await refusal(load_settings(data_dir=tmp_path, database_url=misread))


async def test_a_missing_driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    said = await refusal(load_settings(data_dir=tmp_path, database_url=f"postgresql://me:{PASSWORD}@host/db"))
    assert "pip install asyncpg" in said


async def test_a_store_goes_on_after_the_server_dropped_its_connections(postgres: PostgresServer, tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, database_url=await postgres.new_database())
    store, other = await Store.open(settings), await Database.open(settings)
    await store.sets_of("c")
    async with other.writing() as connection:
        others = "datname = current_database() AND pid <> pg_backend_pid()"
        await connection.execute(text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"))
    assert await store.sets_of("c") == []
    await asyncio.gather(store.close(), other.close())


async def test_what_people_asked_is_not_in_an_error_of_the_database(store: Store, settings: Settings) -> None:
    database = await Database.open(settings)
    async with database.writing() as connection:
        await connection.execute(text("DROP TABLE answers"))
        await connection.execute(text("DROP TABLE result_documents"))
        await connection.execute(text("DROP TABLE result_sets"))
    await database.close()
    with pytest.raises(StoreError, match="cannot be used") as raised:
        await store.save_results(ResultSet("my secret question", "", pd.DataFrame()), chat="c", engine="e")
    assert "secret question" not in f"{raised.value} {raised.value.__cause__}"


# --- SQLite -------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.sqlite"


def write(file: Path, contents: bytes) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(contents)


def read(file: Path) -> bytes:
    return file.read_bytes()


async def test_the_file_is_its_owners_and_is_set_up_for_several_processes(file: Path) -> None:
    database = await Database.open(load_settings(data_dir=file.parent))
    async with database.reading() as connection:
        pragmas = ("journal_mode", "busy_timeout", "foreign_keys")
        assert [(await connection.execute(text(f"PRAGMA {one}"))).scalar() for one in pragmas] == ["wal", 30_000, 1]
        assert [stat.S_IMODE(one.stat().st_mode) for one in file.parent.iterdir()] == [0o600] * 3
    await database.close()


async def test_a_data_directory_may_have_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "my data?x=1#50%d ü"
    await (await Store.open(load_settings(data_dir=folder))).close()
    assert (folder / "store.sqlite").is_file()


@pytest.mark.parametrize("damage", [b"no database, but text" * 100, b"SQLite format 3\0" + b"\xff" * 4096])
async def test_a_damaged_file_is_left_as_it_is(file: Path, damage: bytes) -> None:
    write(file, damage)
    said = await refusal(load_settings(data_dir=file.parent))
    assert str(file) in said
    assert "left as it is" in said
    assert read(file) == damage


async def test_a_file_damaged_later_is_an_error_where_it_is_read(file: Path) -> None:
    settings = load_settings(data_dir=file.parent)
    store = await Store.open(settings)
    identifier = await store.save_results(EMPTY, chat="c", engine="e")
    await store.close()
    whole = read(file)
    write(file, whole[:4096] + b"\xff" * (len(whole) - 4096))
    with pytest.raises(StoreError, match="damaged"):
        store = await Store.open(settings)
    write(file, whole)
    store = await Store.open(settings)
    assert await store.load_results(identifier)
    await store.close()


@contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name) / "data"


@contextmanager
def unprivileged(folder: Path) -> Iterator[None]:
    """Without the right to write into `folder`, also where tests run as root."""
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


async def test_a_data_directory_that_cannot_be_written() -> None:
    with open_folder() as folder:
        settings = load_settings(data_dir=folder)
        await (await Store.open(settings)).close()
        for named in (folder, folder / "below"):
            with unprivileged(folder):
                said = await refusal(settings.model_copy(update={"data_dir": named}))
            assert str(named) in said
            assert "the right to write" in said
        (folder / "store.sqlite").chmod(0o666)
        with unprivileged(folder):
            assert "the right to write" in await refusal(settings)


async def test_a_data_directory_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x", encoding="utf-8")
    assert "cannot be opened" in await refusal(load_settings(data_dir=tmp_path / "data"))


async def test_a_file_that_another_program_holds(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatsearch.store.database.WAIT_SECONDS", 0.01)
    settings = load_settings(data_dir=file.parent)
    store = await Store.open(settings)
    with closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="held by another program"):
            await store.save_results(EMPTY, chat="c", engine="e")
    assert await store.save_results(EMPTY, chat="c", engine="e")
    await store.close()
