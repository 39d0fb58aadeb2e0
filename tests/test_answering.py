"""What a model may see of the documents, and the language it is asked in."""

from __future__ import annotations

import pytest

from chatsearch.answering import language_of, prompt_documents, text_column
from chatsearch.prompts import PromptDocument
from tests.scripted import ScriptedModel
from tests.sources import document, documents, result_set


def no_warning(code: str, message: str) -> None:
    raise AssertionError(message)


def seen_by(model: ScriptedModel, rows: list[dict[str, object]]) -> tuple[list[str], list[str]]:
    warnings: list[str] = []
    found = prompt_documents(result_set(rows), "full-text", model, lambda code, message: warnings.append(f"{code}: {message}"))
    return [one.id for one in found], warnings


def test_documents_come_under_their_numbers_in_the_shown_order() -> None:
    results = result_set([document("a", language="deu"), document("b", language="en"), document("c")])
    results = results.with_column("_reranking_rank_1_", [3, 1, 2])
    found = prompt_documents(results, "full-text", ScriptedModel(), no_warning)
    assert [(one.n, one.id, one.title, one.text, one.language) for one in found] == [
        (1, "b", "Title b", "The text of b.", "en"),
        (2, "c", "Title c", "The text of c.", ""),
        (3, "a", "Title a", "The text of a.", "de"),
    ]
    numbered, _ = results.numbered()
    assert [one.n for one in prompt_documents(numbered, "full-text", ScriptedModel(), no_warning)] == [1, 2, 3]


def test_documents_without_a_text_are_left_out() -> None:
    assert seen_by(ScriptedModel(), [document("a"), document("b", " "), {**document("c"), "full-text": None}]) == (["a"], [])
    assert prompt_documents(result_set(documents("a")), "absent", ScriptedModel(), no_warning) == ()
    assert prompt_documents(result_set([]), "full-text", ScriptedModel(), no_warning) == ()


@pytest.mark.parametrize("mark", [True, "true", "True", 1, "1", "yes", 1.0])
def test_a_document_that_may_not_be_sent_stays_on_this_machine(mark: object) -> None:
    rows = [document("a", _no_llm_=mark), document("b", _no_llm_=None), document("c", _no_llm_=False)]
    assert seen_by(ScriptedModel(remote=False), rows) == (["a", "b", "c"], [])
    sent, warnings = seen_by(ScriptedModel(remote=True), rows)
    assert sent == ["b", "c"]
    assert warnings == ["not-sent: 1 document may not be sent to a language model and was left out of the text."]


def test_several_documents_that_stay_are_counted() -> None:
    rows = [document("a", _no_llm_=True), document("b", _no_llm_=True)]
    assert seen_by(ScriptedModel(remote=True), rows)[1] == [
        "not-sent: 2 documents may not be sent to a language model and were left out of the text."
    ]


QUESTIONS = {
    "en": [
        "Where did he live?",
        "Who was he?",
        "What is it?",
        "Why?",
        "How long is the Rhine?",
        "When was it built?",
        "and then?",
    ],
    "de": [
        "Wo lebte er?",
        "Wer war das?",
        "Was ist das?",
        "Warum?",
        "Wie lang ist der Rhein?",
        "Wann wurde es gebaut?",
        "und dann?",
    ],
    "fr": [
        "Où vivait-il ?",
        "Qui était-ce ?",
        "Qu’est-ce que c’est ?",
        "Pourquoi ?",
        "Quand est-il mort ?",
        "Combien de temps ?",
    ],
    "es": [
        "¿Dónde vivía?",
        "¿Quién era él?",
        "¿Qué es esto?",
        "¿Por qué?",
        "¿Cuándo murió?",
        "¿Cuánto mide el río?",
        "¿y después?",
    ],
}


@pytest.mark.parametrize(
    ("language", "question"), [(language, question) for language, every in QUESTIONS.items() for question in every]
)
@pytest.mark.parametrize("of_documents", ["en", "de"])
def test_the_language_of_a_short_question_is_known(language: str, question: str, of_documents: str) -> None:
    assert language_of(question, [PromptDocument(1, "a", "", "", of_documents)]) == language


@pytest.mark.parametrize(
    ("question", "language"), [("Где он жил?", "ru"), ("他住在哪里？", "zh"), ("Πού ζούσε;", "el"), ("أين كان يعيش؟", "ar")]
)
def test_a_question_in_another_script_is_not_taken_for_the_documents_language(question: str, language: str) -> None:
    assert language_of(question, [PromptDocument(1, "a", "", "", "en")]) == language


@pytest.mark.parametrize("question", ["Tesla?", "1943", "?", "", "Tesla 1943 Colorado Springs"])
def test_a_question_without_small_words_is_taken_for_the_documents_language(question: str) -> None:
    assert language_of(question, [PromptDocument(1, "a", "", "", "de")]) == "de"
    assert language_of(question, ())


def test_the_quoted_column_is_the_wanted_one_else_the_text() -> None:
    results = result_set([document("a", body="x", note="y")]).with_roles({"wordCount": ("chip",), "body": ("text",)})
    assert text_column(results, "note") == "note"
    assert text_column(results, "absent") == "full-text"
    without = results.with_documents(results.documents.drop(columns="full-text"))
    assert text_column(without, "") == "body"
    assert text_column(result_set([]).with_documents(without.documents[["id"]]), "") == "full-text"
