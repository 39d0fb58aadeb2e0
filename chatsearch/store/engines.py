"""Saved engines: each has an id that stays, versions of its spec, and an owner who holds its edit token."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
import secrets
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from chatsearch.errors import ChatsearchError, InputError, SpecError, SpecProblem

if TYPE_CHECKING:
    from chatsearch.spec import Spec
    from chatsearch.store.engine_rows import EngineRow, EngineRows

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no letter that is taken for a digit."""
_RANDOM_LETTERS = 6
_LONGEST_SLUG = 40
_TOKEN_BYTES = 32
_ATTEMPTS = 10


class NotOwnerError(ChatsearchError):
    """Shown to whoever wants to change a saved engine without its edit token."""

    code = "not-owner"


@dataclass(frozen=True)
class Saved:
    """A new engine: its id, its version, and the token that changes it, which cannot be shown again."""

    id: str
    version: int
    token: str

    def __repr__(self) -> str:
        return f"Saved(id={self.id!r}, version={self.version})"


@dataclass(frozen=True)
class StoredEngine:
    """A version of a saved engine: its spec as JSON text in the owner's order of keys, its canonical digest, its time (UTC).

    `current` is the newest version. Of a revoked engine nothing but the id should be shown.
    """

    id: str
    version: int
    text: str
    digest: str
    title: str
    created: datetime
    current: int
    public: bool
    revoked: bool


@dataclass(frozen=True)
class EngineLine:
    """A public engine in a list; `updated` is in UTC."""

    id: str
    title: str
    subtitle: str
    version: int
    updated: datetime


@dataclass(frozen=True)
class VersionLine:
    """A version of an engine in a list; `created` is in UTC."""

    version: int
    title: str
    digest: str
    created: datetime


class Engines:
    """The engines of one store; every method raises StoreError when the database cannot be used."""

    def __init__(self, rows: EngineRows, most_bytes: int) -> None:
        self._rows = rows
        self._most_bytes = most_bytes

    async def save(self, spec: Spec, *, public: bool = True) -> Saved:
        """A new engine with its version 1. Whoever has the id may use it; the gallery shows it when it is `public`.

        Raises SpecError when the spec holds a secret or is too large.
        """
        row = await asyncio.to_thread(self._row, spec)
        token, salt = secrets.token_urlsafe(_TOKEN_BYTES), secrets.token_bytes(16)
        slug = _slug(spec.engine.title)
        for _ in range(_ATTEMPTS):
            identifier = f"{slug}-{''.join(secrets.choice(_LETTERS) for _ in range(_RANDOM_LETTERS))}"
            if await self._rows.insert(identifier, row, public, salt, _hashed(token, salt)):
                return Saved(identifier, 1, token)
        raise AssertionError(f"{_ATTEMPTS} random ids were all taken")

    async def update(self, id: str, spec: Spec, token: str) -> int:  # noqa: A002
        """Makes the spec the engine's next version, which its URL shows from now on; returns its number.

        The same text as the newest version has makes none. Raises NotOwnerError for another token, InputError for an engine
        that is not there or was revoked, SpecError as `save` does.
        """
        row = await asyncio.to_thread(self._row, spec)
        return await self._rows.add_version(id, row, _owned_by(id, token))

    async def revoke(self, id: str, token: str) -> None:  # noqa: A002
        """Takes the engine back for good: its URL says so. Raises NotOwnerError and InputError as `update` does."""
        await self._rows.revoke(id, _owned_by(id, token))

    async def get(self, id: str, version: int | None = None) -> StoredEngine | None:  # noqa: A002
        """A version of an engine, the newest when none is named; None when it is not there. Look at `revoked` first."""
        return await self._rows.find(id, version)

    async def state(self, id: str) -> tuple[int, bool] | None:  # noqa: A002
        """The newest version of an engine and whether it was revoked; None when there is no such engine."""
        return await self._rows.state(id)

    async def list_public(self, *, limit: int = 1000, offset: int = 0) -> list[EngineLine]:
        """The public engines that were not revoked, the one updated last first."""
        return await self._rows.public(limit, offset)

    async def versions(self, id: str) -> list[VersionLine]:  # noqa: A002
        """The versions of an engine, the newest first; none of an engine that is not there or was revoked."""
        return await self._rows.versions(id)

    def _row(self, spec: Spec) -> EngineRow:
        """Blocking: a long spec is looked through for secrets."""
        from chatsearch.store.engine_rows import EngineRow

        text = json.dumps(spec.dump(), ensure_ascii=False)
        size = len(text.encode())
        if size > self._most_bytes:
            raise SpecError([SpecProblem("", f"it is {size:,} bytes long; at most {self._most_bytes:,} are kept.")], spec.name)
        return EngineRow(text, spec.digest, spec.title, spec.engine.subtitle)


@dataclass(frozen=True)
class Owner:
    """Who says to be the owner of an engine."""

    engine: str
    token: str

    def check(self, salt: bytes, digest: bytes) -> None:
        """Raises NotOwnerError unless the token is the engine's; takes as long for every wrong one."""
        if not hmac.compare_digest(_hashed(self.token, salt), digest):
            raise NotOwnerError(
                f"This is not the edit token of the engine “{self.engine}”. It was shown once, when the engine was saved. "
                "Without it, save the engine as a new one."
            )

    def __repr__(self) -> str:
        return f"Owner({self.engine!r})"


def no_engine(id: str) -> InputError:  # noqa: A002
    """What to say of an engine that is not there."""
    return InputError(f"There is no saved engine “{id[:60]}”. See that its id is complete.")


def engine_revoked(id: str) -> InputError:  # noqa: A002
    """What to say of an engine that was revoked."""
    return InputError(f"The engine “{id[:60]}” was revoked by its owner and cannot be used any more.")


def _owned_by(engine: str, token: str) -> Owner:
    return Owner(engine, token.strip())


def _hashed(token: str, salt: bytes) -> bytes:
    """A token has 256 random bits, so that a slow hash would guard nothing."""
    return sha256(salt + token.encode("utf-8", "surrogatepass")).digest()


def _slug(title: str) -> str:
    """The beginning of an id: the title's words of Latin letters and digits, else `engine`."""
    letters = (one for one in unicodedata.normalize("NFKD", title[:200]) if not unicodedata.combining(one))
    words = re.findall(r"[a-z0-9]+", "".join(letters).casefold())
    slug = "-".join(words)
    cut = slug if len(slug) <= _LONGEST_SLUG else slug[: _LONGEST_SLUG + 1].rpartition("-")[0] or slug[:_LONGEST_SLUG]
    return cut or "engine"
