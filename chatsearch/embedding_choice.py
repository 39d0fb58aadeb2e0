"""Which packaged embedding model reads a set of texts: the small English one only where all of them are English."""

from __future__ import annotations

from collections.abc import Sequence

from chatsearch.embedding import ENGLISH_MODEL, MULTILINGUAL_MODEL
from chatsearch.row_languages import text_language

_AT_MOST = 40


def model_for_texts(texts: Sequence[str]) -> str:
    """The model's name. The beginnings of some forty texts are looked at; blocking."""
    step = max(1, len(texts) // _AT_MOST)
    languages = {text_language(text) for text in texts[::step]} - {""}
    return ENGLISH_MODEL if languages <= {"en"} else MULTILINGUAL_MODEL
