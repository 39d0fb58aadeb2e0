"""Slash commands in Chromium: an engine built from nothing, a form, a locked engine, a file with errors, an export."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import picture, say
from tests.browser.test_chat import idle
from tests.serving import running_server

pytestmark = pytest.mark.browser

ARTS = (
    "/add mosaic_datasource search_index=arts limit=20",
    "/remove 1",
    "/add embedding_reranker at 2",
    '/title "Arts Search"',
    "/theme orange-dark",
    '/starters add "Who painted the Night Watch?"',
)


async def command(page: Any, text: str) -> Any:
    """Type a command; the reply that it gets."""
    replies = page.locator("[data-testid=reply]")
    before = await replies.count()
    await say(page, text)
    await page.wait_for_function(
        "before => document.querySelectorAll('[data-testid=reply]').length > before", arg=before, timeout=60_000
    )
    await idle(page)
    return replies.last


async def test_an_engine_is_built_from_the_demo_with_commands_saved_and_opened(
    demo_server: str, chromium: Callable[..., Any]
) -> None:
    async with chromium(demo_server) as (page, watched):
        for typed in ARTS:
            await command(page, typed)
        cards = (await command(page, "/spec")).locator("[data-testid=card]")
        assert await cards.count() == 3
        assert [await cards.nth(n).locator("code").inner_text() for n in range(3)] == [
            "mosaic_datasource",
            "embedding_reranker",
            "all_results_summarizer",
        ]
        await picture(page, "spec")
        saved = await command(page, "/save")
        url = await saved.locator("pre").first.inner_text()
        assert url.startswith(f"{demo_server}/e/arts-search-")
        shared = await command(page, "/share")
        assert await shared.locator("img.cs-picture").count() == 1
        await picture(page, "share")
        response = await page.request.get(f"{url}spec.json")
        assert (await response.json())["title"] == "Arts Search"
        await page.goto(url)
        await page.wait_for_selector("#chat-input")
        assert await page.title() == "Arts Search"
        assert not watched.elsewhere


async def test_the_form_changes_a_parameter_and_the_last_query_is_run_again(
    demo_server: str, chromium: Callable[..., Any]
) -> None:
    async with chromium(demo_server, 390) as (page, watched):
        await say(page, "What is Internet2?")
        await page.wait_for_selector("a.cs-cite[data-check=exact]")
        await idle(page)
        form = await command(page, "/edit")
        await form.locator("input[id='f-1.limit']").fill("3")
        await picture(page, "form-390")
        await form.locator("[data-testid=apply]").click()
        await page.wait_for_selector("text=1.limit")
        await idle(page)
        await page.locator("[data-testid=offer]", has_text="again").last.click()
        await page.wait_for_selector("text=3 found · 3 shown")
        await idle(page)
        assert "3 results" in await page.locator("[data-testid=results]").last.inner_text()
        await command(page, "/undo")
        listed = await command(page, "/results")
        assert await listed.locator("tbody tr").count() == 2
        await page.locator("[data-testid=offer]", has_text="Back to").last.click()
        await page.wait_for_selector("text=Back to the results")
        await idle(page)
        await page.wait_for_function(
            "[...document.querySelectorAll('[data-testid=results] h2')].at(-1).textContent === '10 results'"
        )
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert not watched.errors


async def test_a_file_with_three_errors_shows_all_of_them_and_a_right_one_opens(
    demo_server: str, chromium: Callable[..., Any]
) -> None:
    wrong = {
        "pipeline": {
            "1": {"id": "index_datasource", "parameters": {"limit": "plenty"}},
            "2": {"id": "tf_idf_reranker", "parameters": {"similarity_metric": "BM52"}},
            "3": {"id": "all_results_sumarizer"},
        }
    }
    right = {"title": "From a file", "pipeline": {"1": {"id": "index_datasource", "parameters": {"limit": 4}}}}
    async with chromium(demo_server) as (page, _):
        reply = await command(page, "/load")
        upload = reply.locator("[data-testid=upload]")
        await upload.set_input_files(
            {"name": "wrong.json", "mimeType": "application/json", "buffer": json.dumps(wrong, indent=1).encode()}
        )
        await page.wait_for_selector("text=has 3 problems")
        await idle(page)
        told = await page.locator(".ai-message").last.inner_text()
        for part in ("line 6", "plenty", "line 12", "Did you mean “BM25”?", "line 16", "all_results_summarizer"):
            assert part in told, part
        await picture(page, "three-errors")
        await upload.set_input_files({"name": "right.json", "mimeType": "application/json", "buffer": json.dumps(right).encode()})
        await page.wait_for_selector("text=“From a file” is open")


async def test_an_export_is_a_file_of_the_results(demo_server: str, chromium: Callable[..., Any]) -> None:
    async with chromium(demo_server) as (page, _):
        await say(page, "What is Internet2?")
        await page.wait_for_selector("a.cs-cite[data-check=exact]")
        await idle(page)
        reply = await command(page, "/export json")
        async with page.expect_download() as waiting:
            await reply.locator("[data-testid=file]").click()
        file = await (await waiting.value).path()
        assert (await asyncio.to_thread(_json, file))["asked"] == "What is Internet2?"


@pytest.fixture
def locked_server(tmp_path: Path) -> Iterator[str]:
    spec = {"title": "Locked", "pipeline": {"1": {"id": "index_datasource"}}, "permissions": {"edit": False}}
    (tmp_path / "locked.json").write_text(json.dumps(spec), "utf-8")
    with running_server(tmp_path, CHATSEARCH_DEFAULT_ENGINE=str(tmp_path / "locked.json")) as address:
        yield address


async def test_a_locked_engine_is_searched_and_read_but_not_changed(locked_server: str, chromium: Callable[..., Any]) -> None:
    async with chromium(locked_server) as (page, _):
        assert await (await command(page, "/spec")).locator("[data-testid=card]").count() == 1
        await say(page, "/add tf_idf_reranker")
        await page.wait_for_selector("text=has locked this engine")
        await idle(page)
        await say(page, "/load demo")
        await page.wait_for_selector("text=has locked this engine >> nth=1")
        await idle(page)
        await say(page, "What is Internet2?")
        await page.wait_for_selector("[data-testid=result]")


async def test_thumbs_are_kept(demo_server: str, chromium: Callable[..., Any]) -> None:
    async with chromium(demo_server) as (page, _):
        await say(page, "What is Internet2?")
        await page.wait_for_selector("[data-testid=citations] [data-testid=vote-1]")
        await idle(page)
        await page.locator("[data-testid=citations] [data-testid=vote-1]").click()
        await page.wait_for_selector("[data-testid=citations] >> text=Thank you")
        await page.locator("[data-testid=result] [data-testid=vote--1]").first.click()
        await page.wait_for_selector("[data-testid=result] >> text=Thank you")
        await page.locator("[data-testid=result] [data-testid=vote--1]").first.click()
        await page.wait_for_selector("[data-testid=result] >> text=Taken back")


def _json(file: Path) -> Any:
    return json.loads(Path(file).read_text("utf-8"))
