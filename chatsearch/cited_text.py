"""A cited text as it grows: every statement compared with the document it cites, one that cites nothing looked for in all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import regex

from chatsearch.citations import UNSUPPORTED, Footnote, Source
from chatsearch.llm.model import Piece, Quotation
from chatsearch.passages import Span, sentences
from chatsearch.prompts import PromptDocument
from chatsearch.statement_source import needs_source
from chatsearch.statements import NOT_FOUND, Check, Finding, check_statement, last_statement

CheckStatement = Callable[[str, PromptDocument], Finding]
"""How a statement compares with a document."""

FindSource = Callable[[str, Sequence[PromptDocument]], tuple[int, Finding] | None]
"""The number of the document that has a statement, and where; None when none has it."""


def by_words(statement: str, document: PromptDocument) -> Finding:
    """How a statement compares with a document by words alone."""
    return check_statement(statement, document.text, document.language)


_FEWEST_WORDS = 3
_ENDS = regex.compile(r"""[.!?…。！？।؟]["\p{Pe}\p{Pf}'*_]*$""")
_BEGINS_AFTER_END = regex.compile(r"""^\s*[.!?…。！？।؟]""")
_DECORATION = regex.compile(r"\*\*|__|[*_`](?=\w)|(?<=[\w.!?])[*_`]|^\s*(?:[-*•+>]|#{1,6}|\d{1,3}[.)])\s+", regex.MULTILINE)
_BEFORE = regex.compile(r"^[\s.,;:!?\p{Pe}\p{Pf}]+")


@dataclass
class CitedText:
    """A text that grows by pieces of a model's answer, with a footnote for each quotation or marker.

    `sources` maps a document's number to its source, `documents` are those the model was given. A piece with a quotation that
    is not literally in its document is a defect of the model: its footnote says `not found`. A piece that `cites` is checked
    by `check`: the statement that ends there, which is what stands since the marker before it. A whole sentence without a
    marker is looked for by `find` in all documents: it gets a footnote, or is one of the `unsupported` and gets `[?]`. Without
    `find` it stays as it is. `language` is the text's. Blocking, when `check` and `find` are.
    """

    documents: Iterable[PromptDocument]
    sources: Mapping[int, Source]
    text: str = ""
    footnotes: list[Footnote] = field(default_factory=list)
    check: CheckStatement = by_words
    find: FindSource | None = None
    language: str = ""
    unsupported: list[Span] = field(default_factory=list)
    _begun: int = 0  # where in the text the statement that is being written begins
    _statement: str = ""  # what the last marker stood for
    _open: bool = False  # whether the last marker stands within a sentence
    _ahead: list[int] = field(default_factory=list)  # footnotes that stand before their statement: "According to [1], …"

    def __post_init__(self) -> None:
        self._documents = {document.n: document for document in self.documents}

    def add(self, piece: Piece) -> tuple[str, tuple[Footnote, ...]]:
        """Append `piece` and its marker; returns what was appended, to be streamed, and the footnotes in it."""
        before, noted = len(self.text), len(self.footnotes)
        quotation = piece.quotation
        if quotation is not None and quotation.n in self._documents:
            self.text += (" " if self.text and not self.text[-1].isspace() else "") + piece.text + " "
            self._mark(quotation.n, self._compared(piece.text, quotation))
        else:
            self._write(piece.text)  # a number nobody has gets no marker
            if piece.cites is not None and piece.cites in self._documents:
                self._cite(self._documents[piece.cites])
        return self.text[before:], tuple(self.footnotes[noted:])

    def end(self) -> tuple[str, tuple[Footnote, ...]]:
        """The text has come to its end: its last sentence may get a footnote still."""
        before, noted = len(self.text), len(self.footnotes)
        self._settle_all("", to_the_end=True)
        return self.text[before:], tuple(self.footnotes[noted:])

    def _write(self, text: str) -> None:
        if any(map(str.isalnum, text)):
            self._settle_all(text)
        else:
            self.text += text

    def _settle_all(self, text: str, *, to_the_end: bool = False) -> None:
        """Append `text`; every sentence that is complete by it gets its footnote right behind it."""
        base = self._begun
        whole = self.text[base:] + text
        written = len(self.text) - base
        spans = sentences(whole, self.language)
        for span in spans if to_the_end else spans[:-1]:
            if span.end > written:
                self.text += whole[written : span.end]
                written = span.end
            # what stands in `whole` at x stands in the text at x + moved, since markers were put in between
            moved = len(self.text) - written
            in_time = not whole[span.end : written].strip()
            before = len(self.text)
            self._settle(Span(span.start + moved, span.end + moved), may_mark=in_time)
            if len(self.text) > before and whole[written:] and not whole[written].isspace():
                self.text += " "
            self._begun = len(self.text) if in_time else span.end + moved
        self.text += whole[written:]

    def _settle(self, span: Span, *, may_mark: bool) -> None:
        """A sentence that ended without a marker: it is what a marker at its beginning was for, or it is looked up."""
        before = _BEFORE.match(span.of(self.text))
        span = Span(span.start + (before.end() if before else 0), span.end)
        sentence = _plain(self._said(span.start, span.end))
        if self._ahead:
            self._check_again(sentence)
        elif self._states(sentence, span):
            self._look_up(sentence, span, may_mark)
        self._statement = ""

    def _states(self, sentence: str, span: Span) -> bool:
        if self.find is None or not any(map(str.isalnum, sentence)):
            return False
        is_tail = self._open and bool(self.footnotes) and not _ENDS.search(self.text[: span.start].rstrip())
        if is_tail and len(sentence.split()) <= _FEWEST_WORDS:
            return False
        return needs_source(sentence, self.language)

    def _look_up(self, sentence: str, span: Span, may_mark: bool) -> None:
        assert self.find is not None
        found = self.find(sentence, tuple(self._documents.values()))
        if may_mark:
            self.text += "" if self.text[-1].isspace() else " "
        if found is None:
            self.unsupported.append(span)
            self.text += UNSUPPORTED if may_mark else ""
        elif may_mark:
            self._mark(*found)

    def _cite(self, document: PromptDocument) -> None:
        stated = self._stated(document.language)
        if stated:
            self._mark(document.n, self.check(stated, document))
        else:
            self._ahead.append(len(self.footnotes))
            begun = self._begun
            self._mark(document.n, NOT_FOUND)
            self._begun = begun  # the sentence goes on

    def _stated(self, language: str) -> str:
        """The statement before a marker: that of the one before it when next to nothing stands between them; "" if it follows."""
        since = self._said(self._begun, len(self.text))
        goes_on = self._open and not _BEGINS_AFTER_END.match(since)
        since = _BEFORE.sub("", since)
        latest = _plain(last_statement(since, language))
        if not any(map(str.isalnum, latest)):
            return self._statement
        few = latest == _plain(since) and len(latest.split()) < _FEWEST_WORDS and latest.isascii()
        if few and not _ENDS.search(since.rstrip()):
            if not (goes_on and self._statement):
                return ""
            latest = f"{self._statement} {latest}"
        self._statement = latest
        return latest

    def _said(self, start: int, end: int) -> str:
        """The text between two offsets, without our markers in it."""
        out, last = "", start
        for note in self.footnotes:
            if start <= note.at < end:
                out += self.text[last : note.at].rstrip()
                last = note.at + len(f"[{note.n}]")
        return out + self.text[last:end]

    def _check_again(self, sentence: str) -> None:
        """The footnotes that stand before their statement, now that it is whole."""
        for place in self._ahead:
            note = self.footnotes[place]
            document = self._documents[note.n]
            self.footnotes[place] = self._note(note.n, self.check(sentence, document), note.at)
        self._ahead.clear()

    def _compared(self, text: str, quotation: Quotation) -> Finding:
        whole = self._documents[quotation.n].text
        span = Span(quotation.start, quotation.end)
        found = 0 <= span.start < span.end <= len(whole) and span.of(whole) == text
        return Finding(Check.EXACT, span) if found else NOT_FOUND

    def _mark(self, n: int, finding: Finding) -> None:
        self._open = not _ENDS.search(self.text.rstrip())
        self.footnotes.append(self._note(n, finding, len(self.text)))
        self.text += f"[{n}]"
        self._begun = len(self.text)

    def _note(self, n: int, finding: Finding, at: int) -> Footnote:
        source, span = self.sources[n], finding.span
        return Footnote(
            n=n,
            id=source.id,
            title=source.title,
            url=source.url,
            at=at,
            column=source.column if span else None,
            quote=span.of(self._documents[n].text) if span else None,
            start=span.start if span else None,
            end=span.end if span else None,
            check=finding.check,
        )


def _plain(text: str) -> str:
    """A sentence without Markdown's signs, as it is compared."""
    return _DECORATION.sub("", text).strip()
