"""Searches an index of Meilisearch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import quote

from pydantic import Field

from chatsearch.errors import SourceError
from chatsearch.hosts import secret
from chatsearch.http import Answer, Request, deadline_of, http_client
from chatsearch.module import DataSource, Hits, StepRun
from chatsearch.records import FieldNames, as_rows, text_of

SCORE = "meili_score"


class MeiliDataSource(DataSource):
    """Searches an index of Meilisearch, by words with typing errors forgiven.

    `meili_score` is Meilisearch's ranking score from 0 to 1, higher is better.
    """

    id: ClassVar[str] = "meili_datasource"
    name: ClassVar[str] = "Meilisearch"

    url: str = Field("http://localhost:7700", min_length=1, description="The address of the server.")
    index: str = Field("documents", min_length=1, pattern="^[A-Za-z0-9_-]+$", description="The uid of the index.")
    key_setting: str = Field("", description="NAME of the secret CHATSEARCH_SECRET_NAME that holds the search key.")
    limit: int = Field(200, ge=1, le=1000, description="How many documents to take at the most.")
    text_field: str = Field("", description="The field that holds the text; empty: the first with a usual name.")
    title_field: str = Field("", description="The field that holds the title; empty: the first with a usual name.")
    url_field: str = Field("", description="The field that holds the address; empty: the first with a usual name.")

    def label(self) -> str:
        return self.index

    async def fetch(self, query: str, run: StepRun) -> Hits:
        settings = run.services.settings
        client, deadline = await http_client(settings), deadline_of(settings)
        client.hosts.check(self.url)
        key = secret(self.key_setting, self.url, client.hosts) if self.key_setting else ""
        request = Request(
            f"{self.url.rstrip('/')}/indexes/{quote(self.index, safe='')}/search",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            body={"q": query, "limit": self.limit, "showRankingScore": True},
        )
        run.meter.calls += 1
        hits = _hits(await client.send(request, deadline), self.index)
        names = FieldNames(title=self.title_field, url=self.url_field, text=self.text_field)
        rows = await as_rows(hits, self.output_column, names)
        documents = [{**row, **_extras(hit)} for row, hit in zip(rows, hits, strict=True)]
        given = {name for row in documents for name in row}
        return Hits(documents, {name: ("chip",) for name in (SCORE, "language") if name in given})


def _extras(hit: Mapping[str, object]) -> dict[str, object]:
    """What Meilisearch adds to a document: its score, and the place of one that has `_geo`."""
    score, place = hit.get("_rankingScore"), hit.get("_geo")
    extras: dict[str, object] = {SCORE: round(score, 4)} if isinstance(score, int | float) else {}
    if isinstance(place, dict):
        extras |= {"latitude": place.get("lat"), "longitude": place.get("lng")}
    return extras


def _hits(answer: Answer, index: str) -> list[dict[str, object]]:
    """The documents of an answer. Raises SourceError with what Meilisearch itself said."""
    given = answer.json() if answer.ok or "json" in answer.content_type else {}
    fields = given if isinstance(given, dict) else {}
    if fields.get("code") == "index_not_found":
        raise SourceError(f"{answer.host} has no index “{index}”. Set the parameter index to the uid of one it has.")
    if not answer.ok:
        raise answer.failure(text_of(fields.get("message")))
    hits = fields.get("hits")
    if not isinstance(hits, list) or not all(isinstance(hit, dict) for hit in hits):
        raise SourceError(f"{answer.host} answered JSON of another shape than Meilisearch's. Is the URL right?")
    return hits
