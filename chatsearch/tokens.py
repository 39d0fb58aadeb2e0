"""The words of a text where they stand: to replace or remove some and leave everything between them as it is."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

import regex

# One word each: don’t, AT&T, example.com, C#, C++.
WORD = regex.compile(
    r"[\p{L}\p{M}\p{N}]+(?:['’&\u05f3\u05f4\u200c][\p{L}\p{M}]+|\.\p{Ll}[\p{L}\p{M}\p{N}]*)*(?:(?<=(?<![\p{L}\p{M}\p{N}])\p{Lu})(?:#|\+\+))?"
)
_SPACES = regex.compile(r"[^\S\n]{2,}")
_EDGES = regex.compile(r"[^\S\n]+(?=\n)|(?<=\n)[^\S\n]+")
_GAP = regex.compile(r"[^\S\n]+(?=[,.;:!?…)\]}”،؛؟])|(?<=[¿¡(\[{“„‘])[^\S\n]+")


def replaced(text: str, change: Callable[[list[str]], Sequence[str]]) -> str:
    """`text` with its words as `change` gives them back, one for one."""
    spans = [match.span() for match in WORD.finditer(text)]
    parts, last = [], 0
    for (start, end), word in zip(spans, change([text[start:end] for start, end in spans]), strict=True):
        parts += [text[last:start], word]
        last = end
    return "".join([*parts, text[last:]])


def without(text: str, drop: Callable[[str], bool]) -> str:
    """`text` without the words that `drop` is true for, and without the gaps they leave; as it is when no word would be left."""
    left = False

    def kept(match: regex.Match[str]) -> str:
        nonlocal left
        if drop(match[0]):
            return ""
        left = True
        return match[0]

    cut = WORD.sub(kept, text)
    return tidied(_GAP.sub("", cut)) if left else text


def tidied(text: str) -> str:
    """`text` without repeated spaces and without spaces at the ends of lines."""
    return _EDGES.sub("", _SPACES.sub(" ", text)).strip()


def folded(word: str, language: str = "") -> str:
    """A word as stop word lists have it: case folded, NFKC, straight apostrophes."""
    if language in ("tr", "az"):
        word = word.replace("İ", "i").replace("I", "ı")
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFKC", word).casefold().replace("’", "'")
