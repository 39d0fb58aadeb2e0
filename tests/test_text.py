"""Text is cleaned once where it enters, and good text is left alone."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatsearch.text import clean

PIECES = st.sampled_from(
    [
        "&amp;", "&#38;", "amp;", "&", ";", "lt;", "#38;", "&#x26;", "&#0;", "&#xD800;", "&nbsp;", "&copy", "\x00", "\u202e",
        "\u200f", "\u200b", "\u200c", "\u200d", "\ud83d", "\ude00", "Ã¼", "â€œ", "Ã", "¼", "é", "e\u0301", "\U0001f3f4",
        "\U000e0067", "\U000e007f", "\ufe0f", "\r", "\n", "\x85", "می", "ไทย", "黑", "a", " ", "\U000e0101",
    ]
)  # fmt: skip


@given(st.text(st.characters(codec=None)) | st.lists(PIECES).map("".join))
@settings(max_examples=600)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = clean(text)
    assert clean(once) == once


@given(st.text(st.characters(codec=None)) | st.lists(PIECES).map("".join))
def test_cleaned_text_can_be_stored_and_has_no_control_characters(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert not [c for c in cleaned if unicodedata.category(c) == "Cc" and c not in "\n\t"]
    assert unicodedata.is_normalized("NFC", cleaned)


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "Z"), exclude_characters="&")))
def test_plain_text_is_unchanged(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize("language", ["en", "de", "es", "ru", "zh"])
def test_real_paragraphs_lose_nothing_but_hidden_characters(shared: Path, language: str) -> None:
    lines = (shared / f"xquad-{language}" / "corpus.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    visible = [re.sub("[\ufeff\u200b\u200e\u200f\u00ad\u2028\r\x7f]", "", unicodedata.normalize("NFC", text)) for text in texts]
    assert [text for text, seen in zip(texts, visible, strict=True) if clean(text) != seen] == []


@pytest.mark.parametrize(
    ("dirty", "expected"),
    [
        ("Tom &amp;amp;amp; Jerry", "Tom & Jerry"),
        ("&" + "amp;" * 5_000 + "lt;", "<"),
        ("&#38;#38;lt;", "<"),
        ("caf&eacute; &#8364;5 &#x20AC;6", "café €5 €6"),
        ("a.php?x=1&copy=2&region=eu", "a.php?x=1&copy=2&region=eu"),
        ("AT&T; R&D;", "AT&T; R&D;"),
        ("MÃ¼nchen liegt schÃ¶n", "München liegt schön"),
        ("a\x00b\x07c", "abc"),
        ("one\r\ntwo\rthree\x0cfour\tfive", "one\ntwo\nthree\nfour\tfive"),
        ("\u202eevil\u202c \u200fright\u200e", "evil right"),
        ("pass\u200bword\u00ad \ufeffx", "password x"),
        ("in\u200dvisible", "invisible"),
        ("hi\U000e0068\U000e0069 there", "hi there"),
        ("a\ufe01\ufe02\U000e0120b", "ab"),
        ("\ud83d\ude00 \ud800", "😀 \ufffd"),
        ("e\u0301", "é"),
    ],
)
def test_dirt_is_removed(dirty: str, expected: str) -> None:
    assert clean(dirty) == expected


@pytest.mark.parametrize(
    "text",
    [
        "“Curly” ‘quotes’ — l’été « bon », ﬁ, ½, ｆｕｌｌ, 10³",
        "می‌خواهم کتاب‌ها",
        "👩‍👩‍👧‍👦 ❤️ 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f 1️⃣",
        "ភាសា​ខ្មែរ",
        "葛\U000e0100城市",
        "<b>not markup to us</b> & so on",
        "",
    ],
)
def test_meaningful_characters_are_kept(text: str) -> None:
    assert clean(text) == unicodedata.normalize("NFC", text)
