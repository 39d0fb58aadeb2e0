"""Searches an index of OpenSearch or Elasticsearch, by words or by vectors."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal
from urllib.parse import quote

from pydantic import Field

from chatsearch.errors import SourceError
from chatsearch.hosts import secret
from chatsearch.http import Answer, HttpClient, Request, deadline_of, http_client
from chatsearch.module import DataSource, Hits, StepRun
from chatsearch.records import FieldNames, as_rows, field_at, text_of
from chatsearch.stored_vectors import StoredVectors, query_model, query_vector

SCORE = "opensearch_score"
_CANDIDATES = 10  # per document asked for: how widely Elasticsearch looks for the nearest
_MOST_CANDIDATES = 10_000

Engine = Literal["auto", "opensearch", "elasticsearch"]


class OpenSearchDataSource(DataSource):
    """Searches an index of OpenSearch or Elasticsearch, by words in several fields, or by the nearest vectors of one.

    `opensearch_score` is the engine's own score, higher is better; scores of different queries cannot be compared.
    """

    id: ClassVar[str] = "opensearch_datasource"
    name: ClassVar[str] = "OpenSearch or Elasticsearch"

    url: str = Field("http://localhost:9200", min_length=1, description="The address of the cluster.")
    index: str = Field(
        "documents", min_length=1, pattern=r"^[\w*][^\s/\\?#\"<>|]*$", description="The index, an alias, or several by commas."
    )
    fields: str = Field("", description="The fields to search, by commas, as in title^2, text; empty: all of them.")
    vector_field: str = Field("", description="The field of vectors to search instead; empty: search by words.")
    embedding_model: str = Field("", description="The model that made the vectors, where the index does not name it.")
    engine: Engine = Field("auto", description="Which of the two it is, as their vector searches differ; auto: ask it.")
    login_setting: str = Field("", description="NAME of the secret CHATSEARCH_SECRET_NAME that holds user:password.")
    key_setting: str = Field("", description="NAME of the secret CHATSEARCH_SECRET_NAME that holds an API key.")
    text_field: str = Field("", description="The field that holds the text; empty: the first with a usual name.")
    title_field: str = Field("", description="The field that holds the title; empty: the first with a usual name.")
    url_field: str = Field("", description="The field that holds the address; empty: the first with a usual name.")

    def label(self) -> str:
        return self.index

    async def prepare(self, run: StepRun) -> None:
        """Load the embedding model, which may take longer than a source has."""
        if self.vector_field:
            stored = await (await self._cluster(run)).stored(self.vector_field)
            await query_model(stored, self.embedding_model, run)

    async def fetch(self, query: str, run: StepRun) -> Hits:
        cluster = await self._cluster(run)
        body = await self._nearest(cluster, query, run) if self.vector_field else self._words(query)
        run.meter.calls += 1
        found = await cluster.search(body)
        if found.incomplete:
            run.warn("incomplete", f"{cluster.host} could not search all of “{self.index}”: {found.incomplete}.")
        sources = [_mapping(hit.get("_source")) for hit in found.hits]
        records = [{"_id": hit.get("_id"), **source} for hit, source in zip(found.hits, sources, strict=True)]
        names = FieldNames("_id", self.title_field, self.url_field, self.text_field)
        rows = await as_rows(records, self.output_column, names)
        documents = [{**row, **_score(hit)} for row, hit in zip(rows, found.hits, strict=True)]
        given = {name for row in documents for name in row}
        return Hits(documents, {name: ("chip",) for name in (SCORE, "language") if name in given})

    def _words(self, query: str) -> dict[str, Any]:
        fields = [one.strip() for one in self.fields.split(",") if one.strip()]
        match: dict[str, Any] = {"query": query, "lenient": True, **({"fields": fields} if fields else {})}
        return {"size": self.limit, "query": {"multi_match": match}}

    async def _nearest(self, cluster: _Cluster, query: str, run: StepRun) -> dict[str, Any]:
        """The body of a vector search, in the words of the engine that it is."""
        stored = await cluster.stored(self.vector_field)
        vector = list(await query_vector(stored, self.embedding_model, query, run))
        engine = self.engine if self.engine != "auto" else await cluster.engine()
        body: dict[str, Any] = {"size": self.limit, "_source": {"excludes": [self.vector_field]}}
        if engine == "opensearch":
            return {**body, "query": {"knn": {self.vector_field: {"vector": vector, "k": self.limit}}}}
        candidates = min(_MOST_CANDIDATES, max(100, _CANDIDATES * self.limit))
        nearest = {"field": self.vector_field, "query_vector": vector, "k": self.limit, "num_candidates": candidates}
        return {**body, "knn": nearest}

    async def _cluster(self, run: StepRun) -> _Cluster:
        """Raises HostRefusedError."""
        settings = run.services.settings
        client = await http_client(settings)
        client.hosts.check(self.url)
        headers = {}
        if self.login_setting:
            login = secret(self.login_setting, self.url, client.hosts)
            headers = {"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"}
        elif self.key_setting:
            headers = {"Authorization": f"ApiKey {secret(self.key_setting, self.url, client.hosts)}"}
        return _Cluster(self.url.rstrip("/"), self.index, client, deadline_of(settings), headers)


@dataclass(frozen=True)
class _Found:
    hits: list[dict[str, Any]]
    incomplete: str = ""


class _Cluster:
    """The calls to one index of a cluster, each before the deadline. Every one raises SourceError."""

    def __init__(self, url: str, index: str, client: HttpClient, deadline: float, headers: Mapping[str, str]) -> None:
        self._url, self._index = url, index
        self._client, self._deadline, self._headers = client, deadline, headers
        self.host = client.hosts.check(url).netloc

    async def search(self, body: Mapping[str, Any]) -> _Found:
        given = await self._ask(f"/{quote(self._index, safe=',*-')}/_search", body)
        hits = _mapping(given.get("hits")).get("hits")
        if not isinstance(hits, list) or not all(isinstance(hit, dict) for hit in hits):
            raise SourceError(f"{self.host} answered JSON of another shape than OpenSearch's. Is the URL right?")
        shards = _mapping(given.get("_shards"))
        failed = f"{shards.get('failed')} of {shards.get('total')} parts failed" if shards.get("failed") else ""
        return _Found(hits, "it ran out of time" if given.get("timed_out") else failed)

    async def engine(self) -> Engine:
        """Which of the two it is, by what it says of its version."""
        version = _mapping((await self._ask("/")).get("version"))
        return "opensearch" if version.get("distribution") == "opensearch" else "elasticsearch"

    async def stored(self, field: str) -> StoredVectors:
        """What the index's mapping says of a field of vectors; `_meta.embedding_model` names its model."""
        given = await self._ask(f"/{quote(self._index, safe=',*-')}/_mapping")
        mappings = [_mapping(_mapping(one).get("mappings")) for one in given.values()]
        for mapping in mappings:
            path = ".properties.".join(field.split("."))
            described = _mapping(field_at(_mapping(mapping.get("properties")), path))
            size = described.get("dimension", described.get("dims"))
            if described.get("type") in ("knn_vector", "dense_vector"):
                meta = _mapping(mapping.get("_meta"))
                return StoredVectors(
                    where=f"the field “{field}” of the index “{self._index}”",
                    model=text_of(meta.get("embedding_model")),
                    fingerprint=text_of(meta.get("embedding_fingerprint")),
                    dimensions=size if isinstance(size, int) else None,
                )
        names = [name for mapping in mappings for name in _mapping(mapping.get("properties"))]
        raise SourceError(f"The index “{self._index}” has no field of vectors “{field}”. Its fields: {', '.join(names[:30])}.")

    async def _ask(self, path: str, body: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        answer = await self._client.send(Request(self._url + path, headers=self._headers, body=body), self._deadline)
        if not answer.ok:
            raise _failure(answer, self._index)
        return _mapping(answer.json())


def _failure(answer: Answer, index: str) -> SourceError:
    """What the cluster said: its reason, not the whole trace."""
    given = answer.json() if "json" in answer.content_type else {}
    error = given.get("error") if isinstance(given, dict) else None
    causes = error.get("root_cause") if isinstance(error, dict) else None
    first = causes[0] if isinstance(causes, list) and causes else error
    if isinstance(first, dict) and first.get("type") == "index_not_found_exception":
        return SourceError(f"{answer.host} has no index “{index}”. Set the parameter index to one it has.")
    reason = first.get("reason") or first.get("type") if isinstance(first, dict) else first
    return answer.failure(text_of(reason) or answer.content[:200].decode("utf-8", "replace"))


def _score(hit: Mapping[str, Any]) -> dict[str, object]:
    score = hit.get("_score")
    return {SCORE: round(score, 4)} if isinstance(score, int | float) else {}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
