"""Lexical re-rankers find words in every script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ranking.judges import ran
from tests.sources import document, result_set

LEXICAL: list[tuple[str, dict[str, object]]] = [
    ("lexical_reranker", {"alpha": 1}),
    ("tf_idf_reranker", {}),
    ("tf_idf_reranker", {"similarity_metric": "BM25"}),
]
SENTENCES = {
    "el": ("Ποιος έχτισε τη γέφυρα;", "Ο μηχανικός έχτισε τη γέφυρα το 1901.", "Το ψωμί γίνεται από αλεύρι και νερό."),
    "ar": ("من بنى الجسر؟", "المهندس بنى الجسر في عام 1901.", "يصنع الخبز من الدقيق والماء."),
}


@pytest.mark.parametrize(("module", "parameters"), LEXICAL)
@pytest.mark.parametrize("language", SENTENCES)
async def test_greek_and_arabic_sentences_rank_above_0(
    tmp_path: Path, language: str, module: str, parameters: dict[str, object]
) -> None:
    query, near, far = SENTENCES[language]
    done = await ran(tmp_path, module, result_set([document("far", far), document("near", near)], query), **parameters)
    assert done.order == ["near", "far"]
    assert done.results.documents["_reranking_score_1_"].iloc[1] > 0


@pytest.mark.parametrize(("module", "parameters"), LEXICAL)
@pytest.mark.parametrize("language", ["de", "ru", "zh", "es", "en"])
async def test_paragraphs_of_xquad_rank_above_0_and_mostly_first(
    tmp_path: Path, shared: Path, language: str, module: str, parameters: dict[str, object]
) -> None:
    folder = shared / f"xquad-{language}"
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()][:48:2]
    answers = dict(line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:])
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    kept = {row["_id"] for row in rows}
    asked = [query for query in queries if answers[query["_id"]] in kept][:24:2]
    first = 0
    for query in asked:
        results = result_set([document(row["_id"], row["text"]) for row in rows], query["text"])
        done = await ran(tmp_path, module, results, **parameters)
        scores = dict(zip(done.results.documents["id"], done.results.documents["_reranking_score_1_"], strict=True))
        assert scores[answers[query["_id"]]] > 0
        first += done.order[0] == answers[query["_id"]]
    assert first >= 0.7 * len(asked)
