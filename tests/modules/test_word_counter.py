"""Counting the words of a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.registry import Registry
from tests.sources import document, result_set, services_with, step_run

COUNTER = Registry().get("word_counter")


async def counted(tmp_path: Path, *texts: object) -> list[object]:
    rows = [{**document(f"d{n}"), "full-text": text} for n, text in enumerate(texts)]
    after = await COUNTER().transform(result_set(rows), step_run(services_with(tmp_path)))
    assert after.roles["wordCount"] == ("chip",)
    return list(after.documents["wordCount"])


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Tesla died in 1943.", 4),
        ("don’t stop", 2),
        ("one\ntwo\tthree  four", 4),
        ("…—!", 0),
        ("3.14 is π", 3),
        ("Die Brücke, größer.", 3),
        ("Он жил в Нью-Йорке", 5),
    ],
)
async def test_words_are_counted_and_signs_are_not(tmp_path: Path, text: str, count: int) -> None:
    assert await counted(tmp_path, text) == [count]


async def test_a_missing_text_has_no_words(tmp_path: Path) -> None:
    assert await counted(tmp_path, None, "", " ", "one") == [0, 0, 0, 1]


async def test_the_column_can_be_named(tmp_path: Path) -> None:
    module = COUNTER.model_validate({"input_column": "title", "output_column": "titleWords"})
    after = await module.transform(result_set([document("a", title="Two words")]), step_run(services_with(tmp_path)))
    assert list(after.documents["titleWords"]) == [2]
