"""Text of documents and models made safe for Chainlit's Markdown: it shows as it is, and nothing in it is a link or a picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from chatsearch.citations import Footnote, unsupported_sign
from chatsearch.passages import Span

UNSUPPORTED_SIGN = "[\\[?\\]](#unsupported)"
"""Stands after a sentence that no document has; the page makes a sign of it."""

# What Chainlit's Markdown (CommonMark, GFM, directives) could read as a sign anywhere in a line. A colon before a letter begins a
# directive, and the front end eats the word after it.
_SIGNS = re.compile(r"[\\`*_{}\[\]<>#|~$&!]|:(?=\S)")
_FIRST = re.compile(r"^(\s*)([-+=]|\d+[.)])")
# GFM makes links of these even where every sign is escaped; as code they stay text.
_ADDRESS = re.compile(r"(?:\b[a-z][a-z0-9+.-]*://|\bwww\.|\bmailto:|\bxmpp:)\S+|[-.\w+]+@[-\w]+(?:\.[-\w]+)+", re.IGNORECASE)


def escape(text: str) -> str:
    """`text` as Markdown that shows exactly it, in one paragraph; addresses are shown as code."""
    flat = " ".join(text.split()) if text.strip() else text
    out, last = "", 0
    for match in _ADDRESS.finditer(flat):
        out += _escape_signs(flat[last : match.start()]) + _code(match[0])
        last = match.end()
    return _escape_start(out + _escape_signs(flat[last:]))


@dataclass
class MarkdownStream:
    """A cited text as it comes, token by token, as Markdown: each marker becomes a link that the page opens as a footnote.

    The link's target `#cite-<k>` names the k-th footnote of this text, from 0: two markers of one document may stand for
    different passages.
    """

    length: int = 0
    count: int = 0
    markdown: str = field(default="")

    def add(self, token: str, footnotes: Sequence[Footnote], unsupported: Sequence[Span] = ()) -> str:
        """The Markdown of the next token, whose footnotes are given.

        With a whole text as the only token, `unsupported` are the sentences of it that no document has.
        """
        signs = [(note.at, len(f"[{note.n}]"), f"[\\[{note.n}\\]](#cite-{self.count + k})") for k, note in enumerate(footnotes)]
        signs += [
            (sign.start, len(sign.of(token)), UNSUPPORTED_SIGN) for sign in (unsupported_sign(token, one) for one in unsupported)
        ]
        self.count += len(footnotes)
        out, last = "", 0
        for at, length, sign in sorted(signs):
            out += self._text(token[last : at - self.length]) + sign
            last = at - self.length + length
        out += self._text(token[last:])
        self.length += len(token)
        self.markdown += out
        return out

    def _text(self, text: str) -> str:
        """The escaped text; white space at its ends is kept, since it stands between tokens."""
        inner = text.strip()
        if not inner:
            return text
        start = text.index(inner)
        return text[:start] + escape(inner) + text[start + len(inner) :]


def _escape_signs(text: str) -> str:
    return _SIGNS.sub(lambda match: "\\" + match[0], text)


def _escape_start(text: str) -> str:
    """A list or a rule begins only at the start of a paragraph."""
    return _FIRST.sub(lambda match: f"{match[1]}{match[2][:-1]}\\{match[2][-1]}", text)


def _code(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
