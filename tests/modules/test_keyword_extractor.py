"""Naming a few keywords of each document."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.keywords import candidates, keywords
from chatsearch.registry import Registry
from tests.conformance import LONG
from tests.frames import collection, quick_services, transformed
from tests.sources import document, result_set

EXTRACTOR = Registry().get("keyword_extractor")


def found(text: str, language: str, count: int = 5) -> list[str]:
    return keywords([candidates(text, language)], count)[0]


async def test_keywords_tell_a_document_from_the_others(tmp_path: Path) -> None:
    rows = [
        document("a", "The telescope of the observatory shows galaxies. The telescope is large. Scientists built the telescope."),
        document("b", "The bridge spans the river. Scientists tested the bridge and its cables."),
    ]
    after, _ = await transformed(EXTRACTOR, result_set(rows), quick_services(tmp_path), count=2)
    first, second = after.documents["keywords"]
    assert first.startswith("telescope")
    assert second.startswith("bridge")
    assert "Scientists" not in first + second
    assert after.roles["keywords"] == ("chip",)


def test_forms_of_one_word_count_together_and_show_as_first_written() -> None:
    assert found("Galaxies are far. A galaxy is large; one galaxy near us, other galaxies far.", "en", 1) == ["Galaxies"]


def test_names_of_several_words_stay_together() -> None:
    assert found("He met Nikola Tesla. Later Nikola Tesla died.", "en", 1) == ["Nikola Tesla"]


def test_no_keyword_repeats_a_part_of_another_and_small_words_are_none() -> None:
    words = found("The solar panel and the solar panel of the roof, a panel on the roof.", "en")
    assert words == ["solar panel", "roof"]


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [
        ("de", "Die Brücke ist alt. Der Bau der Brücken dauerte, bis die Brücke stand.", "Brücke"),
        ("ru", "Башня старая. Около башни живут люди, и башни видны издалека.", "Башня"),
        ("zh", "拜占庭帝国很大。拜占庭帝国在东方，拜占庭帝国灭亡了。", "拜占庭帝"),
        ("el", "Η πόλη είναι μεγάλη. Η πόλη έχει λιμάνι.", "πόλη"),
    ],
)
def test_other_languages(language: str, text: str, word: str) -> None:
    assert found(text, language, 1) == [word]


async def test_missing_texts_and_texts_of_small_words_have_none(tmp_path: Path) -> None:
    rows = [{**document(str(n)), "full-text": text} for n, text in enumerate((None, "", "the of and", "…", LONG))]
    after, _ = await transformed(EXTRACTOR, result_set(rows), quick_services(tmp_path))
    assert list(after.documents["keywords"].isna()) == [True, True, True, True, False]


async def test_every_paragraph_of_real_collections_gets_keywords(shared: Path, tmp_path: Path) -> None:
    for name in ("xquad-en", "xquad-de", "xquad-zh", "cranfield"):
        after, _ = await transformed(EXTRACTOR, collection(shared, name, 60), quick_services(tmp_path))
        assert after.documents["keywords"].notna().all()
        assert max(len(cell.split(", ")) for cell in after.documents["keywords"]) == 5
