"""A model's sentences without a marker: looked up in the documents, given a footnote, or marked; however they are streamed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.citations import Check, Source
from chatsearch.cited_text import CitedText
from chatsearch.llm.model import Piece
from chatsearch.prompts import PromptDocument
from chatsearch.statements import Finding, check_statement

TEXTS = {1: "Tesla died in New York in 1943. He was 86 years old.", 2: "The Rhine is 1,230 km long. It flows to the North Sea."}


def find(statement: str, documents: Sequence[PromptDocument]) -> tuple[int, Finding] | None:
    """By words alone: which of the real checker's sentences are found is tested with it."""
    found = [(one.n, check_statement(statement, one.text)) for one in documents]
    return next((pair for pair in found if pair[1].check is not Check.NOT_FOUND), None)


def cited() -> CitedText:
    documents = [PromptDocument(n, f"d{n}", f"T{n}", text, "en") for n, text in TEXTS.items()]
    return CitedText(documents, {n: Source(f"d{n}", f"T{n}", "", "full-text") for n in TEXTS}, find=find, language="en")


def written(pieces: Iterable[Piece]) -> CitedText:
    text = cited()
    streamed = "".join(text.add(piece)[0] for piece in pieces) + text.end()[0]
    assert streamed == text.text
    assert all(text.text.startswith(f"[{note.n}]", note.at) for note in text.footnotes)
    return text


def test_a_sentence_without_a_marker_that_a_document_has_gets_one() -> None:
    text = written([Piece("The Rhine is 1,230 km long."), Piece(" Tesla died in New York in 1943. ", cites=1)])
    assert text.text == "The Rhine is 1,230 km long. [2] Tesla died in New York in 1943. [1]"
    assert [(note.n, note.check.value) for note in text.footnotes] == [(2, "exact"), (1, "exact")]
    assert text.unsupported == []


def test_a_sentence_without_a_marker_that_no_document_has_is_marked() -> None:
    text = written([Piece("Tesla was born on Mars."), Piece(" Tesla died in New York in 1943. ", cites=1)])
    assert text.text == "Tesla was born on Mars. [?] Tesla died in New York in 1943. [1]"
    assert [span.of(text.text) for span in text.unsupported] == ["Tesla was born on Mars."]


def test_the_last_sentence_is_looked_up_too() -> None:
    text = written([Piece("Tesla died in New York in 1943. ", cites=1), Piece(" The Rhine is 1,230 km long")])
    assert text.text.endswith("The Rhine is 1,230 km long [2]")
    text = written([Piece("Tesla died in New York in 1943 ", cites=1), Piece(". The Rhine is blue and wide.")])
    assert [span.of(text.text) for span in text.unsupported] == ["The Rhine is blue and wide."]


def test_sentences_in_one_piece_get_their_footnotes_where_they_end() -> None:
    text = written([Piece("The Rhine is 1,230 km long. Nobody swims there at night. Tesla died in New York in 1943. ", cites=1)])
    assert text.text == "The Rhine is 1,230 km long. [2] Nobody swims there at night. [?] Tesla died in New York in 1943. [1]"
    assert [span.of(text.text) for span in text.unsupported] == ["Nobody swims there at night."]


def test_a_marker_before_its_statement_is_checked_when_the_sentence_is_whole() -> None:
    text = written(
        [Piece("According to ", cites=1), Piece(", he was 86 years old."), Piece(" In ", cites=2), Piece(", nothing.")]
    )
    assert [(note.n, note.check.value) for note in text.footnotes] == [(1, "similar"), (2, "not found")]
    assert text.unsupported == []


def test_a_marker_before_its_statement_after_another_sentence_is_not_about_that_one() -> None:
    text = written(
        [Piece("The Rhine is 1,230 km long. ", cites=2), Piece(" According to ", cites=1), Piece(" he was 86 years old.")]
    )
    assert [(note.n, note.check.value) for note in text.footnotes] == [(2, "exact"), (1, "similar")]


def test_what_little_follows_a_marker_in_its_sentence_is_no_statement() -> None:
    text = written([Piece("Tesla died in 1943 ", cites=1), Piece(", it says.")])
    assert (len(text.footnotes), text.unsupported) == (1, [])


def test_markdown_signs_are_no_part_of_a_statement() -> None:
    text = written(
        [Piece("- **Tesla** died in *New York* in 1943. ", cites=1), Piece("\n- The `Rhine` is 1,230 km long. ", cites=2)]
    )
    assert [note.check.value for note in text.footnotes] == ["exact", "exact"]


@pytest.mark.parametrize("said", ["Here is what the documents say:", "Would you like to know more?"])
def test_what_states_nothing_needs_no_source(said: str) -> None:
    text = written([Piece(f"{said} "), Piece("Tesla died in New York in 1943. ", cites=1)])
    assert text.unsupported == []


WHOLE = "The Rhine is 1,230 km long. Tesla was born on Mars. Tesla died in New York in 1943. "


@given(st.lists(st.integers(1, len(WHOLE) - 1), max_size=8))
def test_how_the_text_is_cut_into_tokens_does_not_matter(cuts: list[int]) -> None:
    places = [0, *sorted(set(cuts)), len(WHOLE)]
    parts = [WHOLE[start:end] for start, end in pairwise(places)]
    text = written([*map(Piece, parts[:-1]), Piece(parts[-1], cites=1)])
    assert [note.n for note in text.footnotes] == [2, 1]
    assert text.text.startswith("The Rhine is 1,230 km long. [2]")
    assert text.footnotes[-1].check is Check.EXACT
    assert "Tesla was born on Mars." in [span.of(text.text) for span in text.unsupported]


@given(
    st.lists(
        st.builds(Piece, st.text(st.sampled_from("Aa1. !?\n[]中。-*"), max_size=9), cites=st.sampled_from([None, 1, 2, 9])),
        max_size=8,
    )
)
def test_markers_stand_where_footnotes_say_for_any_text(pieces: list[Piece]) -> None:
    text = written(pieces)
    assert all(0 <= span.start < span.end <= len(text.text) for span in text.unsupported)
