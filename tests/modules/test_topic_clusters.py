"""Grouping documents by topic."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.registry import Registry
from tests.frames import HashedWords, quick_services, transformed
from tests.sources import document, result_set, services_with

TOPICS = Registry().get("topic_clusters")
STARS = [
    "The telescope shows distant galaxies.",
    "Stars and galaxies were seen by the telescope.",
    "A new telescope looks for planets near stars.",
]
BREAD = [
    "Bread is baked from flour in an oven.",
    "The baker puts flour and water into the dough.",
    "Dough rises before the bread goes into the oven.",
]
SPORT = ["The football team won the match.", "Fans cheered as the team scored in the match.", "A football player scored twice."]
ROWS = [
    document(f"{name}{n}", text, title="")
    for name, texts in (("s", STARS), ("b", BREAD), ("f", SPORT))
    for n, text in enumerate(texts)
]


async def test_topics_are_found_counted_and_labelled(tmp_path: Path) -> None:
    after, _ = await transformed(TOPICS, result_set(ROWS), services_with(tmp_path))
    topics = list(after.documents["topic"])
    assert [topics[n] for n in (0, 3, 6) for _ in range(3)] == topics
    assert len(set(topics)) == 3
    assert "telescope" in topics[0]
    assert any(word in topics[3].lower() for word in ("bread", "flour", "dough", "oven"))
    assert "team" in topics[6] or "match" in topics[6] or "football" in topics[6]
    assert after.roles["topic"] == ("chip",)


async def test_the_number_of_groups_can_be_given(tmp_path: Path) -> None:
    for clusters in (1, 2, 5, 50):
        after, _ = await transformed(TOPICS, result_set(ROWS), quick_services(tmp_path), clusters=clusters)
        assert len(set(after.documents["topic"])) == min(clusters, len(ROWS))


async def test_it_does_the_same_whatever_the_order_of_runs(tmp_path: Path) -> None:
    found = [
        list((await transformed(TOPICS, result_set(ROWS), quick_services(tmp_path)))[0].documents["topic"]) for _ in range(2)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 1000])
async def test_any_number_of_rows_gets_a_label_each(tmp_path: Path, count: int) -> None:
    rows = [document(str(n), f"{ROWS[n % 9]['full-text']} number{n}") for n in range(count)]
    after, _ = await transformed(TOPICS, result_set(rows), quick_services(tmp_path))
    assert after.documents["topic"].notna().all()
    assert 1 <= len(set(after.documents["topic"])) <= 10


async def test_equal_texts_are_one_topic_and_missing_texts_have_none(tmp_path: Path) -> None:
    rows = [*(document(f"d{n}", BREAD[0]) for n in range(6)), {**document("x"), "full-text": None}, document("y", "…")]
    after, _ = await transformed(TOPICS, result_set(rows[:7]), quick_services(tmp_path))
    assert len(set(after.documents["topic"][:6])) == 1
    assert after.documents["topic"].isna().tolist() == [False] * 6 + [True]


async def test_nothing_has_no_topic(tmp_path: Path) -> None:
    after, _ = await transformed(TOPICS, result_set([]), quick_services(tmp_path))
    assert list(after.documents["topic"]) == []


async def test_what_may_not_be_sent_keeps_all_on_this_machine(tmp_path: Path) -> None:
    services = quick_services(tmp_path)
    remote = HashedWords("remote")
    remote.remote = True
    services.embeddings._loaders["ollama/some"] = lambda: remote
    after, warnings = await transformed(
        TOPICS, result_set(ROWS).with_column("_no_llm_", [True] + [False] * 8), services, model="ollama/some"
    )
    assert after.documents["topic"].notna().all()
    assert warnings == {"not-sent": "1 of 9 documents may not be sent to “ollama/some”: a packaged model grouped all."}
    after, warnings = await transformed(TOPICS, result_set(ROWS), services, model="ollama/some")
    assert not warnings
