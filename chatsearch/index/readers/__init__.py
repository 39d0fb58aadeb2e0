"""Readers of files to be indexed: one file per format, found by how a file's name ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from chatsearch.errors import ReadError
from chatsearch.index.readers import csv, jsonl, parquet
from chatsearch.index.readers.columns import ColumnNames, DocumentMaker
from chatsearch.index.readers.rows import Document, Row, Skipped

__all__ = ["READERS", "ColumnNames", "Document", "Row", "Skipped", "files", "read"]

READERS: dict[str, Callable[[Path], Iterator[Row | Skipped]]] = {
    ending: module.rows for module in (jsonl, csv, parquet) for ending in module.ENDINGS
}
"""How a file's name ends (lower case) → a generator of its rows. A format is added by adding a file and its name here."""


def read(path: Path, columns: ColumnNames | None = None) -> Iterator[Document | Skipped]:
    """The documents of one file in order, and what was skipped and why, as they are read.

    Raises ReadError when the file cannot be read at all: missing, empty, of an unknown format, or without a text column.
    """
    reader = _reader(path)
    if not path.is_file():
        raise ReadError(f"{path} is not there. Check the path.")
    if path.stat().st_size == 0:
        raise ReadError(f"{path} is empty (0 bytes). Give a file with documents.")
    maker = DocumentMaker(path, columns or ColumnNames())
    try:
        yield from map(maker.document, reader(path))
    except PermissionError as error:
        raise ReadError(f"{path} may not be read ({error.strerror}). Allow this user to read it.") from error
    except OSError as error:
        raise ReadError(f"{path} cannot be read: {error}.") from error
    maker.check()


def files(sources: Sequence[Path]) -> list[Path]:
    """The files that `sources` stand for, in order: a folder stands for all files below it that there is a reader for.

    Raises ReadError for a source that is not there, a format nobody reads, or a folder with nothing to read.
    """
    found: list[Path] = []
    for source in sources:
        try:
            found.extend(_files_of(source))
        except OSError as error:
            raise ReadError(
                f"{source} cannot be read ({error.strerror}). Check the path, and that this user may read it."
            ) from error
    return found


def _files_of(source: Path) -> list[Path]:
    if source.is_dir():
        inside = sorted(path for path in source.rglob("*") if path.is_file() and _ending(path))
        if not inside:
            raise ReadError(f"The folder {source} holds no file ending in {_endings()}.")
        return inside
    if not source.exists():
        raise ReadError(f"{source} is not there. Check the path.")
    _reader(source)
    return [source]


def _reader(path: Path) -> Callable[[Path], Iterator[Row | Skipped]]:
    ending = _ending(path)
    if not ending:
        raise ReadError(f"{path.name} is of a format nobody here reads. Its name must end in {_endings()}.")
    return READERS[ending]


def _ending(path: Path) -> str | None:
    name = path.name.lower()
    return next((ending for ending in READERS if name.endswith(ending)), None)


def _endings() -> str:
    *others, last = READERS
    return f"{', '.join(others)} or {last}"
