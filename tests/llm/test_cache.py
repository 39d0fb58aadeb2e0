"""Answers kept on disk: found again, bounded, shared, and never in the way."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest

from chatsearch.llm.cache import AnswerCache, cache_key


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(tmp_path / "cache" / "answers.sqlite", 100_000)


def test_an_answer_is_found_again_also_by_another_process(cache: AnswerCache) -> None:
    cache.put("k", "Grüße 🎨")
    assert cache.get("k") == AnswerCache(cache.path, 100_000).get("k") == "Grüße 🎨"
    assert cache.get("other") is None


def test_the_file_is_readable_by_its_owner_only(cache: AnswerCache) -> None:
    cache.put("k", "x")
    assert stat.S_IMODE(cache.path.stat().st_mode) == 0o600


def test_it_stays_within_its_size_and_lets_go_of_what_was_used_least(cache: AnswerCache) -> None:
    for n in range(60):
        cache.put(f"k{n}", "x" * 4_000)
        assert cache.get("k0") is not None
    kept = [n for n in range(60) if cache.get(f"k{n}") is not None]
    assert 15 < len(kept) <= 24
    assert 0 in kept
    assert 59 in kept
    assert 1 not in kept


def test_an_answer_larger_than_the_cache_is_not_kept(cache: AnswerCache) -> None:
    cache.put("k", "x" * 200_000)
    assert cache.get("k") is None


def test_a_damaged_file_stops_nothing(cache: AnswerCache, caplog: pytest.LogCaptureFixture) -> None:
    cache.path.parent.mkdir(parents=True)
    cache.path.write_bytes(b"this is no database at all, but it is long enough to be read as one" * 100)
    cache.put("k", "x")
    assert cache.get("k") is None
    assert "cannot be used" in caplog.text


def test_a_folder_that_cannot_be_made_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = AnswerCache(tmp_path / "file" / "answers.sqlite", 1000)
    cache.put("k", "x")
    assert cache.get("k") is None


def test_without_a_size_nothing_is_kept(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path / "answers.sqlite", 0)
    cache.put("k", "x")
    assert cache.get("k") is None
    assert not cache.path.exists()


def test_lone_surrogates_are_no_error(cache: AnswerCache) -> None:
    cache.put("k", "a\ud800b")
    assert cache.get("k") == "a?b"


def test_the_key_depends_on_model_place_messages_and_parameters() -> None:
    base = ("m", "u", [{"role": "user", "content": "x"}], {"t": 0})
    others = [
        ("n", *base[1:]),
        ("m", "v", *base[2:]),
        ("m", "u", [{"role": "user", "content": "y"}], {"t": 0}),
        (*base[:3], {"t": 1}),
    ]
    assert len({cache_key(*one) for one in (base, *others)}) == 5
    assert cache_key(*base) == cache_key(*base)


def test_the_cache_is_a_plain_sqlite_file(cache: AnswerCache) -> None:
    cache.put("k", "x")
    cache.close()
    with sqlite3.connect(cache.path) as connection:
        assert connection.execute("SELECT text FROM answers").fetchall() == [("x",)]
