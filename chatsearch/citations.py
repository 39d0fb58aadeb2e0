"""Footnotes: which stretch of which document a statement rests on, and how many statements were found in their sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import regex

from chatsearch.passages import Span
from chatsearch.statements import Check as Check

UNSUPPORTED = "[?]"
"""Stands in a text behind a sentence that no document has."""


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


@dataclass(frozen=True)
class Found:
    """How many of a text's statements were found in their sources: `exact` of the `found` word for word, out of `total`."""

    found: int
    exact: int
    total: int

    def line(self) -> str:
        """`5 of 6 statements found in their sources, 3 word for word`; empty for a text without statements."""
        if not self.total:
            return ""
        noun, whose = ("statement", "its source") if self.total == 1 else ("statements", "their sources")
        literally = f", {self.exact} word for word" if self.exact < self.found else ""
        return f"{self.found} of {self.total} {noun} found in {whose}{literally}"


def statements_found(text: str, footnotes: Iterable[Footnote], unsupported: Sequence[Span] = ()) -> Found:
    """Markers with nothing said between them stand for one statement, found when one of its documents has it.

    Each of the `unsupported` sentences, which no document has, is one statement more.
    """
    best: list[Check] = []
    last = -1
    for note in sorted(footnotes, key=lambda one: one.at):
        check = note.check
        if best and not _SAID.search(text, last, note.at):
            best[-1] = min(best[-1], check, key=_ORDER.index)
        else:
            best.append(check)
        last = note.at + len(f"[{note.n}]")
    exact, found = (sum(check in kinds for check in best) for kinds in ((Check.EXACT,), (Check.EXACT, Check.SIMILAR)))
    return Found(found, exact, len(best) + len(unsupported))


_ORDER = (Check.EXACT, Check.SIMILAR, Check.NOT_FOUND)
_SAID = regex.compile(r"[\p{L}\p{N}]")


def unsupported_sign(text: str, sentence: Span) -> Span:
    """Where `[?]` stands behind an unsupported sentence; an empty span when it does not."""
    at = text.find(UNSUPPORTED, sentence.end, sentence.end + len(UNSUPPORTED) + 2)
    return (
        Span(at, at + len(UNSUPPORTED)) if at >= 0 and not text[sentence.end : at].strip() else Span(sentence.end, sentence.end)
    )


@dataclass(frozen=True)
class Renumbered:
    """A text whose markers have other numbers; `dropped` counts the footnotes whose document is gone."""

    text: str
    footnotes: tuple[Footnote, ...]
    unsupported: tuple[Span, ...]
    dropped: int


def renumber(
    text: str, footnotes: Iterable[Footnote], numbers: Mapping[str, int], unsupported: Sequence[Span] = ()
) -> Renumbered:
    """`text`, its footnotes and its unsupported sentences with the numbers that `numbers` gives each document id.

    A footnote whose document is no longer in the set loses its marker. Markers are found by their offsets, never by a
    search for `[n]`, since a quoted text may hold such signs itself.
    """
    out, kept, dropped, last = "", [], 0, 0
    shifts: list[tuple[int, int]] = [(0, 0)]  # from which old offset on, by how much
    for note in sorted(footnotes, key=lambda one: one.at):
        out += text[last : note.at]
        last = note.at + len(f"[{note.n}]")
        number = numbers.get(note.id)
        if number is None:
            out = out.rstrip(" ")
            dropped += 1
        else:
            kept.append(replace(note, n=number, at=len(out)))
            out += f"[{number}]"
        shifts.append((last, len(out) - last))

    def moved(at: int) -> int:
        return max(0, at + next(shift for start, shift in reversed(shifts) if start <= at))

    spans = tuple(Span(moved(span.start), moved(span.end)) for span in unsupported)
    return Renumbered(out + text[last:], tuple(kept), spans, dropped)
