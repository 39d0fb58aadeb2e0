"""Stemming each text by its language."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.languages import has_stemmer, stems
from chatsearch.registry import Registry
from tests.frames import quick_services, transformed
from tests.sources import document, result_set

STEMMER = Registry().get("text_stemmer")


@pytest.mark.parametrize(
    ("language", "text", "stemmed"),
    [
        ("eng", "Houses, running!", "hous, run!"),
        ("de", "Die Häuser der Brücken", "die haus der bruck"),
        ("rus", "города большие", "город больш"),
        ("es", "corriendo rápidamente", "corr rapid"),
        ("nob", "husene", "hus"),
        ("el", "οι πόλεις", "οι πολ"),
        ("ara", "المدينة", "مدين"),
    ],
)
async def test_words_become_stems_and_the_rest_stays(tmp_path: Path, language: str, text: str, stemmed: str) -> None:
    rows = [{**document("a"), "cleaned-text": text, "language": language}]
    after, warnings = await transformed(STEMMER, result_set(rows), quick_services(tmp_path))
    assert list(after.documents["cleaned-text"]) == [stemmed]
    assert not warnings


async def test_equal_texts_in_two_languages_are_stemmed_by_their_own(tmp_path: Path) -> None:
    rows = [{**document(code), "cleaned-text": "running", "language": code} for code in ("de", "en", "de")]
    after, _ = await transformed(STEMMER, result_set(rows), quick_services(tmp_path))
    first, second, third = after.documents["cleaned-text"]
    assert first == third != second


async def test_columns_can_be_named_and_a_language_without_stemmer_is_counted(tmp_path: Path) -> None:
    rows = [document("a", "他住在纽约。", lang="zh"), document("b", "Houses", lang="en")]
    after, warnings = await transformed(
        STEMMER,
        result_set(rows),
        quick_services(tmp_path),
        input_column="full-text",
        output_column="stems",
        language_column="lang",
    )
    assert list(after.documents["stems"]) == ["他住在纽约。", "hous"]
    assert warnings == {"language-unknown": "1 text of 2 left as found: there are no tools here for zh."}


def test_every_snowball_language_is_known() -> None:
    import Stemmer

    ours = "ar ca cs da de el en eo es et eu fa fi fr ga hi hu hy id it lt ne nl no pl pt ro ru sr st sv ta tr yi".split()
    assert all(map(has_stemmer, ours))
    variants = {"porter", "dutch_porter"}
    assert len(ours) == len(set(Stemmer.algorithms()) - variants)
    assert has_stemmer("nb")
    assert not has_stemmer("zh")
    assert stems(["houses"], "zh") == ["houses"]
