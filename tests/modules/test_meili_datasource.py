"""Meilisearch as a data source, against a stand-in with its shapes and errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web

from chatsearch import http
from chatsearch.errors import SourceError, SpecError
from chatsearch.registry import Registry
from chatsearch.services import Services
from tests.sources import results_of, services_with, spec_of
from tests.stand_ins.meili import Meili
from tests.stand_ins.serving import serving

BOOKS: list[dict[str, object]] = [
    {
        "id": 1,
        "title": "The sea &amp; the ships",
        "link": "https://example.org/1",
        "content": "Ships sail the sea.",
        "year": 1999,
    },
    {"id": 2, "name": "Sea", "overview": "A word.", "_geo": {"lat": 47.07, "lng": 15.44}, "language": "en"},
    {"ref": "x", "body": ["Two paragraphs", "about the sea."], "title": None},
    {"id": 4, "title": "Mountains", "content": "High."},
]


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Services:
    monkeypatch.setattr(http, "BACKOFF", 0.0)
    return services_with(tmp_path, allowed_hosts=["127.0.0.1:*"])


@pytest.fixture
def meili() -> Meili:
    return Meili({"books": BOOKS})


def step(url: str, **parameters: object) -> tuple[str, dict[str, object]]:
    return "meili_datasource", {"url": url, "index": "books", **parameters}


async def error_of(services: Services, url: str, **parameters: object) -> str:
    with pytest.raises(SourceError) as caught:
        await results_of(services, step(url, **parameters), query="sea ships")
    return str(caught.value)


async def test_documents_become_rows_with_their_fields(services: Services, meili: Meili) -> None:
    async with serving(meili.app()) as url:
        results = await results_of(services, step(f"{url}/"), query="sea ships")
    assert meili.bodies == [{"q": "sea ships", "limit": 200, "showRankingScore": True}]
    rows = results.documents_json()
    assert [row["meili_score"] for row in rows] == [1.0, 0.5, 0.5]
    assert (rows[0]["id"], rows[0]["title"], rows[0]["url"]) == ("1", "The sea & the ships", "https://example.org/1")
    assert (rows[0]["full-text"], rows[0]["year"]) == ("Ships sail the sea.", 1999)
    assert (rows[1]["title"], rows[1]["full-text"], rows[1]["latitude"]) == ("Sea", "A word.\nen", 47.07)
    assert rows[2]["full-text"] == "Two paragraphs\nabout the sea."
    assert rows[2]["title"] == "Two paragraphs about the sea."
    assert results.roles["meili_score"] == ("chip",)
    assert results.documents["_source_index_"].iloc[0] == "books"


async def test_fields_can_be_named(services: Services, meili: Meili) -> None:
    meili.indexes["books"] = [{"id": 1, "meta": {"head": "Sea", "at": "https://example.org/1"}, "text": "no", "long": "the sea"}]
    async with serving(meili.app()) as url:
        fields = {"title_field": "meta.head", "url_field": "meta.at", "text_field": "long"}
        (row,) = (await results_of(services, step(url, **fields), query="sea")).documents_json()
    assert (row["title"], row["url"], row["full-text"], row["text"]) == ("Sea", "https://example.org/1", "the sea", "no")


async def test_nothing_found_is_no_error(services: Services, meili: Meili) -> None:
    async with serving(meili.app()) as url:
        assert not len(await results_of(services, step(url), query="xyzzy"))


async def test_a_thousand_documents(services: Services, meili: Meili) -> None:
    meili.indexes["books"] = [{"id": n, "title": f"Book {n}", "content": "the sea " * 100} for n in range(1000)]
    async with serving(meili.app()) as url:
        assert len(await results_of(services, step(url, limit=1000), query="sea")) == 1000


class TestErrors:
    async def test_an_unknown_index(self, services: Services, meili: Meili) -> None:
        async with serving(meili.app()) as url:
            assert "has no index “bookz”" in await error_of(services, url, index="bookz")

    async def test_the_key_is_the_secret_of_that_name(
        self, services: Services, meili: Meili, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        meili.key = "k3y-of-meili"
        monkeypatch.setenv("CHATSEARCH_SECRET_RIGHT", "k3y-of-meili")
        monkeypatch.setenv("CHATSEARCH_SECRET_WRONG", "0ther-k3y")
        async with serving(meili.app()) as url:
            assert len(await results_of(services, step(url, key_setting="RIGHT"), query="sea"))
            assert "refused access (HTTP 401): The Authorization header is missing" in await error_of(services, url)
            error = await error_of(services, url, key_setting="WRONG")
            assert "refused access (HTTP 403): The provided API key is invalid. It needs a key, or another one." in error
            assert "k3y" not in error
            assert "CHATSEARCH_SECRET_NONE is not set" in await error_of(services, url, key_setting="NONE")

    async def test_a_key_that_a_server_repeats_is_not_shown(self, services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CHATSEARCH_SECRET_MEILI", "k3y-of-meili")

        async def handle(request: web.Request) -> web.Response:
            message = f"No such key: {request.headers['Authorization']}"
            return web.json_response({"message": message, "code": "invalid_api_key"}, status=403)

        app = web.Application()
        app.router.add_post("/{path:.*}", handle)
        async with serving(app) as url:
            assert "No such key: Bearer ***" in await error_of(services, url, key_setting="MEILI")

    async def test_documents_with_endless_fields_are_refused(self, services: Services, meili: Meili) -> None:
        meili.indexes["books"] = [{f"field{n}": "sea" for n in range(2000)}]
        async with serving(meili.app()) as url:
            assert "more than 1,000 different fields" in await error_of(services, url)

    async def test_a_key_in_the_spec_is_refused(self, services: Services) -> None:
        assert "api_key" not in Registry().get("meili_datasource").model_fields

    @pytest.mark.parametrize("index", ["../keys", "a/b", "a b", ".."])
    def test_an_index_is_a_name_and_no_path(self, services: Services, index: str) -> None:
        with pytest.raises(SpecError):
            spec_of(services, step("http://127.0.0.1:7700", index=index))

    @pytest.mark.parametrize("value", [[], {}, {"hits": None}, {"hits": [1]}, {"results": []}])
    async def test_another_shape(self, services: Services, value: object) -> None:
        async def handle(request: web.Request) -> web.Response:
            return web.json_response(value)

        app = web.Application()
        app.router.add_post("/{path:.*}", handle)
        async with serving(app) as url:
            assert "another shape than Meilisearch's" in await error_of(services, url)

    async def test_a_web_page(self, services: Services) -> None:
        async def handle(request: web.Request) -> web.Response:
            return web.Response(text="<html>Welcome</html>", content_type="text/html")

        app = web.Application()
        app.router.add_post("/{path:.*}", handle)
        async with serving(app) as url:
            assert "a web page instead of JSON" in await error_of(services, url)

    async def test_a_server_that_is_down_and_one_that_is_not_allowed(self, services: Services, meili: Meili) -> None:
        async with serving(meili.app()) as url:
            pass
        assert "cannot be reached" in await error_of(services, url)
        assert "CHATSEARCH_ALLOWED_HOSTS" in await error_of(services, "http://localhost:7700")


def test_defaults_are_mosaic_rags() -> None:
    source = Registry().get("meili_datasource")()
    assert source.model_dump(include={"limit", "output_column", "weight"}) == {
        "limit": 200,
        "output_column": "full-text",
        "weight": 1,
    }
