"""The tree of errors: codes, what a spec's error says, the nearest word."""

from __future__ import annotations

import inspect

import pytest

from chatsearch import errors
from chatsearch.errors import ChatsearchError, SpecError, SpecProblem, did_you_mean, nearest

EVERY = [one for one in vars(errors).values() if inspect.isclass(one) and issubclass(one, ChatsearchError)]


@pytest.mark.parametrize("kind", EVERY)
def test_every_error_has_a_code_of_its_own_and_says_who_sees_it(kind: type[ChatsearchError]) -> None:
    assert [one.code for one in EVERY].count(kind.code) == 1
    assert kind.__doc__
    assert kind.__name__ in str(errors.__doc__)


def test_a_spec_error_lists_every_problem_with_its_place() -> None:
    error = SpecError([SpecProblem("pipeline.1", "it is wrong."), SpecProblem("", "so is this.")], "demo")
    assert error.message == "The spec demo has 2 problems:\n  pipeline.1: it is wrong.\n  so is this."
    assert SpecError([SpecProblem("a", "b")]).message == "The spec has a problem:\n  a: b"


def test_the_nearest_word_is_found_whatever_its_case() -> None:
    assert nearest("bm25", ["Cosine", "BM25"]) == "BM25"
    assert nearest("limmit", ["limit", "weight"]) == "limit"
    assert nearest("zebra", ["limit", "weight"]) is None
    assert nearest("x", []) is None


def test_did_you_mean_is_silent_when_nothing_is_near() -> None:
    assert did_you_mean("limmit", ["limit"]) == " Did you mean “limit”?"
    assert did_you_mean("zebra", ["limit"]) == ""
