"""The generations of an index on disk: which one is current, who builds or reads one, and when one may go.

    indexes/<name>/CURRENT            the name of the generation that answers, replaced atomically
    indexes/<name>/LOCK               held for moments by whoever begins, publishes or removes a generation
    indexes/<name>/<generation>/LOCK  held alone by its builder, and shared by everybody who reads it

Locks are flock's: they end with their process. So a generation whose lock can be had alone is needed by nobody.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
import shutil
import weakref
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from chatsearch.errors import DataDirectoryError, IndexNotFoundError, LocalIndexError, did_you_mean
from chatsearch.index.manifest import FILE, Manifest, damaged, load_manifest

CURRENT = "CURRENT"
LOCK = "LOCK"

_NAME = re.compile(r"[^\W_](?:[\w.-]{0,78}[\w-])?")
_ATTEMPTS = 5


class Lock:
    """A lock that is held; closed by hand, at the end of a `with`, or when nobody refers to it any more."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.close = weakref.finalize(self, os.close, descriptor)

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def share(self) -> None:
        """Others may have it too from now on, but nobody alone."""
        fcntl.flock(self._descriptor, fcntl.LOCK_SH)


def is_name(name: str) -> bool:
    """Whether an index may be called so: 1 to 80 letters, digits, `-`, `_`, `.`, beginning with a letter or digit."""
    return _NAME.fullmatch(name) is not None and ".." not in name


def index_names(directory: Path) -> list[str]:
    """The names of the indexes in a directory, sorted; none when it does not exist. Raises DataDirectoryError."""
    with directory_errors(directory):
        if not directory.exists():
            return []
        return sorted(path.name for path in directory.iterdir() if is_name(path.name) and _was_published(path))


def not_found(directory: Path, name: str) -> IndexNotFoundError:
    """The error of a name that no index has, with the nearest. A visitor may read it: it lists neither indexes nor folders."""
    names = index_names(directory)
    there = "`chatsearch index list` shows those there are." if names else "There is none yet."
    return IndexNotFoundError(
        f"There is no index “{name}”.{did_you_mean(name, names)} {there} "
        f"Build one: chatsearch index build {name if is_name(name) else 'NAME'} SOURCE…"
    )


def open_current(directory: Path, name: str) -> tuple[Path, Manifest, Lock]:
    """The current generation, its manifest, and the lock that keeps it on disk as long as it is open.

    Raises IndexNotFoundError, IndexDamagedError, IndexMismatchError or DataDirectoryError.
    """
    if not is_name(name):
        raise not_found(directory, name)
    with directory_errors(directory / name):
        for attempt in range(_ATTEMPTS):
            generation = _current(directory, name)
            try:
                lock = _locked(generation / LOCK, fcntl.LOCK_SH, create=False)
            except FileNotFoundError:
                # Another process may have published a newer one and removed this one since we read CURRENT.
                if attempt < _ATTEMPTS - 1 and _current(directory, name) != generation:
                    continue
                raise damaged(name, f"{generation} is missing or not whole") from None
            if (generation / LOCK).exists() or _current(directory, name) == generation:
                return generation, _manifest_or_close(generation, name, lock), lock
            lock.close()
    raise damaged(name, "its generations change faster than they can be opened")


@contextlib.contextmanager
def building(directory: Path, name: str) -> Iterator[Path]:
    """A new generation to fill, published when the block ends well and removed when it does not.

    Before and after, generations that nobody builds or reads are cleared away. Raises LocalIndexError for an impossible name and
    DataDirectoryError when the disk does not play along.
    """
    if not is_name(name):
        raise LocalIndexError(
            f"An index cannot be called “{name}”. Use 1 to 80 letters, digits, “-”, “_” and “.”, a letter or digit first."
        )
    home = directory / name
    with directory_errors(home):
        home.mkdir(parents=True, exist_ok=True)
        with _locked(home / LOCK, fcntl.LOCK_EX):
            _clear_unused(home)
            generation = home / f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
            generation.mkdir()
            lock = _locked(generation / LOCK, fcntl.LOCK_EX)
        with lock:
            try:
                yield generation
                _publish(home, generation, lock)
            except BaseException:
                shutil.rmtree(generation, ignore_errors=True)
                _remove_if_never_built(home)
                raise


def remove(directory: Path, name: str) -> None:
    """Removes an index; who has it open reads on. Raises IndexNotFoundError, or LocalIndexError while it is being built."""
    home = directory / name
    if not is_name(name) or not home.is_dir():
        raise not_found(directory, name)
    with directory_errors(home):
        with _locked(home / LOCK, fcntl.LOCK_EX):
            for generation in _generations(home):
                _refuse_while_built(generation, name)
            gone = directory / f".removed-{name}-{secrets.token_hex(4)}"
            home.rename(gone)
        shutil.rmtree(gone)


@contextlib.contextmanager
def directory_errors(path: Path) -> Iterator[None]:
    """Turns what the file system refuses into a DataDirectoryError that names the path and the way out."""
    try:
        yield
    except OSError as error:
        if error.errno is None or isinstance(error, ConnectionError | TimeoutError):
            raise
        where = error.filename or path
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        way_out = "Free some space there" if full else "Check that this user may read and write there"
        raise DataDirectoryError(
            f"{where}: {error.strerror or error}. {way_out}, or choose another folder with --data-dir or CHATSEARCH_DATA_DIR."
        ) from error


def _current(directory: Path, name: str) -> Path:
    home = directory / name
    try:
        generation = (home / CURRENT).read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        if _was_published(home):
            raise damaged(name, f"{home / CURRENT} is missing") from None
        raise not_found(directory, name) from None
    except UnicodeDecodeError as error:
        raise damaged(name, f"{home / CURRENT} cannot be read ({error.reason})") from error
    if not is_name(generation):
        raise damaged(name, f"{home / CURRENT} does not name a generation")
    return home / generation


def _manifest_or_close(generation: Path, name: str, lock: Lock) -> Manifest:
    try:
        return load_manifest(generation, name)
    except BaseException:
        lock.close()
        raise


def _publish(home: Path, generation: Path, lock: Lock) -> None:
    with _locked(home / LOCK, fcntl.LOCK_EX):
        lock.share()
        partial = home / f"{CURRENT}.{generation.name}"
        partial.write_text(generation.name + "\n", encoding="utf-8")
        partial.replace(home / CURRENT)
        _clear_unused(home)


def _clear_unused(home: Path) -> None:
    """Removes the generations whose lock can be had alone, except the current one. To be called with the index's lock held."""
    current = (home / CURRENT).read_text(encoding="utf-8").strip() if (home / CURRENT).is_file() else ""
    for generation in _generations(home):
        if generation.name == current:
            continue
        lock = _locked_at_once(generation, fcntl.LOCK_EX)
        if lock is not None:
            with lock:
                # its builder may be removing it too, and its lock's file is gone first
                shutil.rmtree(generation, ignore_errors=True)
    for partial in home.glob(f"{CURRENT}.*"):
        partial.unlink()


def _remove_if_never_built(home: Path) -> None:
    with contextlib.suppress(OSError), _locked(home / LOCK, fcntl.LOCK_EX):
        if not (home / CURRENT).exists() and not _generations(home):
            shutil.rmtree(home)


def _refuse_while_built(generation: Path, name: str) -> None:
    lock = _locked_at_once(generation, fcntl.LOCK_SH)
    if lock is None:
        raise LocalIndexError(f"The index “{name}” is being built by another process. Remove it when that has ended.")
    lock.close()


def _was_published(home: Path) -> bool:
    return home.is_dir() and ((home / CURRENT).exists() or any((path / FILE).exists() for path in _generations(home)))


def _generations(home: Path) -> list[Path]:
    return sorted(path for path in home.iterdir() if path.is_dir())


def _locked(path: Path, mode: int, *, create: bool = True) -> Lock:
    descriptor = os.open(path, (os.O_RDWR | os.O_CREAT if create else os.O_RDONLY) | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(descriptor, mode)
    except BaseException:
        os.close(descriptor)
        raise
    return Lock(descriptor)


def _locked_at_once(generation: Path, mode: int) -> Lock | None:
    """The lock of a generation, or None when somebody else has it."""
    try:
        return _locked(generation / LOCK, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return None
