"""The chat page: nothing of a third party, nothing of a spec that could become markup or script."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.chat.page import ChatPage, built_files, script_json
from chatsearch.chat.theme import theme_variables

HOSTILE = "</title></script><script>alert(1)</script>\"'><img src=x onerror=alert(1)> &"


class _Elements(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def page(title: str = "Title", about: str = "", language: str = "en") -> str:
    made = ChatPage("/assets/a.js", "/assets/a.css", title, about, language, theme_variables("orange"), "system")
    return made.render("NONCE")


@given(st.text(), st.text(), st.text())
def test_no_text_of_a_spec_adds_an_element_or_an_attribute(title: str, about: str, language: str) -> None:
    assert [tag for tag, _ in _Elements(page(title, about, language)).found] == [tag for tag, _ in _Elements(page()).found]


def test_a_hostile_title_is_shown_as_text() -> None:
    text = page(HOSTILE, HOSTILE)
    assert "<script>alert" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text


@given(st.recursive(st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_json_in_a_script_cannot_end_it_and_means_the_same(value: object) -> None:
    text = script_json(value)
    assert not re.search(r"[<>&\u2028\u2029]", text)
    assert json.loads(text) == value


@pytest.mark.parametrize(("given_language", "shown"), [("de", "de"), ("pt-BR", "pt-BR"), ("", "en"), ('"><b>', "en")])
def test_the_page_names_the_language_of_the_engine(given_language: str, shown: str) -> None:
    assert f'<html lang="{shown}">' in page(language=given_language)


def test_every_address_in_the_page_is_of_this_server(server: str) -> None:
    answer = httpx.get(server)
    addresses = [value for _, has in _Elements(answer.text).found for name, value in has.items() if name in ("src", "href")]
    assert addresses
    assert all(value and re.match(r"/(?!/)", value) for value in addresses)
    assert all(httpx.get(server + str(address)).status_code == 200 for address in addresses)


def test_the_only_inline_script_carries_the_nonce_of_the_response(server: str) -> None:
    first, second = httpx.get(server), httpx.get(server)
    inline = [has.get("nonce") for tag, has in _Elements(first.text).found if tag == "script" and "src" not in has]
    assert len(inline) == 1
    assert f"'nonce-{inline[0]}'" in first.headers["content-security-policy"]
    assert str(inline[0]) not in second.text
    assert "'unsafe-inline'" not in first.headers["content-security-policy"].split("style-src")[0]


def test_the_page_and_the_front_end_are_told_the_mode_of_the_theme(server: str) -> None:
    assert httpx.get(f"{server}/auth/config").json()["default_theme"] == "system"  # the demo engine names a colour and no mode


def test_the_built_files_of_the_installed_front_end_are_found(front: object) -> None:
    from chainlit.server import build_dir

    script, style = built_files((Path(build_dir) / "index.html").read_text())
    assert (Path(build_dir) / script.lstrip("/")).is_file()
    assert (Path(build_dir) / style.lstrip("/")).is_file()


@pytest.mark.parametrize("index", ["", '<script type="module" crossorigin src="https://evil.example/a.js"></script>'])
def test_another_front_end_is_noticed(index: str) -> None:
    with pytest.raises(ValueError, match="not as expected"):
        built_files(index)
