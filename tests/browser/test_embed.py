"""An engine on pages of another origin: two on one page, by keyboard, with storage blocked, and not where it may not be."""

from __future__ import annotations

import functools
import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.browser.conftest import FLAGS, WAIT, picture
from tests.serving import running_server

pytestmark = pytest.mark.browser

BLOCKED = """
for (const name of ['localStorage', 'sessionStorage']) {
  Object.defineProperty(window, name, {configurable: true, get() { throw new DOMException('blocked'); }});
}
"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing: the test's output stays readable."""


@contextmanager
def pages(folder: Path) -> Iterator[str]:
    """A web server of another origin over a folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


async def test_two_engines_on_a_page_of_another_origin_and_none_where_it_is_not_allowed(tmp_path: Path) -> None:
    from playwright.async_api import async_playwright

    (tmp_path / "site").mkdir()
    with pages(tmp_path / "site") as host:
        spec = {
            "title": "Embedded",
            "starters": ["What is Internet2?"],
            "pipeline": {"1": {"id": "index_datasource"}, "2": {"id": "all_results_summarizer"}},
            "permissions": {"embed_origins": [host]},
        }
        (tmp_path / "embedded.json").write_text(json.dumps(spec), "utf-8")
        with running_server(tmp_path / "data", CHATSEARCH_DEFAULT_ENGINE=str(tmp_path / "embedded.json")) as address:
            scripts = f'<script src="{address}/embed.js" data-engine="embedded" data-title="Ask"></script>' + (
                f'<script src="{address}/embed.js" data-engine="demo" data-title="Not allowed"></script>'
            )
            style = "<style>button { color: red !important; font-size: 40px !important }</style>"
            (tmp_path / "site" / "index.html").write_text(
                f"<!doctype html><title>Host</title>{style}<body>{scripts}</body>", "utf-8"
            )
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
                context = await browser.new_context(viewport={"width": 390, "height": 844})
                await context.add_init_script(BLOCKED)
                page = await context.new_page()
                page.set_default_timeout(WAIT)
                await page.goto(host)
                ask = page.get_by_role("button", name="Ask")
                assert await ask.evaluate("button => getComputedStyle(button).fontSize") == "15px"
                await ask.focus()
                await page.keyboard.press("Enter")
                chat = page.frame_locator("iframe[title=Ask]")
                await chat.locator("#starters button").click()
                await chat.locator("a.cs-cite[data-check=exact]").first.wait_for()
                await picture(page, "embedded")
                await page.get_by_role("button", name="Close").click()
                assert await ask.evaluate("button => button.getRootNode().activeElement === button")
                async with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
                    await page.get_by_role("button", name="Not allowed").click()
                refused = page.frame_locator("iframe[title='Not allowed']")
                assert await refused.locator("#chat-input").count() == 0
                await browser.close()
