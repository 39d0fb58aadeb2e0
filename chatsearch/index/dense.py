"""Search by meaning: a vector per passage, memory-mapped, compared exactly; the best passage of a document counts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from chatsearch.index.manifest import Manifest, damaged

if TYPE_CHECKING:
    from types import TracebackType

    from chatsearch.passages import Span

VECTORS = "vectors.npy"
PASSAGES = "passages.npy"

Vectors = NDArray[np.float32]
Number = TypeVar("Number", np.float32, np.int32)

# Rows of the array that are compared at once: 50 MB at 384 dimensions, so that a scan does not evict everything else.
_BLOCK = 32_768


def passage_text(title: str, passage: str) -> str:
    """What is embedded for a passage: its document's title tells what the passage itself only refers to."""
    return f"{title}\n{passage}" if title else passage


def passage_key(text: str) -> str:
    """The name under which the vector of an embedded text may be known already: its SHA-256."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


@dataclass(frozen=True)
class KnownVectors:
    """Vectors made before, by `passage_key`, all by the model with this fingerprint; of any float type and unit length."""

    fingerprint: str
    vectors: Mapping[str, NDArray[np.floating]]

    def of(self, texts: Sequence[str]) -> dict[int, Vectors]:
        """Place in `texts` → vector (float32, unit length), for those that are known."""
        found: dict[int, Vectors] = {}
        for place, text in enumerate(texts):
            vector = self.vectors.get(passage_key(text))
            if vector is not None:
                exact = vector.astype(np.float32)
                found[place] = exact / np.linalg.norm(exact)
        return found


class PassageWriter:
    """Collects where the passages of each document are: 12 bytes a passage in memory, whatever their length."""

    def __init__(self) -> None:
        self._rows: list[NDArray[np.int32]] = []
        self.count = 0

    def add(self, row: int, spans: Sequence[Span]) -> None:
        """The passages of document `row`; documents come in order, each has at least one."""
        self._rows.append(np.array([(row, span.start, span.end) for span in spans], np.int32).reshape(-1, 3))
        self.count += len(spans)

    def finish(self, generation: Path) -> None:
        """Writes the int32 array of shape (passages, 3): document, start, end (code points, exclusive)."""
        with (generation / PASSAGES).open("wb") as file:
            np.save(file, np.concatenate(self._rows) if self._rows else np.empty((0, 3), np.int32))


class VectorWriter:
    """Writes the float32 array of shape (passages, dimensions) block by block. A context manager.

    By plain writes: a full disk then raises OSError, where writing through a memory map would kill the process.
    """

    def __init__(self, generation: Path, passages: int, dimensions: int) -> None:
        self._file = (generation / VECTORS).open("wb")
        header = {"descr": "<f4", "fortran_order": False, "shape": (passages, dimensions)}
        np.lib.format.write_array_header_1_0(self._file, header)

    def __enter__(self) -> VectorWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()

    def add(self, vectors: Vectors) -> None:
        """Appends the vectors of the next passages."""
        self._file.write(np.ascontiguousarray(vectors, "<f4").tobytes())


class DenseIndex:
    """The vectors of an open generation; safe to use from several threads. Raises IndexDamagedError."""

    def __init__(self, generation: Path, manifest: Manifest) -> None:
        assert manifest.embedding is not None
        shape = manifest.passages, manifest.embedding.dimensions
        self._vectors: Vectors = _mapped(generation / VECTORS, manifest, shape, np.dtype(np.float32))
        self._passages: NDArray[np.int32] = _mapped(generation / PASSAGES, manifest, (manifest.passages, 3), np.dtype(np.int32))
        documents = np.asarray(self._passages[:, 0])
        self._starts = np.flatnonzero(np.diff(documents, prepend=-1))
        if len(self._starts) != manifest.documents or not np.array_equal(documents[self._starts], np.arange(manifest.documents)):
            raise damaged(
                manifest.name, f"{generation / PASSAGES} does not hold the passages of {manifest.documents:,} documents"
            )

    def scores(self, query_vector: Vectors) -> tuple[NDArray[np.float64], Vectors]:
        """The cosines of every document's best passage (documents,) and of every passage (passages,); higher is nearer."""
        of_passages = np.concatenate([block @ query_vector for block in self._blocks()])
        return np.maximum.reduceat(of_passages, self._starts).astype(np.float64), of_passages

    def best_passage(self, row: int, of_passages: Vectors) -> tuple[int, int]:
        """Start and end of the best passage of document `row` in its text, given `scores`' second array."""
        start = self._starts[row]
        end = self._starts[row + 1] if row + 1 < len(self._starts) else len(of_passages)
        _, first, last = self._passages[start + int(np.argmax(of_passages[start:end]))]
        return int(first), int(last)

    def _blocks(self) -> Iterator[Vectors]:
        for start in range(0, len(self._vectors), _BLOCK):
            yield self._vectors[start : start + _BLOCK]


def _mapped(path: Path, manifest: Manifest, shape: tuple[int, int], kind: np.dtype[Number]) -> NDArray[Number]:
    try:
        array: NDArray[Number] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise damaged(manifest.name, f"{path} cannot be read ({error})") from error
    if array.shape != shape or array.dtype != kind:
        raise damaged(manifest.name, f"{path} is of shape {array.shape} where its manifest says {shape}")
    return array
