"""The documents of an index as they are stored: an uncompressed Arrow file, memory-mapped, any row at once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

import pandas as pd

from chatsearch.index.manifest import damaged
from chatsearch.index.readers.rows import Document

FILE = "documents.arrow"
TEXT_COLUMN = "full-text"

# Every batch but the last has so many rows: so a row's batch is known without reading any other.
_BATCH_ROWS = 128
_FIELDS = ("id", "title", "url", "language", "text", "metadata")


class DocumentWriter:
    """Writes documents one after another; at most a batch is in memory. A context manager."""

    def __init__(self, generation: Path) -> None:
        import pyarrow as pa

        self._schema = pa.schema([(name, pa.large_string()) for name in _FIELDS])
        self._file = pa.OSFile(str(generation / FILE), "wb")
        self._writer = pa.ipc.new_file(self._file, self._schema)
        self._batch: list[Document] = []

    def __enter__(self) -> DocumentWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if kind is None:
                self._flush()
                self._writer.close()
        finally:
            self._file.close()

    def add(self, document: Document) -> None:
        """Appends a document; the first has row number 0."""
        self._batch.append(document)
        if len(self._batch) == _BATCH_ROWS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._batch:
            columns = zip(*map(_fields, self._batch), strict=True)
            self._writer.write_batch(
                pa.record_batch([pa.array(column, pa.large_string()) for column in columns], schema=self._schema)
            )
            self._batch = []


class DocumentStore:
    """The stored documents of a generation; safe to use from several threads. Raises IndexDamagedError."""

    def __init__(self, generation: Path, name: str, count: int) -> None:
        import pyarrow as pa

        self._name = name
        self._count = count
        self._lock = threading.Lock()
        try:
            self._reader = pa.ipc.open_file(pa.memory_map(str(generation / FILE), "r"))
        except (pa.ArrowException, OSError) as error:
            raise damaged(name, f"its documents cannot be read ({error})") from error
        if self._reader.num_record_batches != -(-count // _BATCH_ROWS):
            raise damaged(name, f"it should hold {count:,} documents and does not")

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Document]:
        for batch in range(self._reader.num_record_batches):
            yield from self._documents(batch, None)

    def take(self, rows: Sequence[int]) -> list[Document]:
        """The documents with these row numbers (from 0), in this order. Raises IndexError for a number outside."""
        if any(not 0 <= row < self._count for row in rows):
            raise IndexError(f"The index “{self._name}” has rows 0 to {self._count - 1}.")
        by_batch: dict[int, list[int]] = {}
        for row in rows:
            by_batch.setdefault(row // _BATCH_ROWS, []).append(row)
        found: dict[int, Document] = {}
        for batch, wanted in by_batch.items():
            found.update(zip(wanted, self._documents(batch, [row % _BATCH_ROWS for row in wanted]), strict=True))
        return [found[row] for row in rows]

    def frame(self, rows: Sequence[int], columns: Sequence[str], text_column: str = TEXT_COLUMN) -> pd.DataFrame:
        """The documents as rows: `id`, `title`, `url`, `text_column`, `language`, the metadata `columns`; None where missing."""
        documents = self.take(rows)
        fixed = {
            "id": [document.id for document in documents],
            "title": [document.title for document in documents],
            "url": [document.url for document in documents],
            text_column: [document.text for document in documents],
            "language": [document.language for document in documents],
        }
        metadata = {
            name if name not in fixed else f"original_{name}": [document.metadata.get(name) for document in documents]
            for name in columns
        }
        return pd.DataFrame(
            {name: pd.Series(values, dtype=object).infer_objects() for name, values in (fixed | metadata).items()}
        )

    def _documents(self, batch: int, places: list[int] | None) -> list[Document]:
        import pyarrow as pa

        try:
            with self._lock:  # a reader of Arrow files keeps state while it reads
                stored = self._reader.get_batch(batch)
            chosen = stored if places is None else stored.take(pa.array(places, pa.int64()))
            return [_document(values) for values in chosen.to_pylist()]
        except (pa.ArrowException, OSError, ValueError) as error:
            raise damaged(self._name, f"its documents cannot be read ({error})") from error


def _fields(document: Document) -> tuple[str, ...]:
    metadata = json.dumps(document.metadata, ensure_ascii=False, allow_nan=False) if document.metadata else ""
    return document.id, document.title, document.url, document.language, document.text, metadata


def _document(values: dict[str, str]) -> Document:
    metadata = json.loads(values["metadata"]) if values["metadata"] else {}
    return Document(values["id"], values["title"], values["text"], values["url"], values["language"], metadata)
