"""Saying what language a text is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.registry import Registry
from tests.conformance import TEXTS
from tests.frames import collection, quick_services, transformed
from tests.sources import document, result_set

DETECTOR = Registry().get("language_detector")


async def test_the_language_is_an_iso_639_1_code_and_a_chip(tmp_path: Path) -> None:
    rows = [document(name, text) for name, text in TEXTS.items() if name != "astral"]
    after, _ = await transformed(DETECTOR, result_set(rows), quick_services(tmp_path))
    assert list(after.documents["language"]) == ["en", "de", "ru", "zh", "ar", "el"]
    assert after.roles["language"] == ("chip",)


async def test_what_is_stated_is_kept_as_it_is_written_unless_told(tmp_path: Path) -> None:
    text = TEXTS["german"]
    rows = result_set([document(str(n), text, language=one) for n, one in enumerate(["eng", "und", None, "", "nds"])])
    after, _ = await transformed(DETECTOR, rows, quick_services(tmp_path))
    assert list(after.documents["language"]) == ["eng", "de", "de", "de", "nds"]
    after, _ = await transformed(DETECTOR, rows, quick_services(tmp_path), overwrite="true")
    assert list(after.documents["language"]) == ["de"] * 5


async def test_too_little_to_tell_is_empty(tmp_path: Path) -> None:
    rows = [{**document(str(n)), "full-text": text} for n, text in enumerate((None, "", "1943", "…"))]
    after, _ = await transformed(DETECTOR, result_set(rows), quick_services(tmp_path))
    assert after.documents["language"].isna().all()


@pytest.mark.parametrize("language", ["en", "de", "es", "ru", "zh"])
async def test_every_paragraph_of_a_real_collection_is_told(shared: Path, tmp_path: Path, language: str) -> None:
    after, _ = await transformed(DETECTOR, collection(shared, f"xquad-{language}", 240), quick_services(tmp_path))
    assert list(after.documents["language"]) == [language] * len(after)
