"""The engines of a server by id: which spec each gives, when it changes, and which are shown to everybody."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from chatsearch.engines import RevokedEngineError, UnknownEngineError
from chatsearch.errors import SpecError, StoreError
from chatsearch.known_engines import KnownEngines
from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.store.engines import Engines, Saved
from chatsearch.store.tables import engine_versions
from tests.sources import services_with

GOOD: dict[str, Any] = {"title": "Mine", "pipeline": {"1": {"id": "index_datasource"}}}


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    made = services_with(tmp_path)
    yield made
    await made.close()


@pytest.fixture
async def engines(services: Services) -> Engines:
    return (await services.store()).engines


@pytest.fixture
def known(services: Services) -> KnownEngines:
    return KnownEngines.open(services, "demo")


def spec(services: Services, **changed: Any) -> Spec:
    return Spec.load({**GOOD, **changed}, services.registry)


async def test_the_default_engine_is_found_without_an_id_and_by_its_own(known: KnownEngines) -> None:
    assert (await known.find()).title == "Wikipedia sample"
    assert await known.find("demo") is await known.find()
    assert (await known.find("arts")).title == "Arts Search"
    assert await known.find("arts") is await known.find("arts")


async def test_an_administrators_file_is_at_its_name_even_when_a_built_in_engine_has_it(
    services: Services, tmp_path: Path
) -> None:
    (tmp_path / "arts.json").write_text(json.dumps(GOOD), "utf-8")
    known = KnownEngines.open(services, str(tmp_path / "arts.json"))
    assert (await known.find()).title == (await known.find("arts")).title == "Mine"
    assert (await known.find("demo")).title == "Wikipedia sample"


async def test_a_saved_engine_is_checked_once_per_version_and_an_update_is_seen(
    services: Services, engines: Engines, known: KnownEngines
) -> None:
    saved = await engines.save(spec(services))
    first = await known.find(saved.id)
    assert (first.title, first.name) == ("Mine", saved.id)
    assert await known.find(saved.id) is first
    await engines.update(saved.id, spec(services, title="Later"), saved.token)
    assert (await known.find(saved.id)).title == "Later"
    assert first.title == "Mine"  # a chat that has it keeps it


async def test_a_revoked_engine_and_one_that_is_not_there_are_told_apart(
    services: Services, engines: Engines, known: KnownEngines
) -> None:
    saved = await engines.save(spec(services))
    await known.find(saved.id)
    await engines.revoke(saved.id, saved.token)
    with pytest.raises(RevokedEngineError, match="was revoked by its owner"):
        await known.find(saved.id)
    for wrong in ("mine-abc123", "nosuch", "DEMO", "../specs/demo", "a\0b", "x" * 5000):
        with pytest.raises(UnknownEngineError) as caught:
            await known.find(wrong)
        assert len(str(caught.value)) < 200


async def test_a_saved_engine_can_be_the_default_one_and_follows_its_owner(services: Services, engines: Engines) -> None:
    saved = await engines.save(spec(services))
    known = KnownEngines.open(services, saved.id)
    assert (known.default_is_saved, known.default.name) == (True, saved.id)
    await engines.update(saved.id, spec(services, title="Later"), saved.token)
    assert (await known.find()).title == (await known.find(saved.id)).title == "Later"
    listed = await known.public()
    assert [engine for engine, _ in listed.engines].count(saved.id) == 1


async def test_an_engine_that_is_not_right_any_more_is_an_error_and_is_not_listed(
    services: Services, engines: Engines, known: KnownEngines, caplog: pytest.LogCaptureFixture
) -> None:
    saved = await engines.save(spec(services))
    gone = json.dumps({"pipeline": {"1": {"id": "gone"}}})
    async with (await services.store())._rows.database.writing() as connection:
        await connection.execute(update(engine_versions).values(spec=gone))
    with pytest.raises(SpecError, match="gone"):
        await known.find(saved.id)
    assert saved.id not in dict((await known.public()).engines)
    assert "is not listed" in caplog.text


async def test_the_public_engines_come_page_by_page_with_our_own_first(
    services: Services, engines: Engines, known: KnownEngines
) -> None:
    saved: list[Saved] = [await engines.save(spec(services, title=f"T{n}")) for n in range(3)]
    await engines.save(spec(services, title="Hidden"), public=False)
    first, second = await known.public(1, size=2), await known.public(2, size=2)
    names = [engine for engine, _ in first.engines]
    assert names[0] == "demo"
    assert "arts" in names
    assert names[-2:] == [saved[2].id, saved[1].id]
    assert first.more
    assert [engine for engine, _ in second.engines] == [saved[0].id]
    assert not second.more
    assert (await known.public(3, size=2)).engines == []


async def test_a_store_that_cannot_be_read_leaves_the_built_in_engines(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"no database" * 1000)
    known = KnownEngines.open(services_with(tmp_path), "demo")
    listed = await known.public()
    assert listed.trouble
    assert next(engine for engine, _ in listed.engines) == "demo"
    with pytest.raises(StoreError):
        await known.find("mine-abc123")


async def test_a_look_that_cannot_be_shown_is_in_the_log(
    services: Services, engines: Engines, known: KnownEngines, caplog: pytest.LogCaptureFixture
) -> None:
    saved = await engines.save(spec(services, theme={"color": "oranje", "logo_url": "http://evil.example/x.svg"}))
    with caplog.at_level(logging.WARNING):
        await known.find(saved.id)
    assert "“oranje” is no colour" in caplog.text
    assert "Did you mean “orange”" in caplog.text
    assert "logo is not shown" in caplog.text
