"""Chroma as a data source, against a real server and a real folder."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from aiohttp import web

from chatsearch.chroma import Collection, allowed_folder
from chatsearch.embedding import ENGLISH_MODEL, EmbeddingModels
from chatsearch.errors import SourceError
from chatsearch.model_names import canonical_name
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from chatsearch.services import Services
from tests.sources import results_of, services_with
from tests.stand_ins.serving import serving

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

TEXTS = [
    "The ocean is deep and salty.",
    "Green leaves are dried and brewed.",
    "An inventor of machines.",
    "Stock prices fell in Tokyo.",
]
METADATAS: list[dict[str, Any] | None] = [
    {"title": "The sea &amp; us", "url": "https://example.org/sea", "language": "en", "year": 1999, "id": "own"},
    {"source": "/home/me/tea.pdf", "page": 3},
    None,
    {"title": "", "source": "https://example.org/stocks", "_original_ranking_": 7},
]
MODEL = {"embedding_model": ENGLISH_MODEL, "embedding_fingerprint": "all-MiniLM-L6-v2/onnx-int8/8199be6f"}


@pytest.fixture(scope="module")
def embeddings() -> EmbeddingModels:
    return EmbeddingModels()


@pytest.fixture(scope="module")
def vectors(embeddings: EmbeddingModels) -> np.ndarray:
    return embeddings.encode_now(ENGLISH_MODEL, TEXTS, "passage")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """host:port of a Chroma server of its own."""
    program = Path(sys.executable).with_name("chroma")
    if not program.exists():
        pytest.skip("the program chroma is not installed beside this Python")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = tmp_path_factory.mktemp("chroma-server")
    command = [str(program), "run", "--path", str(place), "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=place, env={**os.environ}
    ) as process:
        try:
            _until_it_answers(process, f"http://127.0.0.1:{port}/api/v2/heartbeat")
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()


def _until_it_answers(process: subprocess.Popen[bytes], url: str) -> None:
    for _ in range(600):
        assert process.poll() is None, "the Chroma server ended at once"
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=1):
            return
        time.sleep(0.1)
    raise AssertionError("the Chroma server does not answer")


@pytest.fixture(scope="module")
def writer(server: str) -> ClientAPI:
    import chromadb

    host, port = server.split(":")
    return chromadb.HttpClient(host=host, port=int(port))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, vectors: np.ndarray) -> Path:
    """A data directory with a folder `chroma` in it."""
    import chromadb
    from chromadb.config import Settings

    home = tmp_path_factory.mktemp("home")
    client = chromadb.PersistentClient(str(home / "chroma"), settings=Settings(anonymized_telemetry=False))
    fill(client, "folder", vectors, "cosine", MODEL)
    return home


def fill(client: ClientAPI, name: str, vectors: np.ndarray, metric: str, metadata: dict[str, str] | None, **more: Any) -> None:
    settings: Any = {"configuration": {"hnsw": {"space": metric}}, "embedding_function": None, **more}
    made = client.create_collection(name, metadata=metadata, **settings)
    metadatas: Any = METADATAS
    made.add(ids=[f"c{n}" for n in range(len(TEXTS))], embeddings=vectors, documents=TEXTS, metadatas=metadatas)


@pytest.fixture
def services(tmp_path: Path, embeddings: EmbeddingModels) -> Services:
    made = services_with(tmp_path, allowed_hosts=["127.0.0.1:*"])
    made.__dict__["embeddings"] = embeddings
    return made


async def search(services: Services, url: str, collection: str, **more: object) -> ResultSet:
    parameters = {"chromadb_url": url, "chromadb_collection": collection, **more}
    return await results_of(services, ("chroma_datasource", parameters), query="water of the sea")


async def error_of(services: Services, url: str, collection: str, **more: object) -> str:
    with pytest.raises(SourceError) as caught:
        await search(services, url, collection, **more)
    return str(caught.value)


class TestAServer:
    @pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
    async def test_similarity_is_the_cosine_whatever_the_metric(
        self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray, embeddings: EmbeddingModels, metric: str
    ) -> None:
        fill(writer, f"sea-{metric}", vectors, metric, MODEL)
        results = await search(services, server, f"sea-{metric}")
        assert not results.warnings
        assert results.documents["id"].iloc[0] == "c0"
        (query,) = embeddings.encode_now(ENGLISH_MODEL, ["water of the sea"], "query")
        expected = sorted((vectors @ query).tolist(), reverse=True)
        assert list(results.documents["chroma_similarity"]) == pytest.approx(expected, abs=2e-3)
        assert results.roles["chroma_similarity"] == ("chip",)

    async def test_metadata_become_columns(self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray) -> None:
        fill(writer, "columns", vectors, "cosine", MODEL)
        results = await search(services, f"http://{server}/", "columns", limit="4")
        rows = {str(row["id"]): row for row in results.documents_json()}
        assert rows["c0"]["title"] == "The sea & us"
        assert (rows["c0"]["url"], rows["c0"]["language"], rows["c0"]["year"]) == ("https://example.org/sea", "en", 1999)
        assert rows["c0"]["original_id"] == "own"
        assert (rows["c1"]["url"], rows["c1"]["source"], rows["c1"]["page"]) == ("", "/home/me/tea.pdf", 3)
        assert rows["c1"]["title"] == TEXTS[1]
        assert rows["c2"]["full-text"] == TEXTS[2]
        assert rows["c3"]["url"] == "https://example.org/stocks"
        assert [row["_original_ranking_"] for row in results.documents_json()] == [1, 2, 3, 4]

    async def test_the_limit_and_the_text_column(
        self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray
    ) -> None:
        fill(writer, "limit", vectors, "cosine", MODEL)
        results = await search(services, server, "limit", limit="2", output_column="body")
        assert len(results) == 2
        assert results.documents["body"].iloc[0] == TEXTS[0]

    async def test_documents_may_be_missing(
        self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray
    ) -> None:
        made = writer.create_collection("no-texts", embedding_function=None, metadata=MODEL)
        made.add(ids=["a", "b"], embeddings=vectors[:2], metadatas=[{"text": "From the metadata."}, {"x": 1}])
        results = await search(services, server, "no-texts")
        assert sorted(results.documents["full-text"]) == ["", "From the metadata."]

    async def test_an_empty_collection_gives_nothing(self, services: Services, server: str, writer: ClientAPI) -> None:
        writer.create_collection("nothing", embedding_function=None)
        results = await search(services, server, "nothing", embedding_model=ENGLISH_MODEL)
        assert not len(results)

    async def test_chromas_own_model_is_the_packaged_one_and_that_is_said(
        self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray
    ) -> None:
        made = writer.create_collection("default-model")
        assert made.configuration_json["embedding_function"]["name"] == "default"
        made.add(ids=["c0"], embeddings=vectors[:1], documents=TEXTS[:1])
        (warning,) = (await search(services, server, "default-model")).warnings
        assert warning.code == "query-model"
        assert "sentence-transformers/all-MiniLM-L6-v2" in warning.message

    async def test_a_collection_that_names_no_model_gets_the_parameters(
        self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray
    ) -> None:
        fill(writer, "unnamed", vectors, "cosine", None)
        assert not (await search(services, server, "unnamed", embedding_model=ENGLISH_MODEL)).warnings
        (warning,) = (await search(services, server, "unnamed")).warnings
        assert "does not say which model embedded it: “all-MiniLM-L6-v2” is assumed" in warning.message

    async def test_an_unknown_collection_names_the_nearest_and_all(
        self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray
    ) -> None:
        fill(writer, "paintings", vectors, "cosine", MODEL)
        error = await error_of(services, server, "paintigns")
        assert "Collection [paintigns] does not exist. Did you mean “paintings”? It has: " in error

    async def test_no_collection_is_said(self, services: Services, server: str) -> None:
        assert "set chromadb_collection" in await error_of(services, server, "")

    async def test_another_database_is_said(self, services: Services, server: str) -> None:
        assert "does not exist" in await error_of(services, server, "paintings", database="other")


class TestWhatIsRefused:
    async def test_another_model_than_the_collections(
        self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray
    ) -> None:
        fill(writer, "model", vectors, "cosine", MODEL)
        error = await error_of(services, server, "model", embedding_model="multilingual-e5-small")
        assert "The collection “model” was embedded by “all-MiniLM-L6-v2”, and the step says “multilingual-e5-small”" in error
        assert "Leave embedding_model empty, or embed it again" in error

    async def test_the_same_model_by_its_other_name_is_no_other(
        self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray
    ) -> None:
        fill(writer, "alias", vectors, "cosine", MODEL)
        assert len(await search(services, server, "alias", embedding_model="sentence-transformers/all-MiniLM-L6-v2"))

    async def test_another_form_of_the_model(
        self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray
    ) -> None:
        fill(writer, "form", vectors, "cosine", {**MODEL, "embedding_fingerprint": "all-MiniLM-L6-v2/other/1"})
        error = await error_of(services, server, "form")
        assert "another form of “all-MiniLM-L6-v2” (all-MiniLM-L6-v2/other/1)" in error

    async def test_other_dimensions_with_both_models_and_the_fix(
        self, services: Services, server: str, writer: ClientAPI
    ) -> None:
        fill(writer, "wide", np.eye(4, 768, dtype=np.float32), "cosine", None)
        error = await error_of(services, server, "wide", embedding_model=ENGLISH_MODEL)
        assert "The collection “wide” was embedded with 768 dimensions, and “all-MiniLM-L6-v2” gives 384." in error
        assert "Set embedding_model to the model that made it" in error
        assert "does not match" not in error

    async def test_a_model_that_cannot_be_had(self, server: str, writer: ClientAPI, vectors: np.ndarray, tmp_path: Path) -> None:
        services = services_with(tmp_path, allowed_hosts=["127.0.0.1:*"], ollama_url="http://127.0.0.1:1")
        fill(writer, "ollama", vectors, "cosine", {"embedding_model": "ollama/nomic-embed-text"})
        error = await error_of(services, server, "ollama")
        assert "The collection “ollama” was embedded by “ollama/nomic-embed-text”, which cannot be had here." in error
        assert "127.0.0.1:1 cannot be reached" in error

    async def test_a_model_of_a_service_that_is_not_allowed(
        self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray, tmp_path: Path
    ) -> None:
        fill(writer, "openai", vectors, "cosine", {"embedding_model": "text-embedding-3-small"})
        error = await error_of(services_with(tmp_path, allowed_hosts=["127.0.0.1:*"]), server, "openai")
        assert "CHATSEARCH_EMBEDDING_MODELS=ollama/*,openai/text-embedding-3-small" in error

    async def test_vectors_of_other_lengths_measured_by_l2(
        self, services: Services, server: str, writer: ClientAPI, vectors: np.ndarray
    ) -> None:
        fill(writer, "long", 3 * vectors, "l2", MODEL)
        assert "one has 3" in await error_of(services, server, "long")
        fill(writer, "long-cosine", 3 * vectors, "cosine", MODEL)
        assert (await search(services, server, "long-cosine")).documents["id"].iloc[0] == "c0"

    async def test_a_metric_that_is_another_than_the_metadata_say(self, services: Services) -> None:
        described = {"id": "1", "name": "old", "dimension": 384, "configuration_json": {"hnsw": {"space": "l2"}}}
        async with chroma_like({**described, "metadata": {"hnsw:space": "cosine"}}) as url:
            error = await error_of(services, url, "old")
        assert "The metadata of the collection “old” says “cosine”, and it measures “l2”" in error

    async def test_a_server_that_is_down(self, services: Services) -> None:
        async with chroma_like({}) as url:
            pass
        assert "cannot be reached" in await error_of(services, url, "x")

    @pytest.mark.parametrize(
        "value", [[], {}, "x", {"id": "1"}, {"id": "1", "name": "x", "configuration_json": {"hnsw": {"space": "odd"}}}]
    )
    async def test_a_server_that_is_no_chroma(self, services: Services, value: object) -> None:
        async with chroma_like(value) as url:
            error = await error_of(services, url, "x")
        assert "Is it a Chroma server?" in error or "metric “odd” is not known" in error

    async def test_an_answer_of_another_shape(self, services: Services, vectors: np.ndarray) -> None:
        described = {
            "id": "1",
            "name": "x",
            "metadata": MODEL,
            "configuration_json": {"hnsw": {"space": "cosine"}},
            "dimension": 384,
        }
        wrong: tuple[object, ...] = ({"ids": [["a"]]}, {"ids": [["a"]], "distances": [["near"]]}, [])
        for answer in wrong:
            async with chroma_like(described, answer) as url:
                assert "another shape than Chroma's" in await error_of(services, url, "x")

    async def test_a_server_off_the_list(self, services: Services) -> None:
        for url in ("localhost:8000", "http://169.254.169.254", "example.org:8000"):
            assert "CHATSEARCH_ALLOWED_HOSTS" in await error_of(services, url, "x")


class TestAFolder:
    @pytest.fixture
    def services(self, folder: Path, embeddings: EmbeddingModels) -> Services:
        made = services_with(folder)
        made.__dict__["embeddings"] = embeddings
        return made

    async def test_it_is_read_like_a_server(self, services: Services, folder: Path) -> None:
        for place in ("chroma", str(folder / "chroma"), "./chroma/"):
            results = await search(services, place, "folder")
            assert results.documents["id"].iloc[0] == "c0"
            assert results.documents["title"].iloc[0] == "The sea & us"
            assert not results.warnings

    async def test_an_unknown_collection_names_all(self, services: Services) -> None:
        assert "It has: folder." in await error_of(services, "chroma", "foldr")

    async def test_one_that_is_not_there_is_not_made(self, services: Services, folder: Path) -> None:
        assert "There is no Chroma database" in await error_of(services, "other", "x")
        assert not (folder / "other").exists()

    async def test_outside_the_data_directory_it_is_refused(self, services: Services) -> None:
        for place in ("..", "/etc", "chroma/../../x", "/"):
            assert "CHATSEARCH_ALLOWED_PATHS" in await error_of(services, place, "x")

    def test_a_link_out_of_the_data_directory_is_refused(self, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(folder / "chroma")
        with pytest.raises(SourceError, match="outside the data directory"):
            allowed_folder("link", tmp_path, ())
        assert allowed_folder("link", tmp_path, [folder]) == (folder / "chroma").resolve()


@asynccontextmanager
async def chroma_like(described: object, answer: object = None) -> AsyncIterator[str]:
    """A server that describes every collection so, and answers every query so."""

    async def get(request: web.Request) -> web.Response:
        return web.json_response(described)

    async def post(request: web.Request) -> web.Response:
        return web.json_response(answer)

    app = web.Application()
    app.router.add_get("/{path:.*}", get)
    app.router.add_post("/{path:.*}", post)
    async with serving(app) as url:
        yield url


async def test_the_token_is_the_secret_of_that_name(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATSEARCH_SECRET_CHROMA", "t0ken")
    seen = []

    async def handle(request: web.Request) -> web.Response:
        seen.append((request.headers.get("Authorization"), request.headers.get("x-chroma-token")))
        return web.json_response({"error": "x", "message": "no"}, status=403)

    app = web.Application()
    app.router.add_get("/{path:.*}", handle)
    async with serving(app) as url:
        error = await error_of(services, url, "x", token_setting="CHROMA")
    assert seen == [("Bearer t0ken", "t0ken")]
    assert "refused access (HTTP 403): no" in error
    assert "t0ken" not in error


@pytest.mark.parametrize(
    ("function", "model"),
    [
        ({"type": "known", "name": "default", "config": {}}, "sentence-transformers/all-MiniLM-L6-v2"),
        ({"type": "known", "name": "sentence_transformer", "config": {"model_name": "BAAI/bge-m3"}}, "BAAI/bge-m3"),
        (
            {"type": "known", "name": "ollama", "config": {"model_name": "nomic-embed-text", "url": "http://evil"}},
            "ollama/nomic-embed-text",
        ),
        (
            {"type": "known", "name": "openai", "config": {"model_name": "text-embedding-3-small"}},
            "openai/text-embedding-3-small",
        ),
        ({"type": "legacy"}, ""),
        (None, ""),
    ],
)
def test_the_model_is_read_from_the_collections_own_configuration(function: object, model: str) -> None:
    given = {"id": "1", "name": "x", "configuration_json": {"hnsw": {"space": "ip"}, "embedding_function": function}}
    assert Collection.of(given).model == model


def test_a_model_that_only_chroma_can_run_is_kept_for_the_message() -> None:
    function = {"type": "known", "name": "instructor", "config": {"model_name": "xl"}}
    assert (
        Collection.of({"id": "1", "name": "x", "configuration_json": {"embedding_function": function}}).unknown_model
        == "instructor xl"
    )


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("sentence-transformers/all-MiniLM-L6-v2", ENGLISH_MODEL),
        ("intfloat/multilingual-e5-small", "multilingual-e5-small"),
        ("text-embedding-3-small", "openai/text-embedding-3-small"),
        ("ollama/nomic-embed-text", "ollama/nomic-embed-text"),
        ("sentence-transformers/all-mpnet-base-v2", "all-mpnet-base-v2"),
        ("BAAI/bge-m3", "BAAI/bge-m3"),
    ],
)
def test_a_model_has_one_name(name: str, canonical: str) -> None:
    assert canonical_name(name) == canonical


def test_defaults_are_mosaic_rags() -> None:
    source = Registry().get("chroma_datasource")()
    assert source.model_dump(include={"limit", "output_column", "weight"}) == {
        "limit": 50,
        "output_column": "full-text",
        "weight": 1,
    }
