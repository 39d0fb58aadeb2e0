"""Refusals: in the language that was asked in, saying what the results are about."""

from __future__ import annotations

import pytest

from chatsearch.wording import REFUSED_IN, refusal, topics_of
from tests.sources import document, documents, result_set


@pytest.mark.parametrize("language", REFUSED_IN)
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_every_language_has_a_sentence_for_every_number_of_documents(language: str, count: int) -> None:
    results = result_set(documents(*(f"d{n}" for n in range(count))))
    text = refusal(results, language, offer_search=True)
    assert text
    assert "{" not in text
    assert text[-1] in ".。"
    assert ("Title d0" in text) == (count > 0)
    assert (str(count) in text) == (count > 1)


def test_a_refusal_says_what_the_results_are_about_and_offers_a_new_search() -> None:
    results = result_set([document("a", title="Warsaw"), document("b", title="Rhine"), document("c", title="Rhine")])
    assert refusal(results, "en", offer_search=True) == (
        "The 3 documents found do not answer this. They are about: Rhine, Warsaw. Search anew to look further."
    )
    assert (
        refusal(results, "de", offer_search=False)
        == "Die 3 gefundenen Dokumente beantworten das nicht. Sie handeln von: Rhine, Warsaw."
    )


def test_a_language_without_sentences_is_answered_in_english() -> None:
    assert refusal(result_set(documents("a")), "pl", offer_search=False).startswith(
        "The one document found does not answer this."
    )


def test_documents_without_titles_are_not_listed() -> None:
    results = result_set([document("a", title=""), document("b", title=None)])
    assert topics_of(results) == []
    assert refusal(results, "en", offer_search=False) == "The 2 documents found do not answer this."


def test_no_more_than_four_topics_the_best_ranked_first() -> None:
    assert topics_of(result_set(documents("e", "d", "c", "b", "a"))) == ["Title e", "Title d", "Title c", "Title b"]


@pytest.mark.parametrize("language", REFUSED_IN)
def test_a_refusal_of_some_documents_names_them(language: str) -> None:
    one = refusal(result_set(documents("a")), language, offer_search=False, only=(3,))
    assert "3" in one
    assert "3, 5" in refusal(result_set(documents("a", "b")), language, offer_search=False, only=(3, 5))


def test_where_many_titles_say_little_the_terms_of_the_texts_are_named() -> None:
    subjects = [
        "glacier melts slowly",
        "glacier grows",
        "glacier valley",
        "glacier ice",
        "old glacier",
        "cold glacier",
        "blue glacier",
    ]
    rows = [document(str(n), f"The {one} every year.", title=f"Page {n}", language="en") for n, one in enumerate(subjects * 2)]
    assert topics_of(result_set(rows))[0].lower() == "glacier"


def test_titles_stay_where_few_of_them_cover_half_of_the_set() -> None:
    rows = [document(str(n), "Ice.", title="Glaciers" if n < 5 else f"Page {n}") for n in range(10)]
    assert topics_of(result_set(rows))[0] == "Glaciers"
