"""A text that names documents by their titles, each with a footnote that quotes the title, or quotes a stretch of their text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatsearch.cells import cell_text
from chatsearch.citations import Check, Footnote
from chatsearch.passages import Span
from chatsearch.results import ResultSet

_LONGEST_TITLE = 120


@dataclass(frozen=True)
class CitedPart:
    """The next part of a text, and the footnotes whose markers are in it."""

    text: str
    footnotes: tuple[Footnote, ...] = ()


class CitedTitles:
    """A text about the documents of a set that grows by `say`, `name` and `quote`; rows are those of the frame."""

    def __init__(self, results: ResultSet) -> None:
        self._frame = results.documents
        self._numbers = results.numbers or results.ranks()
        self._columns = {column: cell_text(self._frame, column) for column in ("title", "url", "id")}
        self._length = 0
        self.parts: list[CitedPart] = []

    def number(self, row: int) -> int:
        """The footnote number of a row."""
        return self._numbers[self._columns["id"][row]]

    def say(self, text: str) -> None:
        self._add(text)

    def name(self, row: int, more: str = "") -> None:
        """The title of a document (its URL, else its id, where it has none), what is told of it, and its footnote."""
        column = next(one for one in ("title", "url", "id") if self._columns[one][row].strip() or one == "id")
        whole = self._columns[column][row]
        start = len(whole) - len(whole.lstrip())
        quote = whole.strip()[:_LONGEST_TITLE].rstrip()
        self._add(f"{' '.join(quote.split())}{more} ", row, column, Span(start, start + len(quote)), whole)

    def quote(self, row: int, column: str, span: Span) -> None:
        """A stretch of a document's text, literally, and its footnote."""
        whole = cell_text(self._frame, column)[row]
        self._add(f"{span.of(whole)} ", row, column, span, whole)

    def names(self, rows: Sequence[int], more: Sequence[str] = ()) -> None:
        """Several documents, with commas between them."""
        for place, row in enumerate(rows):
            self._add(", ") if place else None
            self.name(row, more[place] if more else "")

    def _add(self, text: str, row: int | None = None, column: str = "", span: Span | None = None, whole: str = "") -> None:
        notes: tuple[Footnote, ...] = ()
        if row is not None and span is not None:
            number = self.number(row)
            at = self._length + len(text)
            text += f"[{number}]"
            found = bool(span.of(whole))
            title, url, identifier = (self._columns[one][row] for one in ("title", "url", "id"))
            note = Footnote(number, identifier, title, url, at, None, None, None, None, Check.NOT_FOUND)
            quoted = replace(note, column=column, quote=span.of(whole), start=span.start, end=span.end, check=Check.EXACT)
            notes = (quoted if found else note,)
        self._length += len(text)
        self.parts.append(CitedPart(text, notes))
