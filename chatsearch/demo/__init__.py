"""The shipped sample: 240 paragraphs of the English Wikipedia with their vectors, to try chatsearch without own data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chatsearch.embedding import EmbeddingModels
    from chatsearch.index.build import BuildProgress, BuildReport
    from chatsearch.index.dense import KnownVectors

NAME = "demo"
CORPUS = Path(__file__).parent / "corpus.jsonl"
VECTORS = Path(__file__).parent / "vectors.npz"
ATTRIBUTION = Path(__file__).parent / "ATTRIBUTION.md"


def build_demo(
    directory: Path,
    embeddings: EmbeddingModels,
    progress: Callable[[BuildProgress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> BuildReport:
    """Builds the index `demo` in `directory` (the folder of all indexes); a second, since the vectors are shipped.

    Only passages whose vector is not shipped are embedded. Raises as `build_index`.
    """
    from chatsearch.embedding import MULTILINGUAL_MODEL
    from chatsearch.index.build import BuildOptions, build_index

    return build_index(
        directory,
        NAME,
        [CORPUS],
        options=BuildOptions(language="en", model=MULTILINGUAL_MODEL),
        embeddings=embeddings,
        progress=progress,
        stop=stop,
        known_vectors=shipped_vectors(),
    )


def shipped_vectors() -> KnownVectors:
    """The vectors of the sample's passages, float16, with the fingerprint of the model that made them."""
    import numpy as np

    from chatsearch.index.dense import KnownVectors

    with np.load(VECTORS, allow_pickle=False) as stored:
        keys = [bytes(key).hex() for key in stored["keys"]]
        return KnownVectors(str(stored["fingerprint"]), dict(zip(keys, stored["vectors"], strict=True)))
