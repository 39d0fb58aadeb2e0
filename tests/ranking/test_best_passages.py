"""What a model reads of a long text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chatsearch.ranking.best_passages import EXCERPT_WORDS, best_passages, excerpt

FILLER = "The weather of the coast was mild and the harvest came early that year. " * 300
LONG = f"{FILLER}Tesla built the tower at Wardenclyffe in 1901. {FILLER}"


def test_a_short_text_is_read_whole() -> None:
    assert excerpt("  A short text. With two sentences.  ", "anything") == "A short text. With two sentences."


def test_of_a_long_text_the_passage_with_the_query_s_words_is_read_within_the_budget() -> None:
    read = excerpt(LONG, "Who built the Wardenclyffe tower?")
    assert "Wardenclyffe" in read
    assert len(read.split()) <= EXCERPT_WORDS + 10
    assert read.startswith("The weather")


def test_without_a_word_of_the_query_the_beginning_is_read() -> None:
    assert LONG.startswith(excerpt(LONG, "中文")[:500])


def test_passages_with_more_of_the_query_s_words_come_first() -> None:
    first, *_ = best_passages(LONG, "Wardenclyffe", 3, "en")
    assert "Wardenclyffe" in first.of(LONG)
    assert len(best_passages(LONG, "Wardenclyffe", 3, "en")) == 3


@given(st.text(max_size=3000), st.text(max_size=50))
def test_any_text_gives_an_excerpt_of_bounded_length(text: str, query: str) -> None:
    read = excerpt(text, query)
    assert len(read) <= 3_600
    assert bool(read) == bool(text.strip())


def test_encoded_data_is_not_sent_whole() -> None:
    assert len(excerpt("QUJD" * 50_000, "what")) <= 3_600
