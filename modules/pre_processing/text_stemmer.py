"""Cuts the words of a text back to their stems."""

from __future__ import annotations

from typing import ClassVar

from chatsearch.languages import has_stemmer, stems
from chatsearch.row_languages import LanguageRowModule
from chatsearch.tokens import replaced


class TextStemmer(LanguageRowModule):
    """Replaces each word by its Snowball stem ("houses" becomes "hous"), in lower case; what stands between words stays."""

    id: ClassVar[str] = "text_stemmer"
    name: ClassVar[str] = "Stemmer"

    def known(self, language: str) -> bool:
        return has_stemmer(language)

    def rewritten(self, text: str, language: str) -> str:
        return replaced(text, lambda found: stems([word.lower() for word in found], language))
