"""Search by words: BM25 by tantivy over a document's title and text, analysed as the index's language asks."""

from __future__ import annotations

import contextlib
import math
import os
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from chatsearch.errors import DataDirectoryError
from chatsearch.index.manifest import damaged

if TYPE_CHECKING:
    import tantivy

FOLDER = "lexical"
PLAIN = "plain"
"""The analyser of languages without a stemmer, and of mixed indexes: words, lower case."""

MOST_TERMS = 512
"""Of a longer query only the terms that weigh most are looked up."""

# Chosen on cranfield, scifact and the five xquad; from .2 to .5 nDCG@10 moves by less than .007 (benchmarks/retrieval.py).
TITLE_BOOST = 0.3

_STEMMERS = {
    "ar": "arabic", "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hu": "hungarian", "it": "italian", "no": "norwegian", "nb": "norwegian", "nn": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
_WITHOUT_STOP_WORDS = frozenset({PLAIN, "arabic", "greek", "romanian", "tamil", "turkish"})
# Where accents are part of the language its stemmer needs them; elsewhere "Beyonce" and "Beyoncé" must have one stem.
_ACCENTS_ARE_FOREIGN = frozenset({PLAIN, "english"})
_LONGEST_WORD = 100
_HEAP_BYTES = 64_000_000
# Scripts that put no spaces between words (and Hangul, which glues particles to its nouns) become overlapping pairs.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def analyser_for(language: str) -> str:
    """The name of the analyser for a language (ISO 639-1; "" for a mixed index)."""
    return _STEMMERS.get(language, PLAIN)


class LexicalWriter:
    """Writes the lexical part of a generation, a context manager. Raises DataDirectoryError when the disk refuses."""

    def __init__(self, generation: Path, analyser: str) -> None:
        import tantivy

        self._path = generation / FOLDER
        self._path.mkdir()
        with _writing(self._path):
            self._index = tantivy.Index(_schema(), path=str(self._path))
            self._index.register_tokenizer("terms", _analyser(analyser, for_queries=False))
            self._writer = self._index.writer(_HEAP_BYTES, 1)

    def __enter__(self) -> LexicalWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Writes everything to disk; after an error only waits for tantivy's threads, which would go on writing."""
        try:
            if kind is None:
                self._finish()
        finally:
            del self._writer

    def add(self, row: int, title: str, text: str) -> None:
        """Adds document number `row`; its title counts once with the text, and a little on its own."""
        import tantivy

        document = tantivy.Document()
        document.add_unsigned("row", row)
        document.add_text("title", _prepared(title))
        document.add_text("text", _prepared(f"{title}\n{text}"))
        with _writing(self._path):
            self._writer.add_document(document)

    def _finish(self) -> None:
        with _writing(self._path):
            self._writer.commit()
            self._writer.wait_merging_threads()
        for lock in self._path.glob(".*.lock"):
            lock.unlink()
        # tantivy makes its small files readable for their owner only; whoever may read the folder may read the index.
        for path in self._path.iterdir():
            path.chmod(self._path.stat().st_mode & 0o666)


class LexicalIndex:
    """The lexical part of an open generation; safe to use from several threads. Raises IndexDamagedError."""

    def __init__(self, generation: Path, name: str, analyser: str) -> None:
        import tantivy

        self._name = name
        self._analyser = _analyser(analyser, for_queries=True)
        self._every_word = _analyser(analyser, for_queries=False)
        with _reading(name), _folder_for_locks(generation / FOLDER) as folder:
            self._index = tantivy.Index.open(str(folder))
            self._index.config_reader("manual")
            self._searcher = self._index.searcher()

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def search(self, query: str, limit: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Rows and BM25 scores (higher is better) of at most `limit` documents with a word of `query`; ties by row.

        Any text is a query: it is only ever taken apart into words. One without words finds nothing.
        """
        with _reading(self._name):
            wanted = self._query(self._terms(query))
            if wanted is None:
                return np.empty(0, np.int64), np.empty(0, np.float64)
            hits = self._searcher.search(wanted, limit, count=False).hits
            rows = np.array(self._searcher.fast_field_values("row", [address for _, address in hits]), np.int64)
        scores = np.array([score for score, _ in hits], np.float64)
        order = np.lexsort((rows, -scores))
        return rows[order], scores[order]

    def _terms(self, query: str) -> dict[str, int]:
        """Term → how often the query has it, without terms no document has; stop words only when there is nothing else."""
        prepared = _prepared(query)
        counts = Counter(self._analyser.analyze(prepared)) or Counter(self._every_word.analyze(prepared))
        frequency = {term: self._searcher.doc_freq("text", term) for term in counts}
        known = [term for term in counts if frequency[term]]
        if len(known) > MOST_TERMS:
            documents = len(self)
            known.sort(key=lambda term: (-counts[term] * math.log(1 + documents / frequency[term]), term))
        return {term: counts[term] for term in known[:MOST_TERMS]}

    def _query(self, terms: dict[str, int]) -> tantivy.Query | None:
        from tantivy import Occur, Query

        schema = self._index.schema
        clauses = [
            (Occur.Should, Query.boost_query(Query.term_query(schema, field, term, "freq"), count * boost))
            for term, count in terms.items()
            for field, boost in (("text", 1.0), ("title", TITLE_BOOST))
        ]
        return Query.boolean_query(clauses) if clauses else None


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", fast=True)
    # Frequencies without positions: there are no phrase queries, and the index is half as large.
    builder.add_text_field("title", tokenizer_name="terms", index_option="freq")
    builder.add_text_field("text", tokenizer_name="terms", index_option="freq")
    return builder.build()


@lru_cache(maxsize=64)
def _analyser(name: str, *, for_queries: bool) -> tantivy.TextAnalyzer:
    """Stop words are indexed, so that "The Who" can be found, and left out of queries that have other words."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.regex(r"[\p{L}\p{M}\p{N}]+"))
    builder = builder.filter(Filter.remove_long(_LONGEST_WORD)).filter(Filter.lowercase())
    if for_queries and name not in _WITHOUT_STOP_WORDS:
        builder = builder.filter(Filter.stopword(name))
    if name in _ACCENTS_ARE_FOREIGN:
        builder = builder.filter(Filter.ascii_fold())
    if name != PLAIN:
        builder = builder.filter(Filter.stemmer(name))
    return builder.filter(Filter.ascii_fold()).build()


def _prepared(text: str) -> str:
    """`text` as tantivy takes it: without lone surrogates (a query may have them), compatible forms made one, pairs cut."""
    encodable = text.encode("utf-8", "replace").decode("utf-8")
    return _UNSPACED.sub(_pairs, unicodedata.normalize("NFKC", encodable))


def _pairs(match: re.Match[str]) -> str:
    run = match[0]
    pairs = [run[place : place + 2] for place in range(len(run) - 1)] or [run]
    return f" {' '.join(pairs)} "


@contextlib.contextmanager
def _folder_for_locks(folder: Path) -> Iterator[Path]:
    """tantivy makes a lock file where it opens an index: where we may only read, links to the files elsewhere serve as well.

    They may go once the index is open, since it then has all its files mapped.
    """
    if os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="chatsearch-") as links:
        for path in folder.iterdir():
            if path.suffix != ".lock":
                (Path(links) / path.name).symlink_to(path.absolute())
        yield Path(links)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """tantivy says everything by ValueError; while it writes that is the disk's doing."""
    try:
        yield
    except ValueError as error:
        raise DataDirectoryError(
            f"{path} cannot be written: {error}. Check the free space and that this user may write there, "
            "or choose another folder with --data-dir or CHATSEARCH_DATA_DIR."
        ) from error


@contextlib.contextmanager
def _reading(name: str) -> Iterator[None]:
    """Broken files make tantivy raise ValueError, or panic, which arrives as a BaseException of its own."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise damaged(name, f"its lexical part cannot be read ({error})") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise damaged(name, f"its lexical part cannot be read ({error})") from error
