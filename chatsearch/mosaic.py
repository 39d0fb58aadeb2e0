"""MOSAIC, the search service of the Open Web Index: its calls, its query syntax, its answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import urlsplit, urlunsplit

from chatsearch.errors import SourceError
from chatsearch.fusion import canonical_url
from chatsearch.http import Answer, HttpClient, Request
from chatsearch.records import text_of
from chatsearch.text import clean

_SPECIAL = re.compile(r"[+\-&|!(){}\[\]^~*?:\\/]")
_QUOTES = re.compile('["“”„‟«»]')
_OPERATORS = re.compile(r"(?<!\S)(AND|OR|NOT)(?!\S)")

Found = list[tuple[str, dict[str, object]]]
"""Documents with the index each is from, best first."""


class MosaicService:
    """The three calls of the service, each before the deadline."""

    def __init__(self, url: str, client: HttpClient, deadline: float) -> None:
        self._url, self._client, self._deadline = url, client, deadline

    async def search(self, words: str, index: str, limit: int) -> dict[str, Sequence[dict[str, object]]]:
        """The documents of each index, best first. Raises SourceError."""
        parameters = {"q": words, "limit": str(limit), **({"index": index} if index else {})}
        answer = await self._get("/search", parameters)
        if not answer.ok:
            raise await self._search_error(answer, index)
        return _lists(answer)

    async def full_text(self, identifier: str, index: str) -> str:
        """The text of a document; empty when the service does not have it. Raises SourceError."""
        if not identifier:
            return ""
        answer = await self._get("/full-text", {"id": identifier, "index": index})
        if not answer.ok:
            raise answer.failure(_title(answer))
        given = answer.json()
        return text_of(clean(text)) if isinstance(given, dict) and isinstance(text := given.get("fullText"), str) else ""

    async def _get(self, path: str, parameters: Mapping[str, str]) -> Answer:
        return await self._client.send(Request(self._url + path, parameters), self._deadline)

    async def _search_error(self, answer: Answer, index: str) -> SourceError:
        if answer.status == 400 and index and "could not be found" in _title(answer):
            known = await self._known_indexes()
            names = f" It has: {', '.join(known)}; or all." if known else ""
            return SourceError(f"{answer.host} has no index “{index}”.{names}")
        return answer.failure(_title(answer))

    async def _known_indexes(self) -> list[str]:
        """The names of its indexes, as far as they can be had: they only help with a message."""
        try:
            answer = await self._get("/index-info", {})
            given = answer.json() if answer.ok else None
        except SourceError:
            return []
        results = given.get("results") if isinstance(given, dict) else None
        entries = results if isinstance(results, list) else []
        return [clean(str(name)) for entry in entries if isinstance(entry, dict) for name in entry][:50]


def escaped(query: str) -> str:
    """A query in Lucene's syntax that means its words and nothing else; empty when it has none.

    Quotes are dropped, since a phrase is an error there (no positions); words that would be operators lose their capitals,
    which its analyser takes from all words anyway.
    """
    words = _OPERATORS.sub(lambda match: match[0].lower(), _QUOTES.sub(" ", query))
    return " ".join(_SPECIAL.sub(lambda match: f"\\{match[0]}", words).split())


def api_url(url: str) -> str:
    """The base of the service's paths, whether the address was given with a slash, as `/service`, or with a path of it."""
    parts = urlsplit(url.strip())
    path = re.sub(r"/(search|full-text|index-info)$", "", parts.path.rstrip("/")).rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc, f"{path}/api" if path.endswith("/service") else path, "", ""))


def interleaved(lists: Mapping[str, Sequence[dict[str, object]]]) -> Found:
    """The first of every index, then the second of every index …; a page that several have is taken once, named for all."""
    found: dict[str, tuple[list[str], dict[str, object]]] = {}
    for rank in range(max(map(len, lists.values()), default=0)):
        for index, documents in lists.items():
            if rank < len(documents):
                record = documents[rank]
                url = text_of(record.get("url"))
                key = canonical_url(url) if url and len(lists) > 1 else f"{index} {rank}"
                found.setdefault(key, ([], record))[0].append(index)
    return [(", ".join(dict.fromkeys(indexes)), record) for indexes, record in found.values()]


def iso_date(value: object) -> str | None:
    """Microseconds since 1970 as an ISO 8601 date in UTC; a text as it is; None for −1 and what is no time."""
    if isinstance(value, str):
        return value or None
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        return None
    try:
        return datetime.fromtimestamp(value / 1e6, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (OverflowError, OSError, ValueError):
        return None


def coordinates(row: Mapping[str, object]) -> dict[str, object]:
    """`latitude` and `longitude` of the first place that has them; none when the row has its own."""
    if "latitude" in row or "longitude" in row or "locations" not in row:
        return {}
    places = row["locations"] if isinstance(row["locations"], list) else []
    entries = (one.get("locationEntries") for one in places if isinstance(one, dict))
    points = (point for entry in entries if isinstance(entry, list) for point in entry if isinstance(point, dict))
    first = next((one for one in points if isinstance(one.get("latitude"), int | float)), {})
    return {"latitude": first.get("latitude"), "longitude": first.get("longitude")}


def _lists(answer: Answer) -> dict[str, Sequence[dict[str, object]]]:
    """`{"results": [{index: [document, …]}, …]}` as documents by index. Raises SourceError for any other shape."""
    given = answer.json()
    entries = given.get("results") if isinstance(given, dict) else None
    lists: dict[str, Sequence[dict[str, object]]] = {}
    for entry in entries if isinstance(entries, list) else [None]:
        for index, documents in entry.items() if isinstance(entry, dict) else [("", None)]:
            if not isinstance(documents, list) or not all(isinstance(one, dict) for one in documents):
                raise SourceError(f"{answer.host} answered JSON of another shape than MOSAIC's. Is the URL right?")
            lists[clean(str(index))] = documents
    return lists


def _title(answer: Answer) -> str:
    """What an error answer says, without its Java trace."""
    try:
        given = answer.json()
    except SourceError:
        return "a web page, not an answer of MOSAIC" if b"<" in answer.content[:200] else ""
    error = given.get("error") if isinstance(given, dict) else None
    return text_of(error.get("title")) if isinstance(error, dict) else text_of(error)
