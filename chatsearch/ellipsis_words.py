"""The words by which each language leaves the rest of a question out: "and in May?", "und wann?", "et elle ?", "¿y dónde?"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_FLAGS = re.IGNORECASE
_YEAR = r"(?:1\d{3}|20\d{2}|[1-9]\d{2})s?"


@dataclass(frozen=True)
class ShortForms:
    """What a language leaves a question out by.

    `lead` begins such a follow-up; `bare` are question words that stand alone, `movable` those of them that may take another's
    place, `filler` what may follow them. `asks` is the beginning of a whole question whose question word another may replace,
    `yes_no` that of one without, `asks_time` of one whose answer is a time. `time` is a time with its preposition,
    `place` a preposition with a name; `no_noun` are words that no such phrase may hold. `join` is the form for "…, and when?".
    """

    lead: re.Pattern[str]
    bare: re.Pattern[str]
    movable: re.Pattern[str]
    filler: re.Pattern[str]
    asks: re.Pattern[str]
    yes_no: re.Pattern[str] | None
    asks_time: re.Pattern[str]
    time: re.Pattern[str]
    phrase: re.Pattern[str]
    no_noun: re.Pattern[str]
    join: str
    about: str


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, _FLAGS)


_BE_DO = r"(?:did|do|does|was|were|is|are|has|have|had|can|could|will|would|should)"
_MONTHS = MappingProxyType({
    "en": "january|february|march|april|may|june|july|august|september|october|november|december",
    "de": "januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember",
    "fr": "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
    "es": "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre",
})  # fmt: skip
_EN_TIME = (
    rf"(?:(?:the\s+)?(?:year\s+)?{_YEAR}|(?:\d{{1,2}}(?:st|nd|rd"
    rf"|th)?\s+(?:of\s+)?)?(?:{_MONTHS['en']})(?:\s+\d{{1,2}},?)?(?:\s+{_YEAR})?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:the\s+)?(?:spring|summer|autumn|fall|winter)"
    r"|the\s+\w{3,12}\s+century)"
)
_DE_TIME = (
    rf"(?:(?:dem\s+)?(?:jahre?\s+)?{_YEAR}|(?:\d{{1,2}}\.\s*)?(?:{_MONTHS['de']})(?:\s+{_YEAR})?|\d{{1,2}}\.\s*jahrhundert"
    r"|(?:frühling|sommer|herbst|winter))"
)
_FR_TIME = (
    rf"(?:(?:l[’']an(?:née)?\s+)?{_YEAR}|(?:\d{{1,2}}(?:er)?\s+)?(?:{_MONTHS['fr']})(?:\s+{_YEAR})?|[xvi]+e\s+siècle"
    r"|(?:printemps|été|automne|hiver))"
)
_ES_TIME = (
    rf"(?:(?:el\s+año\s+)?{_YEAR}|(?:\d{{1,2}}\s+de\s+)?(?:{_MONTHS['es']})(?:\s+de\s+{_YEAR})?|siglo\s+[xvi]+"
    r"|(?:primavera|verano|otoño|invierno))"
)

ELLIPSES: Mapping[str, ShortForms] = MappingProxyType({
    "en": ShortForms(
        lead=_pattern(r"(?:(?:and|but|or|ok|okay|so)\b[,\s]*)?(?:what\s+about|how\s+about|what\s+of)\s+|(?:and|but|or)\b[,\s]*"),
        bare=_pattern(
            r"(?:why|when|where|how(?:\s+(?:long|often|come|so))?|since\s+when|until\s+when|from\s+where|where\s+(?:from|to)"
            r"|(?:by|with|for|from)\s+whom|what\s+for|for\s+what|(?:in\s+)?(?:what|which)\s+(?:year|city|country|place|month)"
            r"|why\s+(?:is|was)\s+(?:that|this))"
        ),
        movable=_pattern(r"why|when|where|how|since\s+when|(?:in\s+)?(?:what|which)\s+(?:year|city|country|place|month)"),
        filler=_pattern(r"exactly|precisely"),
        asks=_pattern(
            rf"(?:when|where|why|how|(?:in\s+|on\s+|at\s+)?(?:what|which)\s+(?:year|month|day|date|century|city|country"
            rf"|place|town|state))"
            rf"(?:\s+(?:exactly|precisely))?\s+(?={_BE_DO}\b)"
        ),
        yes_no=_pattern(rf"(?={_BE_DO}\b)"),
        asks_time=_pattern(r"(?:when|since when|(?:in |on )?(?:what|which) (?:year|month|day|date|century|decade))\b"),
        time=_pattern(rf"\b(?:in|on|at|since|before|after|until|by|during|around|from)\s+{_EN_TIME}(?!\w)"),
        phrase=_pattern(r"(?P<preposition>in|on|at|near|outside|inside|within|for|from|with|under|during|after"
            r"|before)\s+(?P<noun>.+)"),
        no_noun=_pattern(rf"\b(?:{_BE_DO}|not|who|what|which|when|where|why|how|that|because|if)\b|[?!;:]|[.]\s"),
        join=", and {asked}",
        about="What about {noun}?",
    ),
    "de": ShortForms(
        lead=_pattern(r"(?:und\s+|aber\s+|oder\s+)?(?:was\s+ist\s+mit|wie\s+ist\s+es\s+mit|wie\s+sieht\s+es\s+mit)\s+"
            r"|(?:und|aber|oder)\b[,\s]*"),
        bare=_pattern(
            r"(?:warum|weshalb|wieso|wann|wo|wohin|woher|wie(?:\s+(?:lange|oft))?|seit\s+wann|bis\s+wann|(?:von|mit"
            r"|bei)\s+wem|für\s+wen"
            r"|wozu|womit|in\s+welche[mr]\s+(?:jahr|stadt|land|monat))"
        ),
        movable=_pattern(r"warum|weshalb|wieso|wann|wo|wohin|woher|seit\s+wann|in\s+welche[mr]\s+(?:jahr|stadt|land|monat)"),
        filler=_pattern(r"genau|eigentlich|denn"),
        asks=_pattern(
            r"(?:wann|wo|warum|weshalb|wieso|(?:in|an)\s+welche[mr]\s+(?:jahr|stadt|land|ort|tag|monat))"
            r"(?:\s+(?:genau|eigentlich|denn))?\s+(?=\w)"
        ),
        yes_no=None,
        asks_time=_pattern(r"(?:wann|seit wann|(?:in|an) welche[mnrs]+ (?:jahr|jahrhundert|tag|monat|jahrzehnt))\b"),
        time=_pattern(rf"\b(?:im|in|am|seit|vor|nach|bis|ab|um|während)\s+{_DE_TIME}(?!\w)"),
        phrase=_pattern(r"(?P<preposition>in|im|am|bei|auf|für|mit|nach|vor|von|unter)\s+(?P<noun>.+)"),
        no_noun=_pattern(r"\b(?:ist|sind|war|waren|hat|haben|wurde|wird|nicht|wer|was|wann|wo|wie|warum|dass|wenn)\b"
            r"|[?!;:]|[.]\s"),
        join=", und {asked}",
        about="",
    ),
    "fr": ShortForms(
        lead=_pattern(r"(?:et\s+)?qu[’']en\s+est-il\s+(?:de\s+|d[’'])|(?:et|mais|ou)\b(?:\s+pour\b)?[,\s]*"),
        bare=_pattern(
            r"(?:pourquoi|quand|où|d[’']où|comment|combien\s+de\s+temps|depuis\s+quand|jusqu[’']à\s+quand|(?:par|avec|pour)\s+qui"
            r"|en\s+quelle\s+année|dans\s+quel(?:le)?\s+(?:ville|pays))"
        ),
        movable=_pattern(r"pourquoi|quand|où|depuis\s+quand|en\s+quelle\s+année|dans\s+quel(?:le)?\s+(?:ville|pays)"),
        filler=_pattern(r"exactement|précisément|donc"),
        asks=_pattern(
            r"(?:où|quand|pourquoi|en\s+quelle\s+année|dans\s+quel(?:le)?\s+(?:ville|pays|région))"
            r"(?:\s+(?:exactement|précisément|donc))?\s+(?=\w)"
        ),
        yes_no=None,
        asks_time=_pattern(r"(?:quand|depuis quand|(?:en|à) quelle (?:année|date|époque)|au cours de quel siècle)\b"),
        time=_pattern(rf"\b(?:en|au|à|le|depuis|avant|après|jusqu[’']en|vers|dès)\s+{_FR_TIME}(?!\w)"),
        phrase=_pattern(r"(?P<preposition>en|à|au|aux|dans|chez|sur|pour|avec|après|avant)\s+(?P<noun>.+)"),
        no_noun=_pattern(r"\b(?:est|sont|était|a|ont|fut|ne|pas|qui|que|quoi|quand|où|comment|pourquoi|si)\b|[?!;:]|[.]\s"),
        join=", et {asked}",
        about="",
    ),
    "es": ShortForms(
        lead=_pattern(r"(?:y\s+)?qué\s+(?:hay|pasa|tal)\s+(?:de|con)\s+|(?:y|pero|o)\b[,\s]*"),
        bare=_pattern(
            r"(?:por\s+qué|cuándo|dónde|adónde|cómo|cuánto\s+tiempo|desde\s+cuándo|hasta\s+cuándo|(?:de|a|hacia)\s+dónde"
            r"|(?:por|con|para)\s+quién(?:es)?|en\s+qué\s+(?:año|ciudad|país))"
        ),
        movable=_pattern(r"por\s+qué|cuándo|dónde|desde\s+cuándo|en\s+qué\s+(?:año|ciudad|país)"),
        filler=_pattern(r"exactamente|precisamente|entonces"),
        asks=_pattern(r"(?:dónde|cuándo|por\s+qué|en\s+qué\s+(?:año|ciudad|país))(?:\s+(?:exactamente|precisamente))?\s+(?=\w)"),
        yes_no=None,
        asks_time=_pattern(r"(?:cuándo|desde cuándo|en qué (?:año|fecha|siglo|mes|época))\b"),
        time=_pattern(rf"\b(?:en|desde|antes\s+de|después\s+de|hasta|hacia)\s+(?:el\s+)?{_ES_TIME}(?!\w)"),
        phrase=_pattern(r"(?P<preposition>en|a|de|para|con|sobre|desde|durante)\s+(?P<noun>.+)"),
        no_noun=_pattern(r"\b(?:es|son|fue|era|está|ha|han|no|quién|qué|cuándo|dónde|cómo|porque|si)\b|[?!;:]|[.]\s"),
        join=", y {asked}",
        about="",
    ),
})  # fmt: skip

BY_WHOM = _pattern(r"(?:by\s+whom|von\s+wem|par\s+qui|por\s+quién(?:es)?)$")
PASSIVE = _pattern(r"\b(?:was|were|is|are|been|wurden?|worden|ist|war|été|fut|est|fue(?:ron)?|sido|es)\b")

# "and her brother?": whose, and of whom; persons may take the place of the one they belong to
OWNERS: Mapping[str, re.Pattern[str]] = MappingProxyType({
    "en": _pattern(r"(?P<owner>his|her|their|its)\s+(?P<owned>[\w’' -]{2,40})"),
    "de": _pattern(r"(?P<owner>seine?[mnrs]?|ihre?[mnrs]?)\s+(?P<owned>[\w -]{2,40})"),
    "fr": _pattern(r"(?P<owner>son|sa|ses)\s+(?P<owned>[\w -]{2,40})"),
    "es": _pattern(r"(?P<owner>sus?)\s+(?P<owned>\w{2,40})"),
})  # fmt: skip
PERSONS: Mapping[str, re.Pattern[str]] = MappingProxyType({
    "en": _pattern(
        r"(?:\w+ )?(?:brothers?|sisters?|father|mother|parents?|sons?|daughters?|children|wife|husband|uncle|aunt|cousin"
        r"|friends?|family"
        r"|grand\w+|successor|predecessor|teacher|students?|partner|rival|wives|colleagues?|nephew|niece|twin)$"
    ),
    "de": _pattern(
        r"(?:\w+ )?(?:bruder|schwester|geschwister|brüder|schwestern|vater|mutter|eltern|sohn|söhne|tochter|töchter"
        r"|kinder|kind|frau|mann"
        r"|ehefrau|ehemann|onkel|tante|freund|freundin|familie|groß\w+|nachfolger|vorgänger|lehrer|schüler|partner|neffe|nichte)$"
    ),
    "fr": _pattern(
        r"(?:frères?|sœurs?|soeurs?|père|mère|parents|fils|filles?|enfants|femme|mari|épouse|époux|oncle|tante|cousine?"
        r"|amis?|famille"
        r"|grand-\w+|successeur|prédécesseur)$"
    ),
    "es": _pattern(
        r"(?:hermanos?|hermanas?|padres?|madre|hijos?|hijas?|mujer|marido|esposa|esposo|tío|tía|primo|prima|amigos?"
        r"|familia|abuel[oa]s?"
        r"|sucesor|predecesor)$"
    ),
})  # fmt: skip
