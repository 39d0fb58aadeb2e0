"""A document's own page, for documents without a web address and for reading on around a passage."""

from __future__ import annotations

import html
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chatsearch.cells import cell_text, plain
from chatsearch.results import FULL_TEXT, SOURCE_INDEX, ResultSet
from chatsearch.web import is_web

PAGE_CSP = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
_LONGEST_VALUE = 2000  # characters of a cell of the table


@dataclass(frozen=True)
class Found:
    """A row of a result set."""

    results: ResultSet
    row: int

    def text(self, column: str) -> str:
        return cell_text(self.results.documents, column)[self.row]


class RecentDocuments:
    """The documents people saw last, by engine: so long as its result set is remembered, a document has a page.

    At most `sets` result sets in the whole process, the ones longest unused leaving first. Thread-safe. Whoever knows an engine
    and a document's id can read it: these are the documents that the engine shows to everybody who searches. What a visitor's
    changed pipeline made of them is found only by the id of its result set, which cannot be guessed.
    """

    def __init__(self, sets: int = 100) -> None:
        self._limit = sets
        self._sets: OrderedDict[tuple[str, str], tuple[ResultSet, bool]] = OrderedDict()
        self._count = 0
        self._lock = threading.Lock()

    def remember(self, engine: str, results: ResultSet, of_set: str = "", *, own: bool = True) -> None:
        """Keep a result set under its id. `own` is false for one that a changed pipeline made: it is found by its id alone."""
        with self._lock:
            self._count += 1
            self._sets[engine, of_set or str(self._count)] = results, own
            while len(self._sets) > self._limit:
                self._sets.popitem(last=False)

    def find(self, engine: str, identifier: str, of_set: str = "") -> Found | None:
        """The document as it is in that result set; without one, in the engine's own newest that has it."""
        with self._lock:
            kept = [
                (key, results) for key, (results, own) in reversed(self._sets.items()) if key[0] == engine and (own or of_set)
            ]
        for key, results in kept:
            if of_set and key[1] != of_set:
                continue
            for row, one in enumerate(results.documents["id"]):
                if str(one) == identifier:
                    self._used(key)
                    return Found(results, row)
        return None

    def _used(self, key: tuple[str, str]) -> None:
        with self._lock:
            if key in self._sets:
                self._sets.move_to_end(key)


def render_document(found: Found, asked: Mapping[str, str], home: str = "/") -> str:
    """The page of a document: title, text, its other columns; `home` is the chat it leads back to.

    `asked` may name a `column` and a passage, `start` to `end`.
    """
    column = _text_column(found, asked.get("column", ""))
    title = " ".join(found.text("title").split()) or found.text("id")
    url = found.text("url")
    address = f'<p><a href="{html.escape(url)}" rel="noreferrer noopener">{html.escape(url)}</a></p>' if is_web(url) else ""
    text = "".join(_paragraphs(found.text(column), *_passage(asked)))
    rows = "".join(
        f"<tr><th scope=row>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in _other(found, column)
    )
    table = f"<h2>About this document</h2><table>{rows}</table>" if rows else ""
    return _page(title, f"<h1>{html.escape(title)}</h1>{address}<article>{text}</article>{table}", home)


def render_not_found() -> str:
    """What is shown for a document, or an address, that is not there."""
    return _page(
        "Not found",
        "<h1>Not found</h1><p>There is nothing at this address. "
        "A document has a page only for some time after a search that found it.</p>",
    )


def _text_column(found: Found, wanted: str) -> str:
    frame, roles = found.results.documents, found.results.roles
    candidates = [wanted, FULL_TEXT, *(column for column, has in roles.items() if "text" in has)]
    return next((column for column in candidates if column in frame.columns), FULL_TEXT)


def _passage(asked: Mapping[str, str]) -> tuple[int, int]:
    """Start and end in Unicode code points; an empty passage when they are not numbers."""
    start, end = asked.get("start", ""), asked.get("end", "")
    if not all(one.isascii() and one.isdigit() and len(one) < 10 for one in (start, end)):
        return 0, 0
    return int(start), int(end)


def _paragraphs(text: str, start: int, end: int) -> Iterator[str]:
    """The text as paragraphs, one per line, with the passage marked in each that it touches; the first mark is `#passage`."""
    place, marked = 0, False
    for line in text.split("\n"):
        first, last = max(start - place, 0), min(end - place, len(line))
        if line.strip() and first < last:
            name = "" if marked else ' id="passage"'
            before, passage, after = (html.escape(part) for part in (line[:first], line[first:last], line[last:]))
            yield f"<p>{before}<mark{name}>{passage}</mark>{after}</p>"
            marked = True
        elif line.strip():
            yield f"<p>{html.escape(line)}</p>"
        place += len(line) + 1


def _other(found: Found, text_column: str) -> Iterator[tuple[str, str]]:
    """Name and value of the other columns that a person would read: not the pipeline's own, not the empty ones."""
    for name in map(str, found.results.documents.columns):
        if name in ("title", "url", text_column) or (name.startswith("_") and name.endswith("_") and name != SOURCE_INDEX):
            continue
        value = plain(found.results.documents[name].iloc[found.row])
        shown = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
        if shown:
            label = "source" if name == SOURCE_INDEX else name
            yield label, shown if len(shown) <= _LONGEST_VALUE else f"{shown[:_LONGEST_VALUE]} …"


def _page(title: str, body: str, home: str = "/") -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{html.escape(title)}</title>
<link rel="icon" href="/favicon">
<link rel="stylesheet" href="/public/pages.css">
</head>
<body>
<main>{body}<p><a href="{html.escape(home)}">Back to the search</a></p></main>
</body>
</html>
"""
