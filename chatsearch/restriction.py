"""Questions that name documents by their numbers ("document 3", "[4]", "the first two"): which, and what is asked of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Asks = Literal["question", "summary", "again"]

MOST_CHARACTERS = 2_000
"""A longer text is a question by itself, never a follow-up."""


@dataclass(frozen=True)
class Restriction:
    """The documents that a question is restricted to.

    `numbers` are in the set, ascending; `missing` were named and are not. `asks`: a question that `rest` holds without the
    reference, a summary of them, or the last question again. `inside`: the reference is a part of the sentence that cannot be
    taken out of it ("What does document 3 say about …").
    """

    numbers: tuple[int, ...]
    missing: tuple[int, ...]
    rest: str
    asks: Asks
    inside: bool


NOUN = (
    r"(?:documents?|docs?\.?|results?|hits?|sources?|dokument(?:e|en|s)?|treffern?|ergebnis(?:se|sen|ses)?|quellen?|résultats?"
    r"|documentos?|resultados?|fuentes?)"
)
_JOIN = r"\s*(?:,\s*(?:and|und|et|y)?|and|und|et|y|e|or|oder|ou|o|&)\s*"
_RANGE = r"\s*(?:-|–|\bto\b|\bbis\b|\bà\b|\ba\b)\s*"
_ONE = r"\[?(?<!\d)\d{1,3}(?![\d%]|[.,]\d|\w)\]?"
NUMBERS = rf"{_ONE}(?:(?:{_JOIN}|{_RANGE})(?:{NOUN}\s*)?{_ONE}){{0,50}}"
_NUMBER_SIGN = r"(?:no\.|nr\.|number|nummer|n°|numéro|número|núm\.|#)?"
_BRACKETED = (
    rf"\[\s*\d{{1,3}}\s*\](?:(?:{_JOIN}|{_RANGE}|\s*)\[\s*\d{{1,3}}\s*\]){{0,50}}"
    rf"|\[\d{{1,3}}(?:\s*[,–-]\s*\d{{1,3}}){{1,50}}\]"
)

_PLACES = MappingProxyType({
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "top": 1,
    "erste": 1, "zweite": 2, "dritte": 3, "vierte": 4, "fünfte": 5, "letzte": -1,
    "premier": 1, "première": 1, "premiers": 1, "premières": 1, "deuxième": 2, "troisième": 3, "quatrième": 4, "cinquième": 5,
    "dernier": -1, "dernière": -1, "derniers": -1, "dernières": -1,
    "primer": 1, "primero": 1, "primeros": 1, "primera": 1, "primeras": 1, "segundo": 2, "segunda": 2, "tercer": 3, "tercero": 3,
    "tercera": 3, "cuarto": 4, "cuarta": 4, "quinto": 5, "quinta": 5, "último": -1, "última": -1, "últimos": -1, "últimas": -1,
})  # fmt: skip
_COUNTS = MappingProxyType({
    "two": 2, "three": 3, "four": 4, "five": 5, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "deux": 2, "trois": 3, "quatre": 4,
    "cinq": 5, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5,
})  # fmt: skip
ORDINAL = rf"(?:(?:{'|'.join(_PLACES)})(?<=[a-zéèñ])(?:[nrms])?)"
_COUNT = rf"(?:{'|'.join(_COUNTS)}|\d{{1,2}})"
ARTICLE = r"(?:the|der|die|das|den|dem|des|le|la|les|l['’]|el|los|las)"
_SAYS = (
    r"(?:says?|said|mentions?|states?|claims?|agree|contains?|sagen|sagt|erwähnt|erwähnen|steht|stehen|dit|disent|mentionnent?"
    r"|dicen?|mencionan?)\b"
)
_ONLY_AFTER = r"(?:only|alone|allein|seulement|solamente)\b"
_ENDS = rf"(?=\s*(?:$|[?.,!:;]|{_SAYS}|{_ONLY_AFTER}))"
_TAKEN_FROM = (
    r"(?:only|just|according\s+to|based\s+on|using|within|in|from|of|nur|laut|gemäß|nach|aus|von|in|seulement|uniquement|selon"
    r"|d['’]après|dans|de|sólo|solo|solamente|según|en|du|des|del)"
)
_FEW_WITHOUT_NOUN = rf"(?P<few>{ORDINAL}\s+{_COUNT}|{_COUNT}\s+{ORDINAL})"
_REFERENCE = re.compile(
    rf"(?P<before>(?:,\s*)?(?:\b{_TAKEN_FROM}\s+){{0,3}})(?:\b{ARTICLE}\s+)?"
    rf"(?:\b{NOUN}\s*{_NUMBER_SIGN}\s*(?P<numbers>{NUMBERS})"
    rf"|(?P<brackets>{_BRACKETED})"
    rf"|\b(?P<ordinal>{ORDINAL}(?:\s+{_COUNT})?|{_COUNT}\s+{ORDINAL})\s+{NOUN}\b{_ENDS}"
    rf"|\b{NOUN}\s+(?P<late>{ORDINAL})\b{_ENDS}"
    rf"|(?<=[\w,]\s)(?<!\bof\sthe\s)\b{_FEW_WITHOUT_NOUN}\b{_ENDS})(?P<after>\s+{_ONLY_AFTER})?",
    re.IGNORECASE,
)
_LEAD = (
    r"(?:and|but|or|und|aber|oder|et|mais|y|pero|(?:what|how)\s+about|was\s+ist\s+mit|only|just|nur|seulement"
    r"|uniquement|s[oó]lo|solamente)"
)
_AGAIN = re.compile(rf"^[\s¿,]*(?:{_LEAD}[\s,]*){{0,3}}$", re.IGNORECASE)
_SUMMARY = re.compile(
    r"^[\s¿,]*(?:please|bitte)?\s*(?:summari[sz]e|sum\s+up|(?:please\s+)?(?:tell\s+me\s+)?(?:more\s+)?about"
    r"|show(?:\s+me)?|explain|describe|open"
    r"|what\s+(?:is|are|does|do)\s*(?:say|says|said|about|in|it\s+say)?|what\s+it\s+says"
    r"|fass?e?\s*(?:\w+\s+)?zusammen|zusammenfassung|(?:erzähl\s+mir\s+)?mehr\s+(?:über|zu)|was\s+(?:steht|sagt"
    r"|sagen)(?:\s+in)?|worum\s+geht\s+es(?:\s+in)?|zeig\w*"
    r"|résume[rz]?|que\s+(?:dit|disent)|de\s+quoi\s+(?:parle|traite)(?:nt)?|montre\S*|plus\s+sur"
    r"|resume|resumen|qué\s+dicen?|de\s+qué\s+(?:tratan?|hablan?)|más\s+sobre|muestra\w*)\s*(?:say|about|zusammen|an)?[\s?.!]*$",
    re.IGNORECASE,
)
_NOTES = MappingProxyType({
    "en": ("only document", "only documents", "and"), "de": ("nur Dokument", "nur Dokumente", "und"),
    "fr": ("seulement le document", "seulement les documents", "et"), "es": ("solo el documento", "solo los documentos", "y"),
})  # fmt: skip
_SUMMARIES = MappingProxyType({
    "en": ("What does document {n} say?", "What do documents {n} say?"),
    "de": ("Was steht in Dokument {n}?", "Was steht in den Dokumenten {n}?"),
    "fr": ("Que dit le document {n} ?", "Que disent les documents {n} ?"),
    "es": ("¿Qué dice el documento {n}?", "¿Qué dicen los documentos {n}?"),
})  # fmt: skip
_SUMMARY_QUESTION = re.compile(
    "|".join(re.escape(form).replace(r"\{n\}", r"[\d, a-zé]+") for forms in _SUMMARIES.values() for form in forms), re.IGNORECASE
)
_STAND_INS = MappingProxyType({"en": ("it", "they"), "de": ("es", "sie"), "fr": ("le texte", "les textes"), "es": ("", "")})
_NOTE = re.compile(rf"\s\((?:{'|'.join(form for forms in _NOTES.values() for form in forms[:2])}) [\d, a-zé]+\)$")


def restriction(question: str, present: Sequence[int]) -> Restriction | None:
    """What documents a question is restricted to, of those `present`; None when it names none."""
    found = list(_REFERENCE.finditer(question)) if len(question) <= MOST_CHARACTERS else []
    if not found or not present:
        return None
    wanted = sorted({number for match in found for number in _numbers(match, sorted(present))})
    numbers, missing = ([n for n in wanted if (n in set(present)) == there] for there in (True, False))
    rest = _tidied(question, found)
    asks: Asks = "summary" if _SUMMARY.match(rest) else "question"
    if _AGAIN.match(rest.strip(" ?.!")):
        alone = not rest.strip(" ?.!¿") and not any(match["before"].strip(", ") or match["after"] for match in found)
        asks = "summary" if alone else "again"
    inside = any(_is_inside(match, question) for match in found)
    return Restriction(tuple(numbers), tuple(missing), rest, asks, inside and asks == "question")


def without_references(question: str, language: str, *, several: bool) -> str:
    """`question` with a word that says nothing for what names documents in it: what does it say about …"""
    stand_in = _STAND_INS.get(language, _STAND_INS["en"])[several]
    return _tidied(question, list(_REFERENCE.finditer(question)), stand_in)


def with_note(question: str, numbers: Sequence[int], language: str) -> str:
    """`question` and the documents it is restricted to: "Where did Tesla live? (only document 3)"."""
    one, several, last = _NOTES.get(language, _NOTES["en"])
    return f"{question} ({one if len(numbers) == 1 else several} {joined(numbers, last)})" if numbers else question


def summary_question(numbers: Sequence[int], language: str) -> str:
    """ "What does document 3 say?"."""
    one, several = _SUMMARIES.get(language, _SUMMARIES["en"])
    return (one if len(numbers) == 1 else several).format(n=joined(numbers, _NOTES.get(language, _NOTES["en"])[2]))


def is_summary_question(understood: str) -> bool:
    """Whether `summary_question` made it."""
    return _SUMMARY_QUESTION.fullmatch(understood.strip()) is not None


def without_note(understood: str) -> str:
    """The question of a text that `with_note` made."""
    return _NOTE.sub("", understood)


def numbers_in(text: str) -> list[int]:
    """The numbers of a list such as "2, 5 and 7-9", ranges counted out, in its order."""
    found: list[int] = []
    last = 0
    for match in re.finditer(r"\d{1,3}", text):
        between = text[last : match.start()].strip(" []").lower()
        number = int(match[0])
        if found and between in ("-", "–", "to", "bis", "à", "a") and found[-1] < number:
            found.extend(range(found[-1] + 1, number))
        found.append(number)
        last = match.end()
    return found


def joined(numbers: Sequence[int], last: str) -> str:
    """`2, 5 and 7`."""
    texts = [str(number) for number in numbers]
    return f" {last} ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def place_of(word: str) -> int:
    """The place an ordinal names in any of our languages, 1 for the first, -1 for the last; 0 for another word."""
    lowered = word.lower()
    return next((_PLACES[form] for form in (lowered, lowered[:-1]) if form in _PLACES), 0)


def _is_inside(match: re.Match[str], question: str) -> bool:
    """Whether the sentence would be broken without the reference: it is the subject or the object."""
    if match["before"].strip() or match["after"]:
        return False
    return not match["brackets"] or re.match(rf"\s*{_SAYS}", question[match.end() :], re.IGNORECASE) is not None


def _numbers(match: re.Match[str], present: Sequence[int]) -> list[int]:
    listed = match["numbers"] or match["brackets"]
    if listed:
        return numbers_in(listed)
    words = (match["ordinal"] or match["late"] or match["few"]).lower().split()
    place = next((place_of(word) for word in words if place_of(word)), 1)
    count = next((_COUNTS.get(word) or int(word) for word in words if word in _COUNTS or word.isdigit()), 0)
    if count:
        return list(present[-count:] if place < 0 else present[:count])
    return [present[-1] if place < 0 else place]


def _tidied(question: str, found: Sequence[re.Match[str]], stand_in: str = "") -> str:
    """The question without those stretches, or with a word for each: single spaces, no stray commas, no space before a mark."""
    text = question
    for match in reversed(found):
        text = f"{text[: match.start()]} {stand_in} {text[match.end() :]}"
    marks = ",.!" if " ?" in question else ",.!?"  # French has a space before its question mark
    text = re.sub(rf"\s+([{marks}])", r"\1", " ".join(text.split()))
    return re.sub(r"^[,;:]\s*", "", re.sub(r",(?=\s*(?:[?.!]|$))", "", text)).strip()
