"""Finds the footnotes in a model's text while it streams: `[1]`, `[1, 2]`, `[1-3]`, `[[1]]`, `【1】`, not `[2024]`, not code."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

import regex

from chatsearch.llm.model import Piece

LONGEST_RANGE = 20

_NUMBER = r"\^?\p{Nd}{1,6}+"
_LIST = rf"{_NUMBER}(?:\s?[-–—,;，、]\s?{_NUMBER}){{0,12}}+"
_MARKER = regex.compile(rf"\[{{1,2}}+\s?({_LIST})\s?\]{{1,2}}|[【［]\s?({_LIST})(?:†[^\[\]【】\n]{{0,40}})?\s?[】］]")
# a footnote written as a link: only the number is one, the address would leave the documents
_LINK = regex.compile(r"\((?:https?:|mailto:|#|/|\.)[^\s()]{0,400}\)")
_NEXT = regex.compile(r"(?P<code>`{1,12}+)|(?P<open>[\[【［])|(?P<line>\n)")


@dataclass
class FootnoteParser:
    """Turns tokens into pieces. `numbers` are those of the documents: any other number stays text.

    Joined, the pieces' texts are the model's text but for its markers, each of which is a piece with `cites`.
    """

    numbers: frozenset[int]
    _held: str = ""
    _fence: str = ""  # the run of signs that opened the code we are in
    _line: str = ""  # what of the present line is already out

    def feed(self, token: str) -> list[Piece]:
        """The pieces that are certain by now."""
        self._held += token
        return _merged(self._parse(final=False))

    def end(self) -> list[Piece]:
        """What was held back."""
        return _merged(self._parse(final=True))

    def _parse(self, final: bool) -> Iterator[Piece]:
        while self._held:
            found = _NEXT.search(self._held)
            if found is None:
                yield self._out(len(self._held))
                return
            if found.start():
                yield self._out(found.start())
                continue
            if found["line"]:
                if self._fence and len(self._fence) < 3:
                    self._fence = ""  # code within a line ends with it
                yield self._out(1)
            elif found["code"]:
                if not final and found.end() == len(self._held):
                    return  # the run may go on
                self._enter_or_leave(found[0])
                yield self._out(found.end())
            elif self._fence:
                yield self._out(1)
            else:
                pieces = self._marker(final)
                if pieces is None:
                    return
                yield from pieces

    def _marker(self, final: bool) -> list[Piece] | None:
        """What the bracket that is held begins: a marker's pieces, or text; None while that cannot be told."""
        found = _MARKER.match(self._held, partial=not final)
        if found is None:
            return [self._out(1)]
        if found.partial or (not final and found.end() == len(self._held)):
            return None  # what comes next may be another bracket, or the address of a link
        link = _LINK.match(self._held, found.end(), partial=not final)
        if link is not None and link.partial:
            return None
        pieces = self._cited(found[1] or found[2])
        if pieces is None:
            return [self._out(found.end())]
        self._out(link.end() if link is not None else found.end())
        return pieces

    def _cited(self, inside: str) -> list[Piece] | None:
        """The pieces of a marker's inside; None when no number in it is a document's, or a range leaves the documents."""
        pieces: list[Piece] = []
        for part in regex.split(r"\s?[,;，、]\s?", inside):
            ends = [_whole_number(one) for one in regex.split(r"\s?[-–—]\s?", part)]
            if len(ends) == 1:
                pieces.append(Piece("", cites=ends[0]) if ends[0] in self.numbers else Piece(f"[{part}]"))
                continue
            span = range(ends[0], ends[-1] + 1)
            if len(ends) > 2 or not 1 < len(span) <= LONGEST_RANGE or not self.numbers.issuperset((span[0], span[-1])):
                return None
            pieces.extend(Piece("", cites=n) for n in span if n in self.numbers)
        return pieces if any(piece.cites is not None for piece in pieces) else None

    def _enter_or_leave(self, run: str) -> None:
        if not self._fence:
            starts_line = not self._line.strip(" ")
            self._fence = run if starts_line or len(run) < 3 else run[:2]
        elif len(run) == len(self._fence) or len(run) >= len(self._fence) >= 3:
            self._fence = ""

    def _out(self, end: int) -> Piece:
        text, self._held = self._held[:end], self._held[end:]
        self._line = (self._line + text).rpartition("\n")[2]
        return Piece(text)


def _merged(pieces: Iterator[Piece]) -> list[Piece]:
    """Neighbouring texts as one piece."""
    out: list[Piece] = []
    for piece in pieces:
        if piece.cites is None and out and out[-1].cites is None:
            out[-1] = Piece(out[-1].text + piece.text)
        else:
            out.append(piece)
    return out


def _whole_number(text: str) -> int:
    return int("".join(str(unicodedata.decimal(one)) for one in text.strip("^ ")))


@dataclass
class RefusalSign:
    """Watches a stream for the agreed refusal sign, also when it comes in parts; what may begin it is held back."""

    sign: str
    seen: bool = False
    _held: str = ""
    _pattern: regex.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        decoration = r"[*_`\"“”'\[\]]{0,3}"
        self._pattern = regex.compile(rf"{decoration}{regex.escape(self.sign)}{decoration}[.!]?+")

    def feed(self, token: str) -> str:
        """The text by now, without the sign."""
        self._held += token
        out = ""
        while True:
            found = self._pattern.search(self._held, partial=True)
            if found is None:
                out, self._held = out + self._held, ""
                return out
            out += self._held[: found.start()]
            self._held = self._held[found.start() :]
            if found.partial:
                return out
            self.seen = True
            self._held = self._held[found.end() - found.start() :]

    def end(self) -> str:
        """What was held back and is not the sign."""
        if self._pattern.fullmatch(self._held):
            self.seen, self._held = True, ""
        held, self._held = self._held, ""
        return held
