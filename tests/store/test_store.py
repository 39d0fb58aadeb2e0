"""Result sets and answers come back as they were kept: by id, by chat, by document; old ones go."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest
from sqlalchemy import event, select, update

from chatsearch.citations import Check, Footnote
from chatsearch.errors import StoreError
from chatsearch.passages import Span
from chatsearch.results import Answer, JourneyStep, LedgerRow, ResultSet, RunWarning, Summary
from chatsearch.settings import Settings
from chatsearch.store import Store, StoredResults
from chatsearch.store import store as store_file
from chatsearch.store.database import Database
from chatsearch.store.tables import result_documents, result_sets
from tests.sources import document

NOTE = Footnote(1, "a", "Å\0", "https://a.example/", 5, "full-text", "Tesla lived", 0, 11, Check.EXACT)
LOST = Footnote(2, "b", "", "", 9, None, None, None, None, Check.NOT_FOUND)
ANSWER = Answer("and then?", "and then, Tesla?", "He died [1] [2].", False, "extractive", (NOTE, LOST), (Span(3, 7),))


def result_set(*ids: str, asked: str = "Where did Tesla live?") -> ResultSet:
    """A result set with something in every field."""
    rows = [document(one, f"Tesla lived in {one}.", n=n, mood=None if n else {"glad": 0.5}) for n, one in enumerate(ids)]
    return ResultSet(
        asked=asked,
        query="tesla live",
        documents=pd.DataFrame(rows),
        roles={"full-text": ("text",), "mood": ("chip", "rank")},
        summaries=(Summary("Summary", "Here [1]", "extractive", (NOTE,)), Summary("No", "nothing", "m", refused=True)),
        numbers={one: n for n, one in enumerate(ids, start=1)},
        journey=(JourneyStep(1, "source", {one: n for n, one in enumerate(ids, start=1)}), JourneyStep(2, "bm25", {})),
        ledger=(LedgerRow(1, "source", 0, len(ids), 0.125, cost_usd=1e-7),),
        warnings=(RunWarning(0, "", "late", "It was late."),),
    )


def assert_equal(one: ResultSet, other: ResultSet) -> None:
    pd.testing.assert_frame_equal(one.documents, other.documents, check_exact=True)
    assert {**one.__dict__, "documents": None} == {**other.__dict__, "documents": None}


async def loaded(store: Store, identifier: str) -> StoredResults:
    found = await store.load_results(identifier)
    assert found
    return found


async def made(store: Store, *ids: str, chat: str = "chat", engine: str = "demo", asked: str = "?") -> str:
    return await store.save_results(result_set(*ids, asked=asked), chat=chat, engine=engine)


async def test_a_result_set_comes_back_equal_after_a_restart(store: Store, settings: Settings) -> None:
    kept = result_set("a", "b\0", "ü" * 3000)
    spec = {"title": "T", "pipeline": {"1": {"id": "x", "parameters": {"k": [1, None, 2.5]}}}}
    before = datetime.now(UTC)
    identifier = await store.save_results(kept, chat="chat", engine="demo", spec=spec)
    await store.add_answer(identifier, ANSWER)
    await store.close()
    again = await Store.open(settings)
    stored = await loaded(again, identifier)
    await again.close()
    assert_equal(stored.results, kept)
    assert stored.answers == (ANSWER,)
    assert (stored.chat, stored.engine, stored.spec) == ("chat", "demo", spec)
    assert before <= stored.created <= datetime.now(UTC)
    assert stored.created.tzinfo is UTC


async def test_an_empty_result_set_comes_back(store: Store) -> None:
    for empty in (ResultSet("a", "b", pd.DataFrame()), ResultSet("a", "b", pd.DataFrame(columns=["id", "title"]))):
        identifier = await store.save_results(empty, chat="c", engine="e")
        stored = await loaded(store, identifier)
        assert_equal(stored.results, empty)
        assert stored.spec is None


async def test_ids_cannot_be_guessed_and_unknown_ones_give_nothing(store: Store) -> None:
    ids = {await made(store, "a") for _ in range(3)}
    assert len(ids) == 3
    assert all(len(one) == 32 and int(one, 16) for one in ids)
    for unknown in ("", "1", "0" * 32, "a\0", "\ud800", "' OR 1=1 --"):
        assert await store.load_results(unknown) is None
        assert await store.current(unknown) is None
        assert await store.find_document(unknown, "a") is None
        assert await store.find_document("demo", unknown) is None
        assert not await store.make_current("chat", unknown)


async def test_answers_stay_in_their_order(store: Store) -> None:
    identifier = await made(store, "a")
    other = await made(store, "a")
    answers = tuple(replace(ANSWER, question=f"q{n}\0\ud800") for n in range(12))
    for answer in answers:
        await store.add_answer(identifier, answer)
        await store.add_answer(other, ANSWER)
    assert (await loaded(store, identifier)).answers == answers


async def test_an_answer_about_a_set_that_went_is_an_error_that_says_so(store: Store) -> None:
    with pytest.raises(StoreError, match="no result set 123: it was removed"):
        await store.add_answer("123", ANSWER)
    with pytest.raises(StoreError, match="no result set 123"):
        await store.update_results("123", result_set("a"))


async def test_the_last_set_of_a_chat_is_its_current_one_until_another_is_made_current(store: Store) -> None:
    first, second = await made(store, "a"), await made(store, "b")
    elsewhere = await made(store, "c", chat="other")
    assert await current(store) == second
    assert await store.make_current("chat", first)
    assert await current(store) == first
    assert not await store.make_current("chat", elsewhere)
    assert await current(store) == first
    third = await made(store, "d")
    assert await current(store) == third
    assert await current(store, "other") == elsewhere


async def current(store: Store, chat: str = "chat") -> str:
    found = await store.current(chat)
    assert found
    return found.id


async def test_the_sets_of_a_chat_are_listed_oldest_first(store: Store) -> None:
    first, second = await made(store, "a", "b", asked="one\0?"), await made(store, asked="two?")
    await made(store, "a", chat="other")
    await store.make_current("chat", first)
    await store.add_answer(first, ANSWER)
    lines = await store.sets_of("chat")
    assert [(line.id, line.asked, line.documents, line.answers) for line in lines] == [
        (first, "one\ufffd?", 2, 1),
        (second, "two?", 0, 0),
    ]
    assert lines[0].created < lines[1].created
    assert await store.sets_of("nobody's") == []


async def test_a_summary_that_came_later_is_kept_and_answers_stay(store: Store) -> None:
    identifier = await made(store, "a", "b")
    await store.add_answer(identifier, ANSWER)
    later = result_set("b", "c").with_summary(Summary("Late", "t", "m"))
    await store.update_results(identifier, later)
    stored = await loaded(store, identifier)
    assert_equal(stored.results, later)
    assert stored.answers == (ANSWER,)
    assert await store.find_document("demo", "a") is None
    assert await store.find_document("demo", "c")


async def test_a_document_is_found_in_the_newest_set_of_its_engine(store: Store) -> None:
    await made(store, "a", "x")
    newest = await made(store, "b", "c", "x")
    await made(store, "x", engine="other")
    found = await store.find_document("demo", "x")
    assert found
    assert (found[0].id, found[1]) == (newest, 2)
    assert found[0].results.documents["id"].iloc[found[1]] == "x"
    assert await store.find_document("demo", "y") is None
    assert await store.find_document("third", "x") is None


async def test_sets_not_used_for_too_long_go_with_all_that_belongs_to_them(store: Store, settings: Settings) -> None:
    old, used, new = [await made(store, "a", asked=name) for name in ("old", "used", "new")]
    await purged(store)
    await store.add_answer(old, ANSWER)
    await last_used(settings, [old, used], datetime.now(UTC) - timedelta(days=settings.results_keep_days, minutes=1))
    await store.add_answer(used, ANSWER)
    assert await store.purge() == 1
    assert [line.id for line in await store.sets_of("chat")] == [used, new]
    assert await store.purge() == 0
    assert await documents_kept(settings) == 2


async def test_sets_beyond_the_number_that_is_kept_go_oldest_first(settings: Settings) -> None:
    store = await Store.open(settings.model_copy(update={"results_keep_most": 3}))
    ids = [await made(store, "a") for _ in range(7)]
    await purged(store)
    await store.make_current("chat", ids[0])
    assert await store.purge() == 4
    assert [line.id for line in await store.sets_of("chat")] == [ids[0], ids[5], ids[6]]
    await store.close()


async def test_old_sets_go_by_themselves_and_never_in_the_way_of_a_new_one(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store_file, "SECONDS_BETWEEN_PURGES", 0)
    store = await Store.open(settings.model_copy(update={"results_keep_most": 1}))
    await made(store, "a")
    last = await made(store, "b")
    await purged(store)
    assert [line.id for line in await store.sets_of("chat")] == [last]

    async def broken() -> int:
        raise StoreError("the disk is full")

    monkeypatch.setattr(store, "purge", broken)
    await made(store, "c")
    await purged(store)
    assert "the disk is full" in caplog.text
    await store.close()


async def purged(store: Store) -> None:
    assert store._purging
    await asyncio.wait_for(store._purging, 60)


async def last_used(settings: Settings, ids: Sequence[str], moment: datetime) -> None:
    database = await Database.open(settings)
    async with database.writing() as connection:
        await connection.execute(update(result_sets).where(result_sets.c.id.in_(ids)).values(used=moment))
    await database.close()


async def documents_kept(settings: Settings) -> int:
    database = await Database.open(settings)
    async with database.reading() as connection:
        rows = (await connection.execute(select(result_documents))).all()
    await database.close()
    return len(rows)


async def test_a_damaged_row_is_an_error_that_names_the_result_set(store: Store, settings: Settings) -> None:
    identifier = await made(store, "a")
    for damage in ({"frame": b"nothing"}, {"state": b"\x80\x04K\x01."}):
        database = await Database.open(settings)
        async with database.writing() as connection:
            await connection.execute(update(result_sets).values(**damage))
        await database.close()
        with pytest.raises(StoreError, match=f"{identifier} in the store cannot be read"):
            await store.load_results(identifier)


@pytest.mark.parametrize("moment", ["before_cursor_execute 1", "before_cursor_execute 2", "commit 1"])
async def test_a_save_whose_task_is_stopped_is_finished_and_holds_up_nobody(
    store: Store, settings: Settings, moment: str
) -> None:
    await made(store, "a")
    await purged(store)
    name, count = moment.split()
    countdown = iter(range(int(count) - 1, -1, -1))
    saving = asyncio.create_task(made(store, "x", "y", chat="stopped"))

    def stop(*_: object) -> None:
        if next(countdown, -1) == 0:
            saving.cancel()

    engine = store._rows.database._engine.sync_engine
    event.listen(engine, name, stop)
    await asyncio.gather(saving, return_exceptions=True)
    assert saving.cancelled()
    await made(store, "b")
    await store.close()
    again = await Store.open(settings)
    (line,) = await again.sets_of("stopped")
    assert len((await loaded(again, line.id)).results) == line.documents == 2
    assert await again.find_document("demo", "y")
    await again.close()


async def test_many_at_once_in_one_process_lose_nothing(store: Store) -> None:
    ids = await asyncio.gather(*(made(store, "a", chat=f"chat{n % 3}") for n in range(30)))
    await asyncio.gather(*(store.add_answer(ids[n % 2], replace(ANSWER, question=str(n))) for n in range(30)))
    assert sum([len(await store.sets_of(f"chat{n}")) for n in range(3)]) == 30
    kept = [answer.question for one in ids[:2] for answer in (await loaded(store, one)).answers]
    assert sorted(map(int, kept)) == list(range(30))
