"""Marks put into a text and taken out again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.marks import MARK, marked, unmarked
from chatsearch.passages import Span


def test_marks_stand_around_the_spans() -> None:
    assert marked("One. Two. Three.", [Span(5, 9), Span(0, 4)]) == "**One.** **Two.** Three."
    assert marked("一。二。", [Span(0, 2), Span(2, 4)]) == "**一。****二。**"
    assert marked("text", []) == "text"
    assert marked("", [Span(0, 0)]) == ""


@pytest.mark.parametrize("text", ["plain text", "2 * 3", "a * b * c", "back\\slash", "e\u0301 👩‍🎨", ""])
def test_taking_out_every_mark_gives_an_ordinary_text_back(text: str) -> None:
    assert marked(text, [Span(0, len(text))]).replace(MARK, "") == text


def test_marks_of_the_text_itself_are_written_so_that_they_are_none() -> None:
    assert marked("2**3 is **eight**.", [Span(0, 18)]) == r"**2*\*3 is *\*eight*\*.**"
    assert marked(r"a *\* b", []) == r"a *\\* b"


@given(st.text(st.sampled_from(list("*\\ab é\n")), max_size=30), st.lists(st.integers(0, 30), max_size=6))
def test_whatever_the_text_holds_it_comes_back_to_the_letter(text: str, cuts: list[int]) -> None:
    ends = sorted({cut for cut in cuts if cut <= len(text)})
    spans = [Span(start, end) for start, end in zip(ends[::2], ends[1::2], strict=False)]
    assert unmarked(marked(text, spans)) == text
    if not spans:
        assert MARK not in marked(text, spans)
