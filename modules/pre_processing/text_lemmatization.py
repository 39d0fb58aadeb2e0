"""Turns the words of a text into their dictionary forms."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import ClassVar

from chatsearch.row_languages import LanguageRowModule
from chatsearch.tokens import replaced

# simplemma has one dictionary for what grammarians call Serbo-Croatian, and calls Norwegian by its written form
_SAME_DICTIONARY: Mapping[str, str] = MappingProxyType({"hr": "hbs", "sr": "hbs", "bs": "hbs", "sh": "hbs", "no": "nb"})


class TextLemmatization(LanguageRowModule):
    """Replaces each word by its dictionary form ("houses" becomes "house"); words no dictionary has stay as they are."""

    id: ClassVar[str] = "text_lemmatization"
    name: ClassVar[str] = "Lemmatizer"

    def known(self, language: str) -> bool:
        return _SAME_DICTIONARY.get(language, language) in _dictionaries()

    def rewritten(self, text: str, language: str) -> str:
        from simplemma import lemmatize

        dictionary = _SAME_DICTIONARY.get(language, language)
        return replaced(text, lambda found: [lemmatize(word, lang=dictionary) for word in found])


@cache
def _dictionaries() -> frozenset[str]:
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    return frozenset(SUPPORTED_LANGUAGES)
