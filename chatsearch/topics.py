"""What a result set is about: its titles where few of them cover it, else the terms that most of its documents have."""

from __future__ import annotations

from collections import Counter

from chatsearch.cells import cell_text
from chatsearch.results import FULL_TEXT, ResultSet

_MOST = 4
_COVER = 0.5
_LOOKED_AT = 1_500
_MOST_TEXTS = 50


def topics_of(results: ResultSet, language: str = "") -> list[str]:
    """At most four topics. Titles, the most frequent first, when they cover half of the documents that have one; else terms.

    Terms by class-based TF-IDF (Grootendorst 2022) over the beginnings of the texts, those in more than one document.
    `language` (ISO 639-1) is that of documents that state none. Without terms, titles again.
    """
    titles = [" ".join(title.split()) for title in cell_text(results.documents, "title") if title.strip()]
    most = Counter(titles).most_common(_MOST)
    if sum(count for _, count in most) >= _COVER * len(titles) and titles:
        return [title for title, _ in most]
    return _terms(results, language) or [title for title, _ in most]


def _terms(results: ResultSet, language: str) -> list[str]:
    from chatsearch.keywords import candidates, labels
    from chatsearch.languages import detect, iso639_1

    texts = [text[:_LOOKED_AT] for text in cell_text(results.documents, _text_column(results))][:_MOST_TEXTS]
    stated = cell_text(results.documents, "language")
    every = [
        candidates(text, iso639_1(code) or detect(text) or language)
        for text, code in zip(texts, stated, strict=False)
        if text.strip()
    ]
    if len(every) < 2:
        return []
    found = labels(every, [0] * len(every), _MOST)[0]
    return [term for term in found.split(", ") if term]


def _text_column(results: ResultSet) -> str:
    texts = [column for column, roles in results.roles.items() if "text" in roles]
    return next((column for column in (FULL_TEXT, *texts) if column in results.documents.columns), FULL_TEXT)
