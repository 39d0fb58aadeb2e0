"""The argument of a command is read as a person meant it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from chatsearch.commands.arguments import CLOSING, Argument, UsageError, arguments, unquoted, value_for


class Lists(BaseModel):
    """Fields of the kinds a module may have."""

    names: tuple[str, ...] = ()
    options: dict[str, int] | None = None
    text: str = ""


def field(name: str) -> FieldInfo:
    return Lists.model_fields[name]


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("a=b", "b"),
        ("a=", ""),
        ('a=""', ""),
        ('a="two words"', "two words"),
        ("a='two words'", "two words"),
        ("a=“two words”", "two words"),
        ("a=„zwei Wörter“", "zwei Wörter"),
        ("a=«deux mots»", "deux mots"),
        (r'a="with \" in it"', 'with " in it'),
        (r'a="C:\dir"', r"C:\dir"),
        ("a=it's", "it's"),
        ('a=["x", "y z"]', '["x", "y z"]'),
        ('a={"k": [1, 2]}', '{"k": [1, 2]}'),
        ("a=[not", "[not"),
        ("a=b=c", "b=c"),
        ("a=https://x.example/?q=1&r=2", "https://x.example/?q=1&r=2"),
    ],
)
def test_a_value(typed: str, value: str) -> None:
    assert arguments(typed) == [Argument("a", value)]


def test_words_and_values_in_any_white_space() -> None:
    read = [Argument("", "x"), Argument("", "at"), Argument("", "2"), Argument("k", "1 2")]
    assert arguments(" x at\n2\t k='1 2' ") == read


@pytest.mark.parametrize("typed", ['a="open', "a=“open", "'"])
def test_a_quotation_that_is_not_closed_is_said(typed: str) -> None:
    with pytest.raises(UsageError, match="not closed"):
        arguments(typed)


def test_a_missing_space_after_a_quotation_is_said() -> None:
    with pytest.raises(UsageError, match="space is missing"):
        arguments('a="b"c=d')


@pytest.mark.parametrize(
    ("text", "inner"),
    [('"all of it"', "all of it"), ('"A" and "B"', '"A" and "B"'), ("plain", "plain"), ("“x”", "x"), ("'tis", "'tis"), ("", "")],
)
def test_quotation_marks_around_the_whole_are_taken_away(text: str, inner: str) -> None:
    assert unquoted(text) == inner


def test_lists_and_objects_are_read_where_a_parameter_takes_them() -> None:
    assert value_for(field("names"), "a, b c,") == ["a", "b c"]
    assert value_for(field("names"), '["a, b"]') == ["a, b"]
    assert value_for(field("options"), '{"k": 1}') == {"k": 1}
    assert value_for(field("text"), '["a"]') == '["a"]'
    with pytest.raises(UsageError, match="not valid JSON"):
        value_for(field("options"), "{k: 1}")


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = arguments(text)
    except UsageError:
        assert set(text) & set(CLOSING) or set(text) & set("[{")
    else:
        assert not text.strip() or found


@given(st.text(), st.sampled_from(['"', "'"]))
def test_any_value_can_be_quoted(value: str, mark: str) -> None:
    quoted = value.replace("\\", "\\\\").replace(mark, f"\\{mark}")
    assert arguments(f"k={mark}{quoted}{mark}") == [Argument("k", value)]


@given(st.recursive(st.integers() | st.text() | st.booleans(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)))
def test_any_json_list_is_one_value(value: object) -> None:
    text = json.dumps([value])
    assert arguments(f"k={text} j=1") == [Argument("k", text), Argument("j", "1")]
