"""A real server process and a real Chromium; screenshots are kept in test-artifacts/, which git ignores."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.serving import ROOT, running_server

ARTIFACTS = ROOT / "test-artifacts"
WAIT = 60_000  # milliseconds until a browser step fails
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]


@dataclass
class Watched:
    """What a page did beside what it shows: requests to other origins, errors in its console."""

    origin: str
    elsewhere: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self, page: Any) -> None:
        page.on("request", self._request)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _console(self, message: Any) -> None:
        # Chainlit's panel on a phone has no title element, which its library logs; the panel gets its name from Source.jsx
        if message.type == "error" and "DialogTitle" not in message.text:
            self.errors.append(message.text)

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.origin, "data:", "blob:")):
            self.elsewhere.append(request.url)


@pytest.fixture(scope="session")
def demo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_server(tmp_path_factory.mktemp("demo")) as address:
        yield address


@pytest.fixture
def chromium() -> Callable[..., Any]:
    """`async with chromium(url, width=…) as (page, watched)` is a page of a new Chromium: Debian's, else Playwright's own."""
    from playwright.async_api import async_playwright

    @asynccontextmanager
    async def opened(url: str, width: int = 1280, **context: Any) -> AsyncIterator[tuple[Any, Watched]]:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            page = await browser.new_page(viewport={"width": width, "height": 844 if width < 600 else 900}, **context)
            page.set_default_timeout(WAIT)
            watched = Watched(url)
            watched.watch(page)
            await page.goto(url)
            await page.wait_for_selector("#chat-input")
            # the front end connects, reads the engine's profile and connects again: nobody types in that half second
            await page.wait_for_load_state("networkidle")
            yield page, watched
            await browser.close()

    return opened


async def picture(page: Any, name: str) -> None:
    ARTIFACTS.mkdir(exist_ok=True)
    await page.screenshot(path=ARTIFACTS / f"{name}.png")


async def say(page: Any, text: str) -> None:
    """Type a message and send it with the keyboard."""
    await page.locator("#chat-input").click()
    await page.keyboard.insert_text(text)
    await page.wait_for_selector("#chat-submit:enabled")
    await page.keyboard.press("Enter")
