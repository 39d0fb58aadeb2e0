"""Embedding models of a service, against stand-ins of Ollama and of an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from aiohttp import web

from chatsearch.embedding import EmbeddingModels
from chatsearch.errors import ModelError
from chatsearch.model_names import is_remote
from chatsearch.services import Services
from tests.sources import services_with
from tests.stand_ins.serving import serving


@asynccontextmanager
async def embedding_server(vectors: object = None, status: int = 200) -> AsyncIterator[tuple[str, list[dict[str, object]]]]:
    """Ollama's /api/embed and OpenAI's /embeddings; the vector of a text is its length and 4 unless `vectors` is given."""
    asked: list[dict[str, object]] = []

    async def handle(request: web.Request) -> web.Response:
        body = await request.json()
        asked.append({**body, "key": request.headers.get("Authorization", "")})
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        made = [[float(len(text)), 4.0] for text in texts] if vectors is None else vectors
        if status != 200:
            return web.json_response({"error": {"message": f"wrong key {asked[-1]['key']}"}}, status=status)
        if request.path.endswith("/api/embed"):
            return web.json_response({"model": body["model"], "embeddings": made, "prompt_eval_count": 3})
        assert isinstance(made, list)
        data = [{"object": "embedding", "index": n, "embedding": row} for n, row in enumerate(made)]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return web.json_response({"object": "list", "data": data[::-1], "model": body["model"], "usage": usage})

    app = web.Application()
    app.router.add_post("/{path:.*}", handle)
    async with serving(app) as url:
        yield url, asked


def services_of(tmp_path: Path, **settings: object) -> Services:
    return services_with(tmp_path, embedding_models=["ollama/*", "openai/e"], **settings)


async def test_ollama_embeds_where_the_settings_say(tmp_path: Path) -> None:
    async with embedding_server() as (url, asked):
        models = services_of(tmp_path, ollama_url=url).embeddings
        vectors = await models.encode("ollama/nomic-embed-text", ["abc", "", "abc"], "query")
    assert vectors[0] == pytest.approx([0.6, 0.8])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert models.get("ollama/nomic-embed-text").remote
    assert {body["model"] for body in asked} == {"nomic-embed-text"}


async def test_an_openai_compatible_server_gets_its_key_and_its_order_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATSEARCH_LLM_API_KEY", "sk-of-the-server")
    async with embedding_server() as (url, asked):
        models = services_of(tmp_path, llm_base_url=url).embeddings
        vectors = await models.encode("openai/e", ["abc", "abcdefgh"], "passage")
    assert vectors[0] == pytest.approx([0.6, 0.8])
    assert vectors[1][0] > vectors[0][0]
    assert asked[-1]["key"] == "Bearer sk-of-the-server"


async def test_a_model_that_is_not_listed_is_not_asked(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="CHATSEARCH_EMBEDDING_MODELS=ollama/\\*,openai/e,openai/other"):
        await asyncio.to_thread(services_of(tmp_path).embeddings.get, "openai/other")
    with pytest.raises(ModelError, match="none may be asked here"):
        EmbeddingModels().get("ollama/x")


async def test_a_server_that_is_down_is_named(tmp_path: Path) -> None:
    models = services_of(tmp_path, ollama_url="http://127.0.0.1:1").embeddings
    with pytest.raises(ModelError, match="ollama/x.*127.0.0.1:1 cannot be reached"):
        await asyncio.to_thread(models.get, "ollama/x")


async def test_a_refused_key_is_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATSEARCH_LLM_API_KEY", "sk-of-the-server")
    async with embedding_server(status=401) as (url, _):
        with pytest.raises(ModelError, match="does not accept the key") as caught:
            await asyncio.to_thread(services_of(tmp_path, llm_base_url=url).embeddings.get, "openai/e")
    assert "sk-of" not in str(caught.value)


@pytest.mark.parametrize("vectors", [[[0.0, 0.0]], [[]], [], [[1.0], [1.0]], [["x"]]])
async def test_vectors_that_are_none_raise(tmp_path: Path, vectors: object) -> None:
    async with embedding_server(vectors) as (url, _):
        with pytest.raises(ModelError, match="The embedding model “ollama/x”"):
            await asyncio.to_thread(services_of(tmp_path, ollama_url=url).embeddings.get, "ollama/x")


@pytest.mark.parametrize(
    ("name", "remote"),
    [
        ("ollama/nomic-embed-text", True),
        ("openai/text-embedding-3-small", True),
        ("BAAI/bge-m3", False),
        ("ollama", False),
        ("", False),
    ],
)
def test_a_services_model_is_known_by_its_name(name: str, remote: bool) -> None:
    assert is_remote(name) is remote
