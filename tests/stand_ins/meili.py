"""Stands in for Meilisearch: its search route and its errors, as its API reference gives them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from aiohttp import web

LINK = "https://docs.meilisearch.com/errors"


@dataclass
class Meili:
    """Indexes in memory; with a `key`, requests need it. The score is the share of the query's words a document has."""

    indexes: dict[str, list[dict[str, object]]]
    key: str = ""
    bodies: list[dict[str, object]] = field(default_factory=list)

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_post("/indexes/{uid}/search", self._search)
        return app

    async def _search(self, request: web.Request) -> web.Response:
        given = request.headers.get("Authorization", "")
        if self.key and not given:
            return _error(
                401,
                "The Authorization header is missing. It must use the bearer authorization method.",
                "missing_authorization_header",
                "auth",
            )
        if self.key and given != f"Bearer {self.key}":
            return _error(403, "The provided API key is invalid.", "invalid_api_key", "auth")
        uid = request.match_info["uid"]
        if uid not in self.indexes:
            return _error(404, f"Index `{uid}` not found.", "index_not_found", "invalid_request")
        body = await request.json()
        self.bodies.append(body)
        words = re.findall(r"\w+", str(body.get("q", "")).lower())
        hits = [{**one, "_rankingScore": self._score(one, words)} for one in self.indexes[uid]]
        hits = sorted((hit for hit in hits if hit["_rankingScore"]), key=lambda hit: -float(str(hit["_rankingScore"])))
        limit = body.get("limit", 20)
        answer = {"hits": hits[:limit], "query": body.get("q"), "processingTimeMs": 1, "limit": limit, "offset": 0}
        return web.json_response({**answer, "estimatedTotalHits": len(hits)})

    def _score(self, document: dict[str, object], words: list[str]) -> float:
        there = set(re.findall(r"\w+", " ".join(map(str, document.values())).lower()))
        return sum(word in there for word in words) / max(1, len(words))


def _error(status: int, message: str, code: str, kind: str) -> web.Response:
    return web.json_response({"message": message, "code": code, "type": kind, "link": f"{LINK}#{code}"}, status=status)
