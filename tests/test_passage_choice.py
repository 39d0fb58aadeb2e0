"""Passages for a question, chosen over the whole result set: near ones first, spread over documents, few texts embedded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatsearch.embedding import ENGLISH_MODEL, MULTILINGUAL_MODEL, EmbeddingModels, Kind
from chatsearch.errors import ModelError
from chatsearch.fitting import tokens
from chatsearch.passage_choice import EMBEDDED, EMBEDDED_BY_SLOW, PASSAGE_TOKENS, with_passages
from chatsearch.prompts import Prompt, PromptDocument, Rendered, Task, clean, render

if TYPE_CHECKING:
    from chatsearch.embedding import Vectors

FILLER = "Nothing of note is said in this sentence about the weather. "


class CountingModel:
    """A vector for each text by its letters, and the texts it was asked for."""

    fingerprint = "counting"
    dimensions = 26
    remote = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        if kind == "passage":
            self.texts += texts
        counts = np.array([[1.0 + text.lower().count(chr(97 + place)) for place in range(26)] for text in texts])
        vectors: Vectors = (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)
        return vectors


NO_MODELS = EmbeddingModels(loaders={})


@pytest.fixture(scope="module")
def minilm() -> EmbeddingModels:
    return EmbeddingModels()


def counting(name: str = ENGLISH_MODEL) -> tuple[EmbeddingModels, CountingModel]:
    model = CountingModel(name)
    return EmbeddingModels(loaders={name: lambda: model}), model


def prompt(query: str, *texts: str, language: str = "en", task: Task = Task.ANSWER) -> Prompt:
    documents = tuple(PromptDocument(n, f"d{n}", f"Title {n}", text, language) for n, text in enumerate(texts, start=1))
    return Prompt(task, query, documents, language=language)


def block(made: Rendered, n: int) -> str:
    found = re.search(rf'<document n="{n}">\n(.*?)\n</document>', made.messages[1]["content"], re.DOTALL)
    return found[1] if found else ""


# --- no work where there is nothing to choose


@pytest.mark.parametrize(
    ("asked", "room"),
    [
        (prompt("Where did Tesla live?", "Tesla lived in a hotel.", FILLER), 4000),
        (prompt("", FILLER * 300), 900),
        (prompt("Where?", FILLER * 300, task=Task.JUDGE), 900),
        (prompt("Where?"), 900),
    ],
    ids=["all fits", "no query", "another task", "no documents"],
)
async def test_a_prompt_with_nothing_to_choose_is_itself_and_embeds_nothing(asked: Prompt, room: int) -> None:
    assert await with_passages(asked, NO_MODELS, room) is asked


async def test_a_model_that_cannot_be_had_is_an_error() -> None:
    def missing() -> CountingModel:
        raise ModelError("not installed")

    with pytest.raises(ModelError, match="not installed"):
        await with_passages(prompt("Where?", FILLER * 300), EmbeddingModels(loaders={ENGLISH_MODEL: missing}), 900)


# --- what is chosen


async def test_the_passages_of_the_whole_set_are_chosen_and_counted() -> None:
    texts = [FILLER * 60 for _ in range(50)]
    texts[36] += "Tesla lived in the New Yorker Hotel until 1943."
    texts[48] = "Tesla lived in Prague for a year. " + texts[48]
    asked = prompt("Where did Tesla live?", *texts)
    made = render(await with_passages(asked, counting()[0], 1200), 1200)
    assert "Tesla lived in the New Yorker Hotel until 1943." in block(made, 37)
    assert "Tesla lived in Prague for a year." in block(made, 49)
    assert {37, 49} <= set(made.used)
    assert len(made.used) < made.total == 50
    assert made.cut == made.used
    before = render(asked, 1200)
    assert 37 not in before.used


async def test_every_near_document_has_its_best_passage_before_another_has_two() -> None:
    places = "London Paris Rome Vienna Graz Berlin Madrid Oslo".split()
    texts = [
        "".join(f"Tesla built a tower in {place}. " + f"{place} {year} had mild weather all through. " * 8 for year in range(5))
        for place in places
    ]
    chosen = await with_passages(prompt("Which tower did Tesla build?", *texts), counting()[0], 3000)
    first = [min(passage.rank for passage in document.near) for document in chosen.documents]
    assert sorted(first) == list(range(1, 9))


async def test_what_means_the_same_is_found_without_its_words(minilm: EmbeddingModels) -> None:
    texts = [FILLER * 10, FILLER * 9 + "The inventor passed away in a Manhattan hotel room. " + FILLER * 2, FILLER * 10]
    made = render(await with_passages(prompt("Where did the scientist die?", *texts), minilm, 700), 700)
    assert "passed away" in block(made, 2)


async def test_a_copy_comes_after_what_is_new() -> None:
    tower, coil = (
        "Tesla built the Wardenclyffe tower on Long Island in 1901.",
        "The tower that Tesla built was sold and torn down.",
    )
    texts = [f"{tower} {FILLER * 40}", f"{tower} {FILLER * 41}", f"{coil} {FILLER * 40}"]
    chosen = await with_passages(prompt("Which tower did Tesla build?", *texts), counting()[0], 900)
    ranks = [min(passage.rank for passage in document.near) for document in chosen.documents]
    assert ranks[1] > max(ranks[0], ranks[2])


async def test_a_short_document_stands_there_whole_and_is_not_called_cut() -> None:
    texts = ["Tesla lived in a hotel.", FILLER * 100 + "Tesla lived in Prague."]
    made = render(await with_passages(prompt("Where did Tesla live?", *texts), counting()[0], 900), 900)
    assert (made.used, made.cut, made.total) == ((1, 2), (2,), 2)
    assert block(made, 1) == "Title 1\nTesla lived in a hotel.".replace("Title", "Title: Title")


async def test_a_summary_of_a_search_reads_the_same_passages() -> None:
    asked = prompt("Tesla hotel", FILLER * 100, FILLER * 100 + "Tesla lived in a hotel.", task=Task.SUMMARIZE_RESULTS)
    made = render(await with_passages(asked, counting()[0], 900), 900)
    assert "Tesla lived in a hotel." in block(made, 2)


# --- how many are embedded


@pytest.mark.parametrize(
    ("name", "language", "most"), [(ENGLISH_MODEL, "en", EMBEDDED), (MULTILINGUAL_MODEL, "de", EMBEDDED_BY_SLOW)]
)
async def test_a_few_dozen_sentences_are_embedded_fewer_by_a_slow_model(name: str, language: str, most: int) -> None:
    embeddings, model = counting(name)
    texts = ["".join(f"Satz {n} von {m} sagt etwas über Tesla. " for n in range(40)) for m in range(10)]
    await with_passages(prompt("Was sagt Tesla?", *texts, language=language), embeddings, 1500)
    assert 0 < len(model.texts) <= most


async def test_no_sentence_is_embedded_twice() -> None:
    embeddings, model = counting()
    texts = ["".join(f"Sentence {n} of {m} speaks of Tesla and towers. " for n in range(40)) for m in range(10)]
    for query in ("Which towers of Tesla?", "Which towers of Tesla?", "Tesla and what else?"):
        await with_passages(prompt(query, *texts), embeddings, 1500)
    assert len(model.texts) == len(set(model.texts))


async def test_a_question_in_another_language_is_read_by_the_multilingual_model() -> None:
    embeddings, model = counting(MULTILINGUAL_MODEL)
    asked = replace(prompt("Wo lebte der Erfinder?", FILLER * 100), language="de")
    await with_passages(asked, embeddings, 900)
    assert model.texts


# --- offsets and budgets hold whatever the texts are

TEXTS = st.lists(
    st.text(st.sampled_from("ab. \n<\u200b\u00ad特。é…|\ud800"), max_size=300) | st.sampled_from([FILLER * 30, "Tesla. " * 80]),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.integers(300, 1500))
async def test_spans_are_of_the_raw_texts_and_the_prompt_keeps_its_budget(texts: list[str], room: int) -> None:
    asked = prompt("Tesla ab 特?", *texts)
    chosen = await with_passages(asked, counting()[0], room)
    assert [one.text for one in chosen.documents] == texts
    ranks = [passage.rank for document in chosen.documents for passage in document.near]
    assert sorted(ranks) == list(range(1, len(ranks) + 1))
    for document in chosen.documents:
        spans = sorted((passage.span for passage in document.near), key=lambda span: span.start)
        assert all(before.end <= after.start for before, after in pairwise(spans))
        assert all(span.of(document.text).strip() for span in spans)
    made = render(chosen, room)
    system = tokens(made.messages[0]["content"])
    assert system + tokens(made.messages[1]["content"]) <= room + 40 or not made.used[1:]
    assert set(made.cut) <= set(made.used) <= set(range(1, len(texts) + 1))
    assert made.messages[1]["content"].count("</document>") == len(made.used)


async def test_pieces_are_cut_before_they_are_cleaned() -> None:
    hidden = "\u200b\u00ad" * 40 + "</document> " + FILLER * 60
    asked = prompt("Where did Tesla live?", hidden + "Tesla lived in <b>the New Yorker</b> Hotel. " + FILLER * 60)
    made = render(await with_passages(asked, counting()[0], 700), 700)
    said = block(made, 1)
    assert "Tesla lived in ‹b>the New Yorker‹/b> Hotel." in said
    assert all(part.strip() in clean(asked.documents[0].text) for part in said.removeprefix("Title: Title 1\n").split("…"))


async def test_a_passage_is_of_a_few_sentences() -> None:
    chosen = await with_passages(prompt("weather", FILLER * 200), counting()[0], 2000)
    sizes = [tokens(passage.span.of(chosen.documents[0].text)) for passage in chosen.documents[0].near]
    assert max(sizes) <= PASSAGE_TOKENS + 10
    assert min(sizes) > tokens(FILLER)
