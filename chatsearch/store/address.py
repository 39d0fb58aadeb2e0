"""Where the store is: a file of SQLite, or the database of PostgreSQL that `database_url` names, shown without its password."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from chatsearch.errors import StoreError

FILE = "store.sqlite"

EXAMPLE = "It is to be like postgresql://user:password@host/name; leave it empty for a file in the data directory."

_POSTGRESQL = ("postgresql", "postgres", "postgresql+asyncpg")
_MISREAD = re.compile(r"[/?#@\s]")


@dataclass(frozen=True)
class Address:
    """`file` of SQLite, else `dsn`, PostgreSQL's own form of URL, with the password in it; `shown` is for people and logs."""

    shown: str
    file: Path | None = None
    dsn: str = ""

    def __repr__(self) -> str:
        return f"Address({self.shown!r})"


def address(database_url: str, data_dir: Path) -> Address:
    """The address that the settings mean. Raises StoreError when the URL is of another kind, or would be misread."""
    url = database_url.strip()
    if not url:
        return Address(str(data_dir / FILE), data_dir / FILE)
    scheme, colon, rest = url.partition("://")
    if not colon or scheme not in _POSTGRESQL:
        kind = f"names a database of the kind “{scheme}”" if colon else "is not the URL of a database"
        raise StoreError(f"The setting database_url {kind}; the store can be in PostgreSQL. {EXAMPLE}")
    login, at, where = rest.rpartition("@")
    if _MISREAD.search(login):
        raise StoreError(
            "The setting database_url would be misread: in a user, password or parameter write / ? # @ as %2F %3F %23 %40."
        )
    user = login.partition(":")[0]
    return Address(f"postgresql://{user}{at}{re.split('[?#]', where)[0]}", dsn=f"postgresql://{rest}")
