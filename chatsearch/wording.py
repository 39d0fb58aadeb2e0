"""The engine's own sentences to a person who asked, in the language they asked in; English where we have no other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from chatsearch.cells import cell_text
from chatsearch.results import ResultSet

_TOPICS = 4

_REFUSAL: Mapping[str, Mapping[str, str]] = {
    "en": {
        "none": "There are no documents to answer from.",
        "one": "The one document found does not answer this.",
        "many": "The {count} documents found do not answer this.",
        "about": "They are about: {topics}.",
        "about_one": "It is about: {topics}.",
        "search": "Search anew to look further.",
    },
    "de": {
        "none": "Es gibt keine Dokumente, aus denen sich das beantworten ließe.",
        "one": "Das eine gefundene Dokument beantwortet das nicht.",
        "many": "Die {count} gefundenen Dokumente beantworten das nicht.",
        "about": "Sie handeln von: {topics}.",
        "about_one": "Es handelt von: {topics}.",
        "search": "Eine neue Suche kann weiterhelfen.",
    },
    "fr": {
        "none": "Il n’y a aucun document pour répondre.",
        "one": "Le seul document trouvé ne répond pas à cette question.",
        "many": "Les {count} documents trouvés ne répondent pas à cette question.",
        "about": "Ils traitent de : {topics}.",
        "about_one": "Il traite de : {topics}.",
        "search": "Une nouvelle recherche peut aider.",
    },
    "es": {
        "none": "No hay documentos con los que responder.",
        "one": "El único documento encontrado no responde a esto.",
        "many": "Los {count} documentos encontrados no responden a esto.",
        "about": "Tratan de: {topics}.",
        "about_one": "Trata de: {topics}.",
        "search": "Una nueva búsqueda puede ayudar.",
    },
}

_SUGGESTION: Mapping[str, Mapping[str, str]] = {
    "en": {"name": "What is said about {it}?", "year": "What happened in {it}?"},
    "de": {"name": "Was steht hier über {it}?", "year": "Was geschah im Jahr {it}?"},
    "fr": {"name": "Que dit-on de {it} ?", "year": "Que s’est-il passé en {it} ?"},
    "es": {"name": "¿Qué se dice de {it}?", "year": "¿Qué ocurrió en {it}?"},
}

SPOKEN = tuple(_REFUSAL)
"""The languages we have sentences in."""


def refusal(results: ResultSet, language: str, *, offer_search: bool) -> str:
    """That the result set does not answer, what it is about, and (after a follow-up) that a new search may help."""
    say = _REFUSAL.get(language, _REFUSAL["en"])
    if not len(results):
        return say["none"]
    parts = [say["one"] if len(results) == 1 else say["many"].format(count=len(results))]
    topics = topics_of(results)
    if topics:
        parts.append(say["about_one" if len(results) == 1 else "about"].format(topics=", ".join(topics)))
    return " ".join([*parts, *([say["search"]] if offer_search else [])])


def suggestion(kind: str, it: str, language: str) -> str:
    """A question to go on with, about a name (`name`) or a year (`year`)."""
    return _SUGGESTION.get(language, _SUGGESTION["en"])[kind].format(it=it)


def topics_of(results: ResultSet) -> list[str]:
    """What a set is about: the titles it has most often, the better ranked first among equals."""
    titles = [title for title in cell_text(results.documents, "title") if title.strip()]
    return [title for title, _ in Counter(titles).most_common(_TOPICS)]
