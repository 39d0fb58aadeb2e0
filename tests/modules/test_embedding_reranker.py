"""Re-ranking by the nearness of meanings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from chatsearch.embedding import PACKAGED, EmbeddingModels, Kind
from chatsearch.events import Event, Warned
from chatsearch.registry import Registry
from chatsearch.step import StepRun
from tests.ranking.judges import Ran
from tests.sources import document, result_set, services_with

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MULTILINGUAL = [
    document("mountain", "Der Berg ist im Winter von Schnee bedeckt und kaum zu besteigen."),
    document("bread", "Brot wird aus Mehl, Wasser und Hefe gebacken."),
    document("ship", "Das Schiff fuhr über das Meer nach Amerika."),
]


class LetterCounts:
    """Counts letters, and keeps what it was given."""

    name = "letters"
    fingerprint = "letters/1"
    dimensions = 26
    remote = False

    def __init__(self) -> None:
        self.seen: list[tuple[Kind, str]] = []

    def encode(self, texts: Sequence[str], kind: Kind) -> np.ndarray:
        self.seen += [(kind, text) for text in texts]
        counts = np.array([[text.lower().count(one) + 0.001 for one in LETTERS] for text in texts], dtype=np.float32)
        unit: np.ndarray = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return unit


async def ran(
    data_dir: Path, rows: Sequence[dict[str, object]], query: str, letters: LetterCounts | None = None, /, **parameters: object
) -> Ran:
    services = services_with(data_dir)
    if letters is not None:
        services.__dict__["embeddings"] = EmbeddingModels({**PACKAGED, "letters": lambda: letters})
    events: list[Event] = []
    run = StepRun(services, 2, "embedding_reranker", events.append)
    module = Registry().get("embedding_reranker").model_validate(parameters)
    return Ran(await module.transform(result_set(rows, query), run), run, [one for one in events if isinstance(one, Warned)])


async def test_the_nearest_meaning_is_first_without_a_shared_word(tmp_path: Path) -> None:
    rows = [
        document("tax", "The parliament passed a law on income tax in 1920."),
        document("feline", "A feline purrs when it is content."),
        document("bridge", "The bridge was painted red."),
    ]
    done = await ran(tmp_path, rows, "happy cat sounds")
    assert done.order[0] == "feline"
    assert not done.warnings


async def test_texts_in_another_language_are_compared_by_the_multilingual_model(tmp_path: Path) -> None:
    for query in ("Alpine peak with snow", "Gipfel im Winter"):
        assert (await ran(tmp_path, MULTILINGUAL, query)).order[0] == "mountain"


async def test_the_score_is_the_cosine_of_the_best_passage(tmp_path: Path) -> None:
    letters = LetterCounts()
    filler = "Fff fff fff fff ff. " * 300
    rows = [
        document("long", f"{filler}\n\n{'Zebra zebra zebra. ' * 50}\n\n{filler}"),
        document("short", "zebra and more"),
    ]
    done = await ran(tmp_path, rows, "zebra", letters, model="letters")
    assert done.order == ["long", "short"]
    passages = [text for kind, text in letters.seen if kind == "passage"]
    assert max(map(len, passages)) < 4_000
    assert len(passages) <= 7
    assert ("query", "zebra") in letters.seen


async def test_a_text_is_embedded_once_whatever_it_is_asked(tmp_path: Path) -> None:
    letters = LetterCounts()
    services = services_with(tmp_path)
    services.__dict__["embeddings"] = EmbeddingModels({"letters": lambda: letters})
    module = Registry().get("embedding_reranker").model_validate({"model": "letters"})
    rows = [document(one, text, title="T") for one, text in (("a", "same text"), ("b", "same text"), ("c", "other"))]
    for query in ("one", "two"):
        await module.transform(result_set(rows, query), StepRun(services, 1, module.id, lambda event: None))
    assert [text for kind, text in letters.seen if kind == "passage"] == ["T\nsame text", "T\nother"]


async def test_an_unknown_model_is_replaced_by_the_default_and_said(tmp_path: Path) -> None:
    rows = [document("a", "The bridge over the river was painted red."), document("b", "The cat purrs when it is content.")]
    done = await ran(tmp_path, rows, "cat", model="ollama/no-such-model")
    assert done.order[0] == "b"
    message = done.warnings["model-replaced"]
    assert "no-such-model" in message
    assert "“all-MiniLM-L6-v2” compared the texts instead" in message


async def test_the_packaged_model_of_the_same_name_is_taken_first(tmp_path: Path) -> None:
    done = await ran(tmp_path, MULTILINGUAL, "Gipfel", model="ollama/all-MiniLM-L6-v2")
    assert "“all-MiniLM-L6-v2” compared" in done.warnings["model-replaced"]


async def test_a_marked_document_is_not_given_to_a_remote_model_and_keeps_its_place(tmp_path: Path) -> None:
    letters = LetterCounts()
    letters.remote = True
    rows = [document("far", "bbb"), document("kept", "zzz secret", _no_llm_=True), document("near", "zzz")]
    done = await ran(tmp_path, rows, "zzz", letters, model="letters")
    assert done.order == ["near", "kept", "far"]
    assert not any("secret" in text for _, text in letters.seen)
    assert "1 document may not be sent" in done.warnings["not-sent"]
    assert done.results.documents["_reranking_score_1_"].isna().tolist() == [False, True, False]


async def test_a_marked_document_is_embedded_on_this_machine(tmp_path: Path) -> None:
    letters = LetterCounts()
    rows = [document("far", "bbb"), document("kept", "zzz secret", _no_llm_=True), document("near", "zzz")]
    done = await ran(tmp_path, rows, "zzz", letters, model="letters")
    assert done.order == ["near", "kept", "far"]
    assert not done.warnings


@pytest.mark.parametrize("query", ["", "…", "🎨"])
async def test_any_query_gives_an_order(tmp_path: Path, query: str) -> None:
    done = await ran(tmp_path, [document("a", "One."), document("b", "Two.")], query, LetterCounts(), model="letters")
    assert sorted(done.order) == ["a", "b"]
