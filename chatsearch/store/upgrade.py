"""Brings a database to the newest schema: once, also when several processes open it at the same moment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, column, inspect, select, table, text

from chatsearch.errors import StoreError
from chatsearch.store.tables import SCHEMA, VERSION_TABLE

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent / "migrations"

_LOCK = 0x63686174736561  # "chatsea": a number of our own among PostgreSQL's advisory locks


def is_newest(connection: Connection) -> bool:
    """Whether the database has the schema of this version."""
    return _revision(connection) == SCHEMA


def upgrade(connection: Connection) -> None:
    """Runs the migrations that are missing, in the transaction of `connection`, which holds the lock until its end.

    On SQLite that transaction must have begun IMMEDIATE. Raises StoreError when the schema is one this version does not know.
    """
    from alembic import command
    from alembic.script import ScriptDirectory

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
    found = _revision(connection)
    if found == SCHEMA:  # another process was faster
        return
    config = alembic_config()
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise StoreError(
            f"The store was made by a newer chatsearch (its schema is {found}, this version knows those up to {SCHEMA}). "
            "Install that version again, or use another data directory or database. Nothing was changed."
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def alembic_config() -> Config:
    """Alembic's settings: our migrations, wherever this package is installed."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _revision(connection: Connection) -> str | None:
    """The schema the database has, or None when it is new."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(select(column("version_num")).select_from(table(VERSION_TABLE))).scalar()
