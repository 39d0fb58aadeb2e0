"""OpenSearch and Elasticsearch as a data source, against a stand-in with the shapes and errors of both."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, Literal

import pytest
from aiohttp import web

from chatsearch import http
from chatsearch.embedding import ENGLISH_MODEL, EmbeddingModels
from chatsearch.errors import SourceError, SpecError
from chatsearch.services import Services
from tests.sources import results_of, services_with, spec_of
from tests.stand_ins.opensearch import OpenSearch
from tests.stand_ins.serving import serving

Flavour = Literal["opensearch", "elasticsearch"]
TEXTS = ["The ocean is deep and salty.", "Green leaves are dried and brewed.", "An inventor of machines."]
BOOKS: list[dict[str, Any]] = [
    {"title": "Sea &amp; salt", "url": "https://example.org/sea", "body": TEXTS[0], "language": "en", "id": 77},
    {"title": ["Tea"], "body": TEXTS[1]},
    {"body": TEXTS[2], "meta": {"shelf": "C"}},
]
FLAVOURS = pytest.mark.parametrize("flavour", ["opensearch", "elasticsearch"])


@pytest.fixture(scope="module")
def embeddings() -> EmbeddingModels:
    return EmbeddingModels()


@pytest.fixture(scope="module")
def vectors(embeddings: EmbeddingModels) -> list[list[float]]:
    rows: list[list[float]] = embeddings.encode_now(ENGLISH_MODEL, TEXTS, "passage").tolist()
    return rows


@pytest.fixture
def services(tmp_path: Path, embeddings: EmbeddingModels, monkeypatch: pytest.MonkeyPatch) -> Services:
    monkeypatch.setattr(http, "BACKOFF", 0.0)
    made = services_with(tmp_path, allowed_hosts=["127.0.0.1:*"])
    made.__dict__["embeddings"] = embeddings
    return made


def step(url: str, **parameters: object) -> tuple[str, dict[str, object]]:
    return "opensearch_datasource", {"url": url, "index": "books", **parameters}


async def error_of(services: Services, url: str, **parameters: object) -> str:
    with pytest.raises(SourceError) as caught:
        await results_of(services, step(url, **parameters), query="ocean")
    return str(caught.value)


@FLAVOURS
async def test_words_are_searched_in_the_fields_that_are_named(services: Services, flavour: Flavour) -> None:
    cluster = OpenSearch(BOOKS, flavour=flavour)
    async with serving(cluster.app()) as url:
        results = await results_of(services, step(f"{url}/", fields="title^2, body", limit="5"), query="deep ocean")
        assert not len(await results_of(services, step(url, fields="title"), query="ocean"))
    match = {"query": "deep ocean", "lenient": True, "fields": ["title^2", "body"]}
    assert cluster.bodies[0] == {"size": 5, "query": {"multi_match": match}}
    (row,) = results.documents_json()
    assert (row["id"], row["title"], row["url"]) == ("0", "Sea & salt", "https://example.org/sea")
    assert (row["full-text"], row["language"], row["opensearch_score"]) == (TEXTS[0], "en", 2.0)
    assert row["original_id"] == 77
    assert results.roles["opensearch_score"] == ("chip",)


async def test_without_fields_all_are_searched(services: Services) -> None:
    cluster = OpenSearch(BOOKS)
    async with serving(cluster.app()) as url:
        assert len(await results_of(services, step(url), query="inventor")) == 1
    assert "fields" not in cluster.bodies[0]["query"]["multi_match"]


@FLAVOURS
async def test_vectors_are_searched_in_the_words_of_either(
    services: Services, vectors: list[list[float]], flavour: Flavour
) -> None:
    cluster = OpenSearch(BOOKS, vectors, flavour, {"embedding_model": ENGLISH_MODEL})
    async with serving(cluster.app()) as url:
        results = await results_of(services, step(url, vector_field="vector", limit=2), query="a hot beverage")
    assert results.documents["title"].iloc[0] == "Tea"
    (body,) = cluster.bodies
    assert body["_source"] == {"excludes": ["vector"]}
    if flavour == "opensearch":
        assert body["query"]["knn"]["vector"]["k"] == 2
    else:
        assert (body["knn"]["field"], body["knn"]["k"], body["knn"]["num_candidates"]) == ("vector", 2, 100)


async def test_the_engine_can_be_told_where_it_may_not_be_asked(services: Services, vectors: list[list[float]]) -> None:
    cluster = OpenSearch(BOOKS, vectors, "elasticsearch", {"embedding_model": ENGLISH_MODEL})
    async with serving(cluster.app()) as url:
        error = await error_of(services, url, vector_field="vector", engine="opensearch")
        assert "must be provided directly under the `knn` option" in error
        assert len(await results_of(services, step(url, vector_field="vector", engine="elasticsearch"), query="tea"))


async def test_an_index_that_names_no_model_is_searched_by_the_default_and_that_is_said(
    services: Services, vectors: list[list[float]]
) -> None:
    async with serving(OpenSearch(BOOKS, vectors).app()) as url:
        (warning,) = (await results_of(services, step(url, vector_field="vector"), query="tea")).warnings
    assert "The field “vector” of the index “books” does not say which model embedded it" in warning.message


async def test_other_dimensions_and_other_models_are_refused_with_the_fix(services: Services) -> None:
    async with serving(OpenSearch(BOOKS, [[1.0] * 768] * 3).app()) as url:
        error = await error_of(services, url, vector_field="vector", embedding_model=ENGLISH_MODEL)
    assert "was embedded with 768 dimensions, and “all-MiniLM-L6-v2” gives 384" in error
    async with serving(OpenSearch(BOOKS, [[1.0] * 384] * 3, meta={"embedding_model": "multilingual-e5-small"}).app()) as url:
        error = await error_of(services, url, vector_field="vector", embedding_model=ENGLISH_MODEL)
    assert "was embedded by “multilingual-e5-small”, and the step says “all-MiniLM-L6-v2”" in error


async def test_a_field_that_has_no_vectors_names_those_there_are(services: Services) -> None:
    async with serving(OpenSearch(BOOKS).app()) as url:
        error = await error_of(services, url, vector_field="vektor")
    assert "has no field of vectors “vektor”. Its fields: title, body." in error


class TestErrors:
    @FLAVOURS
    async def test_an_unknown_index(self, services: Services, flavour: Flavour) -> None:
        async with serving(OpenSearch(BOOKS, flavour=flavour).app()) as url:
            assert "has no index “bookz”" in await error_of(services, url, index="bookz")

    @FLAVOURS
    async def test_a_login_and_a_key(self, services: Services, flavour: Flavour, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CHATSEARCH_SECRET_LOGIN", "admin:p4ss")
        monkeypatch.setenv("CHATSEARCH_SECRET_KEY", "4piKey")
        basic = OpenSearch(BOOKS, flavour=flavour, authorization=f"Basic {base64.b64encode(b'admin:p4ss').decode()}")
        async with serving(basic.app()) as url:
            assert len(await results_of(services, step(url, login_setting="LOGIN"), query="ocean")) == 1
            error = await error_of(services, url, key_setting="KEY")
            assert "refused access (HTTP 401)" in error
            assert "4piKey" not in error
        async with serving(OpenSearch(BOOKS, flavour=flavour, authorization="ApiKey 4piKey").app()) as url:
            assert len(await results_of(services, step(url, key_setting="KEY"), query="ocean")) == 1

    async def test_parts_that_failed_are_said(self, services: Services) -> None:
        async with serving(OpenSearch(BOOKS, shards_failed=2).app()) as url:
            (warning,) = (await results_of(services, step(url), query="ocean")).warnings
        assert warning.message.endswith("could not search all of “books”: 2 of 5 parts failed.")

    @pytest.mark.parametrize("index", ["../_cluster", "a/b", ".security", "..", "a?b", "a b"])
    def test_an_index_is_a_name_and_no_path(self, services: Services, index: str) -> None:
        with pytest.raises(SpecError):
            spec_of(services, step("http://127.0.0.1:9200", index=index))

    @pytest.mark.parametrize("value", [[], {}, {"hits": []}, {"hits": {"hits": [1]}}, "x"])
    async def test_another_shape(self, services: Services, value: object) -> None:
        async def handle(request: web.Request) -> web.Response:
            return web.json_response(value)

        app = web.Application()
        app.router.add_post("/{path:.*}", handle)
        async with serving(app) as url:
            assert "another shape than OpenSearch's" in await error_of(services, url)

    async def test_odd_hits_are_rows(self, services: Services) -> None:
        hits = [
            {"_id": 1, "_source": None},
            {"_score": None, "_source": {"body": None}},
            {},
            {"_id": "1", "_source": {"title": 3}},
        ]

        async def handle(request: web.Request) -> web.Response:
            return web.json_response({"hits": {"hits": hits}})

        app = web.Application()
        app.router.add_post("/{path:.*}", handle)
        async with serving(app) as url:
            results = await results_of(services, step(url), query="x")
        assert len(results) == 4
        assert results.documents["id"].is_unique
        assert all(results.documents["title"])
