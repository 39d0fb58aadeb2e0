"""A document's own page: text stays text, the passage is marked, unknown documents are not there."""

from __future__ import annotations

import html
import re
from typing import Any

import httpx
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.chat.document_page import Found, RecentDocuments, render_document
from chatsearch.results import ResultSet

HOSTILE = "<script>alert(1)</script>"


def results(*documents: dict[str, object]) -> ResultSet:
    base = {"id": "1", "title": "Title", "url": "", "full-text": "Text.", "_source_index_": "demo", "_original_ranking_": 1}
    return ResultSet("q", "q", pd.DataFrame([{**base, **document} for document in documents]))


def page(document: dict[str, object], **asked: str) -> str:
    return render_document(Found(results(document), 0), asked)


def test_title_text_and_other_columns_are_shown_and_escaped() -> None:
    text = page({"title": HOSTILE, "full-text": f"One {HOSTILE}\n\nTwo", "author": HOSTILE, "empty": None})
    assert "<script" not in text
    assert text.count(html.escape(HOSTILE)) == 4  # in title and heading, text, table
    assert "<p>Two</p>" in text
    assert "empty" not in text
    assert "_original_ranking_" not in text


@pytest.mark.parametrize(
    ("url", "linked"),
    [
        ("https://example.org/a", True),
        ("http://example.org", True),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("//x", False),
    ],
)
def test_only_web_addresses_become_links(url: str, linked: bool) -> None:
    assert (f'<a href="{url}"' in page({"url": url})) is linked


@given(st.text(max_size=60), st.integers(0, 70), st.integers(0, 70))
def test_exactly_the_passage_is_marked_whatever_the_text(text: str, start: int, end: int) -> None:
    shown = page({"full-text": text}, start=str(start), end=str(end))
    marked = "".join(html.unescape(part) for part in re.findall(r"<mark[^>]*>(.*?)</mark>", shown, re.DOTALL))
    lines = [(line, sum(len(one) + 1 for one in text.split("\n")[:place])) for place, line in enumerate(text.split("\n"))]
    wanted = [line[max(0, start - at) : max(0, end - at)] for line, at in lines if line.strip()] if start < end else []
    assert marked == html.unescape(html.escape("".join(wanted)))


@pytest.mark.parametrize(
    "asked", [{"start": "-1", "end": "5"}, {"start": "x", "end": "5"}, {"start": "5", "end": "2"}, {"end": "9" * 99}, {}]
)
def test_a_passage_that_is_none_marks_nothing(asked: dict[str, str]) -> None:
    assert "<mark" not in page({"full-text": "A long enough text."}, **asked)


def test_the_first_mark_of_a_passage_can_be_linked_to() -> None:
    shown = page({"full-text": "abc\ndef"}, start="1", end="6")
    assert '<mark id="passage">bc</mark>' in shown
    assert "<mark>de</mark>" in shown


def test_another_column_is_shown_when_it_is_asked_for_and_there() -> None:
    assert "<p>Short.</p>" in page({"abstract": "Short."}, column="abstract")
    assert "<p>Text.</p>" in page({"abstract": "Short."}, column="nothing")


def test_a_document_is_found_in_its_engine_only_and_in_its_newest_state() -> None:
    documents = RecentDocuments()
    documents.remember("a", results({"full-text": "old"}))
    documents.remember("a", results({"full-text": "new"}))
    found = documents.find("a", "1")
    assert found is not None
    assert found.text("full-text") == "new"
    assert documents.find("b", "1") is None
    assert documents.find("a", "2") is None


def test_what_was_not_looked_at_for_longest_is_forgotten_first() -> None:
    documents = RecentDocuments(sets=2)
    documents.remember("a", results({"id": "1"}))
    documents.remember("a", results({"id": "2"}))
    assert documents.find("a", "1")
    documents.remember("b", results({"id": "3"}))
    assert documents.find("a", "1")
    assert documents.find("a", "2") is None
    assert documents.find("b", "3")


def test_a_document_has_an_address_whatever_its_id(server: str, front: Any) -> None:
    for identifier in ("one", "https://example.org/a?b=c#d", "a/b", "ä ö"):
        front.documents.remember("demo", results({"id": identifier, "title": f"Title {identifier}"}))
        answer = httpx.get(f"{server}/e/demo/documents/{_quoted(identifier)}?start=0&end=4")
        assert answer.status_code == 200
        assert html.escape(f"Title {identifier}") in answer.text
        assert '<mark id="passage">Text</mark>' in answer.text


def test_the_page_of_a_document_runs_no_script(server: str, front: Any) -> None:
    front.documents.remember("demo", results({"id": "policy"}))
    policy = httpx.get(f"{server}/e/demo/documents/policy").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'")
    assert "script-src" not in policy


@pytest.mark.parametrize("path", ["/e/demo/documents/unknown", "/e/other/documents/one"])
def test_an_unknown_document_gets_a_404_page(server: str, front: Any, path: str) -> None:
    front.documents.remember("demo", results({"id": "one"}))
    front.documents.remember("other", results({"id": "one"}))
    answer = httpx.get(server + path)
    assert answer.status_code == 404
    assert "Not found" in answer.text


def _quoted(identifier: str) -> str:
    from urllib.parse import quote

    return quote(identifier, safe="")
