"""Takes out of a model's text the links and pictures that could carry data away: what is not of the result set is no link."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import unquote

import regex

REMOVED = "[link removed]"
"""What stands in the place of an address that no document has."""

LONGEST_LINK = 2_000
"""Characters that are held back at most while a link may be unfinished."""

_LABEL = r"\[(?P<label>(?:[^\[\]\n\\]|\\.){0,500})\]"
_TITLE = r"(?:\s{1,5}(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?"
_TARGET = rf"\(\s{{0,5}}<?(?P<target>(?:[^()\s<>]|\([^()\s]{{0,100}}\)){{0,1900}})>?{_TITLE}\s{{0,5}}\)"
_LINK = rf"(?P<picture>!)?{_LABEL}(?:{_TARGET}|\[(?P<reference>[^\[\]\n]{{0,200}})\](?!\[))"
_ADDRESS = (
    r"(?<![a-z0-9])(?:[a-z][a-z0-9+.-]{1,20}://|www\.(?=\w)|(?:mailto|javascript|vbscript|xmpp):(?=\S)|data:(?=[a-z]{1,20}/)"
    r"|(?<![:/])//(?=[\w-]{1,60}\.\p{L}))[^\s<>\"'`{}|\\^]+"
)
_ANY = regex.compile(rf"{_LINK}|(?P<address>{_ADDRESS})", regex.IGNORECASE)
_BARE = regex.compile(_ADDRESS, regex.IGNORECASE)
_WHOLE_LINK = regex.compile(_LINK, regex.IGNORECASE)
_OPENING = regex.compile(r"!?\[")
_LAST_WORD = regex.compile(r"[!-~]*$")
_TAIL = ".,;:!?)]}*_…。"


@dataclass
class LinkFilter:
    """A stream of text in, the same without foreign links out.

    `[label](address)` becomes the label, a picture its description, a bare address `[link removed]`, unless it is one of
    `allowed` (the URLs of the documents, and addresses that stand in their texts): such a one stays. Pictures never stay.
    Footnotes such as [3] are not touched.
    """

    allowed: Collection[str]
    _held: str = ""
    _known: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self._known = frozenset(_normal(one) for one in self.allowed if one)

    def feed(self, text: str) -> str:
        """The text that is certain by now."""
        self._held += text
        cut = len(self._held) if len(self._held) > LONGEST_LINK else self._certain()
        out, self._held = self._held[:cut], self._held[cut:]
        return _ANY.sub(self._kept, out)

    def end(self) -> str:
        """What was held back."""
        out, self._held = self._held, ""
        return _ANY.sub(self._kept, out)

    def _certain(self) -> int:
        """Up to where no link can be unfinished: before the last word, or the bracket of a link that may go on."""
        found = _LAST_WORD.search(self._held)
        cut = found.start() if found else len(self._held)
        for opening in _OPENING.finditer(self._held, 0, cut):
            link = _WHOLE_LINK.match(self._held, opening.start(), partial=True)
            if link is not None and (link.partial or link.end() >= cut):
                return opening.start()
        return cut

    def _kept(self, found: regex.Match[str]) -> str:
        return self._address(found[0]) if found["address"] else self._link(found)

    def _link(self, found: regex.Match[str]) -> str:
        label = found["label"]
        if found["picture"]:
            return self._without_addresses(label)
        is_ours = found["target"] is not None and _normal(found["target"]) in self._known
        is_footnote = label.strip(" ^").isdecimal()
        if is_ours or (found["reference"] is not None and is_footnote):
            return found[0]
        return f"[{label}]" if is_footnote else self._without_addresses(label)

    def _without_addresses(self, label: str) -> str:
        return _BARE.sub(lambda found: self._address(found[0]), label)

    def _address(self, said: str) -> str:
        address = said.rstrip(_TAIL)
        is_ours = _normal(address) in self._known or _normal(said) in self._known
        return said if is_ours else REMOVED + said[len(address) :]


def addresses(text: str) -> list[str]:
    """The addresses that stand in a text."""
    return [found[0].rstrip(_TAIL) for found in _BARE.finditer(text)]


def _normal(address: str) -> str:
    """An address as it is compared: without scheme, "www.", a slash at its end, letter case of host, percent signs."""
    bare = regex.sub(r"^(?:https?:)?//(?:www\.)?|^www\.", "", unquote(address.strip()), flags=regex.IGNORECASE)
    host, slash, path = bare.partition("/")
    return (host.lower() + slash + path).rstrip("/")
