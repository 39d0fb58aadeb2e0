"""Cleaning of text, done once where it enters: entities, mojibake, hidden and control characters."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from html.entities import html5
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ftfy import TextFixerConfig

_ROUNDS = 20
_ENTITY = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});")
# An ampersand escaped any number of times over, in one step: "&amp;amp;amp;quot;".
_ESCAPED_AMPERSAND = re.compile(r"&(?:(?:amp|AMP|#0*38|#[xX]0*26);)+")
_LINE_BREAK = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_REMOVED = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f"  # control characters other than tab and newline
    "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069"  # direction marks, overrides, isolates
    "\u00ad\u180e\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"  # without width or use
    "]"
    # Joiners mean something in Persian, in Indic scripts and within emoji, not between ASCII characters.
    "|(?:(?<=[\x00-\x7f])|^)[\u200c\u200d]+(?:(?=[\x00-\x7f])|$)"
    # A zero-width space parts words in the scripts of south-east Asia and hides elsewhere.
    "|(?<![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff])\u200b"
    # Selectors choose a form of one character; a run of them, or one after an ASCII letter, carries hidden text.
    "|(?:(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef\x00-\x22\x24-\x29\x2b-\x2f\x3a-\x7f])|^)[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)
# Tag characters spell the flags of England, Scotland and Wales after a black flag; anywhere else they hide text.
_TAGS = re.compile("(\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{3,6}\U000e007f)|[\U000e0000-\U000e007f]")


def clean(text: str) -> str:
    """`text` as a reader should see it: entities unescaped however often, mojibake repaired, NFC, line breaks as "\\n",
    no control, direction or hidden characters, lone surrogates as U+FFFD.

    Idempotent; typographic quotes, ligatures, wide characters and the joiners of Persian and emoji stay. Raises nothing.
    """
    if text.isascii() and text.isprintable() and "&" not in text:
        return text
    for _ in range(_ROUNDS):
        before, text = text, _once(text)
        if text == before:
            break
    return text


def _once(text: str) -> str:
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if "&" in text:
        text = _ENTITY.sub(_character, _ESCAPED_AMPERSAND.sub("&", text))
    text = _LINE_BREAK.sub("\n", _without_mojibake(text))
    text = _TAGS.sub(lambda match: match[1] or "", _REMOVED.sub("", text))
    return unicodedata.normalize("NFC", text)


def _character(match: re.Match[str]) -> str:
    entity = match[0]
    if entity[1] != "#" and entity[1:] not in html5:
        return entity
    return html.unescape(entity)


def _without_mojibake(text: str) -> str:
    if text.isascii():
        return text
    import ftfy

    return ftfy.fix_text(text, _only_encoding())


@lru_cache(maxsize=1)
def _only_encoding() -> TextFixerConfig:
    from ftfy import TextFixerConfig

    return TextFixerConfig(
        unescape_html=False,
        remove_terminal_escapes=False,
        fix_latin_ligatures=False,
        fix_character_width=False,
        uncurl_quotes=False,
        fix_line_breaks=False,
        fix_surrogates=False,
        remove_control_chars=False,
        normalization=None,
        explain=False,
    )
