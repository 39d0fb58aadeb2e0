"""The gallery at `/engines`: a card for each public engine, as a page without scripts."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from chatsearch.chat.page import language_tag
from chatsearch.chat.prefix import base_of
from chatsearch.chat.responses import plain_page
from chatsearch.chat.theme import theme_variables

if TYPE_CHECKING:
    from chatsearch.known_engines import PublicEngines
    from chatsearch.spec import Spec

_STARTERS = 3
_LONGEST = 300
"""Characters of a text on a card."""
_LAST_PAGE = 10_000


def gallery_policy(nonce: str) -> str:
    """The gallery's Content-Security-Policy: the colours of the cards are its one inline style."""
    return (
        f"default-src 'none'; style-src 'self' 'nonce-{nonce}'; img-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self'"
    )


def page_number(text: str) -> int:
    """The page of the gallery that a URL names, from 1."""
    return min(max(int(text), 1), _LAST_PAGE) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def render_gallery(listed: PublicEngines, page: int, nonce: str) -> str:
    """The page: every text of a spec is escaped, its colour is one that `theme_variables` made."""
    cards = "".join(_card(n, engine, spec) for n, (engine, spec) in enumerate(listed.engines))
    body = "".join([
        "<h1>Search engines</h1>",
        '<p class="quiet">Each answers from its own sources. Open one and ask.</p>',
        '<p role="alert">The engines that people saved cannot be read just now.</p>' if listed.trouble else "",
        f'<ul class="engines">{cards}</ul>' if cards else "<p>There are no more engines.</p>",
        _pages(page, listed.more),
    ])  # fmt: skip
    style = f'<style nonce="{html.escape(nonce)}">{_colors([spec for _, spec in listed.engines])}</style>\n'
    return plain_page("Search engines", body, head=style)


def _card(n: int, engine: str, spec: Spec) -> str:
    about, address = spec.engine, f"{base_of(engine)}/"
    tag = language_tag(about.language)
    subtitle = _shortened(about.subtitle or about.description)
    starters = "".join(_starter(address, starter) for starter in about.starters[:_STARTERS])
    return "".join([
        _opening(n, tag),
        f'<h2><a href="{html.escape(address)}">{html.escape(_shortened(spec.title))}</a></h2>',
        f"<p>{html.escape(subtitle)}</p>" if subtitle else "",
        f'<ul class="starters">{starters}</ul>' if starters else "",
        "</li>",
    ])  # fmt: skip


def _opening(n: int, tag: str) -> str:
    language = f' lang="{tag}"' if tag else ""
    return f'<li class="engine engine-{n}"{language}>'


def _starter(address: str, starter: str) -> str:
    """A question to begin with: the link opens the chat with it typed, and not yet sent."""
    text = html.escape(_shortened(starter))
    if not starter.strip() or len(starter) > _LONGEST:
        return f"<li>{text}</li>" if starter.strip() else ""
    return f'<li><a href="{html.escape(address)}?prompt={quote(starter, safe="")}" rel="nofollow">{text}</a></li>'


def _colors(specs: Sequence[Spec]) -> str:
    rules = []
    for n, spec in enumerate(specs):
        variables = theme_variables(spec.engine.theme.color)
        light, dark = variables["light"]["--primary"], variables["dark"]["--primary"]
        rules.append(f".engine-{n}{{--light:hsl({light});--dark:hsl({dark})}}")
    return "".join(rules)


def _pages(page: int, more: bool) -> str:
    before = f'<a href="/engines?page={page - 1}" rel="prev">Newer</a>' if page > 1 else ""
    after = f'<a href="/engines?page={page + 1}" rel="next">Older</a>' if more else ""
    return f'<nav aria-label="Pages">{before} {after}</nav>' if before or after else ""


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…"
