"""Removing the small words of a language."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.registry import Registry
from tests.frames import quick_services, transformed
from tests.sources import document, result_set

REMOVAL = Registry().get("stopword_removal")


async def removed(tmp_path: Path, *texts: object, language: object = None) -> tuple[list[object], dict[str, str]]:
    rows = [{**document(f"d{n}"), "cleaned-text": text, "language": language} for n, text in enumerate(texts)]
    after, warnings = await transformed(REMOVAL, result_set(rows), quick_services(tmp_path))
    assert after.roles["cleaned-text"] == ("text",)
    return list(after.documents["cleaned-text"]), dict(warnings)


@pytest.mark.parametrize("code", ["en", "eng", "EN", "en-GB", "English"])
async def test_a_language_may_be_given_in_any_code(tmp_path: Path, code: str) -> None:
    assert await removed(tmp_path, "The tower of the city", language=code) == (["tower city"], {})


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        ("de", "Die Brücke über den Fluss", "Brücke Fluss"),
        ("rus", "Он жил в большом городе", "жил большом городе"),
        ("fra", "La maison de la vie", "maison vie"),
        ("es", "¿Quién pintó la ronda de noche?", "¿pintó ronda noche?"),
        ("en", "It’s the C++ of AT&T, on example.com.", "C++ AT&T, example.com."),
        ("tur", "Bu BİR ev ve Irmak", "ev Irmak"),
    ],
)
async def test_only_the_small_words_go(tmp_path: Path, language: str, text: str, left: str) -> None:
    (found,), warnings = await removed(tmp_path, text, language=language)
    assert found == left
    assert not warnings


async def test_a_missing_language_is_detected(tmp_path: Path) -> None:
    texts, warnings = await removed(
        tmp_path, "Die Brücke über den großen Fluss wurde gestrichen", "The bridge over the river was painted"
    )
    assert texts == ["Brücke Fluss gestrichen", "bridge river painted"]
    assert not warnings


@pytest.mark.parametrize("unknown", ["und", "", "unknown", "NaN", None, float("nan")])
async def test_what_says_nothing_counts_as_missing(tmp_path: Path, unknown: object) -> None:
    assert (await removed(tmp_path, "The bridge over the river was painted", language=unknown))[0] == ["bridge river painted"]


async def test_a_language_without_a_list_leaves_the_text_alone_and_one_warning_counts(tmp_path: Path) -> None:
    rows = [
        {**document("a"), "cleaned-text": "Uxe na bar", "language": "nds"},
        {**document("b"), "cleaned-text": "他住在纽约。", "language": "zho"},
        {**document("c"), "cleaned-text": "the river", "language": "en"},
    ]
    after, warnings = await transformed(REMOVAL, result_set(rows), quick_services(tmp_path))
    assert list(after.documents["cleaned-text"]) == ["Uxe na bar", "他住在纽约。", "river"]
    assert warnings == {"language-unknown": "2 texts of 3 left as found: there are no tools here for nds, zh."}


async def test_a_text_of_nothing_but_small_words_stays_whole(tmp_path: Path) -> None:
    assert await removed(tmp_path, "To be or not to be", language="en") == (["To be or not to be"], {})


async def test_missing_texts_stay_missing(tmp_path: Path) -> None:
    texts, _ = await removed(tmp_path, None, "", " ", "the river", language="en")
    assert texts[3] == "river"
    assert all(text != text or text is None for text in texts[:3])
