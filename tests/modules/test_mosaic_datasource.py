"""MOSAIC as a data source, against a stand-in with its shapes, its limits and its errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from chatsearch import http
from chatsearch.errors import SourceError, SpecError
from chatsearch.events import Finished
from chatsearch.mosaic import api_url, escaped, interleaved, iso_date
from chatsearch.registry import Registry
from chatsearch.services import Services
from tests.sources import events_of, results_of, services_with, spec_of
from tests.stand_ins.mosaic import Mosaic, page
from tests.stand_ins.serving import raw_server, serving

NOT_TRIED_AGAIN = 0.0


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Services:
    monkeypatch.setattr(http, "BACKOFF", NOT_TRIED_AGAIN)
    return services_with(tmp_path, allowed_hosts=["127.0.0.1:*"])


@pytest.fixture
def mosaic() -> Mosaic:
    arts = [page(n, f"The Night Watch, painting number {n}.") for n in range(1, 6)]
    science = [page(n, f"A watch measures time {n}.", "science") for n in range(1, 3)]
    return Mosaic({"arts": arts, "science": science, "empty": []})


def step(url: str, **parameters: object) -> tuple[str, dict[str, object]]:
    return "mosaic_datasource", {"url": url, **parameters}


@asynccontextmanager
async def answering(value: object, status: int = 200) -> AsyncIterator[str]:
    """A server that always answers this JSON."""

    async def handle(request: web.Request) -> web.Response:
        return web.json_response(value, status=status)

    app = web.Application()
    app.router.add_get("/{path:.*}", handle)
    async with serving(app) as url:
        yield url


async def test_rows_have_their_full_texts_and_every_field(services: Services, mosaic: Mosaic) -> None:
    async with serving(mosaic.app()) as url:
        results = await results_of(services, step(url), query="night watch")
    first = results.documents_json()[0]
    assert first["full-text"] == "The Night Watch, painting number 1."
    assert first["textSnippet"] == "The Night Watch, painting number 1."[:40]
    assert (first["id"], first["title"], first["url"]) == ("arts-1", "Page 1", "https://example.org/arts/1")
    assert (first["language"], first["wordCount"], first["warcDate"]) == ("eng", 6, "2024-01-15T21:19:48Z")
    assert first["keywords"] == ["web", "hypermedia"]
    assert first["locations"][0]["locationName"] == "Wien"  # type: ignore[index]
    assert (first["latitude"], first["longitude"]) == (48.2082, 16.37169)
    assert results.roles["language"] == results.roles["wordCount"] == ("chip",)
    assert len(results) == 5
    assert not results.warnings
    assert results.documents["_source_index_"].iloc[0] == "arts"


async def test_the_limit_and_the_index_are_asked_for(services: Services, mosaic: Mosaic) -> None:
    async with serving(mosaic.app()) as url:
        results = await results_of(services, step(url, limit="2"), query="watch")
    assert len(results) == 2
    assert mosaic.queries == [{"q": "watch", "limit": "2", "index": "arts"}]
    assert mosaic.texts_asked == ["arts-1", "arts-2"]


async def test_a_server_that_sends_texts_is_not_asked_for_them(services: Services, mosaic: Mosaic) -> None:
    mosaic.sends_text = True
    async with serving(mosaic.app()) as url:
        results = await results_of(services, step(url), query="watch")
    assert not mosaic.texts_asked
    assert results.documents["full-text"].iloc[0] == "The Night Watch, painting number 1."
    assert "mainContent" not in results.documents.columns


async def test_texts_are_fetched_at_most_fifty_at_once(services: Services) -> None:
    mosaic = Mosaic({"arts": [page(n, f"watch {n}") for n in range(200)]})
    async with serving(mosaic.app()) as url:
        results = await results_of(services, step(url, limit=200), query="watch")
    assert len(results) == len(mosaic.texts_asked) == 200
    assert 1 < mosaic.most_at_once <= 50
    assert list(results.documents["full-text"]) == [f"watch {n}" for n in range(200)]


async def test_several_indexes_are_interleaved_by_rank(services: Services, mosaic: Mosaic) -> None:
    async with serving(mosaic.app()) as url:
        results = await results_of(services, step(url, search_index="arts, science", limit=4), query="watch")
    assert list(results.documents["id"]) == ["arts-1", "science-1", "arts-2", "science-2"]
    assert list(results.documents["mosaic_index"]) == ["arts", "science", "arts", "science"]
    assert results.roles["mosaic_index"] == ("chip",)
    assert results.documents["full-text"].iloc[1] == "A watch measures time 1."


async def test_all_asks_without_an_index(services: Services, mosaic: Mosaic) -> None:
    async with serving(mosaic.app()) as url:
        results = await results_of(services, step(url, search_index="all"), query="watch")
    assert mosaic.queries == [{"q": "watch", "limit": "50"}]
    assert set(results.documents["mosaic_index"]) == {"arts", "science"}
    assert results.documents["_source_index_"].iloc[0] == "mosaic"


def test_a_page_of_two_indexes_is_one_row_named_for_both() -> None:
    one: dict[str, object] = {"id": "1", "url": "https://a.example/x"}
    other: dict[str, object] = {"id": "2", "url": "http://www.a.example/x/"}
    found = interleaved({"arts": [{"id": "0", "url": ""}, one], "science": [other]})
    assert [(index, record["id"]) for index, record in found] == [("arts", "0"), ("science, arts", "2")]


async def test_no_hits_are_no_error(services: Services, mosaic: Mosaic) -> None:
    async with serving(mosaic.app()) as url:
        assert not len(await results_of(services, step(url, search_index="empty"), query="watch"))
        assert not len(await results_of(services, step(url), query='"""'))
        assert not len(await results_of(services, step(url), query="xyzzy"))


@pytest.mark.parametrize(
    "query",
    [
        '"night watch"',
        "night (watch",
        "watch?",
        "watch AND",
        "NOT watch",
        "C++ watch!",
        "a:b watch",
        "wat*ch ~ ^ [x TO y] watch",
        "\\ watch /x/",
    ],
)
async def test_no_query_is_a_syntax_error(services: Services, mosaic: Mosaic, query: str) -> None:
    async with serving(mosaic.app()) as url:
        assert len(await results_of(services, step(url), query=query))


@given(st.text(max_size=80))
def test_an_escaped_query_has_no_bare_operator_and_the_same_words(query: str) -> None:
    import re

    made = escaped(query)
    assert not re.search(r"(?<!\\)[+\-&|!(){}\[\]^~*?:/]", made.replace("\\\\", ""))
    assert '"' not in made
    assert not {"AND", "OR", "NOT"} & set(made.split())
    letters = [one for one in query.lower() if one.isalnum()]
    assert [one for one in made.lower() if one.isalnum()] == letters


@pytest.mark.parametrize(
    ("given_url", "expected"),
    [
        ("https://mosaic.ows.eu/service/api", "https://mosaic.ows.eu/service/api"),
        ("https://mosaic.ows.eu/service/api/", "https://mosaic.ows.eu/service/api"),
        ("https://mosaic.ows.eu/service", "https://mosaic.ows.eu/service/api"),
        ("https://mosaic.ows.eu/service/", "https://mosaic.ows.eu/service/api"),
        (" http://localhost:8008/ ", "http://localhost:8008"),
        ("http://localhost:8008/search?q=x", "http://localhost:8008"),
    ],
)
def test_the_address_may_be_written_in_several_ways(given_url: str, expected: str) -> None:
    assert api_url(given_url) == expected


async def test_a_service_address_leads_to_its_api(services: Services, mosaic: Mosaic) -> None:
    async with serving(mosaic.app("/service/api")) as url:
        for form in ("/service", "/service/", "/service/api/"):
            assert len(await results_of(services, step(f"{url}{form}"), query="watch")) == 5


@pytest.mark.parametrize(
    ("value", "date"),
    [
        (1705353588000000, "2024-01-15T21:19:48Z"),
        (-1, None),
        (0, None),
        (None, None),
        (True, None),
        ("", None),
        (10**30, None),
        ("2024-01-15", "2024-01-15"),
        (float("nan"), None),
    ],
)
def test_dates_are_iso_and_minus_one_is_missing(value: object, date: str | None) -> None:
    assert iso_date(value) == date


async def test_minus_one_words_are_missing(services: Services) -> None:
    mosaic = Mosaic({"arts": [page(1, "watch", wordCount=-1, warcDate=-1)]})
    async with serving(mosaic.app()) as url:
        (row,) = (await results_of(services, step(url), query="watch")).documents_json()
    assert (row["wordCount"], row["warcDate"]) == (None, None)


class TestWhatGoesWrong:
    async def error(self, services: Services, url: str, **parameters: object) -> str:
        with pytest.raises(SourceError) as caught:
            await results_of(services, step(url, **parameters), query="watch")
        return str(caught.value)

    async def test_an_unknown_index_names_those_there_are(self, services: Services, mosaic: Mosaic) -> None:
        async with serving(mosaic.app()) as url:
            error = await self.error(services, url, search_index="artz")
        assert "has no index “artz”. It has: arts, science, empty; or all." in error
        assert "java" not in error

    async def test_one_unknown_index_of_two_is_a_warning(self, services: Services, mosaic: Mosaic) -> None:
        async with serving(mosaic.app()) as url:
            results = await results_of(services, step(url, search_index="arts,nope"), query="watch")
        assert len(results) == 5
        (warning,) = results.warnings
        assert warning.code == "index-failed"
        assert "“nope”" in warning.message

    async def test_a_web_page_of_a_proxy_is_said(self, services: Services, mosaic: Mosaic) -> None:
        mosaic.html_error = True
        async with serving(mosaic.app()) as url:
            error = await self.error(services, url)
        assert "HTTP 502" in error
        assert "a web page" in error
        assert "<" not in error

    async def test_a_web_page_with_status_200_is_said(self, services: Services) -> None:
        async def page_of(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>")

        async with raw_server(page_of) as url:
            assert "answered a web page instead of JSON (HTTP 200). Is the URL right?" in await self.error(services, url)

    async def test_a_java_trace_is_not_shown(self, services: Services) -> None:
        body = {"error": {"status": 500, "title": "no segments* file found\n\tat org.apache.lucene", "detail": "java.lang.X"}}
        async with answering(body, 500) as url:
            error = await self.error(services, url)
        assert "no segments* file found" in error
        assert "lucene" not in error
        assert "java" not in error

    @pytest.mark.parametrize(
        "value",
        [
            *(
                [],
                {},
                {"results": None},
                {"results": [1]},
                {"results": [{"arts": None}]},
                {"results": [{"arts": [1]}]},
                "x",
                None,
            ),
            {"hits": []},
        ],
    )
    async def test_json_of_another_shape_is_said(self, services: Services, value: object) -> None:
        async with answering(value) as url:
            assert "another shape than MOSAIC's" in await self.error(services, url)

    async def test_a_server_that_is_down_is_named(self, services: Services, mosaic: Mosaic) -> None:
        async with serving(mosaic.app()) as url:
            pass
        assert "cannot be reached" in await self.error(services, url)

    async def test_a_host_that_is_not_allowed_is_refused(self, services: Services) -> None:
        assert "CHATSEARCH_ALLOWED_HOSTS" in await self.error(services, "http://169.254.169.254/latest")

    async def test_a_text_that_cannot_be_had_costs_that_text_only(self, services: Services, mosaic: Mosaic) -> None:
        mosaic.broken_texts = frozenset({"arts-2"})
        async with serving(mosaic.app()) as url:
            results = await results_of(services, step(url), query="watch")
        assert len(results) == 5
        assert results.documents["full-text"].iloc[1] == results.documents["textSnippet"].iloc[1]
        (warning,) = results.warnings
        assert warning.code == "no-full-text"
        assert warning.message.startswith("1 of 5 full texts could not be had; the snippets are used instead. 127.0.0.1")

    async def test_texts_that_do_not_come_in_time_are_snippets(self, mosaic: Mosaic, tmp_path: Path) -> None:
        mosaic.slow_texts = asyncio.Event()
        services = services_with(tmp_path, allowed_hosts=["127.0.0.1:*"], source_timeout=0.5)
        async with serving(mosaic.app()) as url:
            results = await results_of(services, step(url), query="watch")
            mosaic.slow_texts.set()
        assert len(results) == 5
        assert "did not answer in time" in results.warnings[0].message

    async def test_a_cancelled_search_does_not_wait_for_the_service(self, services: Services, mosaic: Mosaic) -> None:
        mosaic.slow_texts, cancel = asyncio.Event(), asyncio.Event()
        async with serving(mosaic.app()) as url:
            spec = spec_of(services, step(url))
            task = asyncio.create_task(events_of(services, spec, "watch", cancel))
            await mosaic.text_asked.wait()
            cancel.set()
            last = (await asyncio.wait_for(task, 2))[-1]
            mosaic.slow_texts.set()
        assert isinstance(last, Finished)
        assert last.cancelled

    async def test_an_unknown_text_is_a_snippet(self, services: Services) -> None:
        body = {"results": [{"arts": [{"id": "1", "url": "", "title": "", "textSnippet": "snip &amp; snap"}]}]}

        async def handle(request: web.Request) -> web.Response:
            return web.json_response(body if request.path == "/search" else {"id": "1", "fullText": None})

        app = web.Application()
        app.router.add_get("/{path:.*}", handle)
        async with serving(app) as url:
            results = await results_of(services, step(url), query="x")
        assert results.documents["full-text"].iloc[0] == "snip & snap"
        assert results.documents["title"].iloc[0] == "snip & snap"

    async def test_of_two_sources_one_that_is_down_is_a_warning(self, services: Services, mosaic: Mosaic) -> None:
        async with serving(mosaic.app()) as down:
            pass
        async with serving(mosaic.app()) as url:
            results = await results_of(services, step(url), step(down, search_index="science"), query="watch")
        assert len(results) == 5
        assert [warning.code for warning in results.warnings] == ["source-failed"]
        assert "Step 2 (mosaic_datasource, “science”)" in results.warnings[0].message


async def redirect_to_metadata(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest/\r\nContent-Length: 0\r\n\r\n")


async def redirect_to_file(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 301 Moved\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n")


async def a_gigabyte(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n{")


async def endless_chunks(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not writer.is_closing():
        writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        await writer.drain()


async def a_web_page(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 27\r\n\r\n<html>Please log in</html>\n")


@pytest.mark.parametrize("answer", [redirect_to_metadata, redirect_to_file, a_gigabyte, endless_chunks, a_web_page])
async def test_a_hostile_server_costs_nothing_but_itself(tmp_path: Path, mosaic: Mosaic, answer: Any) -> None:
    services = services_with(tmp_path, allowed_hosts=["127.0.0.1:*"], max_answer_bytes=1_000_000)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer(writer)

    async with serving(mosaic.app()) as url, raw_server(talk) as hostile:
        results = await results_of(services, step(url), step(hostile, search_index="science"), query="watch")
    assert len(results) == 5
    (warning,) = results.warnings
    assert warning.code == "source-failed"
    assert "passwd" not in warning.message


ODD: list[dict[str, Any]] = [
    {"id": 7, "url": "https://a.example/&amp;x", "title": "A &amp;amp; B", "mainContent": "One &lt;b&gt;"},
    {"mainContent": "No id, no address, no title"},
    {"id": None, "url": "javascript:alert(1)", "title": None, "mainContent": None, "textSnippet": None},
    {
        "id": 7,
        "url": ["https://a.example/list"],
        "title": ["A", "B"],
        "mainContent": "Two",
        "keywords": "text",
        "locations": "none",
    },
    {
        "id": 1.0,
        "mainContent": "N",
        "_original_ranking_": 99,
        "_no_llm_": False,
        "ows_genai": False,
        "n": 5,
        "_reranking_rank_1_": 1,
    },
    {"id": {"a": 1}, "title": 3, "mainContent": "P", "locations": [{"locationEntries": [{"latitude": None}, 3]}, 4]},
]


async def test_odd_rows_are_rows(services: Services) -> None:
    async with answering({"results": [{"arts": ODD}]}) as url:
        results = await results_of(services, step(url), query="x")
    rows = results.documents_json()
    json.dumps(rows, allow_nan=False)
    assert len(rows) == len(ODD)
    assert results.documents["id"].is_unique
    assert all(isinstance(one, str) and one for one in results.documents["id"])
    assert all(results.documents["title"])
    assert (rows[0]["title"], rows[0]["full-text"]) == ("A & B", "One <b>")
    assert rows[1]["title"] == "No id, no address, no title"
    assert rows[2]["url"] == ""
    assert rows[3]["url"] == "https://a.example/list"
    assert [row["_original_ranking_"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert results.documents["_no_llm_"].iloc[4]
    assert results.reranking_count() == 0


async def test_a_thousand_rows(services: Services) -> None:
    mosaic = Mosaic(
        {"arts": [page(n, f"watch {n} " + "Das Museum öffnet um neun Uhr. " * 60) for n in range(1000)]}, sends_text=True
    )
    async with serving(mosaic.app()) as url:
        results = await results_of(services, step(url, limit=1000), query="watch")
    assert len(results) == 1000


def test_a_limit_that_is_no_number_is_an_error_that_says_what_is_allowed(services: Services) -> None:
    for wrong in ("many", "0", "1001"):
        with pytest.raises(SpecError, match="a whole number from 1 to 1,000"):
            spec_of(services, step("https://mosaic.ows.eu/service/api", limit=wrong))


def test_defaults_are_mosaic_rags() -> None:
    source = Registry().get("mosaic_datasource")()
    assert source.model_dump() == {
        "limit": 50,
        "weight": 1.0,
        "output_column": "full-text",
        "url": "https://mosaic.ows.eu/service/api",
        "search_index": "arts",
    }
