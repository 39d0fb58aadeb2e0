"""Taking the main text out of web pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.module import RowModule
from chatsearch.registry import Registry
from tests.frames import quick_services, transformed
from tests.sources import document, result_set

EXTRACTOR = Registry().get("content_extractor")
PAGE = """<!DOCTYPE html><html><head><title>T</title><style>p {color: red}</style><script>var a = "x";</script></head>
<body><nav><a href="/">Home</a> <a href="/about">About us</a></nav>
<main><h1>The bridge</h1><p>The bridge &amp; the river were opened in 1901, and people came from far away to see them.</p></main>
<footer>Copyright, imprint, cookies</footer></body></html>"""


def extracted(text: str) -> str:
    module = EXTRACTOR()
    assert isinstance(module, RowModule)
    return str(module.compute(text, ""))


def test_the_main_text_stays_and_what_stands_around_it_goes() -> None:
    text = extracted(PAGE)
    assert "The bridge & the river were opened in 1901" in text
    assert not any(word in text for word in ("Home", "About", "Copyright", "var a", "color", "<"))


@pytest.mark.parametrize(
    "text",
    [
        "Plain text.\n\n  With its own   spaces, and a < b and b > a.",
        "The <p> tag begins a paragraph.",
        "x <y> z",
        "if (a<b && c>d) { }",
        "I <3 you",
        "5 &lt; 6",
        "",
    ],
)
def test_a_text_without_mark_up_passes_unchanged(text: str) -> None:
    assert extracted(text) == text


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<p>never closed <b>bold", "never closed bold"),
        ("one<br>two", "two"),
        ("</div></div><p>after all</p>", "after all"),
        ("<html><body><p>nul \x00 and \ud800 half</p>", "half"),
        ("<div><p>" * 2_000 + "deep", "deep"),
        ("<p>größer, 他住在纽约, Ζούσε</p>", "größer, 他住在纽约, Ζούσε"),
        ("<p class='" + "x" * 50_000, ""),
    ],
)
def test_bad_html_never_fails(html: str, words: str) -> None:
    assert words in extracted(html)


def test_a_page_of_nothing_but_navigation_gives_its_visible_text() -> None:
    assert extracted("<html><body><nav><a href='/'>Home</a> <a href='/x'>Contact</a></nav></body></html>").split() == [
        "Home",
        "Contact",
    ]


@given(st.text(alphabet=st.sampled_from(list("<>/pbdiv='\"& \n!-aé他\x00")), max_size=200))
def test_nothing_makes_it_fail(text: str) -> None:
    extracted(text)


async def test_its_column_is_a_text_and_a_missing_page_stays_missing(tmp_path: Path) -> None:
    rows = [document("a", PAGE), {**document("b"), "full-text": None}]
    after, warnings = await transformed(EXTRACTOR, result_set(rows), quick_services(tmp_path))
    assert after.roles["filtered-text"] == ("text",)
    assert list(after.documents["filtered-text"].isna()) == [False, True]
    assert not warnings
