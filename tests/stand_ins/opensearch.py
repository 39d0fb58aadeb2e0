"""Stands in for OpenSearch and Elasticsearch: info, mapping and search with their errors, as their references give them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from aiohttp import web


@dataclass
class OpenSearch:
    """One index in memory. `vectors` of the field `vector` go with the documents; `authorization` is the header it wants."""

    documents: list[dict[str, Any]]
    vectors: list[list[float]] = field(default_factory=list)
    flavour: Literal["opensearch", "elasticsearch"] = "opensearch"
    meta: dict[str, str] = field(default_factory=dict)
    authorization: str = ""
    shards_failed: int = 0
    bodies: list[dict[str, Any]] = field(default_factory=list)

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        app.router.add_get("/", self._info)
        app.router.add_get("/{index}/_mapping", self._mapping)
        app.router.add_post("/{index}/_search", self._search)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if self.authorization and request.headers.get("Authorization") != self.authorization:
            if self.flavour == "opensearch":  # its security plugin answers in plain text
                return web.Response(status=401, text="Unauthorized")
            reason = "missing authentication credentials for REST request"
            return _error(401, "security_exception", reason)
        if request.match_info.get("index", "books") != "books":
            name = request.match_info["index"]
            return _error(404, "index_not_found_exception", f"no such index [{name}]")
        answer: web.StreamResponse = await handler(request)
        return answer

    async def _info(self, request: web.Request) -> web.Response:
        version: dict[str, object] = {"number": "8.15.0", "build_flavor": "default"}
        if self.flavour == "opensearch":
            version = {"distribution": "opensearch", "number": "2.17.0"}
        return web.json_response({"name": "node-1", "cluster_name": "stand-in", "version": version})

    async def _mapping(self, request: web.Request) -> web.Response:
        properties: dict[str, Any] = {"title": {"type": "text"}, "body": {"type": "text"}}
        size = len(self.vectors[0]) if self.vectors else 0
        if size:
            own = (
                {"type": "knn_vector", "dimension": size}
                if self.flavour == "opensearch"
                else {"type": "dense_vector", "dims": size}
            )
            properties["vector"] = own
        return web.json_response({"books": {"mappings": {"_meta": self.meta, "properties": properties}}})

    async def _search(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.bodies.append(body)
        scored = self._nearest(body) if "knn" in body or "knn" in body.get("query", {}) else self._words(body)
        if isinstance(scored, web.Response):
            return scored
        best = sorted((one for one in scored if one[0] > 0), key=lambda one: -one[0])[: body.get("size", 10)]
        hits = [{"_index": "books", "_id": str(row), "_score": score, "_source": self.documents[row]} for score, row in best]
        shards = {"total": 5, "successful": 5 - self.shards_failed, "skipped": 0, "failed": self.shards_failed}
        top = best[0][0] if best else None
        answer = {"took": 1, "timed_out": False, "_shards": shards}
        return web.json_response(
            {**answer, "hits": {"total": {"value": len(best), "relation": "eq"}, "max_score": top, "hits": hits}}
        )

    def _words(self, body: dict[str, Any]) -> list[tuple[float, int]]:
        match = body["query"]["multi_match"]
        words = set(re.findall(r"\w+", match["query"].lower()))
        fields = [one.split("^")[0] for one in match.get("fields", [])]
        scored = []
        for row, document in enumerate(self.documents):
            texts = [str(value) for name, value in document.items() if not fields or name in fields]
            scored.append((float(len(words & set(re.findall(r"\w+", " ".join(texts).lower())))), row))
        return scored

    def _nearest(self, body: dict[str, Any]) -> list[tuple[float, int]] | web.Response:
        if self.flavour == "opensearch":
            if "knn" in body:
                return _error(400, "parsing_exception", "Unknown key for a START_OBJECT in [knn].")
            ((_, wanted),) = body["query"]["knn"].items()
            vector = wanted["vector"]
        else:
            if "knn" not in body:
                return _error(400, "parsing_exception", "[knn] queries must be provided directly under the `knn` option")
            vector = body["knn"]["query_vector"]
        if len(vector) != len(self.vectors[0]):
            reason = f"Query vector has invalid dimension: {len(vector)}. Dimension should be: {len(self.vectors[0])}"
            return _error(400, "search_phase_execution_exception", reason)
        scores = (1 + np.array(self.vectors) @ np.array(vector)) / 2
        return [(float(score), row) for row, score in enumerate(scores)]


def _error(status: int, kind: str, reason: str) -> web.Response:
    cause = {"type": kind, "reason": reason}
    return web.json_response({"error": {"root_cause": [cause], **cause}, "status": status}, status=status)
