"""Re-ranking by the words of the result set itself."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from tests.sources import document, result_set, services_with, step_run

RERANKER = Registry().get("tf_idf_reranker")
METRICS = get_args(RERANKER.model_fields["similarity_metric"].annotation)

PETS = [
    document("bridge", "The bridge over the river was built in 1901 and painted red."),
    document("cats", "Cats sleep. A cat sleeps most of the day, and cats purr."),
    document("dogs", "A dog barks at a cat and at the river."),
    document("nothing", "Prices rose again last winter."),
]


async def ranked(tmp_path: Path, rows: list[dict[str, object]], asked: str, /, **parameters: object) -> ResultSet:
    module = RERANKER.model_validate(parameters)
    return await module.transform(result_set(rows, asked), step_run(services_with(tmp_path)))


def order(results: ResultSet) -> list[str]:
    return [str(results.documents["id"].iloc[row]) for row in results.shown_order()]


@pytest.mark.parametrize("metric", METRICS)
async def test_a_document_with_the_query_s_words_is_first_by_every_measure(tmp_path: Path, metric: str) -> None:
    assert order(await ranked(tmp_path, PETS, "sleeping cats", similarity_metric=metric))[0] == "cats"


@pytest.mark.parametrize("metric", ["Cosine", "BM25"])
async def test_rarer_and_more_frequent_words_count_more(tmp_path: Path, metric: str) -> None:
    assert order(await ranked(tmp_path, PETS, "the cats", similarity_metric=metric)) == ["cats", "dogs", "bridge", "nothing"]


async def test_cosine_is_the_cosine_of_tf_idf_vectors(tmp_path: Path) -> None:
    rows = [document("a", "apple apple"), document("b", "apple pear"), document("c", "plum")]
    scores = (await ranked(tmp_path, rows, "apple")).documents["_reranking_score_1_"]
    # idf = ln((1+3)/(1+df)) + 1: apple 1.2877, pear 1.6931; b = 1.2877 / sqrt(1.2877² + 1.6931²)
    assert scores.tolist() == pytest.approx([1.0, 0.60534851, 0.0])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("query", ["zzz", "…", "the of and", "中文"])
async def test_a_query_whose_words_do_not_occur_keeps_the_order(tmp_path: Path, metric: str, query: str) -> None:
    rows = [document("a", "apple"), document("b", "pear tree in a garden"), document("c", "plum")]
    results = await ranked(tmp_path, rows, query, similarity_metric=metric)
    assert order(results) == ["a", "b", "c"]


@pytest.mark.parametrize("metric", METRICS)
async def test_a_text_without_words_is_last_and_has_no_score(tmp_path: Path, metric: str) -> None:
    rows = [document("dots", "… — !"), document("none", " "), document("far", "Prices rose."), document("cat", "A cat.")]
    results = await ranked(tmp_path, rows, "cat", similarity_metric=metric)
    assert order(results) == ["cat", "far", "dots", "none"]
    assert results.documents["_reranking_score_1_"].isna().tolist() == [True, True, False, False]


@pytest.mark.parametrize(
    ("query", "best"),
    [("Brücken", "de"), ("мосты", "ru"), ("大桥", "zh"), ("γέφυρα", "el"), ("puentes", "es")],
)
async def test_words_of_every_language_meet_in_their_stems(tmp_path: Path, query: str, best: str) -> None:
    rows = [
        document("en", "The old bridge crosses a wide river near the town and was built long ago."),
        document("de", "Die alte Brücke führt über den breiten Fluss und wurde vor langer Zeit gebaut."),
        document("ru", "Старый мост через широкую реку был построен очень давно возле города."),
        document("zh", "这座大桥横跨大河，很久以前建成。"),
        document("el", "Η παλιά γέφυρα περνάει πάνω από το πλατύ ποτάμι κοντά στην πόλη."),
        document("es", "El puente viejo cruza un río ancho cerca de la ciudad y fue construido hace mucho."),
    ]
    for metric in ("Cosine", "BM25"):
        assert order(await ranked(tmp_path, rows, query, similarity_metric=metric))[0] == best


async def test_another_query_may_decide(tmp_path: Path) -> None:
    assert order(await ranked(tmp_path, PETS, "sleeping cats", query="red bridge"))[0] == "bridge"


async def test_one_document_and_equal_documents_keep_their_order(tmp_path: Path) -> None:
    for metric in METRICS:
        rows = [document(one, "the same cat") for one in "abc"]
        assert order(await ranked(tmp_path, rows, "cat", similarity_metric=metric)) == ["a", "b", "c"]
        assert order(await ranked(tmp_path, rows[:1], "cat", similarity_metric=metric)) == ["a"]


async def test_scores_are_numbers_where_there_are_words(tmp_path: Path) -> None:
    for metric in METRICS:
        scores = (await ranked(tmp_path, PETS, "cats at the river", similarity_metric=metric)).documents["_reranking_score_1_"]
        assert np.isfinite(scores).all()
