"""What a message asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.commands import ASK, SEARCH, Said, parse
from chatsearch.commands.registry import USAGES
from chatsearch.errors import InputError


@pytest.mark.parametrize("typed", ["/search Tesla", "  /search Tesla", "/search\nTesla", "/search\tTesla ", "/SEARCH Tesla"])
def test_a_typed_search(typed: str) -> None:
    assert parse(typed) == Said(SEARCH, "Tesla")


def test_a_picked_command_and_a_typed_slash_that_wins_over_it() -> None:
    assert parse("Tesla", "search") == Said(SEARCH, "Tesla")
    assert parse("Tesla", "/search") == Said(SEARCH, "Tesla")
    assert parse("/search Edison", "search") == Said(SEARCH, "Edison")
    assert parse("/search") == Said(SEARCH, "")


def test_a_plain_text_is_a_question() -> None:
    assert parse(" where? ") == Said(ASK, "where?")


@pytest.mark.parametrize("typed", ["/serch Tesla", "/", "/nosuch"])
def test_a_command_there_is_not_is_an_error_with_those_there_are(typed: str) -> None:
    with pytest.raises(InputError, match="/search"):
        parse(typed)


def test_the_nearest_command_is_named_with_its_usage() -> None:
    with pytest.raises(InputError, match=r"Did you mean “/search”\? Usage: /search QUERY"):
        parse("/serch x")
    with pytest.raises(InputError, match=r"Did you mean “/remove”\? Usage: /remove N"):
        parse("/REMVE 2", None, USAGES)


def test_the_nearest_command_is_looked_for_only_among_those_there_are() -> None:
    with pytest.raises(InputError, match="There are: /search"):
        parse("/undo")


@given(st.text())
def test_any_text_is_a_question_a_command_or_an_error(text: str) -> None:
    try:
        said = parse(text)
    except InputError:
        assert text.strip().startswith("/")
    else:
        assert said.text == said.text.strip()
