"""The sentences of documents: their terms, what makes one whole, and what is remembered of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chatsearch.languages import terms
from chatsearch.llm.sentences import RecentSentences, split
from chatsearch.prompts import PromptDocument

TEXT = "The Night Watch\n\nRembrandt painted it in 1642. It hangs in Amsterdam. To be or not to be."


def document(text: str, n: int = 1, language: str = "en") -> PromptDocument:
    return PromptDocument(n, f"d{n}", "A title", text, language)


def test_each_sentence_knows_its_document_its_place_and_its_terms() -> None:
    found = split([document("A first text is here."), document(TEXT, 2)], "en")
    assert [one.document for one in found] == [0, 1, 1, 1, 1]
    assert found[2].text == "Rembrandt painted it in 1642."
    assert found[2].span.of(TEXT) == found[2].text
    assert found[2].terms == set(terms(found[2].text, "en"))


def test_a_heading_is_not_whole_and_a_short_sentence_is() -> None:
    assert [one.whole for one in split([document(TEXT)], "en")] == [False, True, True, True]
    assert [one.whole for one in split([document("伦勃朗于1642年画了它。\n\n夜巡", language="zh")], "zh")] == [True, False]


def test_a_text_is_split_once_for_each_pair_of_languages() -> None:
    recent = RecentSentences(100)
    first = recent.of(TEXT, "en", "en")
    assert recent.of(TEXT, "en", "en") is first
    assert recent.of(TEXT, "en", "de") is not first
    assert recent.of(TEXT, "en", "de")[1].terms != first[1].terms


def test_the_texts_not_used_for_longest_are_forgotten() -> None:
    recent = RecentSentences(8)
    first, second = recent.of(TEXT, "en", "en"), recent.of(f"{TEXT} More.", "en", "en")
    assert recent.of(f"{TEXT} More.", "en", "en") is second
    assert recent.of(TEXT, "en", "en") is not first


def test_a_text_longer_than_what_is_remembered_is_split_all_the_same() -> None:
    recent = RecentSentences(1)
    assert len(recent.of(TEXT, "en", "en")) == len(recent.of(TEXT, "en", "en")) == 4


@given(st.sampled_from(["en", "de", "fr", "tr", "zh", "nb", ""]), st.text(max_size=200))
def test_the_terms_are_those_of_each_sentence_alone_and_the_text_is_literal(language: str, text: str) -> None:
    for one in RecentSentences(10).of(text, language, language):
        assert one.span.of(text) == one.text
        assert one.terms == set(terms(one.text, language))
