"""Our own elements in Chainlit's messages: JSX files under public/elements, and the props each is given."""

from __future__ import annotations

import time
from urllib.parse import quote

import chainlit as cl

from chatsearch.cells import cell_text
from chatsearch.chat.list_props import Pages, Props, link, page_of
from chatsearch.citations import Footnote
from chatsearch.results import ResultSet
from chatsearch.web import host

_AROUND = 1500
_SECONDS_BETWEEN = 0.1


class Live:
    """One element that changes: shown in a message, then sent again with new props, at most ten times a second."""

    def __init__(self, name: str, props: Props) -> None:
        # with a URL of its own Chainlit writes no file per update; the page never fetches it
        self.element = cl.CustomElement(name=name, props=props, url="about:blank", display="inline")
        self._sent = 0.0

    async def show(self, props: Props, *, at_once: bool = True) -> None:
        """Show these props; with `at_once` false they may be left out when the last ones are very fresh."""
        now = time.monotonic()
        if at_once or now - self._sent >= _SECONDS_BETWEEN:
            self._sent = now
            self.element.props = props
            await self.element.update()


def footnote_props(footnotes: tuple[Footnote, ...], results: ResultSet, engine: str | Pages) -> list[Props]:
    """What a footnote opens: the passage with the text around it, and how the statement compares with it."""
    rows = {str(identifier): row for row, identifier in enumerate(results.documents["id"])}
    return [_footnote(note, results, rows[note.id], engine) for note in footnotes]


def _footnote(note: Footnote, results: ResultSet, row: int, engine: str | Pages) -> Props:
    shown: Props = {
        "n": note.n,
        "title": " ".join(note.title.split()) or note.id,
        "href": link(note.url, note.id, engine),
        "host": host(note.url),
        "page": page_of(note.id, engine),
        "check": note.check.value,
        "quote": note.quote or "",
        "before": "",
        "after": "",
    }
    if note.column and note.start is not None and note.end is not None:
        text = cell_text(results.documents, note.column)[row]
        shown |= {"before": text[max(0, note.start - _AROUND) : note.start], "after": text[note.end : note.end + _AROUND]}
        shown |= {"cut_before": note.start > _AROUND, "cut_after": len(text) > note.end + _AROUND}
        joined = "&" if "?" in str(shown["page"]) else "?"
        shown["page"] += f"{joined}column={quote(note.column, safe='')}&start={note.start}&end={note.end}#passage"
    return shown
