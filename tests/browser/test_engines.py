"""Engines at their own URLs in Chromium: two tabs of two engines never mix, each has its own look; the gallery has no script."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from chatsearch.chat.theme import READABLE, contrast
from chatsearch.services import Services
from chatsearch.settings import load_settings
from chatsearch.spec import Spec
from chatsearch.store import Store
from chatsearch.store.engines import Saved
from tests.browser.conftest import FLAGS, WAIT, Watched, picture, say
from tests.browser.test_chat import idle
from tests.serving import running_server

pytestmark = pytest.mark.browser

AXE = Path(__file__).with_name("axe.min.js")
GERMAN = {
    "title": "Zweite Suche",
    "subtitle": "Dieselben Artikel, nur nach Wörtern",
    "description": "Sucht **lexikalisch**. ![x](https://evil.example/p.png) <img src=x onerror=alert(1)>",
    "language": "de",
    "theme": {"color": "gold", "mode": "dark"},
    "starters": ["What is Internet2?", '<b>hi</b> & "x"'],
    "pipeline": {
        "1": {"id": "index_datasource", "parameters": {"index": "demo", "mode": "lexical", "limit": 3}},
        "2": {"id": "all_results_summarizer"},
    },
}


async def save(data_dir: Path, **changed: Any) -> Saved:
    """An engine saved in the store of a server, as another process does it."""
    services = Services(load_settings(data_dir=data_dir))
    store = await Store.open(services.settings)
    saved = await store.engines.save(Spec.load({**GERMAN, **changed}, services.registry))
    await store.close()
    return saved


@asynccontextmanager
async def browser_context(**context: Any) -> AsyncIterator[Any]:
    """One visitor's browser, in which tabs share cookies and storage."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        made = await browser.new_context(viewport={"width": 1280, "height": 900}, **context)
        made.set_default_timeout(WAIT)
        yield made
        await browser.close()


async def open_tab(context: Any, origin: str, path: str) -> tuple[Any, Watched]:
    page, watched = await context.new_page(), Watched(origin)
    watched.watch(page)
    await page.goto(origin + path)
    await ready(page)
    return page, watched


async def ready(page: Any) -> None:
    await page.wait_for_selector("#chat-input")
    await page.wait_for_load_state("networkidle")


async def search(page: Any, query: str) -> int:
    """Search, and the number of documents that the list says it has: 3 is the German engine, 10 the demo."""
    before = await page.locator(".cs-results").count()  # older ones fold
    await say(page, f"/search {query}")
    await page.wait_for_selector(f".cs-results >> nth={before}")
    await idle(page)
    return int((await page.locator("[data-testid=results]").inner_text()).split()[0])


async def at_once(pages: tuple[Any, Any], query: str) -> list[int]:
    return list(await asyncio.gather(*(search(page, query) for page in pages)))


async def test_two_tabs_of_two_engines_never_mix(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    engine = await save(tmp_path)
    own = f"/e/{engine.id}/"
    async with browser_context() as context:
        with running_server(tmp_path, port=port, kill=True) as origin:
            (german, seen), (demo, other) = await open_tab(context, origin, own), await open_tab(context, origin, "/e/demo/")
            assert [await page.title() for page in (german, demo)] == ["Zweite Suche", "Wikipedia sample"]
            assert [await page.locator("#starters button").count() for page in (german, demo)] == [2, 4]
            await picture(german, "engine-german")

            # first messages, one after the other and at once
            assert await search(german, "What is Internet2?") == 3
            assert await search(demo, "What is Internet2?") == 10
            assert await at_once((german, demo), "Tesla") == [3, 10]
            # (a) the address stays the engine's, so that a reload finds it
            assert [page.url for page in (german, demo)] == [origin + own, f"{origin}/e/demo/"]
            # (d) one copy of the built files, at the root
            loaded = await german.evaluate("performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)")
            assert [path for path in loaded if "/assets/" in path]
            assert all(path.startswith("/assets/") for path in loaded if "/assets/" in path)
            asked = [path for path in loaded if "/project/" in path or "/ws/" in path]
            assert asked
            assert all(path.startswith(own) for path in asked)

            for page in (german, demo):
                await page.reload()
                await ready(page)
            assert await at_once((german, demo), "Warsaw") == [3, 10]

            for page in (german, demo):
                await page.locator("#new-chat-button").click()
                async with page.expect_event("websocket"):  # a new chat is a new connection
                    await page.locator("#confirm").click()
                await page.wait_for_selector("#starters")
                await ready(page)
            assert [page.url.rstrip("/") for page in (german, demo)] == [(origin + own).rstrip("/"), f"{origin}/e/demo"]
            assert [await page.locator("#starters button").count() for page in (german, demo)] == [2, 4]
            assert await at_once((german, demo), "Rhine") == [3, 10]
            assert not [*seen.elsewhere, *other.elsewhere]
            assert not [*seen.errors, *other.errors]

        back = [asyncio.ensure_future(page.wait_for_event("websocket", timeout=2 * WAIT)) for page in (german, demo)]
        await asyncio.sleep(0)  # they listen from now on
        with running_server(tmp_path, port=port):  # killed and started again under both pages
            await asyncio.gather(*back)
            assert await at_once((german, demo), "Genghis") == [3, 10]
            # (e) an address of an engine is opened as it is, in a new tab and with a page's links
            page, _ = await open_tab(context, origin, own)
            assert page.url == origin + own
            assert await search(page, "What is Internet2?") == 3
            await page.locator("a.cs-cite").first.click()
            link = page.locator(f"[data-testid=source] a[href^='{own}documents/']")
            assert (await context.request.get(origin + str(await link.get_attribute("href")))).ok


async def test_an_engine_has_its_own_colours_language_and_a_mode_that_can_be_read(tmp_path: Path) -> None:
    engine = await save(tmp_path)
    with running_server(tmp_path) as origin:
        for scheme in ("light", "dark"):
            async with browser_context(color_scheme=scheme) as context:
                page, _ = await open_tab(context, origin, f"/e/{engine.id}/")
                assert await page.evaluate("document.documentElement.lang") == "de"
                assert "Suchen oder" in str(await page.locator("#chat-input").get_attribute("placeholder"))
                assert await page.evaluate("document.documentElement.classList.contains('dark')")  # the engine's mode
                await page.evaluate("mode => localStorage.setItem('vite-ui-theme', mode)", scheme)
                await page.reload()
                await ready(page)
                assert await page.evaluate("document.documentElement.classList.contains('dark')") is (scheme == "dark")
                page_color, primary = await page.evaluate(COLORS)
                assert contrast(rgb(primary), rgb(page_color)) >= READABLE
                await picture(page, f"engine-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
async def test_the_gallery_shows_every_public_engine_without_a_script(
    gallery: tuple[str, Saved], scheme: str, width: int
) -> None:
    origin, engine = gallery
    async with browser_context(color_scheme=scheme, java_script_enabled=False) as context:
        page, watched = await context.new_page(), Watched(origin)
        watched.watch(page)
        await page.set_viewport_size({"width": width, "height": 844})
        await page.goto(f"{origin}/engines")
        titles = await page.locator(".engine h2").all_inner_texts()
        assert {"Wikipedia sample", "Arts Search", "Zweite Suche"} <= set(titles)
        assert '<b>hi</b> & "x"' in await page.locator(".starters").last.inner_text()
        await picture(page, f"gallery-{width}-{scheme}")
        assert await page.locator(f"a[href='/e/{engine.id}/']").count() == 1
        assert not watched.elsewhere
        assert not watched.errors


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_nothing_is_found_by_axe_in_the_gallery_and_it_fits_a_phone(gallery: tuple[str, Saved], scheme: str) -> None:
    origin, engine = gallery
    async with browser_context(color_scheme=scheme, bypass_csp=True) as context:
        page = await context.new_page()
        await page.set_viewport_size({"width": 390, "height": 844})
        for path in ("/engines", "/e/nosuch/"):
            await page.goto(origin + path)
            await page.add_script_tag(content=AXE.read_text("utf-8"))
            found = await page.evaluate("axe.run().then(found => found.violations.map(one => one.id + ' ' + one.nodes[0].html))")
            assert found == []
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.goto(f"{origin}/engines")
        await page.locator(f"a[href^='/e/{engine.id}/?prompt=']").first.click()
        await ready(page)
        assert await page.locator("#chat-input").input_value() == "What is Internet2?"


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = tmp_path_factory.mktemp("gallery")
    engine = asyncio.run(save(home))
    with running_server(home) as origin:
        yield origin, engine


COLORS = """() => {
  const color = name => {
    const shown = document.createElement('i');
    shown.style.color = `hsl(${getComputedStyle(document.documentElement).getPropertyValue(name)})`;
    document.body.append(shown);
    return getComputedStyle(shown).color;
  };
  return [color('--background'), color('--primary')];
}"""


def rgb(text: str) -> tuple[float, float, float]:
    red, green, blue = (int(part) / 255 for part in text.removeprefix("rgb(").removesuffix(")").split(", ")[:3])
    return red, green, blue
