"""Removing punctuation from texts and from the query."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from tests.frames import quick_services, transformed
from tests.sources import document, result_set

REMOVAL = Registry().get("punctuation_removal")


async def cleaned(tmp_path: Path, text: object, query: str = "what", **parameters: object) -> ResultSet:
    results = result_set([{**document("a"), "cleaned-text": text}], query)
    return (await transformed(REMOVAL, results, quick_services(tmp_path), **parameters))[0]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Stop! “Go,” he said… (loudly).", "Stop Go he said loudly"),
        ("Don’t, can't; Saint-Denis", "Don’t can't Saint-Denis"),
        ("3.14 and 1,000 at 12:30.", "3.14 and 1,000 at 12:30"),
        ("see example.com, AT&T, C#, C++", "see example.com AT&T C# C++"),
        ("first.Second", "first Second"),
        ("a - b — c", "a b c"),
        ("¿Qué? ¡Sí! «oui»", "Qué Sí oui"),
        ("他住在纽约。1943年", "他住在纽约 1943年"),
        ("توفي، في نيويورك؟", "توفي في نيويورك"),
        ("नमस्ते। दुनिया", "नमस्ते दुनिया"),
        ("e\u0301t\u00e9, 5 € + 3 $", "e\u0301t\u00e9 5 € + 3 $"),
        ("a <= b | c ~ `d` ^", "a b c d"),
        ("two\n\nlines, here.", "two\n\nlines here"),
        ("...", ""),
    ],
)
async def test_marks_go_and_words_stay_whole(tmp_path: Path, text: str, left: str) -> None:
    after = await cleaned(tmp_path, text)
    assert after.documents["cleaned-text"][0] == left
    assert after.roles["cleaned-text"] == ("text",)


async def test_the_query_is_cleaned_unless_told_otherwise_and_what_was_asked_never(tmp_path: Path) -> None:
    for value, query in (
        ({}, "Who painted it"),
        ({"process_query": "Yes"}, "Who painted it"),
        ({"process_query": "No"}, "Who painted it?!"),
    ):
        after = await cleaned(tmp_path, "text", "Who painted it?!", **value)
        assert (after.query, after.asked) == (query, "Who painted it?!")


async def test_a_query_of_nothing_but_marks_stays(tmp_path: Path) -> None:
    assert (await cleaned(tmp_path, "text", "???")).query == "???"


async def test_a_missing_text_stays_missing(tmp_path: Path) -> None:
    after = await cleaned(tmp_path, None)
    assert after.documents["cleaned-text"].isna().all()
