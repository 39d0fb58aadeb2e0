"""Refusals: in the language that was asked in, saying what the results are about."""

from __future__ import annotations

import pytest

from chatsearch.wording import SPOKEN, refusal, topics_of
from tests.sources import document, documents, result_set


@pytest.mark.parametrize("language", SPOKEN)
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_every_language_has_a_sentence_for_every_number_of_documents(language: str, count: int) -> None:
    results = result_set(documents(*(f"d{n}" for n in range(count))))
    text = refusal(results, language, offer_search=True)
    assert text
    assert "{" not in text
    assert text[-1] == "."
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
    assert refusal(result_set(documents("a")), "zh", offer_search=False).startswith(
        "The one document found does not answer this."
    )


def test_documents_without_titles_are_not_listed() -> None:
    results = result_set([document("a", title=""), document("b", title=None)])
    assert topics_of(results) == []
    assert refusal(results, "en", offer_search=False) == "The 2 documents found do not answer this."


def test_no_more_than_four_topics_the_best_ranked_first() -> None:
    assert topics_of(result_set(documents("e", "d", "c", "b", "a"))) == ["Title e", "Title d", "Title c", "Title b"]
