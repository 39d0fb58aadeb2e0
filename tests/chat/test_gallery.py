"""The gallery: every text of a spec is text, every colour ours, and nothing has to run."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.chat.gallery import page_number, render_gallery
from chatsearch.known_engines import PublicEngines
from chatsearch.spec import Spec
from tests.chat.test_page import HOSTILE, _Elements
from tests.sources import OwnRegistry

REGISTRY = OwnRegistry()
plain = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def card(engine: str = "e", **top: Any) -> str:
    spec = Spec.load({**top, "pipeline": {"1": {"id": "index_datasource"}}}, REGISTRY)
    return render_gallery(PublicEngines([(engine, spec)]), 1, "NONCE")


def tags(page: str) -> list[str]:
    return [tag for tag, _ in _Elements(page).found]


@given(plain, plain, plain, plain, plain)
def test_no_text_of_a_spec_adds_an_element_or_leaves_its_place(
    engine: str, title: str, about: str, starter: str, color: str
) -> None:
    made = card(engine or "e", title=title, subtitle=f"x{about}", starters=[f"y{starter}"], theme={"color": color})
    assert tags(made) == tags(card(title="t", subtitle="x", starters=["y"]))
    links = [has["href"] for tag, has in _Elements(made).found if tag == "a"]
    assert all(re.fullmatch(r"/e/[^/?#]+/(\?prompt=[^?#&]+)?", str(link)) for link in links)


def test_a_hostile_engine_is_shown_as_text() -> None:
    page = card(
        title=HOSTILE, subtitle=HOSTILE, description=HOSTILE, starters=[HOSTILE], language='"><b>', theme={"color": HOSTILE}
    )
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;img src=x" in page
    assert ' lang="' not in page.partition("<main>")[2]


def test_the_styles_hold_nothing_but_colours_that_were_worked_out() -> None:
    style = re.findall(r"<style nonce=\"NONCE\">(.*?)</style>", card(theme={"color": "red;} body{display:none"}), re.DOTALL)[0]
    assert re.fullmatch(r"\.engine-0\{--light:hsl\(\d+ \d+% \d+%\);--dark:hsl\(\d+ \d+% \d+%\)\}", style)


def test_a_card_has_three_starters_and_a_long_text_is_cut() -> None:
    page = card(title="t" * 5000, starters=["a", "", "b" * 5000, "c", "d"], language="de")
    assert len(page) < 4000
    assert page.count("?prompt=") == 1  # one is empty, one too long for an address
    assert ' lang="de"' in page


def test_what_could_not_be_read_is_said_and_an_empty_page_too() -> None:
    page = render_gallery(PublicEngines([], trouble=True), 3, "N")
    assert "cannot be read just now" in page
    assert "no more engines" in page
    assert 'href="/engines?page=2"' in page


@pytest.mark.parametrize(
    ("text", "page"), [("", 1), ("2", 2), ("0", 1), ("-1", 1), ("x", 1), ("9" * 50, 1), ("99999999", 10_000), ("٣", 1)]
)
def test_the_page_that_a_url_names(text: str, page: int) -> None:
    assert page_number(text) == page


def test_it_is_served_with_a_strict_policy_and_its_own_nonce(server: str) -> None:
    answer = httpx.get(f"{server}/engines")
    assert answer.status_code == 200
    assert "Wikipedia sample" in answer.text
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self' 'nonce-")
    assert "script-src" not in policy
    assert re.findall(r"nonce-([^']+)'", policy) == re.findall(r'<style nonce="([^"]+)"', answer.text)
    assert httpx.get(f"{server}/engines?page=nonsense").status_code == 200
