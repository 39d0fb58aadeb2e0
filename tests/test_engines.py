"""Which spec a person names: a file, a built-in engine; and what is said when there is none."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from aiohttp import web

from chatsearch.engines import RevokedEngineError, UnknownEngineError, built_in_engines, find_shared, find_spec, spec_file
from chatsearch.errors import InputError, SpecError
from chatsearch.hosts import HostRefusedError
from chatsearch.http import HttpError
from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.store import Store
from chatsearch.store.engines import Saved
from tests.sources import services_with
from tests.stand_ins.serving import serving

GOOD = json.dumps({"title": "Mine", "pipeline": {"1": {"id": "index_datasource"}}})


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_found_and_named_after_itself(here: Path) -> None:
    (here / "arts.json").write_text(GOOD, encoding="utf-8")
    found = find_spec("arts.json", services_with(here))
    assert (found.name, found.title) == ("arts", "Mine")


@pytest.mark.parametrize("reference", ["demo", "demo.json", "specs/demo.json"])
def test_a_built_in_engine_is_found_from_any_folder(here: Path, reference: str) -> None:
    assert spec_file(reference) == built_in_engines()["demo"]
    assert find_spec(reference, services_with(here)).title == "Wikipedia sample"


def test_a_file_wins_over_a_built_in_engine_and_a_folder_does_not(here: Path) -> None:
    (here / "demo").mkdir()
    assert spec_file("demo") == built_in_engines()["demo"]
    (here / "demo").rmdir()
    (here / "demo").write_text(GOOD, encoding="utf-8")
    assert find_spec("demo", services_with(here)).title == "Mine"


@pytest.mark.parametrize("reference", ["nothing", "no/such.json", "x" * 5000, "a\x00b", "~nobody-of-that-name/x", "пример"])
def test_what_is_not_there_is_said_with_the_engines_there_are(here: Path, reference: str) -> None:
    with pytest.raises(InputError, match="demo") as caught:
        find_spec(reference, services_with(here))
    assert len(str(caught.value)) < 400


def test_the_nearest_engine_is_named(here: Path) -> None:
    with pytest.raises(InputError, match="Did you mean “demo”"):
        spec_file("demmo")


def test_a_url_is_no_file(here: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        spec_file("https://example.org/e/arts.json")


def test_a_folder_is_said_to_be_one(here: Path) -> None:
    (here / "some").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        find_spec("some", services_with(here))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_said(here: Path) -> None:
    (here / "mine.json").write_text(GOOD, encoding="utf-8")
    (here / "mine.json").chmod(0)
    with pytest.raises(InputError, match="cannot be read"):
        find_spec("mine.json", services_with(here))


def test_an_empty_file_is_not_json(here: Path) -> None:
    (here / "empty.json").write_bytes(b"")
    with pytest.raises(SpecError, match="The spec empty has a problem:\n  it is not JSON"):
        find_spec("empty.json", services_with(here))


def saved(services: Services, *, revoke: bool = False) -> Saved:
    """An engine in the store, which is closed again."""

    async def save() -> Saved:
        store = await Store.open(services.settings)
        made = await store.engines.save(Spec.loads(GOOD, services.registry))
        if revoke:
            await store.engines.revoke(made.id, made.token)
        await store.close()
        return made

    return asyncio.run(save())


def test_a_saved_engine_is_found_by_its_id_in_a_loop_or_without(here: Path) -> None:
    services = services_with(here)
    engine = saved(services)

    async def inside() -> list[Spec]:
        try:
            return [find_spec(engine.id, services), await find_shared(engine.id, services)]
        finally:
            await services.close()

    for found in (find_spec(engine.id, services), *asyncio.run(inside())):
        assert (found.name, found.title) == (engine.id, "Mine")


def test_a_file_wins_over_a_saved_engine_of_the_same_name(here: Path) -> None:
    services = services_with(here)
    engine = saved(services)
    (here / engine.id).write_text(GOOD.replace("Mine", "A file"), encoding="utf-8")
    assert find_spec(engine.id, services).title == "A file"


def test_a_revoked_engine_says_so(here: Path) -> None:
    services = services_with(here)
    engine = saved(services, revoke=True)
    with pytest.raises(RevokedEngineError, match="was revoked"):
        find_spec(engine.id, services)


def test_a_mistyped_name_makes_no_store(here: Path) -> None:
    for wrong in ("mine-abc123", "demmo"):
        with pytest.raises(UnknownEngineError):
            find_spec(wrong, services_with(here / "data"))
    assert not (here / "data").exists()


def test_a_name_of_a_hub_is_said_to_come_later(here: Path) -> None:
    with pytest.raises(UnknownEngineError, match="Names of a hub cannot be read yet"):
        find_spec("tugraz/arts", services_with(here))


async def test_people_who_chat_get_no_file_of_the_machine(here: Path) -> None:
    services = services_with(here)
    (here / "mine.json").write_text(GOOD, encoding="utf-8")
    (here / "demo").write_text(GOOD, encoding="utf-8")
    for file in ("mine.json", "mine", str(here / "mine.json"), "./mine.json", "file:///etc/passwd"):
        with pytest.raises((UnknownEngineError, HostRefusedError)):
            await find_shared(file, services)
    assert [(await find_shared(name, services)).title for name in ("demo", " Demo.json ")] == ["Wikipedia sample"] * 2


async def test_the_spec_at_a_url_of_an_allowed_host_is_read(here: Path) -> None:
    async def engine(request: web.Request) -> web.Response:
        bodies = {"/good.json": GOOD, "/page": " <!doctype html>", "/wrong.json": "{", "/long": GOOD + " " * 5000}
        if request.path == "/away":
            raise web.HTTPFound("http://evil.example/good.json")
        if request.path not in bodies:
            return web.Response(status=404)
        return web.Response(text=bodies[request.path])

    app = web.Application()
    app.router.add_get("/{path:.*}", engine)
    async with serving(app) as url:
        services = services_with(here, allowed_hosts=("127.0.0.1:*",), max_spec_bytes=4000)
        found = await find_shared(f"{url}/good.json", services)
        assert (found.name, found.title) == ("good", "Mine")
        assert (await asyncio.to_thread(find_spec, f"{url}/good.json", services)).title == "Mine"
        for path, error, said in (
            ("/page", InputError, "a web page and no spec"),
            ("/wrong.json", SpecError, "not JSON"),
            ("/long", SpecError, "at most 4,000 are read"),
            ("/away", HttpError, "not followed"),
            ("/nothing", HttpError, "HTTP 404"),
        ):
            with pytest.raises(error, match=said):
                await find_shared(url + path, services)
        with pytest.raises(HostRefusedError, match="may not ask"):
            await find_shared(f"{url}/good.json", services_with(here))
