"""Saved engines: found by id and version, changed by their owner alone, never with a secret; and feedback about results."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, text

from chatsearch.errors import InputError, SpecError, StoreError
from chatsearch.results import Answer, ResultSet
from chatsearch.settings import Settings
from chatsearch.spec import Spec
from chatsearch.store import Store
from chatsearch.store.engines import NotOwnerError, Saved, _slug
from chatsearch.store.feedback import LONGEST_COMMENT, Judgement
from chatsearch.store.tables import VERSION_TABLE, engines
from tests.sources import OwnRegistry

REGISTRY = OwnRegistry()


def spec(title: str = "Arts Search", **top: Any) -> Spec:
    return Spec.load({"zebra": 1, "title": title, **top, "pipeline": {"1": {"id": "index_datasource"}}}, REGISTRY)


async def test_an_engine_comes_back_after_a_restart_in_its_order_of_keys(store: Store, settings: Settings) -> None:
    kept = spec(subtitle="Bücher\0 & 𝕏", starters=["Who?"], theme={"color": "orange"})
    saved = await store.engines.save(kept)
    assert (saved.version, len(saved.token)) == (1, 43)
    await store.close()
    again = await Store.open(settings)
    stored = await again.engines.get(saved.id)
    await again.close()
    assert stored
    assert list(json.loads(stored.text)) == ["zebra", "title", "subtitle", "starters", "theme", "pipeline"]
    assert json.loads(stored.text) == kept.data
    assert (stored.digest, stored.title, stored.version, stored.current) == (kept.digest, "Arts Search", 1, 1)
    assert stored.public
    assert not stored.revoked


@pytest.mark.parametrize(
    ("title", "begins"),
    [
        ("Arts Search", "arts-search-"),
        ("Élan vital!", "elan-vital-"),
        ("Поиск", "engine-"),
        ("", "engine-"),
        ("x" * 90, "xxxx"),
    ],
)
async def test_the_id_begins_with_the_title_and_can_stand_in_a_url(store: Store, title: str, begins: str) -> None:
    saved = await store.engines.save(spec(title))
    assert saved.id.startswith(begins)
    assert re.fullmatch(r"[a-z0-9-]{1,40}-[0-9a-hjkmnp-tv-z]{6}", saved.id)


async def test_a_store_without_engines_is_upgraded_and_keeps_what_it_has(store: Store, settings: Settings) -> None:
    identifier = await judged(store)
    async with store._rows.database.writing() as connection:
        for table in ("engine_versions", "engines", "feedback"):
            await connection.execute(text(f"DROP TABLE {table}"))
        await connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = 'm0001'"))
    await store.close()
    again = await Store.open(settings)
    assert await again.load_results(identifier)
    assert (await again.engines.save(spec())).version == 1
    await again.close()


@given(st.text(max_size=300))
def test_the_beginning_of_an_id_is_plain_whatever_the_title(title: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", _slug(title))
    assert len(_slug(title)) <= 40


async def test_engines_of_one_title_have_ids_and_tokens_of_their_own(store: Store) -> None:
    saved = await asyncio.gather(*(store.engines.save(spec()) for _ in range(10)))
    assert len({one.id for one in saved}) == len({one.token for one in saved}) == 10


async def test_an_id_that_is_taken_is_not_given_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    letters = iter("aaaaaa" + "aaaaaa" + "bbbbbb")
    monkeypatch.setattr("chatsearch.store.engines.secrets.choice", lambda _: next(letters))
    assert (await store.engines.save(spec())).id == "arts-search-aaaaaa"
    assert (await store.engines.save(spec("Arts, search"))).id == "arts-search-bbbbbb"
    stored = await store.engines.get("arts-search-aaaaaa")
    assert stored
    assert stored.title == "Arts Search"


async def test_the_owner_makes_versions_and_the_id_stays(store: Store) -> None:
    saved = await store.engines.save(spec())
    assert await store.engines.update(saved.id, spec("Arts two"), f" {saved.token}\n") == 2
    assert await store.engines.update(saved.id, spec("Arts two"), saved.token) == 2  # nothing changed
    newest, first = await store.engines.get(saved.id), await store.engines.get(saved.id, 1)
    assert newest
    assert first
    assert (newest.version, newest.title, first.version, first.title, first.current) == (2, "Arts two", 1, "Arts Search", 2)
    lines = await store.engines.versions(saved.id)
    assert [(line.version, line.title) for line in lines] == [(2, "Arts two"), (1, "Arts Search")]
    assert lines[1].digest == spec().digest
    assert await store.engines.state(saved.id) == (2, False)


async def test_updates_at_once_make_one_version_each(store: Store) -> None:
    saved = await store.engines.save(spec())
    made = await asyncio.gather(*(store.engines.update(saved.id, spec(f"T{n}"), saved.token) for n in range(6)))
    assert sorted(made) == [2, 3, 4, 5, 6, 7]
    newest = await store.engines.get(saved.id)
    assert newest
    assert newest.version == 7


@pytest.mark.parametrize("token", ["", "wrong", "ü\ud800", "x" * 10_000])
async def test_another_token_changes_nothing(store: Store, token: str) -> None:
    saved, other = await store.engines.save(spec()), await store.engines.save(spec())
    for wrong in (token, other.token, saved.token[:-1]):
        with pytest.raises(NotOwnerError, match="not the edit token.*shown once"):
            await store.engines.update(saved.id, spec("Mine now"), wrong)
        with pytest.raises(NotOwnerError):
            await store.engines.revoke(saved.id, wrong)
    assert await store.engines.state(saved.id) == (1, False)


async def test_the_token_is_kept_nowhere(store: Store) -> None:
    saved = await store.engines.save(spec())
    async with store._rows.database.reading() as connection:
        row = (await connection.execute(select(engines))).one()
    assert not any(saved.token.encode() in (value if isinstance(value, bytes) else str(value).encode()) for value in row)
    assert saved.token not in repr(saved)
    assert isinstance(saved, Saved)


async def test_a_revoked_engine_says_so_and_cannot_be_changed(store: Store) -> None:
    saved = await store.engines.save(spec())
    await store.engines.revoke(saved.id, saved.token)
    stored = await store.engines.get(saved.id)
    assert stored
    assert stored.revoked
    assert await store.engines.state(saved.id) == (1, True)
    assert await store.engines.list_public() == []
    assert await store.engines.versions(saved.id) == []
    for change in (store.engines.update(saved.id, spec("Again"), saved.token), store.engines.revoke(saved.id, saved.token)):
        with pytest.raises(InputError, match="was revoked by its owner"):
            await change


async def test_an_engine_that_is_not_there_is_none_or_an_error(store: Store) -> None:
    for wrong in ("nosuch", "", "a\0b", "\ud800", "x" * 5000):
        assert await store.engines.get(wrong) is None
        assert await store.engines.state(wrong) is None
        assert await store.engines.versions(wrong) == []
        with pytest.raises(InputError, match="There is no saved engine"):
            await store.engines.update(wrong, spec(), "token")
    saved = await store.engines.save(spec())
    for version in (0, -1, 2, 10**12):
        assert await store.engines.get(saved.id, version) is None


async def test_public_engines_are_listed_with_the_last_updated_first(store: Store) -> None:
    first = await store.engines.save(spec("First", subtitle="one"))
    await store.engines.save(spec("Hidden"), public=False)
    second = await store.engines.save(spec("Second"))
    assert [line.id for line in await store.engines.list_public()] == [second.id, first.id]
    await store.engines.update(first.id, spec("First again", subtitle="two"), first.token)
    lines = await store.engines.list_public()
    assert [(line.title, line.subtitle, line.version) for line in lines] == [("First again", "two", 2), ("Second", "", 1)]
    assert [line.id for line in await store.engines.list_public(limit=1, offset=1)] == [second.id]


async def test_a_spec_with_a_secret_is_not_saved(store: Store) -> None:
    secret = spec(conversation={"api_key": "hunter2"})
    saved = await store.engines.save(spec())
    with pytest.raises(SpecError, match="looks like a secret"):
        await store.engines.save(secret)
    with pytest.raises(SpecError, match="looks like a secret"):
        await store.engines.update(saved.id, secret, saved.token)
    assert await store.engines.state(saved.id) == (1, False)


async def test_a_spec_that_could_not_be_read_again_for_its_size_is_not_saved(settings: Settings) -> None:
    store = await Store.open(settings.model_copy(update={"max_spec_bytes": 200}))
    with pytest.raises(SpecError, match="at most 200 are kept"):
        await store.engines.save(spec(description="ü" * 100))
    assert (await store.engines.save(spec())).version == 1
    await store.close()


FRAME = pd.DataFrame({"id": ["a", "b\0", "long" * 2000], "full-text": ["x", "y", "z"]})


async def judged(store: Store, engine: str = "demo") -> str:
    """A result set with an answer, to be judged."""
    identifier = await store.save_results(ResultSet("who?", "who", FRAME), chat="c", engine=engine)
    await store.add_answer(identifier, Answer("and when?", "when?", "In 1943.", False, "m"))
    return identifier


def told(rows: list[Judgement]) -> list[tuple[str, str | None, int | None, int]]:
    return [(row.query, row.document, row.answer, row.value) for row in rows]


async def test_judgements_of_documents_and_answers_are_kept_by_engine(store: Store) -> None:
    identifier, other = await judged(store), await judged(store, "arts")
    await store.add_feedback(identifier, "a", None, 1, " good \0")
    await store.add_feedback(identifier, "long" * 2000, None, -1)
    await store.add_feedback(identifier, None, 1, -1)
    await store.add_feedback(identifier, None, 0, 1)
    await store.add_feedback(other, "a", None, -1)
    rows = await store.feedback_of("demo")
    assert told(rows) == [
        ("who?", "a", None, 1),
        ("who?", "long" * 2000, None, -1),
        ("and when?", None, 1, -1),
        ("who?", None, 0, 1),
    ]
    assert rows[0].comment == "good �"
    assert told(await store.feedback_of("arts")) == [("who?", "a", None, -1)]
    assert await store.feedback_of("nosuch") == []


async def test_a_later_judgement_replaces_the_one_before_and_0_takes_it_back(store: Store) -> None:
    identifier = await judged(store)
    await store.add_feedback(identifier, "a", None, 1)
    await store.add_feedback(identifier, None, 1, 1)
    await store.add_feedback(identifier, "a", None, -1)
    assert told(await store.feedback_of("demo")) == [("and when?", None, 1, 1), ("who?", "a", None, -1)]
    await store.add_feedback(identifier, "a", None, 0)
    await store.add_feedback(identifier, "b\0", None, 0)
    assert told(await store.feedback_of("demo")) == [("and when?", None, 1, 1)]


async def test_judgements_of_one_thing_at_once_leave_one(store: Store) -> None:
    identifier = await judged(store)
    await asyncio.gather(*(store.add_feedback(identifier, "a", None, value) for value in (1, -1) * 5))
    assert len(await store.feedback_of("demo")) == 1


async def test_a_judgement_outlives_its_result_set(store: Store, settings: Settings) -> None:
    identifier = await judged(store)
    await store.add_feedback(identifier, "a", None, 1)
    for n in range(3):
        await store.save_results(replace(ResultSet(str(n), "", FRAME)), chat="c", engine="demo")
    await store.close()
    store = await Store.open(settings.model_copy(update={"results_keep_most": 1}))
    await store.purge()
    assert await store.load_results(identifier) is None
    assert told(await store.feedback_of("demo")) == [("who?", "a", None, 1)]
    with pytest.raises(StoreError, match="no longer kept"):
        await store.add_feedback(identifier, "a", None, 1)
    await store.close()


@pytest.mark.parametrize(
    ("document", "answer", "value", "comment", "said"),
    [
        ("a", None, 2, "", "no judgement"),
        ("a", None, True, "", "no judgement"),
        ("a", 1, 1, "", "name one of the two"),
        (None, None, 1, "", "name one of the two"),
        ("a", None, 1, "x" * (LONGEST_COMMENT + 1), "at most 2,000"),
    ],
)
async def test_what_is_no_judgement_is_refused(
    store: Store, document: str | None, answer: int | None, value: int, comment: str, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        await store.add_feedback(await judged(store), document, answer, value, comment)


async def test_what_the_result_set_does_not_have_cannot_be_judged(store: Store) -> None:
    identifier = await judged(store)
    for document, answer in (("z", None), (None, 2), (None, -1)):
        with pytest.raises((StoreError, InputError), match="cannot be judged"):
            await store.add_feedback(identifier, document, answer, 1)
    assert await store.feedback_of("demo") == []
