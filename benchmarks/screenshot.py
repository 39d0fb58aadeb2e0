"""Makes the README's picture, docs/images/chat.png: `python -m benchmarks.screenshot [URL]`, with `chatsearch serve` running."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "chat.png"
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"]


def main() -> None:
    url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        page.goto(url)
        page.locator("#starters button").first.click()
        page.wait_for_selector("[data-testid=suggestion]")
        page.locator("a.cs-cite").first.click()
        page.wait_for_selector("[data-testid=source] mark")
        page.wait_for_timeout(800)  # the panel slides in
        PICTURE.parent.mkdir(exist_ok=True)
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
