"""A small embedding model that needs no file, and builders of indexes in a temporary folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chatsearch.embedding import EmbeddingModels
from chatsearch.index.build import BuildOptions, BuildReport, build_index
from chatsearch.languages import words

HASHED = "hashed-words"


class HashedWords:
    """Texts with the same words have the same vector; counts what it is asked."""

    name = HASHED
    remote = False

    def __init__(self, fingerprint: str = "hashed/1", dimensions: int = 64) -> None:
        self.fingerprint = fingerprint
        self.dimensions = dimensions
        self.embedded: list[str] = []

    def encode(self, texts: Sequence[str], kind: str) -> NDArray[np.float32]:
        self.embedded.extend(texts)
        vectors = np.full((len(texts), self.dimensions), 1e-3, np.float32)
        for row, text in enumerate(texts):
            for word in words(text):
                vectors[row, int.from_bytes(sha256(word.encode()).digest()[:4]) % self.dimensions] += 1
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


@pytest.fixture
def model() -> HashedWords:
    return HashedWords()


@pytest.fixture
def embeddings(model: HashedWords) -> EmbeddingModels:
    return EmbeddingModels({HASHED: lambda: model})


@pytest.fixture
def indexes(tmp_path: Path) -> Path:
    return tmp_path / "indexes"


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes records as JSON lines, or a text or bytes as they are."""

    def written(content: Sequence[dict[str, Any]] | str | bytes, name: str = "corpus.jsonl") -> Path:
        path = tmp_path / name
        if not isinstance(content, str | bytes):
            content = "".join(json.dumps(record) + "\n" for record in content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


Build = Callable[..., BuildReport]

BIRDS = [
    {"id": "owl", "title": "Owl", "text": "Owls hunt mice at night. They fly without any sound.", "colour": "brown"},
    {
        "id": "duck",
        "title": "Duck",
        "text": "Ducks swim on ponds and eat bread.",
        "url": "https://example.org/duck",
        "weight": 1.5,
    },
    {"id": "wren", "title": "Wren", "text": "The wren sings loudly and is very small."},
]


@pytest.fixture
def build(indexes: Path, embeddings: EmbeddingModels, write: Write) -> Build:
    """Builds an index of records or files with the small model."""

    def built(content: Any = BIRDS, name: str = "birds", **options: Any) -> BuildReport:
        sources = content if isinstance(content, list) and content and isinstance(content[0], Path) else [write(content)]
        chosen = BuildOptions(**{"model": HASHED, "language": "en", **options})
        return build_index(indexes, name, sources, options=chosen, embeddings=embeddings)

    return built
