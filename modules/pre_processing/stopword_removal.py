"""Removes the small words of a language from a text."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from chatsearch.languages import stop_words
from chatsearch.row_languages import LanguageRowModule
from chatsearch.tokens import folded, without

# a list of words is of no use where nothing stands between words: taken out of the middle of others they leave nonsense
_UNSPACED = frozenset({"zh", "ja", "th"})


class StopwordRemoval(LanguageRowModule):
    """Removes the stop words of each text's language; a text of nothing else ("to be or not to be") stays whole."""

    id: ClassVar[str] = "stopword_removal"
    name: ClassVar[str] = "Stop word removal"

    def known(self, language: str) -> bool:
        return bool(stop_words(language)) and language not in _UNSPACED

    def rewritten(self, text: str, language: str) -> str:
        return without(text, lambda word: _is_small(word, language))


@lru_cache(maxsize=50_000)
def _is_small(word: str, language: str) -> bool:
    return folded(word, language) in stop_words(language)
