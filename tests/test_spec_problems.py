"""What is wrong with a spec, in words: types and limits of a parameter, and secrets."""

from __future__ import annotations

from enum import Enum
from typing import Literal

import pytest
from pydantic import BaseModel, Field, ValidationError

from chatsearch.parameters import Column
from chatsearch.spec_problems import allowed, explain, secrets_in


class Inner(BaseModel):
    size: int = Field(1, ge=1)


class Every(BaseModel):
    whole: int = Field(1, ge=1, le=2000)
    open_ended: int = Field(1, ge=1)
    number: float = Field(0.5, gt=0, lt=1)
    maybe: float | None = Field(None, ge=0)
    switch: bool = False
    choice: Literal["", "a", "b"] = "a"
    column: Column = "full-text"
    text: str = ""
    texts: tuple[str, ...] = ()
    numbers: list[int] = Field(default_factory=list)
    inner: Inner = Inner()
    needed: str


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("whole", "a whole number from 1 to 2,000"),
        ("open_ended", "a whole number from 1"),
        ("number", "a number above 0 below 1"),
        ("switch", "true or false"),
        ("choice", "one of: (empty), a, b"),
        ("column", "the name of a column"),
        ("text", "a text"),
        ("texts", "a list of texts"),
        ("numbers", "a list"),
        ("inner", "an object"),
    ],
)
def test_what_a_parameter_takes_is_said_in_words(name: str, words: str) -> None:
    assert allowed(Every.model_fields[name]) == words


def messages(**values: object) -> dict[str, str]:
    with pytest.raises(ValidationError) as caught:
        Every.model_validate({"needed": "x", **values})
    return {one.where: one.message for one in explain(caught.value, Every, "at")}


def test_every_problem_has_its_path_its_value_and_what_is_allowed() -> None:
    found = messages(whole=0, choice="c", inner={"size": 0}, texts=["a", 1], switch="maybe")
    assert found["at.whole"] == "0 is not allowed here; it takes a whole number from 1 to 2,000."
    assert found["at.inner.size"] == "0 is not allowed here; it takes a whole number from 1."
    assert found["at.switch"] == "“maybe” is not allowed here; it takes true or false."
    assert set(found) == {"at.whole", "at.choice", "at.inner.size", "at.texts.1", "at.switch"}


def test_what_is_needed_and_missing_is_said() -> None:
    with pytest.raises(ValidationError) as caught:
        Every.model_validate({})
    assert str(explain(caught.value, Every)[0]) == "needed: it is needed."


def test_a_long_value_is_cut() -> None:
    assert len(messages(whole="9" * 500)["at.whole"]) < 150


def test_secrets_are_found_at_every_depth_and_never_in_the_message() -> None:
    found = secrets_in({"a": [{"token": "hunter22"}], "b": {"c": "Bearer abcdefgh12"}, "d": "fine"}, "spec")
    assert [one.where for one in found] == ["spec.a.0.token", "spec.b.c"]
    assert not any("hunter22" in str(one) or "abcdefgh" in str(one) for one in found)


def test_a_choice_of_an_enum_or_of_nothing_is_still_said() -> None:
    class Colour(Enum):
        RED = "red"

    class Painted(BaseModel):
        colour: Colour = Colour.RED

    assert allowed(Painted.model_fields["colour"])
