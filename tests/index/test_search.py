"""Hybrid and dense search over real files, and what is said when it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chatsearch.embedding import ENGLISH_MODEL, EmbeddingModels
from chatsearch.errors import IndexMismatchError
from chatsearch.index.search import LocalIndex

HASHED = "hashed-words"
Build = Callable[..., Any]


def opened(build: Build, indexes: Path, *args: Any, **options: Any) -> LocalIndex:
    build(*args, **options)
    return LocalIndex.open(indexes, "birds")


def test_hybrid_uses_both_sides(build: Build, indexes: Path, embeddings: EmbeddingModels) -> None:
    index = opened(build, indexes)
    query = "owls at night"
    hits = index.search(query, query_vector=index.query_vector(query, embeddings))
    assert hits.mode == "hybrid"
    assert hits.rows[0] == 0
    assert hits.scores[0] == pytest.approx(1.0)
    assert np.all((hits.scores >= 0) & (hits.scores <= 1))
    assert np.all(np.diff(hits.scores) <= 0)
    assert hits.lexical[0] > 0
    assert np.isfinite(hits.dense).all()


def test_the_fused_score_is_the_weighted_min_max_sum(build: Build, indexes: Path, embeddings: EmbeddingModels) -> None:
    index = opened(build, indexes)
    query = "small owls eat mice at night"
    vector = index.query_vector(query, embeddings)
    hits = index.search(query, query_vector=vector, dense_weight=0.3, limit=3)
    low, high = hits.dense.min(), hits.dense.max()
    expected = 0.7 * hits.lexical / hits.lexical.max() + 0.3 * (hits.dense - low) / (high - low)
    assert hits.scores == pytest.approx(expected)


def test_the_weights_at_the_ends_are_one_side_alone(build: Build, indexes: Path, embeddings: EmbeddingModels) -> None:
    index = opened(build, indexes)
    query = "bread ducks small wren"
    vector = index.query_vector(query, embeddings)
    lexical, dense = index.search(query, mode="lexical"), index.search(query, mode="dense", query_vector=vector)
    only_words = index.search(query, query_vector=vector, dense_weight=0)
    assert list(only_words.rows[: len(lexical.rows)]) == list(lexical.rows)
    assert list(index.search(query, query_vector=vector, dense_weight=1).rows) == list(dense.rows)
    assert np.all(np.diff(dense.scores) <= 0)
    assert np.isnan(dense.lexical).all()


def test_a_query_without_words_in_the_index_is_answered_by_meaning(
    build: Build, indexes: Path, embeddings: EmbeddingModels
) -> None:
    index = opened(build, indexes)
    hits = index.search("???", query_vector=index.query_vector("owls hunt mice at night", embeddings))
    assert hits.rows[0] == 0
    assert hits.lexical[0] == 0


def test_the_best_passage_is_literally_in_the_text(build: Build, indexes: Path, embeddings: EmbeddingModels) -> None:
    text = "😀 Owls hunt at night.\n\nDucks swim on ponds and eat bread.\n\nThe wren sings loudly."
    index = opened(build, indexes, [{"text": text}, {"text": "nothing"}], passage_words=4)
    hits = index.search("ducks swim", mode="dense", query_vector=index.query_vector("Ducks swim on ponds", embeddings))
    assert hits.rows[0] == 0
    assert hits.passages[0] is not None
    start, end = hits.passages[0]
    assert index.documents(hits.rows)["full-text"][0][start:end] == "Ducks swim on ponds and eat bread."


def test_a_limit_of_one_and_of_more_than_there_are(build: Build, indexes: Path, embeddings: EmbeddingModels) -> None:
    index = opened(build, indexes)
    vector = index.query_vector("owl", embeddings)
    assert len(index.search("owl", query_vector=vector, limit=1).rows) == 1
    assert len(index.search("owl", query_vector=vector, limit=1000).rows) == 3


def test_many_passages_are_scanned_in_blocks(
    build: Build, indexes: Path, embeddings: EmbeddingModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = opened(build, indexes, [{"text": f"number{number}. other{number}."} for number in range(50)], passage_words=1)
    vector = index.query_vector("number17", embeddings)
    whole = index.search("x", mode="dense", query_vector=vector)
    monkeypatch.setattr("chatsearch.index.dense._BLOCK", 7)
    blockwise = LocalIndex.open(indexes, "birds").search("x", mode="dense", query_vector=vector)
    assert blockwise.rows[0] == whole.rows[0]
    assert blockwise.scores == pytest.approx(whole.scores)


def test_documents_have_their_columns(build: Build, indexes: Path) -> None:
    index = opened(build, indexes)
    assert index.columns == ["id", "title", "url", "language", "colour", "weight"]
    frame = index.documents(np.array([1, 0]), text_column="plain")
    assert list(frame.columns) == ["id", "title", "url", "plain", "language", "colour", "weight"]
    assert list(frame["id"]) == ["duck", "owl"]
    assert frame["weight"][0] == 1.5
    assert frame["weight"].isna()[1]
    assert list(frame["language"]) == ["en", "en"]
    assert frame["plain"][1].startswith("Owls hunt")
    assert index.documents([]).empty
    with pytest.raises(IndexError, match="rows 0 to 2"):
        index.documents([3])


def test_a_metadata_column_does_not_hide_the_text(build: Build, indexes: Path) -> None:
    index = opened(build, indexes, [{"text": "the text", "summary": "short"}])
    frame = index.documents([0], text_column="summary")
    assert (frame["summary"][0], frame["original_summary"][0]) == ("the text", "short")


def test_rows_far_apart_are_found(build: Build, indexes: Path) -> None:
    index = opened(build, indexes, [{"id": str(number), "text": f"text {number}"} for number in range(1000)], dense=False)
    assert list(index.documents([999, 0, 128, 127, 500, 500])["id"]) == ["999", "0", "128", "127", "500", "500"]


def test_an_index_without_vectors_is_searched_by_words(build: Build, indexes: Path, embeddings: EmbeddingModels) -> None:
    index = opened(build, indexes, dense=False)
    assert index.search("owl", mode="hybrid", query_vector=np.ones(64, np.float32)).mode == "lexical"
    with pytest.raises(IndexMismatchError, match="“birds” has no vectors.*mode lexical.*chatsearch index build birds"):
        index.search("owl", mode="dense")
    with pytest.raises(IndexMismatchError, match="has no vectors"):
        index.query_vector("owl", embeddings)


def test_hybrid_without_a_vector_is_lexical_and_says_so(build: Build, indexes: Path) -> None:
    assert opened(build, indexes).search("owl").mode == "lexical"


def test_a_model_that_is_not_at_hand(build: Build, indexes: Path) -> None:
    def gone() -> Any:
        raise OSError("no such file")

    index = opened(build, indexes)
    with pytest.raises(
        IndexMismatchError,
        match=f"“birds” .*“{HASHED}”.*cannot be had here.*no such file.*chatsearch index build birds .*--model",
    ):
        index.query_vector("owl", EmbeddingModels({HASHED: gone}))
    assert index.search("owl").mode == "lexical"


@pytest.mark.parametrize(("fingerprint", "dimensions"), [("hashed/2", 64), ("hashed/1", 32)])
def test_another_form_of_the_model(build: Build, indexes: Path, model: Any, fingerprint: str, dimensions: int) -> None:
    index = opened(build, indexes)
    other = type(model)(fingerprint, dimensions)
    with pytest.raises(
        IndexMismatchError, match=f"“birds”.*hashed/1, 64 dimensions.*{fingerprint}, {dimensions}.*--model {HASHED}"
    ):
        index.check_model(EmbeddingModels({HASHED: lambda: other}))


def test_a_vector_of_other_dimensions(build: Build, indexes: Path) -> None:
    index = opened(build, indexes)
    with pytest.raises(IndexMismatchError, match="vectors of 64 dimensions.*shape \\(384,\\)"):
        index.search("owl", mode="dense", query_vector=np.ones(384, np.float32))


@pytest.mark.parametrize(
    "wrong", [{"mode": "fuzzy"}, {"limit": 0}, {"dense_weight": 1.5}, {"dense_weight": float("nan")}, {"mode": "dense"}]
)
def test_arguments_out_of_range(build: Build, indexes: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"mode|limit|dense_weight|query_vector"):
        opened(build, indexes).search("owl", **wrong)


def test_an_english_model_counts_less_in_other_languages(build: Build, indexes: Path, model: Any) -> None:
    from chatsearch.index.build import BuildOptions, build_index

    source = indexes.parent / "corpus.jsonl"
    weights = {}
    for name in (HASHED, ENGLISH_MODEL):
        for language in ("en", "de"):
            build(language=language)
            options = BuildOptions(model=name, language=language)
            build_index(indexes, "w", [source], options=options, embeddings=EmbeddingModels({name: lambda: model}))
            weights[name, language] = LocalIndex.open(indexes, "w").default_dense_weight
    assert weights[ENGLISH_MODEL, "de"] < weights[ENGLISH_MODEL, "en"] == weights[HASHED, "de"] == 0.5
