"""The schema: made by migrations that agree with tables.py, once, and refused when it is newer."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from chatsearch.errors import StoreError
from chatsearch.results import Answer, ResultSet
from chatsearch.settings import Settings
from chatsearch.store import Store
from chatsearch.store.database import Database
from chatsearch.store.tables import SCHEMA, VERSION_TABLE, metadata
from chatsearch.store.upgrade import MIGRATIONS, alembic_config

ROOT = Path(__file__).resolve().parents[2]


async def test_migrations_make_what_the_tables_say(settings: Settings) -> None:
    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        return list(compare_metadata(context, metadata))

    database = await Database.open(settings)
    async with database.reading() as connection:
        assert await connection.run_sync(differences) == []
    await database.close()


def test_the_newest_migration_is_the_one_that_is_expected() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_heads() == [SCHEMA]


async def test_a_store_of_a_newer_schema_is_refused_and_left_alone(settings: Settings) -> None:
    await set_revision(settings, "m9999")
    with pytest.raises(StoreError, match="made by a newer chatsearch .its schema is m9999, this version knows those up to"):
        await Store.open(settings)
    with pytest.raises(StoreError, match="Nothing was changed"):
        await Store.open(settings)


async def set_revision(settings: Settings, revision: str) -> None:
    database = await Database.open(settings)
    async with database.writing() as connection:
        await connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = :revision"), {"revision": revision})
    await database.close()


LATER = """
import sqlalchemy as sa
from alembic import op

revision = "m9998"
down_revision = "{newest}"


def upgrade() -> None:
    with op.batch_alter_table("result_sets", recreate="auto") as table:
        table.add_column(sa.Column("title", sa.Text, nullable=False, server_default="none"))
        table.alter_column("asked", nullable=True)
"""


async def test_a_later_migration_that_rebuilds_a_table_loses_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = await Store.open(settings)
    frame = pd.DataFrame({"id": ["a", "b"]})
    identifier = await store.save_results(ResultSet("?", "?", frame), chat="c", engine="e")
    await store.add_answer(identifier, Answer("q", "q", "t", False, "m"))
    await store.close()
    shutil.copytree(MIGRATIONS, tmp_path / "migrations")
    (tmp_path / "migrations" / "versions" / "m9998_later.py").write_text(LATER.format(newest=SCHEMA), encoding="utf-8")
    monkeypatch.setattr("chatsearch.store.upgrade.MIGRATIONS", tmp_path / "migrations")
    monkeypatch.setattr("chatsearch.store.upgrade.SCHEMA", "m9998")
    store = await Store.open(settings)
    assert [(line.documents, line.answers) for line in await store.sets_of("c")] == [(2, 1)]
    assert await store.find_document("e", "b")
    database = store._rows.database
    async with database.writing() as connection:
        assert (await connection.execute(text("SELECT title FROM result_sets"))).scalars().all() == ["none"]
        await connection.execute(text("DELETE FROM result_sets"))
        for table in ("answers", "result_documents"):
            assert (await connection.execute(text(f"SELECT * FROM {table}"))).first() is None
    await store.close()


async def test_an_upgrade_that_fails_leaves_nothing_behind(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE half_done (n INTEGER)"))
        raise StoreError("it broke")

    with monkeypatch.context() as patched:
        patched.setattr("chatsearch.store.database.upgrade", broken)
        with pytest.raises(StoreError, match="it broke"):
            await Store.open(settings)
    database = await Database.open(settings)
    with pytest.raises(StoreError, match="half_done"):
        async with database.reading() as connection:
            await connection.execute(text("SELECT * FROM half_done"))
    await database.close()


def test_importing_the_store_loads_neither_sqlalchemy_nor_pandas() -> None:
    code = "import sys, chatsearch.store; print({'sqlalchemy', 'alembic', 'pandas', 'pyarrow', 'asyncpg'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_store_is_made_by_what_a_wheel_installs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    zipfile.ZipFile(next(tmp_path.glob("*.whl"))).extractall(tmp_path / "site")
    code = (
        "import asyncio, chatsearch.store as s; from chatsearch.settings import load_settings\n"
        f"assert s.__file__.startswith({str(tmp_path)!r})\n"
        "async def main():\n"
        f"    await (await s.Store.open(load_settings(data_dir={str(tmp_path / 'data')!r}))).close()\n"
        "asyncio.run(main())"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(tmp_path / "site")}, check=True)
    assert (tmp_path / "data" / "store.sqlite").is_file()
