"""Collections of Chroma: what one says of itself, and reading it from a server or from a folder of this machine."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol
from urllib.parse import quote

from chatsearch.errors import SourceError, did_you_mean
from chatsearch.http import Answer, HttpClient, Request, shortened

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

Metric = Literal["cosine", "ip", "l2"]
METRICS: tuple[Metric, ...] = ("cosine", "ip", "l2")
DATABASE_FILE = "chroma.sqlite3"

MODEL_KEYS = ("embedding_model", "embedding_model_name", "model_name", "model")
FINGERPRINT_KEY = "embedding_fingerprint"
METRIC_KEY = "hnsw:space"

_PROVIDERS = {
    "sentence_transformer": "",
    "ollama": "ollama/",
    "openai": "openai/",
    "cohere": "cohere/",
    "jina": "jina_ai/",
    "mistral": "mistral/",
    "voyageai": "voyage/",
    "together_ai": "together_ai/",
}
_OWN_MODEL = ("default", "onnx_mini_lm_l6_v2")


@dataclass(frozen=True)
class Collection:
    """What a collection says of itself.

    `model` is the name of its embedding model, empty when it names none; `unknown_model` is what it names instead and nobody
    else can run. `metric` is the one its index was really built with, `claimed_metric` the one its metadata names.
    """

    id: str
    name: str
    dimensions: int | None
    metric: Metric
    claimed_metric: str = ""
    model: str = ""
    fingerprint: str = ""
    unknown_model: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Collection:
        """A collection as Chroma's API describes it. Raises SourceError when it is no such description."""
        configuration, metadata = _mapping(given.get("configuration_json")), _mapping(given.get("metadata"))
        model, unknown = _model(metadata, _mapping(configuration.get("embedding_function")))
        dimensions = given.get("dimension")
        if not given.get("id") or not given.get("name"):
            raise SourceError("It answered something else than the description of a collection. Is it a Chroma server?")
        return cls(
            id=str(given["id"]),
            name=str(given["name"]),
            dimensions=dimensions if isinstance(dimensions, int) else None,
            metric=_metric(configuration, _mapping(given.get("schema"))),
            claimed_metric=str(metadata.get(METRIC_KEY) or ""),
            model=model,
            fingerprint=str(metadata.get(FINGERPRINT_KEY) or ""),
            unknown_model=unknown,
        )

    def similarity(self, distance: float) -> float:
        """Higher is nearer, from Chroma's distance: the cosine, the inner product, or (`l2`, which Chroma gives squared)
        1 − d/2, which is the cosine when the vectors have unit length."""
        return 1 - distance / 2 if self.metric == "l2" else 1 - distance


@dataclass(frozen=True)
class Neighbours:
    """The documents nearest to a vector, nearest first, as parallel lists; texts and metadata may be missing."""

    ids: Sequence[object] = ()
    distances: Sequence[float] = ()
    documents: Sequence[object] = ()
    metadatas: Sequence[object] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Neighbours:
        """The answer to a query of one vector. Raises SourceError for another shape."""
        ids, distances = _only(given.get("ids")), _only(given.get("distances"))
        documents, metadatas = (_only(given.get(name)) or [None] * len(ids) for name in ("documents", "metadatas"))
        numbers = all(isinstance(one, int | float) for one in distances)
        if not len(ids) == len(distances) == len(documents) == len(metadatas) or not numbers:
            raise SourceError("It answered JSON of another shape than Chroma's. Is it a Chroma server?")
        return cls(ids, [float(one) for one in distances], documents, metadatas)


class ChromaStore(Protocol):
    """Where collections are: a server, or a folder."""

    async def collection(self, name: str) -> Collection:
        """The collection of that name. Raises SourceError, which names those there are."""
        ...

    async def nearest(self, collection: Collection, vector: Sequence[float], count: int) -> Neighbours: ...

    async def a_vector(self, collection: Collection) -> Sequence[float]:
        """Any one of its vectors; empty when it has none."""
        ...


@dataclass(frozen=True)
class ChromaServer:
    """A Chroma server, by its HTTP API (version 2), every call before `deadline`."""

    url: str
    client: HttpClient
    deadline: float
    tenant: str = "default_tenant"
    database: str = "default_database"
    token: str = field(default="", repr=False)

    async def collection(self, name: str) -> Collection:
        answer = await self._ask(f"/{quote(name, safe='')}")
        if answer.status == 404:
            raise SourceError(f"{answer.host}: {shortened(_said(answer))}.{await self._others(name)}")
        return Collection.of(_object(answer))

    async def nearest(self, collection: Collection, vector: Sequence[float], count: int) -> Neighbours:
        wanted = {"query_embeddings": [list(vector)], "n_results": count, "include": ["documents", "metadatas", "distances"]}
        return Neighbours.of(_object(await self._ask(f"/{quote(collection.id, safe='')}/query", wanted)))

    async def a_vector(self, collection: Collection) -> Sequence[float]:
        answer = await self._ask(f"/{quote(collection.id, safe='')}/get", {"limit": 1, "include": ["embeddings"]})
        return _only(_object(answer).get("embeddings"))

    async def _ask(self, path: str, body: object = None) -> Answer:
        base = f"{self.url}/api/v2/tenants/{quote(self.tenant, safe='')}/databases/{quote(self.database, safe='')}/collections"
        headers = {"Authorization": f"Bearer {self.token}", "x-chroma-token": self.token} if self.token else {}
        return await self.client.send(Request(base + path, headers=headers, body=body), self.deadline)

    async def _others(self, name: str) -> str:
        """The names of the collections there are, as far as they can be had: they only help with a message."""
        try:
            given = (await self._ask("")).json()
        except SourceError:
            return ""
        listed = given if isinstance(given, list) else []
        return _names(name, [str(one["name"]) for one in listed if isinstance(one, dict) and one.get("name")])


class ChromaFolder:
    """Chroma's files in a folder of this machine, read by its own library in a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def collection(self, name: str) -> Collection:
        return await asyncio.to_thread(self._collection, name)

    async def nearest(self, collection: Collection, vector: Sequence[float], count: int) -> Neighbours:
        return await asyncio.to_thread(self._nearest, collection, list(vector), count)

    async def a_vector(self, collection: Collection) -> Sequence[float]:
        return await asyncio.to_thread(self._a_vector, collection)

    def _collection(self, name: str) -> Collection:
        from chromadb.errors import NotFoundError

        client = _client(self._folder)
        try:
            opened = client.get_collection(name, embedding_function=None)
        except (NotFoundError, ValueError) as error:
            names = [one.name for one in client.list_collections()]
            raise SourceError(f"{error}.{_names(name, names)}") from None
        first = opened.get(limit=1, include=["embeddings"])["embeddings"]
        described = {
            "id": str(opened.id),
            "name": opened.name,
            "metadata": opened.metadata,
            "configuration_json": opened.configuration_json,
            "dimension": len(first[0]) if first is not None and len(first) else None,
        }
        return Collection.of(described)

    def _nearest(self, collection: Collection, vector: list[float], count: int) -> Neighbours:
        import numpy as np

        opened = _client(self._folder).get_collection(collection.name, embedding_function=None)
        found = opened.query(
            query_embeddings=np.array([vector], dtype=np.float32),
            n_results=count,
            include=["documents", "metadatas", "distances"],
        )
        return Neighbours.of(dict(found))

    def _a_vector(self, collection: Collection) -> Sequence[float]:
        opened = _client(self._folder).get_collection(collection.name, embedding_function=None)
        vectors = opened.get(limit=1, include=["embeddings"])["embeddings"]
        return [float(one) for one in vectors[0]] if vectors is not None and len(vectors) else []


def allowed_folder(given: str, data_dir: Path, listed: Sequence[Path]) -> Path:
    """The folder of Chroma's files, relative to the data directory. Raises SourceError when it is not there or not allowed."""
    folder = (data_dir / given).resolve()
    if not any(folder.is_relative_to(Path(root).resolve()) for root in (data_dir, *listed)):
        raise SourceError(
            "This folder is outside the data directory. The administrator allows it by adding it to the setting allowed_paths "
            f"(CHATSEARCH_ALLOWED_PATHS): {given}"
        )
    if not (folder / DATABASE_FILE).is_file():  # Chroma would make an empty database
        raise SourceError(f"There is no Chroma database in {given} ({DATABASE_FILE} is missing). A server is host:port.")
    return folder


_opening = threading.Lock()


def _client(folder: Path) -> ClientAPI:
    """The client of a folder; Chroma keeps one per folder and process itself."""
    import chromadb
    from chromadb.config import Settings

    with _opening:
        return chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))


def _metric(configuration: Mapping[str, Any], schema: Mapping[str, Any]) -> Metric:
    vectors = _mapping(_mapping(_mapping(schema.get("keys")).get("#embedding")).get("float_list"))
    index = _mapping(_mapping(vectors.get("vector_index")).get("config"))
    places = (_mapping(configuration.get("hnsw")), _mapping(configuration.get("spann")), index)
    name = next((place["space"] for place in places if place.get("space")), "l2")
    metric = next((one for one in METRICS if one == name), None)
    if metric is None:
        raise SourceError(f"Its metric “{str(name)[:40]}” is not known here; {', '.join(METRICS)} are.")
    return metric


def _model(metadata: Mapping[str, Any], function: Mapping[str, Any]) -> tuple[str, str]:
    """The embedding model's name, and what is named instead when it is none that can be run elsewhere."""
    given = next((metadata[key] for key in MODEL_KEYS if isinstance(metadata.get(key), str) and metadata[key].strip()), "")
    if given:
        return given.strip(), ""
    kind, name = str(function.get("name") or ""), str(_mapping(function.get("config")).get("model_name") or "")
    if kind in _OWN_MODEL:
        return "sentence-transformers/all-MiniLM-L6-v2", ""
    if kind in _PROVIDERS and name:
        return _PROVIDERS[kind] + name, ""
    return "", f"{kind} {name}".strip()


def _names(wanted: str, names: Sequence[str]) -> str:
    shown = f" It has: {', '.join(names[:20])}." if names else " It has no collection."
    return f"{did_you_mean(wanted, names)}{shown}"


def _said(answer: Answer) -> str:
    try:
        given = answer.json()
    except SourceError:
        return ""
    return str(given.get("message") or given.get("error") or "").rstrip(".") if isinstance(given, dict) else ""


def _object(answer: Answer) -> Mapping[str, Any]:
    if not answer.ok:
        raise answer.failure(_said(answer))
    given = answer.json()
    if not isinstance(given, dict):
        raise SourceError(f"{answer.host} answered JSON of another shape than Chroma's. Is it a Chroma server?")
    return given


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _only(value: object) -> list[Any]:
    """The list of the only query; empty when there is none."""
    first = value[0] if isinstance(value, list) and value else None
    return first if isinstance(first, list) else []
