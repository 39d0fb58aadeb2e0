"""Finds the spec that a person names: a file, a built-in engine, a saved one, or a URL."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from chatsearch.errors import InputError, did_you_mean
from chatsearch.registry import beside_package
from chatsearch.services import Services
from chatsearch.spec import Spec

if TYPE_CHECKING:
    from chatsearch.store.engines import StoredEngine
    from chatsearch.store.store import Store

_SAVED = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*-[0-9a-hjkmnp-tv-z]{6}")


class UnknownEngineError(InputError):
    """Shown to whoever names an engine, or opens the URL of one, that is not there."""

    code = "unknown-engine"


class RevokedEngineError(InputError):
    """Shown to whoever names an engine, or opens the URL of one, that its owner took back."""

    code = "revoked-engine"


def find_spec(reference: str, services: Services) -> Spec:
    """The spec of that file, built-in name, saved id or URL, the first that there is. Blocking.

    For whoever runs the program: it reads files. Raises InputError when there is none, SpecError when it is not right, and
    StoreError, HttpError or HostRefusedError when the store or the URL cannot be read.
    """
    file = _file(reference)
    if file is not None:
        return read_spec(file, services)
    with ThreadPoolExecutor(1) as pool:  # whoever calls may have an event loop running
        return pool.submit(asyncio.run, _found_elsewhere(reference, services)).result()


async def find_shared(reference: str, services: Services) -> Spec:
    """The built-in engine of that name, the saved one of that id, or the spec at that URL; never a file of this machine.

    For people who chat. Raises as `find_spec` does.
    """
    engines, wanted = built_in_engines(), reference.strip()
    name = wanted.casefold().removesuffix(".json")
    if name in engines:
        return await asyncio.to_thread(read_spec, engines[name], services)
    if may_be_saved(wanted, services):
        return await saved_spec(wanted, services, await services.store())
    if "://" in wanted:
        return await _from_url(wanted, services)
    near = did_you_mean(name, engines)
    raise UnknownEngineError(f"There is no engine “{_brief(wanted)}”.{near} /engines lists those there are.")


def spec_file(reference: str) -> Path:
    """Where the spec is. A file wins over a built-in engine of the same name. Raises InputError when there is neither."""
    file = _file(reference)
    if file is None:
        raise _nothing(reference)
    return file


def built_in_engines() -> dict[str, Path]:
    """The shipped specs by name."""
    return {file.stem: file for file in sorted(beside_package("specs", "_specs").glob("*.json"))}


def read_spec(file: Path, services: Services) -> Spec:
    """The spec in a file, named after it. Raises InputError and SpecError."""
    try:
        text = file.read_bytes()
    except IsADirectoryError:
        raise InputError(f"{file} is a folder; a spec is a JSON file in it.") from None
    except OSError as error:
        raise InputError(f"The spec {file} cannot be read: {error.strerror}.") from error
    return Spec.loads(text, services.registry, file.stem, services.settings.max_spec_bytes)


def may_be_saved(reference: str, services: Services) -> bool:
    """Whether it looks like a saved engine's id, and there is a store: a mistyped name makes none."""
    from chatsearch.store.address import FILE

    given = services.settings
    there = bool(given.database_url.get_secret_value()) or (given.data_dir / FILE).is_file()
    return there and _SAVED.fullmatch(reference) is not None


async def saved_spec(identifier: str, services: Services, store: Store) -> Spec:
    """The newest version of a saved engine. Raises UnknownEngineError, RevokedEngineError, SpecError and StoreError."""
    stored = await store.engines.get(identifier)
    if stored is None:
        raise _nothing(identifier)
    if stored.revoked:
        raise revoked(identifier)
    return await asyncio.to_thread(load_stored, stored, services)


def load_stored(stored: StoredEngine, services: Services) -> Spec:
    """The spec of a stored version, named by its id. Blocking. Raises SpecError, such as for a module that is gone."""
    return Spec.loads(stored.text, services.registry, stored.id, services.settings.max_spec_bytes)


def revoked(identifier: str) -> RevokedEngineError:
    """What to say of an engine that its owner took back."""
    return RevokedEngineError(f"The engine “{_brief(identifier)}” was revoked by its owner. Ask whoever gave you its address.")


async def _found_elsewhere(reference: str, services: Services) -> Spec:
    """What is neither a file nor built in, in an event loop of its own: the store of `services` belongs to another."""
    if not may_be_saved(reference, services):
        if "://" in reference:
            return await _from_url(reference, services)
        raise _nothing(reference)
    from chatsearch.store.store import Store

    store = await Store.open(services.settings)
    try:
        return await saved_spec(reference, services, store)
    finally:
        await store.close()


async def _from_url(url: str, services: Services) -> Spec:
    """The spec at a URL of an allowed host. Raises HostRefusedError, HttpError, InputError and SpecError."""
    from chatsearch.http import Request, deadline_of, http_client

    client = await http_client(services.settings)
    answer = await client.send(Request(url), deadline_of(services.settings))
    if not answer.ok:
        raise answer.failure()
    if answer.content.lstrip().startswith(b"<"):
        raise InputError(f"{answer.host} answered a web page and no spec. Give the address of the engine's JSON.")
    name = PurePosixPath(unquote(urlsplit(url).path)).stem or answer.host
    return await asyncio.to_thread(Spec.loads, answer.content, services.registry, name, services.settings.max_spec_bytes)


def _file(reference: str) -> Path | None:
    """The file or the built-in engine of that name."""
    named = _path(reference)
    if _exists(named) and not named.is_dir():
        return named
    engines = built_in_engines()
    name = _name(reference)
    if name in engines:
        return engines[name]
    return named if _exists(named) else None  # a folder: a built-in engine of its name comes before it


def _name(reference: str) -> str:
    """`specs/demo.json` is what the README says; it works from any folder."""
    named = _path(reference)
    return named.stem if named.suffix == ".json" and named.parent.name in ("", "specs") else reference


def _nothing(reference: str) -> UnknownEngineError:
    engines = built_in_engines()
    near = did_you_mean(_name(reference), engines)
    hub = " Names of a hub cannot be read yet." if "/" in reference else ""
    return UnknownEngineError(
        f"No spec “{_brief(reference)}”: no such file, no built-in engine ({', '.join(engines)}), no saved one.{near}{hub}"
    )


def _brief(reference: str) -> str:
    return reference if len(reference) <= 100 else f"{reference[:97]}…"


def _path(reference: str) -> Path:
    try:
        return Path(reference).expanduser()
    except RuntimeError:  # ~ of a person this machine does not know
        return Path(reference)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # too long a name, or a folder on the way that may not be entered
        return False
