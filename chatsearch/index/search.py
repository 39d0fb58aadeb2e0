"""Searching an index: by words, by meaning, or by the weighted sum of both."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chatsearch.embedding import ENGLISH_MODEL
from chatsearch.errors import IndexMismatchError, ModelError
from chatsearch.index.dense import DenseIndex, Vectors
from chatsearch.index.documents import TEXT_COLUMN, DocumentStore
from chatsearch.index.generations import Lock, open_current
from chatsearch.index.lexical import LexicalIndex
from chatsearch.index.manifest import EmbeddingInfo, Manifest

if TYPE_CHECKING:
    from types import TracebackType

    from chatsearch.embedding import EmbeddingModels

Mode = Literal["hybrid", "lexical", "dense"]
MODES: tuple[Mode, ...] = ("hybrid", "lexical", "dense")

# Measured by benchmarks/retrieval.py; see docs/measurements.md.
DENSE_WEIGHT = 0.5
DENSE_WEIGHT_OF_ENGLISH_MODEL_ELSEWHERE = 0.2

_LEAST_CANDIDATES = 200


@dataclass(frozen=True)
class Hits:
    """The best documents, best first, as parallel arrays.

    `rows` are row numbers of the index (from 0). `scores` order them, higher is better: BM25 (lexical), cosine (dense) or the
    fused score from 0 to 1 (hybrid). `lexical` and `dense` are BM25 and cosine, NaN where not computed. `passages` are start and
    end (code points) of the passage nearest in meaning, None in lexical mode. `mode` is what was really done.
    """

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    lexical: NDArray[np.float64]
    dense: NDArray[np.float64]
    passages: list[tuple[int, int] | None]
    mode: Mode


class LocalIndex:
    """One generation of an index, open for reading; its files are mapped at the first search. Safe in several threads."""

    def __init__(self, generation: Path, manifest: Manifest, lock: Lock) -> None:
        self.manifest = manifest
        self._generation = generation
        self._lock = lock  # while it is open, no build removes this generation
        self._loading = threading.RLock()
        self._ready = False

    @classmethod
    def open(cls, directory: Path, name: str) -> LocalIndex:
        """The index `name` in `directory` (the folder of all indexes), in its current generation; a millisecond.

        Raises IndexNotFoundError, IndexDamagedError, IndexMismatchError or DataDirectoryError.
        """
        return cls(*open_current(directory, name))

    def __enter__(self) -> LocalIndex:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Lets a later build remove this generation."""
        self._lock.close()

    @property
    def columns(self) -> list[str]:
        """The columns that `documents` surely gives besides the text column."""
        return ["id", "title", "url", "language", *self.manifest.columns]

    def check_model(self, embeddings: EmbeddingModels) -> EmbeddingInfo:
        """What the index was embedded with, after a check that it is at hand; loads the model at the first call.

        Raises IndexMismatchError that names the index, its model, ours, and the way out.
        """
        embedding = self._embedding()
        name = self.manifest.name
        way_out = f"Build the index again with a model that is at hand: chatsearch index build {name} SOURCE… --model NAME"
        try:
            model = embeddings.get(embedding.model)
        except ModelError as error:
            raise IndexMismatchError(
                f"The index “{name}” was made with the embedding model “{embedding.model}”, "
                f"which cannot be had here: {error} {way_out}"
            ) from error
        if (model.fingerprint, model.dimensions) != (embedding.fingerprint, embedding.dimensions):
            raise IndexMismatchError(
                f"The index “{name}” was made with another form of the embedding model “{embedding.model}” "
                f"({embedding.fingerprint}, {embedding.dimensions} dimensions) than the one here "
                f"({model.fingerprint}, {model.dimensions}). {way_out.replace('NAME', embedding.model)}"
            )
        return embedding

    def query_vector(self, query: str, embeddings: EmbeddingModels) -> Vectors:
        """`query` embedded by the model of this index, shape (dimensions,); blocking. Raises as `check_model`, and ModelError."""
        embedding = self.check_model(embeddings)
        vector: Vectors = embeddings.encode_now(embedding.model, [query], "query")[0]
        return vector

    def search(
        self,
        query: str,
        *,
        mode: Mode = "hybrid",
        limit: int = 10,
        dense_weight: float | None = None,
        query_vector: Vectors | None = None,
    ) -> Hits:
        """The best `limit` documents; blocking, some milliseconds.

        Hybrid without `query_vector`, or on an index without vectors, is lexical: `Hits.mode` says so. `dense_weight` is from 0
        to 1, None takes what was measured for the index's language. Raises IndexMismatchError for a dense search that cannot be,
        IndexDamagedError for broken files, ValueError for arguments out of range.
        """
        _check_arguments(mode, limit, dense_weight)
        if mode == "dense" or (mode == "hybrid" and query_vector is not None and self.manifest.embedding is not None):
            vector = self._checked(query_vector)
            return self._dense_hits(vector, limit) if mode == "dense" else self._hybrid_hits(query, vector, limit, dense_weight)
        rows, scores = self._lexical.search(query, limit)
        return Hits(rows, scores, scores, np.full(len(rows), np.nan), [None] * len(rows), "lexical")

    def documents(self, rows: Sequence[int] | NDArray[np.int64], text_column: str = TEXT_COLUMN) -> pd.DataFrame:
        """The documents with these row numbers, in this order: `columns` and the text as `text_column`; None where missing."""
        frame = self._documents.frame([int(row) for row in rows], self.manifest.columns, text_column)
        if self.manifest.language:
            frame["language"] = frame["language"].replace("", self.manifest.language)
        return frame

    def make_ready(self) -> None:
        """What the first search would wait for: the search engine's library, the files. Blocking; nothing the second time.

        Raises IndexDamagedError.
        """
        if not self._ready:
            self.documents(self.search("a", mode="lexical", limit=1).rows)
            self._ready = True

    @cached_property
    def default_dense_weight(self) -> float:
        """How much the dense side counts when nobody says: less where an English model meets other languages."""
        model = self.manifest.embedding.model if self.manifest.embedding else ""
        english_only = model.rpartition("/")[2] == ENGLISH_MODEL
        return DENSE_WEIGHT_OF_ENGLISH_MODEL_ELSEWHERE if english_only and self.manifest.language != "en" else DENSE_WEIGHT

    def _dense_hits(self, vector: Vectors, limit: int) -> Hits:
        scores, of_passages = self._dense.scores(vector)
        rows = _best(scores, limit)
        return self._hits(rows, scores[rows], np.full(len(rows), np.nan), scores, of_passages, "dense")

    def _hybrid_hits(self, query: str, vector: Vectors, limit: int, dense_weight: float | None) -> Hits:
        """Min-max sum over the union of both sides' candidates (measured better than rank fusion within one index)."""
        weight = self.default_dense_weight if dense_weight is None else dense_weight
        count = max(10 * limit, _LEAST_CANDIDATES)
        found, bm25 = self._lexical.search(query, count)
        cosine, of_passages = self._dense.scores(vector)
        rows = np.union1d(found, _best(cosine, count))
        lexical = np.zeros(len(rows))
        lexical[np.searchsorted(rows, found)] = bm25
        # A document outside the lexical list has no word of the query: 0; where the list was cut, up to its last score.
        lowest = bm25[-1] if len(found) == count else 0.0
        fused = (1 - weight) * _scaled(lexical, lowest) + weight * _scaled(cosine[rows], cosine[rows].min())
        best = _best(fused, limit)
        return self._hits(rows[best], fused[best], lexical[best], cosine, of_passages, "hybrid")

    def _hits(
        self,
        rows: NDArray[np.int64],
        scores: NDArray[np.float64],
        lexical: NDArray[np.float64],
        cosine: NDArray[np.float64],
        of_passages: Vectors,
        mode: Mode,
    ) -> Hits:
        best = [self._dense.best_passage(int(row), of_passages) for row in rows]
        return Hits(rows, scores, lexical, cosine[rows], [*best], mode)

    def _embedding(self) -> EmbeddingInfo:
        if self.manifest.embedding is None:
            name = self.manifest.name
            raise IndexMismatchError(
                f"The index “{name}” has no vectors, so it can only be searched by words (mode lexical). "
                f"To add them: chatsearch index build {name} SOURCE… --dense"
            )
        return self.manifest.embedding

    def _checked(self, vector: Vectors | None) -> Vectors:
        embedding = self._embedding()
        if vector is None:
            raise ValueError("A dense search needs `query_vector`: LocalIndex.query_vector(query, embeddings) makes it.")
        if vector.shape != (embedding.dimensions,):
            raise IndexMismatchError(
                f"The index “{self.manifest.name}” has vectors of {embedding.dimensions} dimensions ({embedding.model}); "
                f"the query's is of shape {vector.shape}. Embed the query with {embedding.model}."
            )
        return vector.astype(np.float32, copy=False)

    @property
    def _lexical(self) -> LexicalIndex:
        with self._loading:
            return self._opened_lexical

    @property
    def _dense(self) -> DenseIndex:
        with self._loading:
            return self._opened_dense

    @property
    def _documents(self) -> DocumentStore:
        with self._loading:
            return self._opened_documents

    @cached_property
    def _opened_lexical(self) -> LexicalIndex:
        return LexicalIndex(self._generation, self.manifest.name, self.manifest.analyser)

    @cached_property
    def _opened_dense(self) -> DenseIndex:
        return DenseIndex(self._generation, self.manifest)

    @cached_property
    def _opened_documents(self) -> DocumentStore:
        return DocumentStore(self._generation, self.manifest.name, self.manifest.documents)


def _check_arguments(mode: str, limit: int, dense_weight: float | None) -> None:
    if mode not in MODES:
        raise ValueError(f"mode is {mode!r}; it must be one of {', '.join(MODES)}")
    if limit < 1:
        raise ValueError(f"limit is {limit}; it must be 1 or more")
    if dense_weight is not None and not 0 <= dense_weight <= 1:
        raise ValueError(f"dense_weight is {dense_weight}; it must be from 0 to 1")


def _best(scores: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Places of the `count` highest scores, highest first, ties by place."""
    if count < len(scores):
        threshold = np.partition(scores, len(scores) - count)[len(scores) - count]
        places = np.flatnonzero(scores >= threshold)
    else:
        places = np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")][:count].astype(np.int64)


def _scaled(scores: NDArray[np.float64], lowest: float) -> NDArray[np.float64]:
    """From `lowest` (0) to the highest (1); what is below, such as a document without any word of the query, is 0."""
    span = scores.max(initial=lowest) - lowest
    if span <= 0:
        return (scores >= lowest).astype(np.float64) if lowest else np.zeros(len(scores))
    scaled: NDArray[np.float64] = np.clip((scores - lowest) / span, 0.0, 1.0)
    return scaled
