"""Footnotes in a stream: which signs are some, which are not, and that no word is lost however the text is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.llm.footnotes import FootnoteParser, RefusalSign
from chatsearch.llm.model import Piece
from chatsearch.llm.reader import AnswerReader
from chatsearch.prompts import NO_ANSWER

NUMBERS = frozenset({1, 2, 3, 12})


def shown(pieces: list[Piece]) -> str:
    return "".join(piece.text + ("" if piece.cites is None else f"⟦{piece.cites}⟧") for piece in pieces)


def read(text: str, size: int = 1) -> str:
    parser = FootnoteParser(NUMBERS)
    pieces = [piece for at in range(0, len(text), size) for piece in parser.feed(text[at : at + size])]
    return shown([*pieces, *parser.end()])


CASES = [
    ("So it is [1].", "So it is ⟦1⟧."),
    ("So it is[1] and[12].", "So it is⟦1⟧ and⟦12⟧."),
    ("a [1, 2] b", "a ⟦1⟧⟦2⟧ b"),
    ("a [1,2;3] b", "a ⟦1⟧⟦2⟧⟦3⟧ b"),
    ("a [1-3].", "a ⟦1⟧⟦2⟧⟦3⟧."),
    ("a [1–2].", "a ⟦1⟧⟦2⟧."),
    ("a [[1]] b", "a ⟦1⟧ b"),
    ("a 【1】 b【2†source】", "a ⟦1⟧ b⟦2⟧"),
    ("a ［1］ b", "a ⟦1⟧ b"),
    ("a [^1] b", "a ⟦1⟧ b"),
    ("a [ 1 ] b", "a ⟦1⟧ b"),
    ("[1][2]", "⟦1⟧⟦2⟧"),
    ("a [१] b [٣]", "a ⟦1⟧ b ⟦3⟧"),
    ("a [1](https://evil.example/?q=secret) b", "a ⟦1⟧ b"),
    ("a [1] (so) b", "a ⟦1⟧ (so) b"),
    ("a [0] [2024] [4] b", "a [0] [2024] [4] b"),
    ("a [1, 99] b", "a ⟦1⟧[99] b"),
    ("a [1990-1995] [1-9] [3-1] b", "a [1990-1995] [1-9] [3-1] b"),
    ("a [x] [] [1x] [1", "a [x] [] [1x] [1"),
    ("`a[1]` and ``b`[2]`` then [3]", "`a[1]` and ``b`[2]`` then ⟦3⟧"),
    ("```py\na[1]\n```\nb [1]", "```py\na[1]\n```\nb ⟦1⟧"),
    ("it is 5` tall [1]\nnew [2]", "it is 5` tall [1]\nnew ⟦2⟧"),
    ("a [12345678901234567890] b", "a [12345678901234567890] b"),
    ("- [ ] to do\n- [x] done", "- [ ] to do\n- [x] done"),
    ("a [link](https://x.example) b [1]", "a [link](https://x.example) b ⟦1⟧"),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_what_is_a_footnote_and_what_is_not(text: str, expected: str, size: int) -> None:
    assert read(text, size) == expected


@given(st.text(alphabet="[]【】()`12 0,-\nab^:/h", max_size=60), st.integers(1, 9))
def test_a_text_is_read_alike_however_it_is_cut(text: str, size: int) -> None:
    assert read(text, size) == read(text, 1000)


@given(st.text(alphabet="[]`12 90,-\nabé🎨", max_size=80))
def test_no_letter_is_lost_or_gained(text: str) -> None:
    assert [one for one in read(text) if one.isalpha()] == [one for one in text if one.isalpha()]


@given(st.text(max_size=60))
def test_a_text_without_numbers_comes_back_as_it_was(text: str) -> None:
    parser = FootnoteParser(frozenset())
    assert shown([*parser.feed(text), *parser.end()]) == text


def test_a_long_run_of_digits_is_not_held_back() -> None:
    parser = FootnoteParser(NUMBERS)
    assert shown(parser.feed("[1234567890")) == "[1234567890"


def test_text_before_an_unfinished_marker_is_out_at_once() -> None:
    parser = FootnoteParser(NUMBERS)
    assert shown(parser.feed("It was so [1")) == "It was so "
    assert shown(parser.feed("2")) == ""
    assert shown(parser.feed("] and")) == "⟦12⟧ and"


@pytest.mark.parametrize("size", [1, 4, 100])
@pytest.mark.parametrize("text", [NO_ANSWER, f"**{NO_ANSWER}**.", f" “{NO_ANSWER}”\n"])
def test_the_refusal_sign_is_seen_however_it_is_cut(text: str, size: int) -> None:
    reader = AnswerReader(NUMBERS)
    pieces = [piece for at in range(0, len(text), size) for piece in reader.feed(text[at : at + size])]
    assert reader.end() == []
    assert reader.refused
    assert NO_ANSWER[:4] not in shown(pieces)


def test_a_text_that_only_begins_like_the_sign_is_whole() -> None:
    sign = RefusalSign(NO_ANSWER)
    assert "".join(sign.feed(one) for one in "NOT_IN_DOC is a name") + sign.end() == "NOT_IN_DOC is a name"
    assert not sign.seen


def test_the_sign_after_an_answer_with_footnotes_is_no_refusal_and_not_shown() -> None:
    reader = AnswerReader(NUMBERS)
    pieces = reader.feed(f"He died in 1943 [1]. {NO_ANSWER}") + reader.end()
    assert (shown(pieces), reader.refused) == ("He died in 1943 ⟦1⟧.", False)


def test_white_space_around_an_answer_is_dropped_and_within_kept() -> None:
    reader = AnswerReader(NUMBERS)
    pieces = [piece for token in ("\n", " So", "  it ", "[1]", " \n", "was.", "\n\n") for piece in reader.feed(token)]
    assert shown([*pieces, *reader.end()]) == "So  it ⟦1⟧ \nwas."
