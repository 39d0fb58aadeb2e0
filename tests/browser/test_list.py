"""The result list as a person uses it: a thousand documents, in Chromium, on a desk and on a phone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import picture, say
from tests.browser.many import ROWS, engine_over_many
from tests.serving import running_server

pytestmark = pytest.mark.browser

AXE = Path(__file__).with_name("axe.min.js")
QUESTION = "Where did the painter live?"


@pytest.fixture(scope="module")
def many_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("many")
    with running_server(home, CHATSEARCH_DEFAULT_ENGINE=str(engine_over_many(home))) as address:
        yield address


@pytest.fixture
def listed(many_server: str, chromium: Callable[..., Any]) -> Callable[..., Any]:
    """`async with listed(width) as page` is a page with the list; at its end nothing went elsewhere and no error was logged."""

    @asynccontextmanager
    async def opened(width: int = 1280, **context: Any) -> AsyncIterator[Any]:
        async with chromium(many_server, width, **context) as (page, watched):
            await ask(page, QUESTION)
            await page.wait_for_selector("[data-testid=result]")
            await page.wait_for_selector("#stop-button", state="detached")
            yield page
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert not watched.elsewhere
            assert not watched.errors

    return opened


async def test_another_ranking_moves_the_rows_and_keeps_their_numbers(listed: Callable[..., Any]) -> None:
    async with listed() as page:
        assert await page.locator("[data-testid=results] h2").inner_text() == "1,000 results"
        assert await numbers(page) == [1, 2, 3, 4, 5]
        assert "higher than originally" in await page.locator("[data-testid=result]").first.inner_text()
        titles = await page.evaluate(TITLE_OF_NUMBER)
        await page.get_by_label("Ranking", exact=True).select_option(label="original")
        await page.wait_for_function("!document.querySelector('.cs-moved')")
        assert await numbers(page) != [1, 2, 3, 4, 5]
        await page.get_by_label("Ranking", exact=True).select_option(label="Lexical")
        await page.wait_for_selector(".cs-moved")
        assert await page.evaluate(TITLE_OF_NUMBER) == titles


async def test_sorting_by_title_date_and_chip_in_both_directions(listed: Callable[..., Any]) -> None:
    async with listed() as page:
        await page.get_by_label("Sort", exact=True).select_option(label="title")
        await page.wait_for_function("document.querySelector('[data-testid=result] a').innerText.includes('Document 0001')")
        await page.get_by_role("button", name="Ascending. Sort descending").press("Enter")
        await page.wait_for_function("document.querySelector('[data-testid=result] a').innerText.includes('Document 1000')")
        await page.get_by_label("Sort", exact=True).select_option(label="published")
        await page.wait_for_function("document.querySelector('[data-testid=result] time').dateTime.startsWith('2019')")
        await page.get_by_role("button", name="Descending. Sort ascending").click()
        await page.wait_for_function("document.querySelector('[data-testid=result] time').dateTime.startsWith('1901')")
        await page.get_by_label("Sort", exact=True).select_option(label="topic")
        await page.wait_for_function("document.querySelector('.cs-chip').innerText.includes('art')")


async def test_filters_are_typed_or_clicked_and_taken_back_by_keyboard(listed: Callable[..., Any]) -> None:
    async with listed() as page:
        await page.locator("[data-testid=find]").focus()
        await page.keyboard.type("lisbon WAR")
        await counted(page, "25 of 1,000 match")
        assert await page.evaluate("document.activeElement.matches('[data-testid=find]')")
        await page.locator("[data-testid=result] .cs-chip").nth(1).press("Enter")
        pill = page.locator("[data-testid=filters] button")
        assert "mood: " in await pill.inner_text()
        await page.wait_for_function("!document.querySelector('[data-testid=count]').innerText.startsWith('25')")
        await picture(page, "list-filtered")
        await pill.press("Enter")
        await counted(page, "25 of 1,000 match")
        await page.locator("[data-testid=find]").fill("there is no such document")
        await counted(page, "0 of 1,000 match")
        await page.get_by_role("button", name="Show all 1,000").press("Enter")
        await counted(page, "")


async def test_a_command_shows_the_list_anew_and_its_filter_can_be_taken_away(listed: Callable[..., Any]) -> None:
    async with listed() as page:
        for command in ("/sort title desc", "/filter topic=war"):
            await ask(page, command)
            await page.wait_for_selector("#stop-button", state="detached")
        lists = page.locator("[data-testid=results]")
        older = page.locator("[data-testid=old-results]")
        await older.nth(1).wait_for()
        last = lists.last
        assert await last.locator("[data-testid=count]").inner_text() == "200 of 1,000 match"
        assert "Document 0999 about war" in await last.locator("[data-testid=result] a").first.inner_text()
        await last.locator("[data-testid=filters] button").press("Enter")
        await last.locator("[data-testid=filters]").wait_for(state="detached")
        # a row that is not on the screen is not laid out, so it has no inner text
        assert "Document 1000" in str(await last.locator("[data-testid=result] a").first.text_content())
        await older.first.locator("button").click()
        await lists.nth(1).wait_for()
        assert await lists.first.locator("[data-testid=count]").inner_text() == ""


async def test_texts_and_chips_are_chosen(listed: Callable[..., Any]) -> None:
    async with listed() as page:
        assert await page.locator("[data-testid=result] .cs-snippet mark").count()
        await page.get_by_label("Text", exact=True).select_option(label="plain text")
        await page.wait_for_function("!document.querySelector('.cs-snippet mark')")
        first = await page.locator(".cs-snippet").first.inner_text()
        assert "here The painter" in first or "Kyoto and it" in first
        for name in ("topic", "mood"):
            toggle = page.locator(".cs-toggle", has_text=name)
            await toggle.press("Space")
            assert await toggle.get_attribute("aria-pressed") == "false"
        assert await page.locator(".cs-chip").count() == 0


async def test_the_full_text_comes_from_the_document_when_it_is_opened(listed: Callable[..., Any]) -> None:
    async with listed() as page:
        await page.get_by_role("button", name="Full text of result 1", exact=True).press("Enter")
        await page.wait_for_selector("[data-testid=source]")
        text = await page.locator("[data-testid=source] .cs-text").inner_text()
        assert text.count("Nothing more is known of number") == 12
        assert not text.endswith("…")


@pytest.mark.parametrize("width", [1280, 390])
async def test_the_map_zooms_into_a_circle_and_a_dot_leads_to_its_row(listed: Callable[..., Any], width: int) -> None:
    async with listed(width) as page:
        await page.locator("[data-testid=find]").fill("Document 000")
        await counted(page, "10 of 1,000 match")
        await page.locator("[data-testid=open-map]").press("Enter")
        await page.wait_for_selector("[data-testid=dot]")
        await page.wait_for_function("document.querySelector('.cs-land').getBBox().width > 3000")  # the outline is there
        await picture(page, f"map-{width}")
        dots = page.locator("[data-testid=dot]")
        assert 3 <= await dots.count() <= 6
        await page.locator("[data-testid=dot][tabindex='0']").focus()
        await page.keyboard.press("ArrowRight")
        assert await page.evaluate("[...document.querySelectorAll('[data-testid=dot]')].indexOf(document.activeElement)") == 1
        label = str(await page.evaluate("document.activeElement.getAttribute('aria-label')"))
        await page.keyboard.press("Enter")
        number = label.removeprefix("Result ").split(":")[0]
        await page.wait_for_function(f"document.activeElement.closest('li')?.dataset.n === '{number}'")

        await page.locator("[data-testid=find]").fill("")
        await page.wait_for_selector("[data-many=true]")
        await page.locator("[data-many=true]").first.click()
        await page.wait_for_selector("[data-testid=zoom-out]")
        await page.locator("[data-testid=zoom-out]").click()
        await page.wait_for_selector("[data-testid=zoom-out]", state="detached")


@pytest.mark.parametrize("width", [1280, 390])
async def test_a_bar_of_the_timeline_shows_its_results_alone(listed: Callable[..., Any], width: int) -> None:
    async with listed(width) as page:
        await page.locator("[data-testid=open-time]").press("Enter")
        await page.wait_for_selector("[data-testid=span]")
        assert "800 of 1,000 have a date (published)" in await page.locator("[data-testid=timeline]").inner_text()
        bar = page.locator("[data-testid=span]").nth(2)
        label = str(await bar.get_attribute("aria-label"))
        await bar.press("Enter")
        await counted(page, f"{label.split(': ')[1].split()[0]} of 1,000 match")
        await picture(page, f"timeline-{width}")
        await bar.press("Enter")
        await counted(page, "")


async def test_a_thousand_rows_at_phone_width_are_laid_out_only_near_the_screen(listed: Callable[..., Any]) -> None:
    async with listed(390) as page:
        await page.locator("[data-testid=more]").press("Enter")
        assert await page.evaluate("document.activeElement.closest('li').dataset.n") == "6"
        assert await page.locator("[data-testid=result]").count() == 25
        await page.locator("[data-testid=all]").click()
        await page.wait_for_function(f"document.querySelectorAll('[data-testid=result]').length === {ROWS}")
        assert await page.evaluate(LAID_OUT) < 40
        for place in (300, 700, ROWS - 1):
            await page.evaluate("place => document.querySelectorAll('[data-testid=result]')[place].scrollIntoView()", place)
            await page.wait_for_function(f"document.querySelectorAll('[data-testid=result]')[{place}].checkVisibility(AUTO)")
            assert await page.evaluate(LAID_OUT) < 40
        await page.get_by_role("button", name="Show the first 5 only").click()
        await page.wait_for_function("document.querySelectorAll('[data-testid=result]').length === 5")


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_nothing_critical_or_serious_is_found_by_axe(listed: Callable[..., Any], scheme: str) -> None:
    async with listed(390 if scheme == "dark" else 1280, color_scheme=scheme) as page:
        await page.locator("[data-testid=result] .cs-chip").first.click()
        for panel, test in (("map", "map"), ("time", "timeline")):
            await page.locator(f"[data-testid=open-{panel}]").click()
            await page.wait_for_selector(f"[data-testid={test}] button")
            await nothing_serious(page)
        await picture(page, f"list-{scheme}")


@pytest.fixture
def answered(demo_server: str, chromium: Callable[..., Any]) -> Callable[..., Any]:
    """`async with answered() as page` is a page of the shipped engine with a summary."""

    @asynccontextmanager
    async def opened(**context: Any) -> AsyncIterator[Any]:
        async with chromium(demo_server, **context) as (page, watched):
            await ask(page, "What year did Tesla die?")
            await page.wait_for_selector("[data-testid=copy]")
            yield page
            assert not watched.errors

    return opened


async def test_an_answer_is_copied_with_its_references(answered: Callable[..., Any]) -> None:
    async with answered(permissions=["clipboard-read", "clipboard-write"]) as page:
        await page.locator("[data-testid=copy]").press("Enter")
        await page.wait_for_function("document.querySelector('[data-testid=copied]').innerText === 'Copied'")
        await says_the_answer(page, await page.evaluate("navigator.clipboard.readText()"))
        await nothing_serious(page)


async def test_an_answer_is_copied_where_the_clipboard_is_refused(answered: Callable[..., Any]) -> None:
    async with answered() as page:
        await page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')); }")
        await page.evaluate("document.addEventListener('copy', () => { window.copied = String(document.activeElement.value); })")
        await page.locator("[data-testid=copy]").press("Enter")
        await page.wait_for_function("document.querySelector('[data-testid=copied]').innerText === 'Copied'")
        await says_the_answer(page, await page.evaluate("window.copied"))
        assert await page.evaluate("document.activeElement.matches('[data-testid=copy]')")


async def says_the_answer(page: Any, text: str) -> None:
    answer, references = text.strip().rsplit("\n\n", 1)
    assert answer.startswith("Tesla died on 7 January 1943. [1]")
    cited = sorted({int(str(one).strip("[]")) for one in await page.locator("a.cs-cite").all_inner_texts()})
    assert [int(line[1 : line.index("]")]) for line in references.splitlines()] == cited
    assert references.startswith("[1] Nikola Tesla. https://en.wikipedia.org/wiki/Nikola_Tesla")


async def nothing_serious(page: Any) -> None:
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    found = await page.evaluate(AXE_RUN)
    assert not [one for one in found if one["impact"] in ("critical", "serious")], found


async def ask(page: Any, text: str) -> None:
    """Send a message; once more when the front end was just connecting again and left it in the box."""
    await say(page, text)
    if not await page.evaluate(TAKEN):
        await page.keyboard.press("Enter")


async def numbers(page: Any) -> list[int]:
    return [
        int(one) for one in await page.evaluate("[...document.querySelectorAll('[data-testid=result]')].map(r => r.dataset.n)")
    ]


async def counted(page: Any, text: str) -> None:
    await page.wait_for_function("text => document.querySelector('[data-testid=count]').innerText === text", arg=text)


TAKEN = """async () => {
  const left = () => document.querySelector('#chat-input').innerText.trim();
  for (let waited = 0; left() && waited < 5000; waited += 50) await new Promise((then) => setTimeout(then, 50));
  return !left();
}"""
TITLE_OF_NUMBER = """() => Object.fromEntries([...document.querySelectorAll('[data-testid=result]')]
  .map((row) => [row.dataset.n, row.querySelector('a').innerText]))"""
LAID_OUT = """() => {
  window.AUTO = { contentVisibilityAuto: true };
  return [...document.querySelectorAll('[data-testid=result]')].filter((row) => row.firstChild.checkVisibility(AUTO)).length;
}"""
AXE_RUN = """async () => {
  const found = await axe.run('.cs-results, .cs-citations', { resultTypes: ['violations'] });
  const told = (node) => `${node.html} ${node.failureSummary}`;
  return found.violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(told) }));
}"""
