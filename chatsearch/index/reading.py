"""The first phase of a build: documents out of files, each with an id of its own, and a tally of what was met."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from chatsearch.errors import ReadError
from chatsearch.index.manifest import SourceInfo
from chatsearch.index.progress import Ticker
from chatsearch.index.readers import ColumnNames, Document, Skipped, read
from chatsearch.languages import detect

MOST_SKIPPED_KEPT = 100

_SAMPLE = 200
_SAMPLE_LENGTH = 1_000
# An index counts as written in a language when this share of its documents is.
_NEARLY_ALL = 0.8


@dataclass
class Reading:
    """What was read so far. `ids` holds every id and how often it came."""

    documents: int = 0
    sources: list[SourceInfo] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    columns: dict[str, None] = field(default_factory=dict)
    duplicate_ids: int = 0
    _ids: dict[str, int] = field(default_factory=dict)
    _named: Counter[str] = field(default_factory=Counter)
    _unnamed: int = 0
    _sample: list[str] = field(default_factory=list)
    _random: random.Random = field(default_factory=lambda: random.Random(0))

    def skip(self, skipped: Skipped) -> None:
        """Counts a record that did not become a document."""
        self.reasons[skipped.reason] += 1
        if len(self.skipped) < MOST_SKIPPED_KEPT:
            self.skipped.append(skipped)

    def take(self, document: Document) -> Document:
        """The document with an id that no other has; counted."""
        self.documents += 1
        self.columns.update(dict.fromkeys(document.metadata))
        self._note_language(document)
        return replace(document, id=self._own_id(document))

    def languages(self, given: str = "") -> tuple[str, dict[str, int]]:
        """The language of nearly all documents ("" when mixed or unknown), and documents by language, the most frequent first.

        Documents that do not name theirs are in the language `given`, or else as many in each as a sample of 200 of them tells.
        """
        counts = Counter(self._named)
        if self._unnamed:
            sampled = Counter([given]) if given else Counter(map(detect, self._sample))
            for language, count in sampled.items():
                counts[language] += max(1, round(self._unnamed * count / sampled.total()))
        language, count = counts.most_common(1)[0]
        return given or (language if count >= _NEARLY_ALL * counts.total() else ""), dict(counts.most_common())

    def _note_language(self, document: Document) -> None:
        if document.language:
            self._named[document.language] += 1
            return
        self._unnamed += 1
        place = len(self._sample) if len(self._sample) < _SAMPLE else self._random.randrange(self._unnamed)
        if place < _SAMPLE:
            self._sample[place : place + 1] = [document.text[:_SAMPLE_LENGTH]]

    def _own_id(self, document: Document) -> str:
        wanted = document.id or _hash(document)
        count = self._ids[wanted] = self._ids.get(wanted, 0) + 1
        if count == 1:
            return wanted
        self.duplicate_ids += 1
        own = f"{wanted}~{count}"
        while own in self._ids:
            count += 1
            own = f"{wanted}~{count}"
        self._ids[wanted] = count
        self._ids[own] = 1
        return own


def read_documents(paths: Sequence[Path], columns: ColumnNames, store: Callable[[Document], None], ticker: Ticker) -> Reading:
    """Reads all files in order and hands every document to `store`. Raises ReadError, also when not one document came."""
    reading = Reading()
    for path in paths:
        documents, skipped = reading.documents, reading.reasons.total()
        for item in read(path, columns):
            if isinstance(item, Skipped):
                reading.skip(item)
            else:
                store(reading.take(item))
                ticker.add(1)
        counts = reading.documents - documents, reading.reasons.total() - skipped
        reading.sources.append(SourceInfo(path=str(path.absolute()), documents=counts[0], skipped=counts[1]))
    ticker.finish()
    _refuse_nothing(reading)
    return reading


def _refuse_nothing(reading: Reading) -> None:
    if reading.documents == 0:
        reasons = ", ".join(f"{count} × {reason}" for reason, count in reading.reasons.most_common()) or "no records"
        first = f" The first: {reading.skipped[0]}." if reading.skipped else ""
        raise ReadError(f"Not one document could be read: {reasons}.{first}")


def _hash(document: Document) -> str:
    return hashlib.sha256(f"{document.title}\n{document.text}".encode()).hexdigest()[:16]
