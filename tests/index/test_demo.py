"""The shipped sample: whole, attributed, and searchable without embedding anything but the query."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from chatsearch import demo
from chatsearch.demo import build_demo, shipped_vectors
from chatsearch.embedding import MULTILINGUAL_MODEL, EmbeddingModels
from chatsearch.index.dense import passage_key, passage_text
from chatsearch.index.search import LocalIndex
from chatsearch.passages import passages
from chatsearch.text import clean


@pytest.fixture(scope="module")
def corpus() -> list[dict[str, Any]]:
    return [json.loads(line) for line in demo.CORPUS.read_text("utf-8").splitlines()]


def test_it_has_240_clean_paragraphs(corpus: list[dict[str, Any]]) -> None:
    assert len({record["id"] for record in corpus}) == len(corpus) == 240
    assert {tuple(record) for record in corpus} == {("id", "title", "text", "url", "paragraph", "language")}
    assert not [record for record in corpus if "_" in record["title"] or clean(record["text"]) != record["text"]]


def test_paragraphs_are_numbered_within_their_article(corpus: list[dict[str, Any]]) -> None:
    seen: Counter[str] = Counter()
    for record in corpus:
        seen[record["title"]] += 1
        assert record["paragraph"] == seen[record["title"]]


def test_urls_lead_to_the_paragraph(corpus: list[dict[str, Any]]) -> None:
    for record in corpus:
        page, _, fragment = record["url"].partition("#:~:text=")
        assert page.startswith("https://en.wikipedia.org/wiki/")
        assert unquote(page).rpartition("/")[2].replace("_", " ") == record["title"]
        first, last = fragment.split(",")
        assert "-" not in fragment
        assert "&" not in fragment
        assert record["text"].find(unquote(first)) in (0, 1, 2)
        assert unquote(last) in record["text"][-80:]


def test_licence_and_authors_go_along() -> None:
    text = demo.ATTRIBUTION.read_text("utf-8")
    for needed in (
        "CC BY-SA 4.0",
        "https://creativecommons.org/licenses/by-sa/4.0/",
        "Wikipedia contributors",
        "DeepMind",
        "Changed by us",
    ):
        assert needed in text


def test_every_passage_has_its_vector(corpus: list[dict[str, Any]]) -> None:
    """After a change of passages or of the model: python -m benchmarks.make_demo."""
    known = shipped_vectors()
    texts = [
        passage_text(record["title"], span.of(record["text"])) for record in corpus for span in passages(record["text"], "en")
    ]
    assert [text for text in texts if passage_key(text) not in known.vectors] == []
    assert known.fingerprint == EmbeddingModels().get(MULTILINGUAL_MODEL).fingerprint
    assert demo.VECTORS.stat().st_size < 400_000


def test_it_builds_and_answers(tmp_path: Path) -> None:
    models = EmbeddingModels(remembered=0)
    report = build_demo(tmp_path, models)
    assert (report.manifest.name, report.manifest.documents, report.manifest.language) == ("demo", 240, "en")
    assert not report.manifest.skipped
    with LocalIndex.open(tmp_path, "demo") as index:
        query = "What year did Tesla die?"
        hits = index.search(query, query_vector=index.query_vector(query, models))
        best = index.documents(hits.rows).iloc[0]
        assert best["title"] == "Nikola Tesla"
        assert "1943" in best["full-text"]
        assert best["paragraph"] >= 1
