"""Our own elements in Chainlit's messages: JSX files under public/elements, and the props each is given."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import quote

import chainlit as cl

from chatsearch.cells import cell_text, plain
from chatsearch.citations import Check, Footnote
from chatsearch.languages import iso639_1
from chatsearch.results import ResultSet
from chatsearch.snippets import marked
from chatsearch.web import host, is_web

_AROUND = 1500
_LONGEST_TEXT = 4_000
_HIDDEN_CHIPS = ("_source_index_",)
_SECONDS_BETWEEN = 0.1

Props = dict[str, Any]


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


def document_props(results: ResultSet, column: str, snippets: list[str], engine: str) -> list[Props]:
    """What the list shows of each document: number, title, link, host, snippet with its hits, chips, text."""
    frame = results.documents
    titles, urls, texts, languages = (cell_text(frame, name) for name in ("title", "url", column, "language"))
    chips = _chips(results)
    return [
        {
            "n": results.number(row),
            "title": " ".join(titles[row].split()) or str(identifier),
            "href": link(urls[row], str(identifier), engine),
            "host": host(urls[row]),
            "snippet": [[text, int(hit)] for text, hit in marked(snippets[row], results.query, iso639_1(languages[row]))],
            "chips": chips[row],
            "text": texts[row][:_LONGEST_TEXT],
            "cut": len(texts[row]) > _LONGEST_TEXT,
            "page": page_of(str(identifier), engine),
        }
        for row, identifier in enumerate(frame["id"])
    ]


def footnote_props(footnotes: tuple[Footnote, ...], results: ResultSet, engine: str) -> list[Props]:
    """What a footnote opens: the passage with the text around it, and how the statement compares with it."""
    rows = {str(identifier): row for row, identifier in enumerate(results.documents["id"])}
    return [_footnote(note, results, rows[note.id], engine) for note in footnotes]


def found_line(footnotes: tuple[Footnote, ...]) -> str:
    """`2 of 2 statements found in their sources`."""
    found = sum(note.check is Check.EXACT for note in footnotes)
    return (
        f"{found} of {len(footnotes)} statement{'' if len(footnotes) == 1 else 's'} found in their sources" if footnotes else ""
    )


def link(url: str, identifier: str, engine: str) -> str:
    """Where a title leads: the document's URL when it is a web address, else our own page of it."""
    return url if is_web(url) else page_of(identifier, engine)


def page_of(identifier: str, engine: str) -> str:
    return f"/e/{quote(engine, safe='')}/documents/{quote(identifier, safe='')}"


def _footnote(note: Footnote, results: ResultSet, row: int, engine: str) -> Props:
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
        shown["page"] += f"?column={quote(note.column, safe='')}&start={note.start}&end={note.end}#passage"
    return shown


def _chips(results: ResultSet) -> list[list[str]]:
    """The chips of each row: columns with that role; the sources only where there are several."""
    columns = [column for column, roles in results.roles.items() if "chip" in roles and column in results.documents.columns]
    several = results.documents["_source_index_"].nunique() > 1
    rows: list[list[str]] = [[] for _ in range(len(results))]
    for column in columns:
        if column in _HIDDEN_CHIPS and not several:
            continue
        for row, value in enumerate(results.documents[column]):
            shown = plain(value)
            if shown not in (None, ""):
                rows[row].append(str(shown) if column in _HIDDEN_CHIPS else f"{column}: {shown}")
    return rows
