"""Makes the pictures of the documentation: a chat in Chromium.

python -m benchmarks.screenshot [URL]                     docs/images/chat.png, with `chatsearch serve` running
python -m benchmarks.screenshot --engine NAME …           docs/engines/NAME.png; `all` is every ready engine

With `--engine` a server is started, without a language model, and a stand-in for MOSAIC with made-up pages.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from benchmarks.arts_pages import PAGES

if TYPE_CHECKING:
    from playwright.async_api import Page

ROOT = Path(__file__).resolve().parents[1]
SPECS = ROOT / "specs"
CHAT = ROOT / "docs" / "images" / "chat.png"
ENGINES = ROOT / "docs" / "engines"
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]
PUBLIC = "https://mosaic.ows.eu"
ENVIRONMENT = {
    "CHATSEARCH_ALLOWED_HOSTS": "127.0.0.1:*",
    "CHATSEARCH_SOURCE_TIMEOUT": "60",
    "CHATSEARCH_MODEL": "extractive",
    "HF_HUB_OFFLINE": "1",
}
WIDTH, HEIGHT, HIGHEST = 1280, 800, 1040
SHOWN, BELOW = 2, 150  # results that are to be seen, and the pixels of the composer below them
WAIT = 120_000  # milliseconds; a busy machine is slow


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8000")
    parser.add_argument("--engine", nargs="+", metavar="NAME", help="ready engines, or `all`")
    given = parser.parse_args()
    if given.engine:
        names = sorted(file.stem for file in SPECS.glob("*.json")) if given.engine == ["all"] else given.engine
        asyncio.run(take_engines(names))
    else:
        asyncio.run(take(given.url, CHAT, panel=True))


async def take_engines(names: list[str]) -> None:
    """One picture for each, in docs/engines/. Those that ask MOSAIC are changed to ask the stand-in, each on its own server."""
    running_server = _code("serving").running_server
    with tempfile.TemporaryDirectory() as home:
        data = Path(home) / "data"
        async with _code("stand_ins/serving").serving(_stand_in().app("/service/api")) as mosaic:
            for name in filter(_asks_mosaic, names):
                spec = Path(home) / f"{name}.json"
                spec.write_text(_text(name).replace(PUBLIC, mosaic), "utf-8")
                with running_server(data, **ENVIRONMENT, CHATSEARCH_DEFAULT_ENGINE=str(spec)) as address:
                    await take(address, ENGINES / f"{name}.png")
        if not all(map(_asks_mosaic, names)):
            with running_server(data, **ENVIRONMENT) as address:
                for name in names:
                    if not _asks_mosaic(name):
                        await take(f"{address}/e/{name}/", ENGINES / f"{name}.png")


async def take(url: str, picture: Path, *, panel: bool = False) -> None:
    """The chat at that address after its first starter; with `panel` the passage of the first footnote is open."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = await browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.set_default_timeout(WAIT)
        await page.goto(url)
        await page.wait_for_load_state("networkidle")  # the front end connects twice: nobody clicks in between
        await page.locator("#starters button").first.click()
        await page.wait_for_selector("[data-testid=result]")
        await page.wait_for_selector("#stop-button", state="detached")
        if panel:
            await _open_first_footnote(page)
        else:
            await _show_results(page)
        await page.wait_for_timeout(1_000)  # what slides and scrolls has come to rest
        picture.parent.mkdir(exist_ok=True)
        await page.screenshot(path=picture)
        await browser.close()


async def _show_results(page: Page) -> None:
    """Makes the window high enough for the first results below the answer."""
    boxes = [await one.bounding_box() for one in await page.locator("[data-testid=result]").all()]
    bottom = max(box["y"] + box["height"] for box in boxes[:SHOWN] if box)
    await page.set_viewport_size({"width": WIDTH, "height": min(max(HEIGHT, int(bottom) + BELOW), HIGHEST)})


async def _open_first_footnote(page: Page) -> None:
    await page.wait_for_selector("[data-testid=suggestion]")
    await page.locator("a.cs-cite").first.click()
    await page.wait_for_selector("[data-testid=source] mark")


def _asks_mosaic(name: str) -> bool:
    return PUBLIC in _text(name)


def _text(name: str) -> str:
    return (SPECS / f"{name}.json").read_text("utf-8")


def _stand_in() -> Any:
    """A MOSAIC that has the made-up pages in its index `arts`."""
    code = _code("stand_ins/mosaic")
    pages = [code.page(n, text, title=title, wordCount=len(text.split())) for n, (title, text) in enumerate(PAGES, start=1)]
    return code.Mosaic({"arts": pages})


def _code(name: str) -> ModuleType:
    """A file of tests/, which is no package that is installed."""
    spec = importlib.util.spec_from_file_location(f"tests_{Path(name).name}", ROOT / "tests" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
