"""Which indexes there are, what they say about themselves, and their removal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from chatsearch.errors import LocalIndexError
from chatsearch.index.generations import index_names, open_current, remove
from chatsearch.index.manifest import Manifest


@dataclass(frozen=True)
class IndexInfo:
    """An index by name: its manifest and its size on disk, or, when it cannot be used, why (`problem`)."""

    name: str
    manifest: Manifest | None = None
    bytes: int = 0
    problem: str = ""


def list_indexes(directory: Path) -> list[IndexInfo]:
    """Every index in `directory` (the folder of all indexes), by name, damaged ones too. Raises DataDirectoryError."""
    return [_info_or_problem(directory, name) for name in index_names(directory)]


def index_info(directory: Path, name: str) -> IndexInfo:
    """One index. Raises IndexNotFoundError, IndexDamagedError, IndexMismatchError or DataDirectoryError."""
    _, manifest, lock = open_current(directory, name)
    lock.close()
    return IndexInfo(name, manifest, sum(manifest.files.values()))


def remove_index(directory: Path, name: str) -> None:
    """Removes an index with all its generations. Raises IndexNotFoundError, or LocalIndexError while it is being built."""
    remove(directory, name)


def _info_or_problem(directory: Path, name: str) -> IndexInfo:
    try:
        return index_info(directory, name)
    except LocalIndexError as error:
        return IndexInfo(name, problem=error.message)
