"""Stands in for MOSAIC's search service: its paths, shapes and errors as reference and README give them."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field

from aiohttp import web

TRACE = "java.lang.IllegalStateException\n\tat org.apache.lucene.search.PhraseQuery.createWeight(PhraseQuery.java:460)"
_SPECIAL = re.compile(r'(?<!\\)["+\-!(){}\[\]^~*?:/]|(?<!\\)(&&|\|\|)')

Document = dict[str, object]


def page(number: int, text: str, index: str = "arts", **more: object) -> Document:
    """A document with every field of MOSAIC's answer, and `text`, which only /full-text gives."""
    made: Document = {
        "id": f"{index}-{number}",
        "url": f"https://example.org/{index}/{number}",
        "title": f"Page {number}",
        "textSnippet": text[:40],
        "language": "eng",
        "warcDate": 1705353588000000,
        "wordCount": len(text.split()),
        "locations": [
            {
                "locationName": "Wien",
                "locationEntries": [{"latitude": 48.2082, "longitude": 16.37169, "alpha2CountryCode": "AT"}],
            }
        ],
        "keywords": ["web", "hypermedia"],
        "text": text,
    }
    return {**made, **more}


@dataclass
class Mosaic:
    """Indexes in memory. A document is found when it has a word of the query; the order is that of the list."""

    indexes: dict[str, list[Document]]
    sends_text: bool = False
    slow_texts: asyncio.Event | None = None
    broken_texts: frozenset[str] = frozenset()
    html_error: bool = False
    queries: list[dict[str, str]] = field(default_factory=list)
    texts_asked: list[str] = field(default_factory=list)
    text_asked: asyncio.Event = field(default_factory=asyncio.Event)
    now: int = 0
    most_at_once: int = 0

    def app(self, prefix: str = "") -> web.Application:
        app = web.Application()
        app.router.add_get(f"{prefix}/search", self._search)
        app.router.add_get(f"{prefix}/full-text", self._full_text)
        app.router.add_get(f"{prefix}/index-info", self._info)
        return app

    async def _search(self, request: web.Request) -> web.Response:
        self.queries.append(dict(request.query))
        if self.html_error:
            return web.Response(
                status=502, text="<html><body><h1>502 Bad Gateway</h1>nginx</body></html>", content_type="text/html"
            )
        query, index = request.query.get("q", "*:*"), request.query.get("index")
        limit = request.query.get("limit", "20")
        count = int(limit) if limit.lstrip("-").isdigit() else 20
        if index is not None and index not in self.indexes:
            return _error(400, f"The selected index {index} could not be found")
        if count <= 0:
            return _error(400, "The limit must be positive")
        if '"' in query:
            return _error(500, 'field "contents" was indexed without position data; cannot run PhraseQuery')
        if _SPECIAL.search(query) or re.search(r"(?<!\S)(AND|OR|NOT)(?!\S)", query):
            return _error(500, f"Cannot parse '{query}': Encountered \"<EOF>\" at line 1, column {len(query)}.")
        names = [index] if index is not None else list(self.indexes)
        return web.json_response({"results": [{name: self._found(name, query)[:count]} for name in names]})

    def _found(self, index: str, query: str) -> list[Document]:
        words = {word.lower() for word in re.findall(r"\w+", re.sub(r"\\(.)", r"\1", query))}
        found = [one for one in self.indexes[index] if words & set(re.findall(r"\w+", str(one.get("text", "")).lower()))]
        return [{**{name: value for name, value in one.items() if name != "text"}, **self._content(one)} for one in found]

    def _content(self, document: Document) -> Document:
        return {"mainContent": document["text"]} if self.sends_text else {}

    async def _full_text(self, request: web.Request) -> web.Response:
        identifier = request.query.get("id")
        if not identifier:
            return _error(400, "Missing id parameter")
        self.texts_asked.append(identifier)
        self.text_asked.set()
        self.now += 1
        self.most_at_once = max(self.most_at_once, self.now)
        try:
            if self.slow_texts is not None:
                await self.slow_texts.wait()
            await asyncio.sleep(0)
        finally:
            self.now -= 1
        if identifier in self.broken_texts:
            return _error(500, "no segments* file found")
        documents = self.indexes.get(request.query.get("index", ""), [])
        text = next((one["text"] for one in documents if str(one["id"]) == identifier), None)
        return web.json_response({"id": identifier, "fullText": text})

    async def _info(self, request: web.Request) -> web.Response:
        entries = [{name: {"documentCount": len(found), "languages": ["eng"]}} for name, found in self.indexes.items()]
        return web.json_response({"results": entries})


def _error(status: int, title: str) -> web.Response:
    body = {"error": {"status": status, "title": title, "detail": TRACE}}
    return web.Response(status=status, text=json.dumps(body), content_type="application/json")
