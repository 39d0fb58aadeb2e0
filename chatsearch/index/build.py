"""Builds an index from files: reads them, indexes their words, embeds their passages, publishes the whole."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from chatsearch.errors import InputError
from chatsearch.index.dense import PASSAGES, KnownVectors, PassageWriter, VectorWriter, passage_text
from chatsearch.index.documents import DocumentStore, DocumentWriter
from chatsearch.index.generations import building
from chatsearch.index.lexical import LexicalWriter, analyser_for
from chatsearch.index.manifest import EmbeddingInfo, Manifest, save_manifest, sizes
from chatsearch.index.progress import BuildProgress, BuildStopped, Phase, Ticker
from chatsearch.index.readers import ColumnNames, Skipped, files
from chatsearch.index.reading import Reading, read_documents
from chatsearch.languages import iso639_1
from chatsearch.passages import PASSAGE_WORDS, Span, passages

if TYPE_CHECKING:
    from chatsearch.embedding import EmbeddingModels

__all__ = ["BuildOptions", "BuildProgress", "BuildReport", "BuildStopped", "build_index"]

# Texts embedded between two looks at whether the build shall stop.
_BATCH = 8


@dataclass(frozen=True)
class BuildOptions:
    """What a person may choose. `language` empty: found out; column names empty: recognised; `model` empty: by language."""

    language: str = ""
    columns: ColumnNames = field(default_factory=ColumnNames)
    dense: bool = True
    model: str = ""
    passage_words: int = PASSAGE_WORDS


@dataclass(frozen=True)
class BuildReport:
    """What came of a build: its manifest, the first records that were skipped (at most 100), and how long it took."""

    manifest: Manifest
    skipped: tuple[Skipped, ...]
    seconds: float


@dataclass(frozen=True)
class _Build:
    """What all phases of one build share."""

    options: BuildOptions
    embeddings: EmbeddingModels
    embedding: EmbeddingInfo | None
    known_vectors: KnownVectors | None
    progress: Callable[[BuildProgress], None] | None
    stop: Callable[[], bool] | None

    def ticker(self, phase: Phase, total: int | None) -> Ticker:
        return Ticker(phase, total, self.progress, self.stop)


def build_index(
    directory: Path,
    name: str,
    sources: Sequence[Path],
    *,
    options: BuildOptions,
    embeddings: EmbeddingModels,
    progress: Callable[[BuildProgress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    known_vectors: KnownVectors | None = None,
) -> BuildReport:
    """Builds the index `name` in `directory` (the folder of all indexes) from files and folders of files; blocking.

    The old generation answers until the new one is whole, and stays when the build fails. Raises ReadError, LocalIndexError,
    ModelError, InputError for an unknown language, DataDirectoryError, and BuildStopped when `stop` returned true.
    """
    began = time.monotonic()
    language = _language(options.language)
    paths = files(sources)
    embedding = _embedding(embeddings, options.model) if options.dense and options.model else None
    build = _Build(options, embeddings, embedding, known_vectors, progress, stop)
    with building(directory, name) as generation:
        with DocumentWriter(generation) as writer:
            reading = read_documents(paths, options.columns, writer.add, build.ticker("reading", None))
        manifest = _indexed(build, generation, name, reading, language)
        save_manifest(generation, manifest)
    return BuildReport(manifest, tuple(reading.skipped), time.monotonic() - began)


def _language(wanted: str) -> str:
    code = iso639_1(wanted) if wanted else ""
    if wanted and not code:
        raise InputError(f"“{wanted}” is no language that is known. Give a code of ISO 639, such as en, de or zh.")
    return code


def _embedding(embeddings: EmbeddingModels, name: str) -> EmbeddingInfo:
    model = embeddings.get(name)
    return EmbeddingInfo(model=name, fingerprint=model.fingerprint, dimensions=model.dimensions)


def _indexed(build: _Build, generation: Path, name: str, reading: Reading, language: str) -> Manifest:
    """Writes the words and the vectors of the documents read; the manifest of it all."""
    language, languages = reading.languages(language)
    if build.options.dense and build.embedding is None:
        build = replace(build, embedding=_embedding(build.embeddings, build.embeddings.for_language(language)))
    store = DocumentStore(generation, name, reading.documents)
    analyser = analyser_for(language)
    _write_words(build, generation, store, analyser)
    return Manifest(
        name=name,
        generation=generation.name,
        created=datetime.now(UTC),
        documents=reading.documents,
        passages=_write_vectors(build, generation, store, language) if build.embedding else 0,
        language=language,
        languages=languages,
        analyser=analyser,
        columns=list(reading.columns),
        embedding=build.embedding,
        passage_words=build.options.passage_words,
        sources=reading.sources,
        skipped=dict(reading.reasons),
        duplicate_ids=reading.duplicate_ids,
        files=sizes(generation),
    )


def _write_words(build: _Build, generation: Path, store: DocumentStore, analyser: str) -> None:
    ticker = build.ticker("lexical", len(store))
    with LexicalWriter(generation, analyser) as writer:
        for row, document in enumerate(store):
            writer.add(row, document.title, document.text)
            ticker.add(1)
    ticker.finish()


def _write_vectors(build: _Build, generation: Path, store: DocumentStore, language: str) -> int:
    """The number of passages. They are cut first, so that it is known how long the embedding will take."""
    assert build.embedding is not None
    writer = PassageWriter()
    for row, document in enumerate(store):
        spans = passages(document.text, document.language or language, build.options.passage_words)
        writer.add(row, spans or [Span(0, len(document.text))])
        build.ticker("dense", None).add(0)
    writer.finish(generation)
    ticker = build.ticker("dense", writer.count)
    texts = _passage_texts(generation, store)
    with VectorWriter(generation, writer.count, build.embedding.dimensions) as vectors:
        while batch := list(islice(texts, _BATCH)):
            vectors.add(_embedded(build, batch))
            ticker.add(len(batch))
    ticker.finish()
    return writer.count


def _passage_texts(generation: Path, store: DocumentStore) -> Iterator[str]:
    places = np.load(generation / PASSAGES, mmap_mode="r")
    place = 0
    for row, document in enumerate(store):
        while place < len(places) and places[place, 0] == row:
            _, start, end = places[place]
            yield passage_text(document.title, document.text[start:end])
            place += 1


def _embedded(build: _Build, texts: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    assert build.embedding is not None
    known = build.known_vectors
    found = known.of(texts) if known is not None and known.fingerprint == build.embedding.fingerprint else {}
    vectors = np.empty((len(texts), build.embedding.dimensions), np.float32)
    for place, vector in found.items():
        vectors[place] = vector
    missing = [place for place in range(len(texts)) if place not in found]
    if missing:
        vectors[missing] = build.embeddings.encode_now(build.embedding.model, [texts[place] for place in missing], "passage")
    return vectors
