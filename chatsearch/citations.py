"""Footnotes: which stretch of which document a statement rests on, and the cited text as it grows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from chatsearch.llm.model import Piece
from chatsearch.prompts import PromptDocument


class Check(StrEnum):
    """How a cited statement compares with its document."""

    EXACT = "exact"
    SIMILAR = "similar"
    NOT_FOUND = "not found"


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


@dataclass
class CitedText:
    """A text that grows by pieces of a model's answer, with a footnote for each quotation.

    `sources` maps a document's number to its source, `documents` are those the model was given. A piece with a quotation that
    is not literally in its document is a defect of the model: its footnote says `not found`.
    """

    documents: Iterable[PromptDocument]
    sources: Mapping[int, Source]
    text: str = ""
    footnotes: list[Footnote] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._texts = {document.n: document.text for document in self.documents}

    def add(self, piece: Piece) -> tuple[str, tuple[Footnote, ...]]:
        """Append `piece` and its marker; returns what was appended, to be streamed, and the footnotes in it."""
        before = len(self.text)
        if piece.quotation is None or piece.quotation.n not in self._texts:  # a number nobody has gets no marker
            self.text += piece.text
            return piece.text, ()
        self.text += (" " if self.text and not self.text[-1].isspace() else "") + piece.text + " "
        self.footnotes.append(self._footnote(piece, at=len(self.text)))
        self.text += f"[{piece.quotation.n}]"
        return self.text[before:], (self.footnotes[-1],)

    def _footnote(self, piece: Piece, at: int) -> Footnote:
        quotation = piece.quotation
        assert quotation is not None
        source = self.sources[quotation.n]
        quote = self._texts[quotation.n][quotation.start : quotation.end]
        found = quote == piece.text and 0 <= quotation.start < quotation.end <= len(self._texts[quotation.n])
        return Footnote(
            n=quotation.n,
            id=source.id,
            title=source.title,
            url=source.url,
            at=at,
            column=source.column if found else None,
            quote=quote if found else None,
            start=quotation.start if found else None,
            end=quotation.end if found else None,
            check=Check.EXACT if found else Check.NOT_FOUND,
        )


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
