"""The extractive model over real sentences and the packaged embeddings: what it quotes, and when it refuses."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatsearch.embedding import ENGLISH_MODEL, MULTILINGUAL_MODEL, EmbeddingModels
from chatsearch.llm.extractive import SCALES, ExtractiveModel
from chatsearch.llm.model import LanguageModel, Piece, Refusal
from chatsearch.prompts import Prompt, PromptDocument, Task

TESLA = (
    "Tesla was renowned for his achievements and showmanship. He lived most of his life in a series of New York hotels, through "
    "his retirement. He died on 7 January 1943. His work fell into relative obscurity after his death.",
    "Tesla was born in the village of Smiljan. His father was an Orthodox priest. Tesla spoke eight languages.",
)
COFFEE = "Coffee is a drink made from roasted beans. Farmers in Brazil grow most of the world's coffee. It is drunk hot or cold."
SUMMARIES = [Task.SUMMARIZE_DOCUMENT, Task.SUMMARIZE_RESULTS]


@pytest.fixture(scope="module")
def embeddings() -> EmbeddingModels:
    return EmbeddingModels()


@pytest.fixture(scope="module")
def model(embeddings: EmbeddingModels) -> ExtractiveModel:
    return ExtractiveModel(embeddings)


def documents(*texts: str, title: str = "Nikola Tesla", language: str = "en") -> tuple[PromptDocument, ...]:
    return tuple(PromptDocument(n, f"d{n}", title, text, language) for n, text in enumerate(texts, 3))


TWO_TOPICS = (*documents(*TESLA), PromptDocument(9, "d9", "Coffee", COFFEE, "en"))


def ask(model: ExtractiveModel, prompt: Prompt) -> list[Piece | Refusal]:
    async def collect() -> list[Piece | Refusal]:
        return [piece async for piece in model.stream(prompt)]

    return asyncio.run(collect())


def answer(model: ExtractiveModel, question: str, texts: Sequence[PromptDocument] = TWO_TOPICS) -> list[Piece | Refusal]:
    return ask(model, Prompt(Task.ANSWER, question, tuple(texts)))


def quotes(pieces: Sequence[Piece | Refusal]) -> list[str]:
    return [piece.text for piece in pieces if isinstance(piece, Piece)]


def assert_literal(pieces: Sequence[Piece | Refusal], texts: Sequence[PromptDocument]) -> None:
    by_number = {document.n: document.text for document in texts}
    for piece in pieces:
        assert isinstance(piece, Piece)
        assert piece.quotation is not None
        assert by_number[piece.quotation.n][piece.quotation.start : piece.quotation.end] == piece.text


def test_it_is_a_language_model_of_this_machine(model: ExtractiveModel) -> None:
    general: LanguageModel = model
    assert (general.name, general.remote) == ("extractive", False)


def test_the_first_sentence_answers_the_question(model: ExtractiveModel) -> None:
    pieces = answer(model, "What year did Tesla die?")
    assert quotes(pieces)[0] == "He died on 7 January 1943."
    assert len(pieces) <= 3
    assert_literal(pieces, TWO_TOPICS)


def test_the_title_stands_for_the_name_that_a_sentence_leaves_out(model: ExtractiveModel) -> None:
    twice = "He died in 1943 in a hotel."
    texts = (*documents(twice, title="Nikola Tesla"), PromptDocument(9, "d9", "Al Capone", "He died in 1947 in a villa.", "en"))
    assert quotes(answer(model, "When did Al Capone die?", texts))[0] == "He died in 1947 in a villa."
    assert quotes(answer(model, "When did Nikola Tesla die?", texts))[0] == twice


@pytest.mark.parametrize(
    "question", ["Who designed the palace in Warsaw?", "What is the boiling point of lead?", "qwertz uiop", "?", "the of and"]
)
def test_a_question_that_nothing_is_near_to_gets_exactly_one_refusal(model: ExtractiveModel, question: str) -> None:
    (only,) = answer(model, question)
    assert isinstance(only, Refusal)


@pytest.mark.parametrize("task", [Task.ANSWER, *SUMMARIES])
@pytest.mark.parametrize("texts", [(), ("",), (" \n ", "\t")])
def test_documents_without_text_get_a_refusal(model: ExtractiveModel, task: Task, texts: tuple[str, ...]) -> None:
    (only,) = ask(model, Prompt(task, "What year did Tesla die?", documents(*texts)))
    assert isinstance(only, Refusal)


def test_a_german_question_over_english_texts_is_answered(model: ExtractiveModel) -> None:
    assert quotes(answer(model, "Wo wurde Tesla geboren?"))[0] == "Tesla was born in the village of Smiljan."
    assert quotes(answer(model, "Wer baut den meisten Kaffee an?"))[0] == "Farmers in Brazil grow most of the world's coffee."
    (only,) = answer(model, "Wie hoch ist der höchste Berg von Österreich?")
    assert isinstance(only, Refusal)


def test_german_texts_are_answered_and_refused(model: ExtractiveModel) -> None:
    texts = documents(
        "Tesla starb am 7. Januar 1943 in New York. Im 20. Jahrhundert wurde er berühmt. Sein Vater war Priester.", language="de"
    )
    assert quotes(answer(model, "Wann starb Tesla?", texts))[0] == "Tesla starb am 7. Januar 1943 in New York."
    (only,) = answer(model, "Wie wird Kaffee geröstet?", texts)
    assert isinstance(only, Refusal)


def test_a_repeated_sentence_is_quoted_once(model: ExtractiveModel) -> None:
    pieces = answer(model, "What year did Tesla die?", documents(*[TESLA[0]] * 4))
    assert len(set(quotes(pieces))) == len(pieces)


def test_a_heading_is_not_quoted_while_there_is_a_sentence(model: ExtractiveModel) -> None:
    texts = documents("Death of Tesla\n\nTesla died in the year 1943 in New York City.\n\nYear of death\n\nSee also")
    assert quotes(answer(model, "What year did Tesla die?", texts)) == ["Tesla died in the year 1943 in New York City."]


def test_results_are_summed_up_from_more_than_one_document(model: ExtractiveModel) -> None:
    pieces = ask(model, Prompt(Task.SUMMARIZE_RESULTS, "Nikola Tesla's life", TWO_TOPICS))
    assert 2 <= len(pieces) <= 5
    assert {piece.quotation.n for piece in pieces if isinstance(piece, Piece) and piece.quotation} == {3, 4}
    assert_literal(pieces, TWO_TOPICS)


def test_a_document_is_summed_up_in_its_own_order_with_or_without_a_query(model: ExtractiveModel) -> None:
    texts = documents(TESLA[0])
    for query in ("", "hotels", "something else altogether"):
        pieces = ask(model, Prompt(Task.SUMMARIZE_DOCUMENT, query, texts))
        assert_literal(pieces, texts)
        starts = [piece.quotation.start for piece in pieces if isinstance(piece, Piece) and piece.quotation]
        assert len(starts) == 3
        assert starts == sorted(starts)


def test_an_empty_query_gets_the_most_central_sentences(model: ExtractiveModel) -> None:
    text = f"{COFFEE} Brazilian farmers export their coffee beans to the whole world. The bus leaves at nine."
    pieces = ask(model, Prompt(Task.SUMMARIZE_DOCUMENT, " ", documents(text, title="")))
    assert "The bus leaves at nine." not in quotes(pieces)


def test_documents_are_judged_from_0_to_1_in_their_order(model: ExtractiveModel) -> None:
    texts = (*TWO_TOPICS, PromptDocument(10, "d10", "Empty", "", "en"))
    died, born, coffee, empty = asyncio.run(model.judge(Prompt(Task.JUDGE, "What year did Tesla die?", texts)))
    assert died > 0.5 > coffee
    assert 1 >= died > born > coffee > empty == 0
    assert asyncio.run(model.judge(Prompt(Task.JUDGE, "", texts))) == [0, 0, 0, 0]
    assert asyncio.run(model.judge(Prompt(Task.JUDGE, "x", ()))) == []


def test_judging_has_no_text(model: ExtractiveModel) -> None:
    with pytest.raises(ValueError, match="judge"):
        ask(model, Prompt(Task.JUDGE, "x", TWO_TOPICS))


def test_of_many_long_documents_only_the_likeliest_sentences_are_embedded() -> None:
    embeddings, seen = EmbeddingModels(), list[tuple[int, int]]()
    filler = " ".join(f"The weather of day {n} was mild over hill number {n}." for n in range(150))
    texts = documents(*[f"{filler} Paper {n} is kept in a drawer." for n in range(20)], f"{filler} {TESLA[0]} {filler}", title="")

    long = ExtractiveModel(embeddings)

    async def collect() -> list[Piece | Refusal]:
        prompt = Prompt(Task.ANSWER, "What year did Tesla die?", texts)
        return [piece async for piece in long.stream(prompt, lambda done, total: seen.append((done, total)))]

    assert "He died on 7 January 1943." in quotes(asyncio.run(collect()))
    assert seen[-1] == (seen[-1][1], seen[-1][1])
    assert seen[-1][1] <= SCALES[ENGLISH_MODEL].embedded[-1]


def test_more_sentences_are_embedded_before_a_question_is_refused_than_for_a_plain_answer() -> None:
    texts = documents(TESLA[0] + " " + " ".join(f"The weather of day {n} was mild over hill number {n}." for n in range(150)))

    async def embedded(question: str) -> int:
        stages = list[int]()
        model = ExtractiveModel(EmbeddingModels())
        prompt = Prompt(Task.ANSWER, question, texts)
        _ = [piece async for piece in model.stream(prompt, lambda done, total: stages.append(done) if done == total else None)]
        return sum(stages)

    counts = [asyncio.run(embedded(question)) for question in ("What year did Tesla die?", "Who designed the palace in Warsaw?")]
    assert counts == list(SCALES[ENGLISH_MODEL].embedded)


def test_every_document_has_sentences_of_its_own_when_all_are_judged() -> None:
    filler = " ".join(f"The weather of day {n} was mild over hill number {n}." for n in range(30))
    texts = documents(*[filler] * 4, f"{filler} Coffee is roasted in ovens.", title="")
    judged = asyncio.run(ExtractiveModel(EmbeddingModels()).judge(Prompt(Task.JUDGE, "Where is coffee roasted?", texts)))
    assert max(judged[:4]) < judged[4]


def test_a_second_call_embeds_nothing(embeddings: EmbeddingModels, model: ExtractiveModel) -> None:
    prompt = Prompt(Task.ANSWER, "What year did Tesla die?", TWO_TOPICS)
    first, seen = ask(model, prompt), list[tuple[int, int]]()

    async def again() -> list[Piece | Refusal]:
        return [piece async for piece in model.stream(prompt, lambda done, total: seen.append((done, total)))]

    assert asyncio.run(again()) == first
    assert seen == []


def test_the_packaged_models_have_thresholds() -> None:
    assert set(SCALES) == {ENGLISH_MODEL, MULTILINGUAL_MODEL}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from([Task.ANSWER, *SUMMARIES]), st.text(max_size=30), st.lists(st.text(max_size=120), max_size=4))
def test_whatever_the_texts_every_piece_is_literal_or_it_is_one_refusal(
    model: ExtractiveModel, task: Task, query: str, texts: list[str]
) -> None:
    given_texts = documents(*texts, title="A title")
    pieces = ask(model, Prompt(task, query, given_texts))
    assert pieces
    if isinstance(pieces[0], Refusal):
        assert len(pieces) == 1
    else:
        assert_literal(pieces, given_texts)


def test_a_share_of_xquad_is_answered_and_foreign_questions_are_not(shared: Path, model: ExtractiveModel) -> None:
    folder = shared / "xquad-en"
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()[:20]]
    texts = tuple(PromptDocument(n, row["_id"], row["title"], row["text"], "en") for n, row in enumerate(rows, 1))
    qrels = dict(line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:])
    asked = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    own = [row for row in asked if qrels[row["_id"]] in {document.id for document in texts}][::4]
    found = [any(gold in one for one in quotes(answer(model, row["text"], texts))[:2] for gold in row["answers"]) for row in own]
    assert sum(found) / len(found) >= 0.8
    foreign = (shared / "cranfield" / "queries.jsonl").read_text(encoding="utf-8").splitlines()[::8]
    refused = [isinstance(answer(model, json.loads(line)["text"], texts)[0], Refusal) for line in foreign]
    assert sum(refused) >= len(refused) - 1
