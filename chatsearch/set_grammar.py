"""The vocabulary of questions about the results themselves, and the patterns made of it and of the forms in set_forms.py."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from chatsearch.set_forms import FORMS

DOCS: Mapping[str, str] = MappingProxyType({
    "en": r"(?:search\s+)?(?:results?|documents?|docs?|hits?)",
    "de": r"(?:such)?(?:ergebnis(?:se|sen)?|treffern?)|dokumente?n?",
    "fr": r"(?:résultats?|documents?)(?:\s+de\s+recherche)?",
    "es": r"(?:resultados?|documentos?)(?:\s+de\s+(?:la\s+)?búsqueda)?",
})  # fmt: skip
KINDS: Mapping[str, str] = MappingProxyType({
    "source": r"sources?|quellen?|fuentes?", "host": r"hosts?|(?:web)?sites?|domains?|websites?|webseiten?|domänen?"
        r"|sitios?(?:\s+web)?|domin(?:io|ios)|sites?\s+web|domaines?",
    "language": r"languages?|sprachen?|langues?|idiomas?|lenguas?", "year": r"years?|jahre?n?|ann[ée]es?|años?",
})  # fmt: skip
BEST: Mapping[str, str] = MappingProxyType({
    "newest": r"newest|latest|most\s+recent|neuesten?s?|jüngsten?s?|aktuellsten?s?|plus\s+récente?s?|más\s+(?:reciente"
        r"|nuev[oa])s?",
    "oldest": r"oldest|earliest|ältesten?s?|früheste[ns]?|plus\s+(?:ancien(?:ne)?|vieux|vieille)s?|más\s+(?:antigu|viej)[oa]s?",
    "longest": r"longest|längsten?s?|plus\s+long(?:ue)?s?|más\s+larg[oa]s?",
    "shortest": r"shortest|kürzesten?s?|plus\s+courte?s?|más\s+cort[oa]s?",
})  # fmt: skip
DATE = r"date|age|datum|alter|fecha|antigüedad|year|jahr|année|año"
TITLE = r"titles?|titeln?|titres?|títulos?|name|alphabet\w*"
WAYS: Mapping[str, str] = MappingProxyType({
    "descending": r"descending|newest\s+first|latest\s+first|longest\s+first|highest\s+first|absteigend|neueste\s+zuerst"
        r"|décroissant|descendente",
    "ascending": r"ascending|oldest\s+first|shortest\s+first|lowest\s+first|aufsteigend|älteste\s+zuerst|croissant|ascendente",
})  # fmt: skip
STATISTICS: Mapping[str, str] = MappingProxyType({
    "mean": r"average|mean|durchschnitt(?:liche[nrs]?)?|mittlere[nrs]?|moyenne?|media|promedio",
    "min": r"minimum|min|lowest|smallest|kleinste[nrs]?|niedrigste[nrs]?|minimale?[nrs]?|mínim[oa]",
    "max": r"maximum|max|highest|largest|größte[nrs]?|höchste[nrs]?|maximale?[nrs]?|máxim[oa]",
})  # fmt: skip


def _one_of(forms: Mapping[str, str]) -> str:
    return "|".join(forms.values())


def _compiled(language: str, form: str) -> re.Pattern[str]:
    number = r"\[?\s*{}\s*\]?"
    filled = (
        form.replace("{docs}", f"(?:{DOCS[language]})")
        .replace("{kind}", rf"(?P<kind>{_one_of(KINDS)}|[\w_-]{{2,30}})")
        .replace("{best}", f"(?P<best>{_one_of(BEST)})")
        .replace("{value}", r"(?P<value>\S[^?]{0,58}?)")
        .replace("{column}", r"(?P<column>\w[\w -]{0,40}?)")
        .replace("{key}", r"(?P<key>\w[\w -]{0,40}?)")
        .replace("{way}", f"(?P<way>{_one_of(WAYS)})")
        .replace("{statistic}", f"(?P<statistic>{_one_of(STATISTICS)})")
        .replace("{n}", number.format(r"(?P<n>\d{1,4})"))
        .replace("{m}", number.format(r"(?P<m>\d{1,4})"))
    )
    return re.compile(filled.replace(" ", r"\s+").replace(r"\s+?", r"\s*"), re.IGNORECASE)


@lru_cache(maxsize=8)
def forms_of(language: str) -> Sequence[tuple[str, re.Pattern[str]]]:
    """The forms of one language with what each asks, in the order to try them; compiled at first use."""
    return [(name, _compiled(language, form)) for name, forms in FORMS.get(language, {}).items() for form in forms]


def named(forms: Mapping[str, str], said: str) -> str:
    """Which of `forms` a word is of; empty when of none."""
    return next((name for name, form in forms.items() if re.fullmatch(form, said.strip(), re.IGNORECASE)), "")
