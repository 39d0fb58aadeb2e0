"""What a message asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.commands import ASK, SEARCH, Said, parse
from chatsearch.errors import InputError


@pytest.mark.parametrize("typed", ["/search Tesla", "  /search Tesla", "/search\nTesla", "/search\tTesla ", "/SEARCH Tesla"])
def test_a_typed_search(typed: str) -> None:
    assert parse(typed) == Said(SEARCH, "Tesla")


def test_a_picked_command_and_a_typed_slash_that_wins_over_it() -> None:
    assert parse("Tesla", "search") == Said(SEARCH, "Tesla")
    assert parse("/search Edison", "search") == Said(SEARCH, "Edison")
    assert parse("/search") == Said(SEARCH, "")


def test_a_plain_text_is_a_question() -> None:
    assert parse(" where? ") == Said(ASK, "where?")


@pytest.mark.parametrize("typed", ["/serch Tesla", "/", "/nosuch"])
def test_a_command_there_is_not_is_an_error_with_those_there_are(typed: str) -> None:
    with pytest.raises(InputError, match="/search QUERY"):
        parse(typed)


def test_the_nearest_command_is_named_as_it_is_typed() -> None:
    with pytest.raises(InputError, match="Did you mean “/search”"):
        parse("/serch x")


@given(st.text())
def test_any_text_is_a_question_a_command_or_an_error(text: str) -> None:
    try:
        said = parse(text)
    except InputError:
        assert text.strip().startswith("/")
    else:
        assert said.text == said.text.strip()
