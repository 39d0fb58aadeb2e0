"""Reads a model's text while it streams: reasoning taken out, the refusal sign recognised, footnotes found."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from chatsearch.llm.footnotes import FootnoteParser, RefusalSign
from chatsearch.llm.model import Piece
from chatsearch.llm.reasoning import ReasoningFilter
from chatsearch.prompts import NO_ANSWER


@dataclass
class AnswerReader:
    """Tokens in, pieces out. `numbers` are those that footnotes may have; white space at either end of the answer is dropped.

    `raw` is all that came, `refused` that the refusal sign came and no footnote, `empty` that there is nothing to show.
    """

    numbers: frozenset[int]
    raw: str = ""
    cited: bool = False
    empty: bool = True
    _space: str = ""
    _reasoning: ReasoningFilter = field(default_factory=ReasoningFilter)
    _sign: RefusalSign = field(default_factory=lambda: RefusalSign(NO_ANSWER))
    _footnotes: FootnoteParser = field(init=False)

    def __post_init__(self) -> None:
        self._footnotes = FootnoteParser(self.numbers)

    @property
    def refused(self) -> bool:
        return self._sign.seen and not self.cited

    def feed(self, token: str) -> list[Piece]:
        """The pieces that are certain by now."""
        self.raw += token
        return self._trimmed(self._footnotes.feed(self._sign.feed(self._reasoning.feed(token))))

    def end(self) -> list[Piece]:
        """What was held back; nothing after a refusal."""
        rest = self._sign.feed(self._reasoning.end()) + self._sign.end()
        pieces = self._trimmed(self._footnotes.feed(rest) + self._footnotes.end())
        return [] if self.refused else pieces

    def _trimmed(self, pieces: list[Piece]) -> list[Piece]:
        out = []
        for piece in pieces:
            text = self._space + piece.text
            text = text.lstrip() if self.empty else text
            if piece.cites is None:
                stripped = text.rstrip()
                text, self._space = stripped, text[len(stripped) :]
            else:
                self._space, self.cited = "", True
            if text or piece.cites is not None:
                self.empty = False
                out.append(replace(piece, text=text))
        return out
