"""Footnotes: which stretch of which document a statement rests on, and the cited text as it grows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from chatsearch.llm.model import Piece, Quotation
from chatsearch.passages import Span
from chatsearch.prompts import PromptDocument
from chatsearch.statements import NOT_FOUND, Finding, check_statement, last_statement
from chatsearch.statements import Check as Check

_FEWEST_WORDS = 3


@dataclass(frozen=True)
class Source:
    """What a footnote needs of a document beside its text: its id, title, URL, and the column its text is in."""

    id: str
    title: str
    url: str
    column: str


@dataclass(frozen=True)
class Footnote:
    """One marker `[n]` in a text.

    `at` is the marker's offset in that text; `quote` is `column` of document `id` from `start` to `end` (Unicode code
    points, end exclusive). The three are None when the statement was not found in the document.
    """

    n: int
    id: str
    title: str
    url: str
    at: int
    column: str | None
    quote: str | None
    start: int | None
    end: int | None
    check: Check

    def to_json(self) -> dict[str, object]:
        return {
            "n": self.n,
            "id": self.id,
            "title": self.title,
            "url": self.url,
            "at": self.at,
            "column": self.column,
            "quote": self.quote,
            "start": self.start,
            "end": self.end,
            "check": self.check.value,
        }


CheckStatement = Callable[[str, str, str], Finding]
"""How a statement (first) compares with the text of a document (second) in a language (third, ISO 639-1 or empty)."""


@dataclass
class CitedText:
    """A text that grows by pieces of a model's answer, with a footnote for each quotation or marker.

    `sources` maps a document's number to its source, `documents` are those the model was given. A piece with a quotation that
    is not literally in its document is a defect of the model: its footnote says `not found`. A piece that `cites` is checked
    by `check`: the statement that ends there, which is what stands since the marker before it.
    """

    documents: Iterable[PromptDocument]
    sources: Mapping[int, Source]
    text: str = ""
    footnotes: list[Footnote] = field(default_factory=list)
    check: CheckStatement = check_statement
    _since: str = ""  # the text since the last marker
    _statement: str = ""  # what the last marker stood for

    def __post_init__(self) -> None:
        self._documents = {document.n: document for document in self.documents}

    def add(self, piece: Piece) -> tuple[str, tuple[Footnote, ...]]:
        """Append `piece` and its marker; returns what was appended, to be streamed, and the footnotes in it."""
        before = len(self.text)
        quotation = piece.quotation
        if quotation is not None and quotation.n in self._documents:
            self.text += (" " if self.text and not self.text[-1].isspace() else "") + piece.text + " "
            self._mark(quotation.n, self._compared(piece.text, quotation))
            return self.text[before:], (self.footnotes[-1],)
        self.text += piece.text  # a number nobody has gets no marker
        self._since += piece.text
        if piece.cites is None or piece.cites not in self._documents:
            return piece.text, ()
        document = self._documents[piece.cites]
        self._mark(document.n, self.check(self._stated(document.language), document.text, document.language))
        return self.text[before:], (self.footnotes[-1],)

    def _stated(self, language: str) -> str:
        """The statement before a marker: that of the one before it when nothing, or next to nothing, stands between them."""
        latest = last_statement(self._since, language)
        if not any(map(str.isalnum, latest)):
            return self._statement
        goes_on = latest.strip() == self._since.strip() and len(latest.split()) < _FEWEST_WORDS and latest.isascii()
        self._statement = f"{self._statement} {latest}".strip() if goes_on else latest
        return self._statement

    def _compared(self, text: str, quotation: Quotation) -> Finding:
        whole = self._documents[quotation.n].text
        span = Span(quotation.start, quotation.end)
        found = 0 <= span.start < span.end <= len(whole) and span.of(whole) == text
        return Finding(Check.EXACT, span) if found else NOT_FOUND

    def _mark(self, n: int, finding: Finding) -> None:
        source, span = self.sources[n], finding.span
        note = Footnote(
            n=n,
            id=source.id,
            title=source.title,
            url=source.url,
            at=len(self.text),
            column=source.column if span else None,
            quote=span.of(self._documents[n].text) if span else None,
            start=span.start if span else None,
            end=span.end if span else None,
            check=finding.check,
        )
        self.footnotes.append(note)
        self.text += f"[{n}]"
        self._since = ""


def renumber(text: str, footnotes: Iterable[Footnote], numbers: Mapping[str, int]) -> tuple[str, tuple[Footnote, ...], int]:
    """`text` and its footnotes with the numbers that `numbers` gives each document id; returns also how many were dropped.

    A footnote whose document is no longer in the set loses its marker. Markers are found by their offsets, never by a
    search for `[n]`, since a quoted text may hold such signs itself.
    """
    out, kept, dropped, last = "", [], 0, 0
    for note in sorted(footnotes, key=lambda one: one.at):
        out += text[last : note.at]
        last = note.at + len(f"[{note.n}]")
        number = numbers.get(note.id)
        if number is None:
            out = out.rstrip(" ")
            dropped += 1
            continue
        kept.append(replace(note, n=number, at=len(out)))
        out += f"[{number}]"
    return out + text[last:], tuple(kept), dropped
