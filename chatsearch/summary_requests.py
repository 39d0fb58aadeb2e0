"""Recognises a request to sum up all results: "summarize", "sum them up", "fasse die Ergebnisse zusammen"."""

from __future__ import annotations

import regex

_WHAT = r"(?:the |these |those |all )?(?:results?|documents?|sources?|them|it|this|that|everything|all)"
_ALL = {
    "en": rf"(?:please )?(?:can you |could you )?(?:(?:summari[sz]e|sum up)(?: (?:all )?(?:of )?{_WHAT})?|sum {_WHAT} up)"
    r"(?: please)?"
    rf"|(?:give (?:me )?)?(?:an? )?(?:short |brief )?(?:summary|overview)(?: of {_WHAT})?(?: please)?|what do they (?:all )?say",
    "de": r"(?:bitte )?(?:fasse?|fassen sie)(?: mir)? (?:(?:bitte )?(?:alles|alle|sie|es|das|die|diese)(?: alle)?"
    r"(?: ergebnisse| treffer| dokumente)? )?(?:bitte )?zusammen|(?:eine )?(?:kurze )?zusammenfassung(?: bitte)?"
    r"|(?:gib mir )?(?:einen )?überblick",
    "fr": r"(?:peux-tu |pouvez-vous )?(?:résume[rz]?|résumé)(?: moi)?(?: tout| les résultats| ces résultats| les documents| ça)?"
    r"(?: s'il (?:te|vous) plaît)?",
    "es": r"(?:por favor,? )?(?:resume|resumir|resuma|resumen|resúmelos|resúmelo)"
    r"(?: todo| los resultados| estos resultados| los documentos)?(?: por favor)?",
}
_REQUEST = {language: regex.compile(rf"\s*(?:{form})[\s.!?…]*", regex.IGNORECASE) for language, form in _ALL.items()}


def asks_for_summary(question: str) -> str:
    """The language of a request to sum up all results (ISO 639-1); empty when it is none."""
    text = question.replace("’", "'")
    return next((language for language, form in _REQUEST.items() if form.fullmatch(text)), "")
