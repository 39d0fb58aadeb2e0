"""Dataclasses as they were kept are read by versions that have more, or fewer, fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

import pytest

from chatsearch.store.records import dump_record, load_record


class Colour(StrEnum):
    """An enumeration."""

    RED = "red"


@dataclass(frozen=True)
class Inner:
    """A record inside a record."""

    n: int
    colour: Colour | None = None


@dataclass(frozen=True)
class Outer:
    """A record with fields of every kind that result sets have."""

    text: str
    inner: Inner
    many: tuple[Inner, ...] = ()
    pair: tuple[int, Inner] | None = None
    by_name: Mapping[str, tuple[Literal["a", "b"], ...]] = field(default_factory=dict)


FULL = Outer("t", Inner(1, Colour.RED), (Inner(2),), (3, Inner(4)), {"x": ("a", "b")})


def test_a_record_comes_back_equal() -> None:
    again = load_record(Outer, dump_record(FULL))
    assert again == FULL
    assert again.inner.colour is Colour.RED


def test_an_older_record_gets_defaults_and_a_newer_one_loses_what_is_not_known() -> None:
    assert load_record(Outer, {"text": "t", "inner": {"n": 1}, "mood": "glad"}) == Outer("t", Inner(1))


def test_a_field_may_be_left_out_and_given_apart() -> None:
    dumped = dump_record(FULL, without=frozenset({"inner"}))
    assert "inner" not in dumped
    assert load_record(Outer, dumped, inner=FULL.inner) == FULL


def test_a_missing_field_without_a_default_or_an_unknown_word_is_an_error() -> None:
    with pytest.raises(TypeError, match="inner"):
        load_record(Outer, {"text": "t"})
    with pytest.raises(ValueError, match="blue"):
        load_record(Inner, {"n": 1, "colour": "blue"})
