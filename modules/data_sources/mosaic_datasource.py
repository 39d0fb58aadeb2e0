"""Searches MOSAIC, the search service of the Open Web Index."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from chatsearch.errors import ChatsearchError, SourceError
from chatsearch.http import deadline_of, http_client
from chatsearch.module import DataSource, Hits, StepRun
from chatsearch.mosaic import Found, MosaicService, api_url, coordinates, escaped, interleaved, iso_date
from chatsearch.records import FieldNames, as_rows, text_of
from chatsearch.results import Role

ALL = "all"
TEXTS_AT_ONCE = 50
INDEX_COLUMN = "mosaic_index"

_FULL_TEXTS = ("mainContent", "fullText", "full_text", "plain_text")
_UNREADABLE = -1


class MosaicDataSource(DataSource):
    """Searches indexes of MOSAIC, the search service of the Open Web Index, and fetches the full texts.

    Several indexes, separated by commas, are asked at the same time and interleaved by rank; `all` asks every index there is.
    """

    id: ClassVar[str] = "mosaic_datasource"
    name: ClassVar[str] = "MOSAIC"

    url: str = Field("https://mosaic.ows.eu/service/api", min_length=1, description="The address of the service.")
    limit: int = Field(50, ge=1, le=1000, description="How many documents to take at the most, over all indexes.")
    search_index: str = Field(
        "arts", min_length=1, description="The index, or several separated by commas; all: every index of the service."
    )

    def label(self) -> str:
        return ", ".join(self._indexes) or "mosaic"

    @property
    def _indexes(self) -> list[str]:
        """The indexes to ask one by one; none means all of them at once."""
        names = list(dict.fromkeys(one.strip() for one in self.search_index.split(",") if one.strip()))
        return [] if ALL in [name.lower() for name in names] else names

    async def fetch(self, query: str, run: StepRun) -> Hits:
        words = escaped(query)
        if not words:
            return Hits([])
        deadline = deadline_of(run.services.settings)
        service = MosaicService(api_url(self.url), await http_client(run.services.settings), deadline)
        found = interleaved(await self._search(service, words, run))[: self.limit]
        texts = await self._full_texts(service, found, run)
        records = [
            {**{name: value for name, value in record.items() if name not in _FULL_TEXTS}, self.output_column: text}
            for (_, record), text in zip(found, texts, strict=True)
        ]
        rows = await as_rows(records, self.output_column, FieldNames(text=self.output_column))
        documents = [self._row(row, index) for row, (index, _) in zip(rows, found, strict=True)]
        chips: tuple[Role, ...] = ("chip",)
        several = len({index for index, _ in found}) > 1
        names = ("language", "wordCount", *([INDEX_COLUMN] if several else []))
        return Hits(documents, {name: chips for name in names if any(name in row for row in documents)})

    async def _search(self, service: MosaicService, words: str, run: StepRun) -> dict[str, Sequence[dict[str, object]]]:
        """The documents of each index; an index that fails is a warning while another answers."""
        asked = self._indexes or [""]
        answers = await asyncio.gather(*(service.search(words, index, self.limit) for index in asked), return_exceptions=True)
        run.meter.calls += len(asked)
        found: dict[str, Sequence[dict[str, object]]] = {}
        errors = []
        for answer in answers:
            if isinstance(answer, ChatsearchError):
                errors.append(answer)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                found |= answer
        if len(errors) == len(asked):
            raise errors[0]
        for error in errors:
            run.warn("index-failed", f"{error} The other indexes answered.")
        return found

    async def _full_texts(self, service: MosaicService, found: Found, run: StepRun) -> list[str]:
        """The text of each document: as it was sent, else fetched, else its snippet (which is said)."""
        texts = [next((text for name in _FULL_TEXTS if (text := text_of(one.get(name)))), "") for _, one in found]
        missing = [place for place, text in enumerate(texts) if not text]
        at_once = asyncio.Semaphore(TEXTS_AT_ONCE)

        async def one(place: int) -> str | SourceError:
            index, record = found[place]
            async with at_once:
                try:
                    return await service.full_text(text_of(record.get("id")), index.split(", ")[0])
                except SourceError as error:
                    return error

        run.meter.calls += len(missing)
        reasons = []
        for place, fetched in zip(missing, await asyncio.gather(*map(one, missing)), strict=True):
            if isinstance(fetched, str) and fetched:
                texts[place] = fetched
            else:
                texts[place] = text_of(found[place][1].get("textSnippet"))
                reasons.append(str(fetched) or "The service does not have it.")
        if reasons:
            count = f"{len(reasons)} of {len(found)} full texts" if len(found) > 1 else "The full text"
            run.warn("no-full-text", f"{count} could not be had; the snippets are used instead. {reasons[0]}")
        return texts

    def _row(self, row: dict[str, object], index: str) -> dict[str, object]:
        """The row with its index, a date instead of microseconds, and the first place's coordinates."""
        kept = dict(row)
        if "warcDate" in kept:
            kept["warcDate"] = iso_date(kept["warcDate"])
        if kept.get("wordCount") == _UNREADABLE:
            kept["wordCount"] = None
        return {**kept, **coordinates(kept), INDEX_COLUMN: index}
