"""Embedding models of a service, through litellm: `ollama/nomic-embed-text`, `openai/text-embedding-3-small`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from chatsearch.errors import ModelError
from chatsearch.llm.catalog import MOSAIC_RAG_KEY, OWN_KEY, Endpoint
from chatsearch.llm.faults import fault_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from chatsearch.settings import Settings

    Vectors = NDArray[np.float32]

TIMEOUT = 20.0  # seconds for one batch
SETTING = "CHATSEARCH_EMBEDDING_MODELS"


class RemoteEmbeddings:
    """The models of services that the settings allow: a spec or a collection names them, the administrator pays for them."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def __call__(self, name: str) -> RemoteEmbedding:
        """The model, asked once. Raises ModelError when it may not be named, or does not answer."""
        provider = name.partition("/")[0]
        if not {name, f"{provider}/*"} & set(self._settings.embedding_models):
            raise ModelError(
                f"The embedding model “{name}” may not be asked. The administrator allows it by the setting embedding_models: "
                f"{SETTING}={','.join((*self._settings.embedding_models, name))}"
            )
        return RemoteEmbedding(self._endpoint(name))

    def _endpoint(self, name: str) -> Endpoint:
        """Where the model is: Ollama, the OpenAI-compatible server of the settings, else its provider's own address."""
        provider, _, rest = name.partition("/")
        if provider == "ollama":
            return Endpoint(name, name, provider, self._settings.ollama_url, where="embedding_models")
        base = self._settings.llm_base_url
        if base and provider in ("openai", "litellm_proxy"):
            variable = next((one for one in (OWN_KEY, MOSAIC_RAG_KEY) if os.environ.get(one)), OWN_KEY)
            key = os.environ.get(variable, "").strip() or "no-key"
            return Endpoint(name, f"openai/{rest}", "openai-compatible", base, variable, key, "embedding_models")
        return Endpoint(name, name, provider, key_variable=f"{provider.upper()}_API_KEY", where="embedding_models")


class RemoteEmbedding:
    """A model that a service runs. Loading it asks the service once, to learn the dimensions.

    Vectors are made to have unit length. Raises ModelError.
    """

    remote = True

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = endpoint.name
        self.fingerprint = f"{endpoint.name}/litellm"
        self._endpoint = endpoint
        self.dimensions = len(self._vectors(["dimensions"])[0])

    def encode(self, texts: Sequence[str], kind: Literal["query", "passage"]) -> Vectors:
        return self._vectors([text.replace("\x00", " ").encode("utf-8", "replace").decode() or " " for text in texts])

    def _vectors(self, texts: list[str]) -> Vectors:
        import numpy as np

        try:
            vectors = np.asarray(self._asked(texts), dtype=np.float32)
        except (TypeError, ValueError):
            raise ModelError(f"The embedding model “{self.name}” gave something else than vectors.") from None
        if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
            raise ModelError(f"The embedding model “{self.name}” gave {len(vectors)} vectors for {len(texts)} texts.")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(lengths)) or not np.all(lengths):
            raise ModelError(f"The embedding model “{self.name}” gave a vector of zeros or of no numbers.")
        unit: Vectors = vectors / lengths
        return unit

    def _asked(self, texts: list[str]) -> list[object]:
        from chatsearch.llm.library import litellm

        where = self._endpoint
        connection = {"api_base": where.base_url or None, "api_key": where.key or None}
        try:
            response = litellm().embedding(model=where.model, input=texts, timeout=TIMEOUT, **connection)
        except Exception as error:  # litellm raises what its providers raise
            raise fault_of(error, where).error() from error
        return [row["embedding"] for row in sorted(response.data, key=lambda row: int(row["index"]))]
