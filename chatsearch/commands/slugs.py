"""The plain words of a text, for names of files and keys."""

from __future__ import annotations

import re
import unicodedata


def ascii_words(text: str) -> list[str]:
    """Its words of Latin letters and digits, small and without accents: `Élan vital` is `elan`, `vital`."""
    letters = (one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return re.findall(r"[a-z0-9]+", "".join(letters).casefold())
