"""French and Spanish questions whose subject or owner is only a pronoun, or not said at all: the name is put in its place.

Only forms that stay right whatever the name's gender and the verb are changed; every other question is left alone.
"""

from __future__ import annotations

import re

from chatsearch.names import names

_FRENCH_INVERSION = re.compile(r"\b(?P<verb>[\w’']+?)(?P<t>-t)?-(?P<he>ils?|elles?)\b", re.IGNORECASE)
_FRENCH_IT_OF_NOTHING = re.compile(
    r"\by a-t-il\b|\bs[’']\w+(?:-t)?-il (?:passé|produit|agi|écoulé)|\b(?:faut|existe"
    r"|s[’']agit|pleut|suffit|reste|vaut)(?:-t)?-il\b|-t-il (?:de|que)\b",
    re.IGNORECASE,
)
_FRENCH_THAT = re.compile(r"\bqu[’'](?P<he>ils?|elles?)(?= (?!y\b|faut\b|existe\b|s[’'])\w)", re.IGNORECASE)
_FRENCH_OWNER = re.compile(r"\b(?P<owner>son|sa|ses) (?P<owned>[^\W\d]\w*(?: [^\W\d]\w*)?)(?=\s*[?!.]*\s*$)", re.IGNORECASE)
_FRENCH_SIMPLE = re.compile(r"^(?:qui|que|qu[’']|quel(?:le)?s?)\b", re.IGNORECASE)

_SPANISH_SUBJECT = re.compile(
    r"(?<=\s)(?:él|ella|ellos|ellas)(?=\s*[?,.]|\s+(?:en|de|por|a|con|cuando"
    r"|durante)\b)",
    re.IGNORECASE,
)
_SPANISH_NOTHING_SAID = re.compile(
    r"^(?P<head>¿?\s*(?:y\s+)?(?:de\s+|a\s+|desde\s+)?(?:dónde|cuándo|cómo)\s+(?:se\s+)?(?:ha\s+|había\s+)?(?P<verb>[^\W\d]+))"
    r"(?P<tail>(?:\s+en\s+\d{3,4})?\s*\??\s*)$",
    re.IGNORECASE,
)
_SPANISH_OWNER = re.compile(r"(?P<of>\bde\s+|\ba\s+)?\b(?P<owner>sus?) (?P<owned>[^\W\d]\w+)(?=\s*[?!.]*\s*$)", re.IGNORECASE)
_SPANISH_FEMININE = re.compile(
    r"(?:[^m]a|ión|dad|tad|triz|tud)s?$|^(?:madre|mujer|muerte|sede|torre|clase|cama"
    r"|fama)s?$",
    re.IGNORECASE,
)
_SPANISH_MASCULINE = re.compile(
    r"(?:o|or|aje|l|n)(?:e?s)?$|^(?:padre|hombre|nombre|origen|país|día|mapa|sistema"
    r"|problema)s?$",
    re.IGNORECASE,
)
_BEFORE_OWNER = 3  # words: who is it, when died; with more, the question itself says whose
_NO_VERBS = frozenset("todo esto eso es son fue está están el la los las ellos así exactamente entonces funciona".split())


def in_french(question: str, name: str) -> str:
    """`question` with `name` for il, elle, ils, elles, or for the owner of son, sa, ses at its end."""
    turned = _FRENCH_INVERSION.search(question)
    if turned and not names(question[: turned.start()], "fr") and not _FRENCH_IT_OF_NOTHING.search(question):
        verb = turned["verb"]
        simple = _FRENCH_SIMPLE.match(question.strip()) and not question[turned.end() :].strip(" ?!.")
        inserted = f"{verb} {name}" if simple else f"{name} {turned[0]}"
        return question[: turned.start()] + inserted + question[turned.end() :]
    that = _FRENCH_THAT.search(question)
    if that and not names(question[: that.start()], "fr"):
        return f"{question[: that.start()]}que {name}{question[that.end() :]}"
    owner = _FRENCH_OWNER.search(question)
    if owner and len(question[: owner.start()].split()) <= _BEFORE_OWNER and not names(question[: owner.start()], "fr"):
        return question[: owner.start()] + french_owned(owner["owner"], owner["owned"], name) + question[owner.end() :]
    return question


def french_owned(owner: str, owned: str, name: str) -> str:
    """ "son père" of a name: le père de Tesla."""
    vowel = owned[0].lower() in "aeiouyéèêâîôh"
    article = "les " if owner.lower() == "ses" else "l’" if vowel else {"son": "le ", "sa": "la "}[owner.lower()]
    return f"{article}{owned} {'d’' if name[0].lower() in 'aeiouéèêh' else 'de '}{name}"


def in_spanish(question: str, name: str) -> str:
    """`question` with `name` for él, ella, ellos, ellas, for the owner of su, sus at its end, or where no subject is said."""
    subject = _SPANISH_SUBJECT.search(question)
    if subject and not names(question[: subject.start()].lstrip("¿ "), "es"):
        return question[: subject.start()] + name + question[subject.end() :]
    silent = _SPANISH_NOTHING_SAID.match(question)
    if silent and silent["verb"].lower() not in _NO_VERBS:
        return f"{silent['head']} {name}{silent['tail']}"
    owner = _SPANISH_OWNER.search(question)
    if owner and len(question[: owner.start()].split()) <= _BEFORE_OWNER and not names(question[: owner.start()], "es"):
        owned = spanish_owned(owner["owned"], name, (owner["of"] or "").strip().lower())
        return question[: owner.start()] + owned + question[owner.end() :] if owned else question
    return question


def spanish_owned(owned: str, name: str, preposition: str = "") -> str:
    """ "su padre" of a name: el padre de Tesla; empty where the noun's gender cannot be told."""
    feminine, masculine = _SPANISH_FEMININE.search(owned), _SPANISH_MASCULINE.search(owned)
    if not feminine and not masculine:
        return ""
    female = bool(feminine) and not re.match(r"día|mapa|sistema|problema", owned, re.IGNORECASE)
    plural = owned.endswith("s") and not owned.endswith("ís")
    article = {(False, False): "el", (False, True): "los", (True, False): "la", (True, True): "las"}[female, plural]
    joined = {"de el": "del", "a el": "al"}.get(f"{preposition} {article}", f"{preposition} {article}".strip())
    return f"{joined} {owned} de {name}"
