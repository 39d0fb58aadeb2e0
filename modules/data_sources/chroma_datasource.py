"""Searches a collection of Chroma by meaning."""

from __future__ import annotations

import math
import re
from typing import ClassVar

from pydantic import Field

from chatsearch.chroma import ChromaFolder, ChromaServer, ChromaStore, Collection, Neighbours, allowed_folder
from chatsearch.errors import SourceError
from chatsearch.hosts import secret
from chatsearch.http import deadline_of, http_client
from chatsearch.module import DataSource, Hits, StepRun
from chatsearch.records import FieldNames, as_rows, text_of, usual_text
from chatsearch.stored_vectors import StoredVectors, query_model, query_vector

SIMILARITY = "chroma_similarity"

_HOST_AND_PORT = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+):\d{1,5}/?")


class ChromaDataSource(DataSource):
    """Searches a collection of Chroma by meaning, on a server or in a folder of this machine.

    The query is embedded by the model that the collection names; `chroma_similarity` is higher the nearer a document is.
    """

    id: ClassVar[str] = "chroma_datasource"
    name: ClassVar[str] = "Chroma"

    chromadb_url: str = Field(
        "localhost:8000", min_length=1, description="The server (host:port or a URL), or a folder below the data directory."
    )
    embedding_model: str = Field("", description="The model that made the vectors, where the collection does not name it.")
    chromadb_collection: str = Field("", description="The name of the collection.")
    limit: int = Field(50, ge=1, le=1000, description="How many documents to take at the most.")
    tenant: str = Field("default_tenant", min_length=1, description="The tenant on the server.")
    database: str = Field("default_database", min_length=1, description="The database on the server.")
    token_setting: str = Field("", description="NAME of the secret CHATSEARCH_SECRET_NAME that holds the server's token.")

    def label(self) -> str:
        return self.chromadb_collection or "chroma"

    async def prepare(self, run: StepRun) -> None:
        """Load the embedding model, which may take longer than a source has."""
        collection = await (await self._store(run)).collection(self.chromadb_collection)
        await query_model(_stored(collection), self.embedding_model, run)

    async def fetch(self, query: str, run: StepRun) -> Hits:
        store = await self._store(run)
        collection = await store.collection(self.chromadb_collection)
        await _check_metric(collection, store)
        vector = await query_vector(_stored(collection), self.embedding_model, query, run)
        run.meter.calls += 1
        found = await store.nearest(collection, vector, self.limit)
        documents = await self._rows(found, collection)
        given = {name for row in documents for name in row}
        return Hits(documents, {name: ("chip",) for name in (SIMILARITY, "language") if name in given})

    async def _rows(self, found: Neighbours, collection: Collection) -> list[dict[str, object]]:
        records = []
        for identifier, text, metadata in zip(found.ids, found.documents, found.metadatas, strict=True):
            fields = {str(name): value for name, value in metadata.items()} if isinstance(metadata, dict) else {}
            own = {"original_id": fields.pop("id")} if "id" in fields else {}
            read = text_of(text) or usual_text(fields)
            records.append({**fields, **own, "id": identifier, self.output_column: read})
        rows = await as_rows(records, self.output_column, FieldNames(id="id", text=self.output_column))
        return [
            {**row, SIMILARITY: round(collection.similarity(distance), 4)}
            for row, distance in zip(rows, found.distances, strict=True)
        ]

    async def _store(self, run: StepRun) -> ChromaStore:
        """The server or the folder. Raises SourceError, HostRefusedError."""
        if not self.chromadb_collection:
            raise SourceError("The step does not say which collection to search: set chromadb_collection.")
        settings, place = run.services.settings, self.chromadb_url
        if "://" not in place and not _HOST_AND_PORT.fullmatch(place):
            return ChromaFolder(allowed_folder(place, settings.data_dir, settings.allowed_paths))
        url = (place if "://" in place else f"http://{place}").rstrip("/").removesuffix("/api/v2")
        client = await http_client(settings)
        client.hosts.check(url)
        token = secret(self.token_setting, url, client.hosts) if self.token_setting else ""
        return ChromaServer(url, client, deadline_of(settings), self.tenant, self.database, token)


def _stored(collection: Collection) -> StoredVectors:
    return StoredVectors(
        where=f"the collection “{collection.name}”",
        model=collection.model,
        fingerprint=collection.fingerprint,
        unknown_model=collection.unknown_model,
        dimensions=collection.dimensions,
    )


async def _check_metric(collection: Collection, store: ChromaStore) -> None:
    """Raises SourceError where the metric is not the one that was meant, or makes no sense for our vectors."""
    name, metric = collection.name, collection.metric
    if collection.claimed_metric and collection.claimed_metric != metric:
        raise SourceError(
            f"The metadata of the collection “{name}” says “{collection.claimed_metric}”, and it measures “{metric}”: Chroma "
            "keeps the metric that a collection was made with. Make the collection anew, or correct its metadata (hnsw:space)."
        )
    if metric != "l2" or not collection.dimensions:
        return
    length = math.sqrt(sum(one * one for one in await store.a_vector(collection)))
    if length and abs(length - 1) > 0.02:
        raise SourceError(
            f"The collection “{name}” measures l2 between vectors of other lengths than 1 (one has {length:.3g}); queries are "
            "embedded with length 1: the nearest would be the wrong ones. Make the collection anew with the metric cosine."
        )
