"""The vectors that were used last, so that no text is embedded twice."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chatsearch.embedding import EmbeddingModel, Kind, Vectors


class RecentVectors:
    """The vectors used last, by model, kind and hash of the text."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._vectors: OrderedDict[tuple[str, str, bytes], Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, model: EmbeddingModel, kind: Kind, texts: Sequence[str]) -> tuple[dict[str, Vectors], list[str]]:
        """The vectors that are remembered, by text, and the distinct texts of which none is."""
        known: dict[str, Vectors] = {}
        with self._lock:
            for text in texts:
                key = _key(model, kind, text)
                if text not in known and key in self._vectors:
                    known[text] = self._vectors[key]
                    self._vectors.move_to_end(key)
        return known, [text for text in dict.fromkeys(texts) if text not in known]

    def remember(self, model: EmbeddingModel, kind: Kind, texts: Sequence[str], vectors: Vectors) -> None:
        with self._lock:
            for text, vector in zip(texts, vectors, strict=True):
                self._vectors[_key(model, kind, text)] = vector.copy()  # a row alone would keep its whole batch alive
            while len(self._vectors) > self._size:
                self._vectors.popitem(last=False)


def _key(model: EmbeddingModel, kind: Kind, text: str) -> tuple[str, str, bytes]:
    return model.fingerprint, kind, blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
