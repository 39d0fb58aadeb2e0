"""What each engine's URL gives: its page, profile, starters, colour and language, as they are now; or what is wrong with it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx
import pandas as pd
import pytest
from sqlalchemy import update

from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.store import Store
from chatsearch.store.engines import Engines, Saved
from chatsearch.store.tables import engine_versions
from tests.chat.saved import in_store, saved, spec

T = TypeVar("T")
HTML = {"Accept": "text/html"}

pytestmark = pytest.mark.usefixtures("real_look")


@pytest.fixture(scope="module")
def german(services: Services) -> Saved:
    return saved(services)


def settings_of(http: httpx.Client, base: str) -> dict[str, Any]:
    answer = http.get(f"{base}/project/settings?language=en-US")
    assert answer.status_code == 200
    return dict(answer.json())


def test_each_engine_has_its_own_page_profile_starters_colour_and_mode(http: httpx.Client, german: Saved) -> None:
    base = f"/e/{german.id}"
    page, other = http.get(f"{base}/").text, http.get("/e/demo/").text
    assert "<title>Zweite &lt;Suche&gt;</title>" in page
    assert '<html lang="de">' in page
    assert "<title>Wikipedia sample</title>" in other
    assert re.findall(r"window.theme = .*", page) != re.findall(r"window.theme = .*", other)
    settings = settings_of(http, base)
    (profile,) = settings["chatProfiles"]
    assert profile["name"] == "Zweite <Suche>"
    assert profile["markdown_description"] == "**Zweite \\<Suche\\>**\n\nAus \\<b\\>Wien\\</b\\>"
    assert [starter["label"] for starter in settings["starters"]] == ["Was ist Internet2?"]
    assert [starter["label"] for starter in profile["starters"]] == ["Was ist Internet2?"]
    assert settings_of(http, "/e/demo")["chatProfiles"][0]["name"] == "Wikipedia sample"
    assert settings_of(http, "")["chatProfiles"][0]["name"] == "Wikipedia sample"
    assert [http.get(f"{one}/auth/config").json()["default_theme"] for one in (base, "/e/demo")] == ["dark", "system"]


def test_the_interface_speaks_the_language_of_the_engine_else_that_of_the_browser(
    http: httpx.Client, services: Services, german: Saved
) -> None:
    def placeholder(base: str, language: str) -> str:
        answer = http.get(f"{base}/project/translations?language={language}")
        return str(answer.json()["translation"]["chat"]["input"]["placeholder"])

    assert placeholder(f"/e/{german.id}", "en-US").startswith("Suchen oder")
    assert placeholder("/e/demo", "de-DE").startswith("Search, or")
    bare = saved(services, language="")
    assert placeholder(f"/e/{bare.id}", "de-AT").startswith("Suchen oder")
    assert placeholder(f"/e/{bare.id}", "fr").startswith("Cherchez")
    for unknown in ("xx", "", "..%2F..%2Fx", "en-US%00"):
        assert placeholder(f"/e/{bare.id}", unknown).startswith("Search, or")
    for language in ("tlh", "../../x", "de/../de"):
        odd = saved(services, language=language)
        assert placeholder(f"/e/{odd.id}", "en-US").startswith("Search, or")


def test_an_update_is_seen_by_the_next_page_and_a_revoked_engine_says_so(http: httpx.Client, services: Services) -> None:
    engine = saved(services)
    address = f"/e/{engine.id}/"
    assert "Zweite" in http.get(address).text
    in_store(services, lambda engines: engines.update(engine.id, spec(services, title="Dritte"), engine.token))
    assert "<title>Dritte</title>" in http.get(address).text
    in_store(services, lambda engines: engines.revoke(engine.id, engine.token))
    page = http.get(address, headers=HTML)
    assert (page.status_code, page.headers["content-type"]) == (410, "text/html; charset=utf-8")
    assert "was revoked by its owner" in page.text
    assert "Dritte" not in page.text
    told = http.get(f"{address}project/settings")
    assert told.status_code == 410
    assert "was revoked" in told.json()["detail"]


def test_an_engine_whose_module_is_gone_says_what_is_wrong(http: httpx.Client, services: Services) -> None:
    async def damage(engines: Engines) -> Saved:
        made = await engines.save(spec(services))
        text = json.dumps({"pipeline": {"1": {"id": "gone_module"}}})
        async with engines._rows._database.writing() as connection:
            await connection.execute(update(engine_versions).where(engine_versions.c.engine == made.id).values(spec=text))
        return made

    page = http.get(f"/e/{in_store(services, damage).id}/", headers=HTML)
    assert page.status_code == 500
    assert "cannot be opened" in page.text
    assert "gone_module" in page.text


def test_a_judgement_is_kept_for_the_engine_of_its_result_set(http: httpx.Client, services: Services) -> None:
    async def with_store(work: Callable[[Store], Awaitable[T]]) -> T:
        store = await Store.open(services.settings)
        try:
            return await work(store)
        finally:
            await store.close()

    found = ResultSet("who?", "who", pd.DataFrame({"id": ["a"], "full-text": ["x"]}))
    kept = asyncio.run(with_store(lambda store: store.save_results(found, chat="c", engine="demo")))
    assert http.post("/e/demo/feedback", json={"set": kept, "document": "a", "value": -1}).status_code == 200
    assert http.post("/e/demo/feedback", json={"set": kept, "document": "a", "value": 7}).status_code == 422
    assert http.post("/e/nosuch/feedback", json={"set": kept, "document": "a", "value": 1}).status_code == 404
    evil = {"Origin": "https://evil.example"}
    assert http.post("/e/demo/feedback", json={"set": kept, "document": "a", "value": 1}, headers=evil).status_code == 403
    judged = asyncio.run(with_store(lambda store: store.feedback_of("demo")))
    assert [(one.query, one.document, one.value) for one in judged] == [("who?", "a", -1)]
