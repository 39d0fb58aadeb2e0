"""Turning words into their dictionary forms."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.registry import Registry
from tests.frames import quick_services, transformed
from tests.sources import document, result_set

LEMMATIZER = Registry().get("text_lemmatization")


async def lemmas(tmp_path: Path, *rows: tuple[object, object]) -> tuple[list[object], dict[str, str]]:
    frame = [{**document(f"d{n}"), "cleaned-text": text, "language": code} for n, (text, code) in enumerate(rows)]
    after, warnings = await transformed(LEMMATIZER, result_set(frame), quick_services(tmp_path))
    return list(after.documents["cleaned-text"]), dict(warnings)


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("eng", "The houses were built.", "the house be build."),
        ("en", "Tesla went to Graz, twice", "Tesla go to Graz, twice"),
        ("de", "Häuser wurden gebaut", "Haus werden bauen"),
        ("ru", "города", "город"),
        ("es", "ciudades", "ciudad"),
    ],
)
async def test_words_become_dictionary_forms(tmp_path: Path, language: str, text: str, found: str) -> None:
    assert await lemmas(tmp_path, (text, language)) == ([found], {})


async def test_languages_under_another_name_find_their_dictionary(tmp_path: Path) -> None:
    _, warnings = await lemmas(tmp_path, ("gradovi", "hr"), ("husene", "no"), ("urbium", "lat"), ("λόγους", "grc"))
    assert not warnings


async def test_a_language_without_dictionary_and_a_missing_one(tmp_path: Path) -> None:
    texts, warnings = await lemmas(tmp_path, ("都市に住んでいた", "jpn"), ("The houses of the city were old", None), (None, "en"))
    assert texts[0] == "都市に住んでいた"
    assert texts[1] == "the house of the city be old"
    assert warnings == {"language-unknown": "1 text of 2 left as found: there are no tools here for ja."}
