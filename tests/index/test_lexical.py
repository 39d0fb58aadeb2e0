"""Any text is a query, in any language, and finds by words what has the words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatsearch.embedding import EmbeddingModels
from chatsearch.index.build import BuildOptions, build_index
from chatsearch.index.search import Hits, LocalIndex

Build = Callable[..., Any]


@pytest.fixture
def search(build: Build, indexes: Path) -> Callable[..., list[int]]:
    def rows(texts: list[str], query: str, language: str = "en", titles: list[str] | None = None) -> list[int]:
        titled = titles or [""] * len(texts)
        build([{"title": title, "text": text} for title, text in zip(titled, texts, strict=True)], language=language, dense=False)
        with LocalIndex.open(indexes, "birds") as index:
            return [int(row) for row in index.search(query).rows]

    return rows


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> LocalIndex:
    folder = tmp_path_factory.mktemp("indexes")
    source = folder / "birds.jsonl"
    source.write_text('{"text": "Owls hunt mice"}\n{"text": "Ducks eat bread and mice"}\n')
    build_index(folder, "birds", [source], options=BuildOptions(dense=False, language="en"), embeddings=EmbeddingModels({}))
    return LocalIndex.open(folder, "birds")


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("en", "The houses were running", "house run"),
        ("de", "Die Universität liegt im Süden", "Universitäten"),
        ("de", "Die Universität liegt im Süden", "universitat"),
        ("fr", "Les chevaux de l’été", "cheval"),
        ("ru", "Она читает книги", "книга"),
        ("el", "Οι γάτες τρέχουν", "γάτα"),
        ("zh", "黑豹队的防守只丢了308分", "防守队员"),
        ("zh", "黑豹队的防守只丢了308分", "３０８"),
        ("ja", "東京タワーへ行く", "東京"),
        ("ko", "서울에서 만나요", "서울"),
        ("th", "ภาษาไทยง่าย", "ภาษา"),
        ("hi", "हिन्दी भाषा", "हिन्दी"),
        ("ar", "الكتب الجديدة", "الكتب"),
        ("pl", "Zażółć gęślą jaźń", "zażółć"),
        ("", "A mixed 黑豹 text, Köln", "köln"),
        ("", "A mixed 黑豹 text, Köln", "黑豹"),
        ("en", "Beyoncé sings", "Beyonce"),
        ("en", "The Ministry of Silly Walks", "MINISTRY!"),
    ],
)
def test_words_are_found_in_their_language(search: Callable[..., list[int]], language: str, text: str, query: str) -> None:
    assert search(["nothing alike 0", text], query, language) == [1]


def test_a_name_made_of_stop_words_is_found(search: Callable[..., list[int]]) -> None:
    assert search(["a band", "The who of it"], "The", "en") == [1]


def test_stop_words_do_not_find_beside_other_words(search: Callable[..., list[int]]) -> None:
    assert search(["the of and", "owl"], "the owl and the of", "en") == [1]


def test_repeated_words_of_a_query_count(search: Callable[..., list[int]]) -> None:
    assert search(["owl", "wren"], "wren owl wren") == [1, 0]
    assert search(["owl", "wren"], "owl wren owl") == [0, 1]


def test_a_word_in_the_title_counts_more(search: Callable[..., list[int]]) -> None:
    assert search(["the owl", "a bird"], "owl", titles=["bird", "owl"]) == [1, 0]


def test_ties_are_in_the_order_of_the_documents(search: Callable[..., list[int]]) -> None:
    assert search(["same"] * 9, "same") == list(range(9))


def test_scores_go_down(birds: LocalIndex) -> None:
    hits = birds.search("mice hunt")
    assert list(hits.rows) == [0, 1]
    assert hits.scores[0] > hits.scores[1] > 0
    assert hits.mode == "lexical"
    assert hits.passages == [None, None]
    assert np.isnan(hits.dense).all()


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        "?!…",
        "\x00",
        "\x00\x01\ufeff",
        "(",
        '"',
        "+ - && || ! ( ) { } [ ] ^ ~ * : \\ /",
        "\ud800",
        "👩‍👩‍👧",
        "a" * 100_000,
        "\n\t",
    ],
)
def test_a_query_without_a_known_word_finds_nothing(birds: LocalIndex, query: str) -> None:
    assert len(birds.search(query).rows) == 0


@pytest.mark.parametrize(
    "query", ["mice?", '"mice', "mice AND (", "mice^", "title:mice", "+mice -bread", "mi\x00ce mice", "mice\ud800", "MICE*"]
)
def test_operators_are_only_punctuation(birds: LocalIndex, query: str) -> None:
    assert set(birds.search(query).rows) == {0, 1}


def test_a_query_of_a_hundred_thousand_letters(birds: LocalIndex) -> None:
    assert list(birds.search(" ".join(f"word{number}" for number in range(11_000)) + " hunt").rows) == [0]
    assert list(birds.search("owls hunt mice " * 7_000).rows) == [0, 1]


def test_a_query_of_more_words_than_are_looked_up_keeps_the_rarest(search: Callable[..., list[int]]) -> None:
    texts = [f"w{number} common" for number in range(700)]
    found = search([*texts, "rare common"], " ".join([*(f"w{number}" for number in range(600)), "common"]))
    assert len(found) == 10


@given(st.text(max_size=200))
@settings(max_examples=200)
def test_no_query_fails(birds: LocalIndex, query: str) -> None:
    hits = birds.search(query)
    assert isinstance(hits, Hits)
    assert len(set(hits.rows)) == len(hits.rows)


@pytest.mark.parametrize(("language", "least"), [("en", 0.96), ("de", 0.94), ("zh", 0.95)])
def test_questions_find_their_paragraph(shared: Path, build: Build, indexes: Path, language: str, least: float) -> None:
    import json

    folder = shared / f"xquad-{language}"
    build([folder / "corpus.jsonl"], language=language, dense=False)
    ids = [json.loads(line)["_id"] for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    right = dict(line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:])
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()][:300]
    gains = []
    with LocalIndex.open(indexes, "birds") as index:
        for query in queries:
            found = [ids[row] for row in index.search(query["text"]).rows]
            gains.append(1 / np.log2(2 + found.index(right[query["_id"]])) if right[query["_id"]] in found else 0)
    assert np.mean(gains) >= least
