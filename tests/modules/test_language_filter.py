"""Filtering by language."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from tests.frames import quick_services, transformed
from tests.sources import document, result_set

FILTER = Registry().get("language_filter")
GERMAN, ENGLISH = "Die Brücke über den Fluss wurde geöffnet.", "The bridge over the river was opened."
ROWS = result_set(
    [
        document("three", GERMAN, language="deu"),
        document("two", GERMAN, language="de"),
        document("region", GERMAN, language="de-AT"),
        document("missing", GERMAN, language=None),
        document("und", ENGLISH, language="und"),
        document("stated", GERMAN, language="eng"),
        document("low", GERMAN, language="nds"),
        document("wordless", "…", language=""),
    ]
)


async def kept(tmp_path: Path, results: ResultSet = ROWS, **parameters: object) -> list[str]:
    after, _ = await transformed(FILTER, results, quick_services(tmp_path), **parameters)
    return list(after.documents["id"])


@pytest.mark.parametrize("code", ["de", "deu", "ger", "DE", "German", "de-CH"])
async def test_any_form_of_a_code_finds_every_form(tmp_path: Path, code: str) -> None:
    assert await kept(tmp_path, languages=code) == ["three", "two", "region", "missing"]


async def test_several_languages_and_one_without_a_short_code(tmp_path: Path) -> None:
    assert await kept(tmp_path, languages="en, nds") == ["und", "stated", "low"]


async def test_a_missing_language_is_detected_kept_or_dropped(tmp_path: Path) -> None:
    assert await kept(tmp_path, languages="en", missing="detect") == ["und", "stated"]
    assert await kept(tmp_path, languages="en", missing="drop") == ["stated"]
    assert await kept(tmp_path, languages="en", missing="keep") == ["missing", "und", "stated", "wordless"]


async def test_without_a_language_column_all_are_detected(tmp_path: Path) -> None:
    rows = result_set([document("a", GERMAN), document("b", ENGLISH), {**document("c"), "full-text": None}])
    assert await kept(tmp_path, rows, languages="en") == ["b"]


def test_a_word_that_is_no_language_is_an_error() -> None:
    with pytest.raises(ValidationError, match="“klingonish” is no language"):
        FILTER.model_validate({"languages": "en, klingonish"})
