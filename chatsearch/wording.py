"""The engine's own sentences to a person who asked, in the language they asked in; English where we have no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from chatsearch.results import ResultSet
from chatsearch.topics import topics_of as topics_of

_REFUSAL: Mapping[str, Mapping[str, str]] = {
    "en": {
        "none": "There are no documents to answer from.",
        "one": "The one document found does not answer this.",
        "many": "The {count} documents found do not answer this.",
        "asked": "Document {numbers} does not answer this.",
        "asked_many": "Documents {numbers} do not answer this.",
        "about": "They are about: {topics}.",
        "about_one": "It is about: {topics}.",
        "search": "Search anew to look further.",
    },
    "de": {
        "none": "Es gibt keine Dokumente, aus denen sich das beantworten ließe.",
        "one": "Das eine gefundene Dokument beantwortet das nicht.",
        "many": "Die {count} gefundenen Dokumente beantworten das nicht.",
        "asked": "Dokument {numbers} beantwortet das nicht.",
        "asked_many": "Die Dokumente {numbers} beantworten das nicht.",
        "about": "Sie handeln von: {topics}.",
        "about_one": "Es handelt von: {topics}.",
        "search": "Eine neue Suche kann weiterhelfen.",
    },
    "fr": {
        "none": "Il n’y a aucun document pour répondre.",
        "one": "Le seul document trouvé ne répond pas à cette question.",
        "many": "Les {count} documents trouvés ne répondent pas à cette question.",
        "asked": "Le document {numbers} ne répond pas à cette question.",
        "asked_many": "Les documents {numbers} ne répondent pas à cette question.",
        "about": "Ils traitent de : {topics}.",
        "about_one": "Il traite de : {topics}.",
        "search": "Une nouvelle recherche peut aider.",
    },
    "es": {
        "none": "No hay documentos con los que responder.",
        "one": "El único documento encontrado no responde a esto.",
        "many": "Los {count} documentos encontrados no responden a esto.",
        "asked": "El documento {numbers} no responde a esto.",
        "asked_many": "Los documentos {numbers} no responden a esto.",
        "about": "Tratan de: {topics}.",
        "about_one": "Trata de: {topics}.",
        "search": "Una nueva búsqueda puede ayudar.",
    },
    "it": {
        "none": "Non ci sono documenti con cui rispondere.",
        "one": "L’unico documento trovato non risponde alla domanda.",
        "many": "I {count} documenti trovati non rispondono alla domanda.",
        "asked": "Il documento {numbers} non risponde alla domanda.",
        "asked_many": "I documenti {numbers} non rispondono alla domanda.",
        "about": "Trattano di: {topics}.",
        "about_one": "Tratta di: {topics}.",
        "search": "Una nuova ricerca può aiutare.",
    },
    "ru": {
        "none": "Нет документов, по которым можно ответить.",
        "one": "В единственном найденном документе нет ответа.",
        "many": "В найденных документах ({count}) нет ответа.",
        "asked": "В документе {numbers} нет ответа.",
        "asked_many": "В документах {numbers} нет ответа.",
        "about": "Их темы: {topics}.",
        "about_one": "Его тема: {topics}.",
        "search": "Может помочь новый поиск.",
    },
    "zh": {
        "none": "没有可用来回答的文档。",
        "one": "找到的一篇文档没有回答这个问题。",
        "many": "找到的 {count} 篇文档没有回答这个问题。",
        "asked": "文档 {numbers} 没有回答这个问题。",
        "asked_many": "文档 {numbers} 没有回答这个问题。",
        "about": "它们的主题：{topics}。",
        "about_one": "它的主题：{topics}。",
        "search": "可以重新搜索。",
    },
}

_SUGGESTION: Mapping[str, Mapping[str, str]] = {
    "en": {"name": "What is said about {it}?", "year": "What happened in {it}?"},
    "de": {"name": "Was steht hier über {it}?", "year": "Was geschah im Jahr {it}?"},
    "fr": {"name": "Que dit-on de {it} ?", "year": "Que s’est-il passé en {it} ?"},
    "es": {"name": "¿Qué se dice de {it}?", "year": "¿Qué ocurrió en {it}?"},
}

SPOKEN = tuple(_SUGGESTION)
"""The languages we talk in."""

REFUSED_IN = tuple(_REFUSAL)
"""The languages we refuse in."""


def refusal(results: ResultSet, language: str, *, offer_search: bool, only: Sequence[int] = ()) -> str:
    """That the result set does not answer, what it is about, and (after a follow-up) that a new search may help.

    `only` are the numbers of the documents that were asked, when those were not all.
    """
    say = _REFUSAL.get(language, _REFUSAL["en"])
    if not len(results):
        return say["none"]
    if only:
        parts = [say["asked" if len(only) == 1 else "asked_many"].format(numbers=", ".join(map(str, only)))]
    else:
        parts = [say["one"] if len(results) == 1 else say["many"].format(count=len(results))]
    topics = topics_of(results, language)
    if topics:
        listed = ("、" if language == "zh" else ", ").join(topics)
        parts.append(say["about_one" if len(results) == 1 else "about"].format(topics=listed))
    return ("" if language == "zh" else " ").join([*parts, *([say["search"]] if offer_search else [])])


def suggestion(kind: str, it: str, language: str) -> str:
    """A question to go on with, about a name (`name`) or a year (`year`)."""
    return _SUGGESTION.get(language, _SUGGESTION["en"])[kind].format(it=it)
