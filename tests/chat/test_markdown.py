"""Document text in Chainlit's Markdown: shown as it is, nothing of it is obeyed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chatsearch.chat.markdown import MarkdownStream, escape
from chatsearch.citations import Source
from chatsearch.cited_text import CitedText
from chatsearch.llm.model import Piece, Quotation
from chatsearch.prompts import PromptDocument

# CommonMark with GFM's tables, strike-through and autolinks: what the front end reads, apart from directives
READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def shown(markdown: str) -> str:
    """The text a reader sees; anything but text, code and line breaks in one paragraph is a failure."""
    tokens = READER.parse(markdown)
    inline = [child for token in tokens if token.type == "inline" for child in token.children or []]
    assert {token.type for token in tokens} <= {"paragraph_open", "inline", "paragraph_close"}, tokens
    assert {child.type for child in inline} <= {"text", "code_inline", "text_special", "softbreak"}, inline
    return "".join("\n" if child.type == "softbreak" else child.content for child in inline)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "[click](javascript:alert(1))",
        "[1](http://evil.example)",
        "![pixel](http://evil.example/p.png)",
        "site:example and arXiv:cs/01 and d.csv:text/csv",
        "# no heading",
        "- no list",
        "12. no list",
        "> no quote",
        "a | b",
        "`code` and ``more``",
        "5 * 3 * 2 = 30, snake_case_name, ~~not struck~~",
        "&lt;b&gt; &amp;",
        "back\\slash",
        "$5 and $6",
        ":::note",
        "--- no rule",
        "[^1] and [x]: http://evil.example",
    ],
)
def test_signs_are_shown_and_not_obeyed(text: str) -> None:
    assert shown(escape(text)) == text


@pytest.mark.parametrize(
    "address", ["https://evil.example/a?b=[c]", "www.evil.example", "someone@evil.example", "http://evil.example/`x`"]
)
def test_addresses_are_code_so_that_no_link_is_made_of_them(address: str) -> None:
    escaped = escape(f"see {address} there")
    assert shown(escaped) == f"see {address} there"
    tokens = [child for token in READER.parse(escaped) if token.type == "inline" for child in token.children or []]
    assert [token.content for token in tokens if token.type == "code_inline"] == [address]


def test_a_colon_before_a_letter_is_escaped_because_the_front_end_eats_directives() -> None:
    assert escape("note:this") == "note\\:this"
    assert escape("note: this") == "note: this"


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1))
def test_any_text_is_shown_as_it_is(text: str) -> None:
    assert shown(escape(text)).split() == text.split()


def cited(*statements: str) -> tuple[list[tuple[str, tuple[object, ...]]], CitedText]:
    text = " ".join(statements)
    whole = CitedText([PromptDocument(3, "d", "T", text)], {3: Source("d", "T", "", "full-text")})
    return [whole.add(Piece(one, Quotation(3, text.index(one), text.index(one) + len(one)))) for one in statements], whole


def test_markers_become_links_to_their_footnote_in_order() -> None:
    tokens, _ = cited("He died in 1943.", "He was 86.")
    stream = MarkdownStream()
    assert "".join(stream.add(token, notes) for token, notes in tokens) == (  # type: ignore[arg-type]
        "He died in 1943. [\\[3\\]](#cite-0) He was 86. [\\[3\\]](#cite-1)"
    )
    assert stream.count == 2


def test_a_marker_that_a_quotation_holds_itself_is_no_link() -> None:
    tokens, _ = cited("He said so [3] twice.")
    stream = MarkdownStream()
    markdown = "".join(stream.add(token, notes) for token, notes in tokens)  # type: ignore[arg-type]
    assert re.findall(r"\(#cite-\d+\)", markdown) == ["(#cite-0)"]
    assert markdown.startswith("He said so \\[3\\] twice.")
