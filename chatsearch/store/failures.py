"""What a database refuses, as errors for the administrator: where it happened and what to do, never with a password."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import SQLAlchemyError

from chatsearch.errors import StoreError
from chatsearch.store.address import Address

WAIT_SECONDS = 30
"""How long a transaction of SQLite waits for another program's."""

_SQLITE = {
    "not a database": "is damaged or no store: it was left as it is. Put a backup in its place, or move it away to begin anew",
    "malformed": "is damaged: it was left as it is. Put a backup in its place, or move it away to begin anew",
    "readonly": "cannot be written. Give the user that runs chatsearch the right to write the file and its folder",
    "unable to open": "cannot be opened. Give the user that runs chatsearch the right to write the file and its folder",
    "locked": f"has been held by another program for over {WAIT_SECONDS} s. End that program, or try again",
    "full": "cannot grow: the disk is full. Make room, then try again",
    "disk I/O": "cannot be read or written. Look at the disk, and keep the file together with its -wal and -shm files",
}
"""What to say of SQLite's messages, by words in them."""


@contextmanager
def explained(where: Address) -> Iterator[None]:
    """Turns what the database or its driver raises into StoreError."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        raise StoreError(_of_sqlite(where, cause) if where.file else _of_postgresql(where, cause)) from error
    except (OSError, sqlite3.Error) as error:
        raise StoreError(_of_sqlite(where, error) if where.file else _unreachable(where, error)) from error


def _of_sqlite(where: Address, cause: BaseException) -> str:
    if isinstance(cause, OSError):
        return f"The store {where.shown} {_SQLITE['unable to open']} ({cause.strerror})."
    said = next((say for words, say in _SQLITE.items() if words in str(cause)), "cannot be used")
    return f"The store {where.shown} {said} ({cause})."


def _of_postgresql(where: Address, cause: BaseException) -> str:
    refused = {
        "28P01": "refuses the user or the password. Correct the setting database_url",
        "28000": "refuses the user. Correct the setting database_url",
        "3D000": "does not exist. Create the database, or correct the setting database_url",
        "42501": "does not let the user make or change tables. Give the user that right",
        "53100": "cannot grow: the server's disk is full. Make room there, then try again",
        "53300": "has too many connections. Allow more, or try again later",
    }
    said = refused.get(str(getattr(cause, "sqlstate", None)), "cannot be used")
    return f"The store {where.shown} {said} ({_first_line(cause)})."


def _unreachable(where: Address, cause: OSError | sqlite3.Error) -> str:
    return (
        f"The store {where.shown} cannot be reached ({_first_line(cause) or 'no answer'}). "
        "See that PostgreSQL runs there and that the setting database_url is right."
    )


def _first_line(cause: BaseException) -> str:
    """What a driver says, without the name of the class that SQLAlchemy puts before it."""
    said = str(cause).splitlines() or [type(cause).__name__]
    return said[0].rpartition(">: ")[2].rstrip(".")
