"""Footnotes: literal quotes, offsets in code points, markers found by place and never by their looks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.citations import Check, Source, renumber, statements_found
from chatsearch.cited_text import CitedText
from chatsearch.llm.model import Piece, Quotation
from chatsearch.passages import Span
from chatsearch.prompts import PromptDocument
from chatsearch.statements import Finding

TEXTS = {1: "Tesla died in 1943. He was 86.", 2: "See [1] and [2]: «so» it is.", 3: "🎨𝔘 Ünï 中文. Ende."}


def cited() -> CitedText:
    documents = [PromptDocument(n, f"d{n}", f"T{n}", text) for n, text in TEXTS.items()]
    return CitedText(documents, {n: Source(f"d{n}", f"T{n}", f"U{n}", "full-text") for n in TEXTS})


def quote(n: int, start: int, end: int) -> Piece:
    return Piece(TEXTS[n][start:end], Quotation(n, start, end))


def test_a_literal_quote_gets_its_marker_and_an_exact_footnote() -> None:
    text = cited()
    assert text.add(quote(1, 0, 19))[0] == "Tesla died in 1943. [1]"
    assert text.add(quote(1, 20, 30))[0] == " He was 86. [1]"
    assert text.text == "Tesla died in 1943. [1] He was 86. [1]"
    first, second = text.footnotes
    assert [text.text[note.at : note.at + 3] for note in text.footnotes] == ["[1]", "[1]"]
    assert (first.id, first.title, first.url, first.column, first.quote, first.start, first.end, first.check) == (
        "d1",
        "T1",
        "U1",
        "full-text",
        "Tesla died in 1943.",
        0,
        19,
        Check.EXACT,
    )
    assert second.start == 20


def test_what_is_streamed_is_the_text() -> None:
    text = cited()
    tokens = [text.add(piece)[0] for piece in (Piece("So: "), quote(1, 0, 19), Piece("\n"), quote(2, 0, 28), Piece(" end"))]
    assert "".join(tokens) == text.text == "So: Tesla died in 1943. [1]\nSee [1] and [2]: «so» it is. [2] end"


def test_a_quote_that_holds_a_marker_keeps_it() -> None:
    text = cited()
    text.add(quote(2, 0, 28))
    assert text.footnotes[0].quote == TEXTS[2]
    assert text.footnotes[0].at == len(TEXTS[2]) + 1
    moved = renumber(text.text, text.footnotes, {"d2": 10})
    assert moved.text == "See [1] and [2]: «so» it is. [10]"
    assert (moved.footnotes[0].n, moved.text[moved.footnotes[0].at :], moved.dropped) == (10, "[10]", 0)


def test_offsets_are_code_points_beyond_the_basic_plane() -> None:
    text = cited()
    text.add(quote(3, 0, 10))
    text.add(quote(3, 11, 16))
    assert [note.quote for note in text.footnotes] == ["🎨𝔘 Ünï 中文.", "Ende."]
    assert all(TEXTS[3][note.start : note.end] == note.quote for note in text.footnotes)
    assert all(text.text[note.at : note.at + 3] == "[3]" for note in text.footnotes)


@pytest.mark.parametrize(
    "quotation", [Quotation(1, 1, 19), Quotation(1, 0, 18), Quotation(1, -30, 19), Quotation(1, 0, 0), Quotation(1, 500, 600)]
)
def test_a_quotation_that_is_not_literal_is_not_found(quotation: Quotation) -> None:
    text = cited()
    text.add(Piece("Tesla died in 1943.", quotation))
    note = text.footnotes[0]
    assert note.check == "not found"
    assert (note.column, note.quote, note.start, note.end) == (None, None, None, None)
    assert note.to_json()["check"] == "not found"


def test_a_quotation_of_nothing_is_not_found() -> None:
    text = cited()
    text.add(Piece("", Quotation(1, 4, 4)))
    assert text.footnotes[0].check is Check.NOT_FOUND


def test_a_number_that_no_document_has_gets_no_marker() -> None:
    text = cited()
    assert text.add(Piece("Something.", Quotation(9, 0, 10))) == ("Something.", ())
    assert text.footnotes == []


def test_a_footnote_whose_document_is_gone_loses_its_marker() -> None:
    text = cited()
    for piece in (quote(1, 0, 19), quote(2, 0, 28), quote(1, 20, 30)):
        text.add(piece)
    unsupported = [Span(24, 52), Span(57, 67)]
    moved = renumber(text.text, text.footnotes, {"d1": 4}, unsupported)
    assert moved.text == "Tesla died in 1943. [4] See [1] and [2]: «so» it is. He was 86. [4]"
    assert [moved.text[note.at : note.at + 3] for note in moved.footnotes] == ["[4]", "[4]"]
    assert moved.dropped == 1
    assert [span.of(moved.text) for span in moved.unsupported] == [span.of(text.text) for span in unsupported]


PIECES = st.lists(
    st.one_of(st.text(max_size=8).map(Piece), st.sampled_from([quote(1, 0, 19), quote(2, 0, 28), quote(3, 0, 10)])), max_size=6
)


@given(PIECES, st.permutations([1, 22, 333]))
def test_markers_stand_where_footnotes_say_before_and_after_renumbering(pieces: list[Piece], numbers: list[int]) -> None:
    text = cited()
    assert "".join(text.add(piece)[0] for piece in pieces) == text.text
    assert all(text.text.startswith(f"[{note.n}]", note.at) for note in text.footnotes)
    moved = renumber(text.text, text.footnotes, {f"d{n}": number for n, number in enumerate(numbers, start=1)})
    assert all(moved.text.startswith(f"[{note.n}]", note.at) for note in moved.footnotes)
    assert (len(moved.footnotes), moved.dropped) == (len(text.footnotes), 0)
    assert renumber(moved.text, moved.footnotes, {f"d{n}": n for n in TEXTS}).text == text.text


def cites(text: str, *numbers: int) -> list[Piece]:
    return [Piece(text, cites=numbers[0]), *(Piece("", cites=n) for n in numbers[1:])]


def test_a_marker_of_the_model_is_checked_against_its_document() -> None:
    text = cited()
    for piece in [*cites("In short: Tesla died in 1943 ", 1), Piece(". He was 99 "), *cites("", 1), Piece(".")]:
        text.add(piece)
    assert text.text == "In short: Tesla died in 1943 [1]. He was 99 [1]."
    assert [(note.check.value, note.quote) for note in text.footnotes] == [
        ("similar", "Tesla died in 1943."),
        ("not found", None),
    ]


def test_several_markers_at_one_place_are_about_the_same_statement() -> None:
    text = cited()
    for piece in cites("Tesla died in 1943 ", 1, 2):
        text.add(piece)
    assert text.text == "Tesla died in 1943 [1][2]"
    assert [(note.n, note.at, note.check.value) for note in text.footnotes] == [(1, 19, "exact"), (2, 22, "not found")]


def test_a_marker_after_the_full_stop_is_about_the_sentence_before_it() -> None:
    text = cited()
    for piece in [*cites("Something else. He was 86. ", 1), *cites(" Tesla died in 1943. ", 1)]:
        text.add(piece)
    assert [note.quote for note in text.footnotes] == ["He was 86", "Tesla died in 1943"]


def test_how_statements_are_checked_can_be_replaced() -> None:
    text = cited()
    text.check = lambda statement, document: Finding(Check.SIMILAR, Span(0, 5))
    text.add(cites("Whatever it was ", 1)[0])
    assert (text.footnotes[0].check, text.footnotes[0].quote) == (Check.SIMILAR, "Tesla")


def test_a_marker_with_a_number_nobody_has_is_no_footnote() -> None:
    text = cited()
    assert text.add(Piece("So it is ", cites=9)) == ("So it is ", ())


def test_statements_are_counted_not_markers() -> None:
    text = cited()
    for piece in [*cites("Tesla died in 1943 ", 2, 1), *cites(". He was 99 ", 1), *cites(". So Tesla died in 1943 ", 1)]:
        text.add(piece)
    assert [note.check.value for note in text.footnotes] == ["not found", "exact", "not found", "similar"]
    found = statements_found(text.text, text.footnotes, [Span(0, 5)])
    assert (found.found, found.exact, found.total) == (2, 1, 4)
    assert found.line() == "2 of 4 statements found in their sources, 1 word for word"
    assert statements_found("", ()).line() == ""
    assert statements_found(text.text, text.footnotes[1:2]).line() == "1 of 1 statement found in its source"
