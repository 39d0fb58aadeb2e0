"""Tells a follow-up that may lack what earlier turns said ("and in May?", "where did he live?") from a complete question.

Wider than the rules that complete one (chatsearch/completing.py): a language model can fill in what they cannot. A question
with a subject of its own counts as complete.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from chatsearch.languages import stop_words, words
from chatsearch.names import names
from chatsearch.pronouns import with_name
from chatsearch.turns import Turn

_LONGEST = 200  # code points; who writes more says what they mean
_FEW = 2  # words
_SHORT = 7  # words of "what about …"
_NO_SUBJECT = 8  # words, all of them stop words
_UNSPACED = frozenset({"zh", "ja", "ko", "th"})
_FEW_CHARACTERS = 5
_A_NAME = "Xx"
_FIRST_WORD = re.compile(r"\w+\s+")
_INFLECTED = frozenset({"it", "ru"})


@dataclass(frozen=True)
class Signs:
    """The words of a language that point back.

    `about` begins a follow-up that is never whole ("what about …"), `joined` one that may be ("and …"); `asks` are its question
    words and the verbs that begin a question; `back` points back unless a name stands before it in the question.
    """

    about: re.Pattern[str]
    joined: re.Pattern[str]
    asks: re.Pattern[str]
    back: re.Pattern[str]


def _signs(about: str, joined: str, asks: str, back: str) -> Signs:
    compiled = [re.compile(text, re.IGNORECASE) for text in (about, rf"(?:{joined})[,\s]+", rf"(?:{asks})(?!\w)", back)]
    return Signs(*compiled)


_END = r"\s*[?？.!…]*\s*$"
SIGNS: Mapping[str, Signs] = MappingProxyType({
    "en": _signs(
        r"(?:(?:and|but|or|ok|okay|so)\b[,\s]*)?(?:what|how)\s+(?:about|of)\b|same\s+(?:for|with|question)\b"
        r"|which\s+ones?\b|(?:tell\s+me\s+|any\s+|some\s+)?more(?:\s+(?:details?|information))?(?:,?\s+please)?[?.!]*$",
        "and|but|or|so",
        "who|whom|whose|what|which|when|where|why|how|did|do|does|was|were|is|are|has|have|had|can|could|will|would|should"
        "|in what|in which|by whom|name|list|tell|give|explain|describe|show",
        r"\b(?:this|these|those)\b|\bthat(?:\s+(?:year|time|day|month|century|place|city|country|one))" + rf"?{_END}"
        r"|^(?:(?:who|when|where|why|how|what)\s+)?(?:was|is|did|were|does|are|has|can|could|will|would)\s+that\b|\b(?:in|of|after|before|since)\s+that\s+year\b"
        rf"|(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\bthere{_END}"
        rf"|\b(?:by|since|until|before|back)\s+then\b|\bthen{_END}|\bboth(?:\s+of\s+(?:them|these|those))?{_END}"
        rf"|\bthe\s+(?:first|second|third|fourth|fifth|last|others?|former|latter|next|previous|same)(?:\s+ones?)?{_END}"
        rf"|\b(?:which|each|any|the\s+\w+|another|an?\s+\w+)\s+ones?\b|\b(?:anything|anyone|who|what|where)\s+else{_END}",
    ),
    "de": _signs(
        r"(?:und\s+|aber\s+)?(?:was\s+ist\s+mit|wie\s+(?:ist|war|sieht)\s+(?:es|das)\s+(?:mit|bei|in|aus))\b",
        "und|aber|oder",
        r"wer|wen|wem|wessen|was|welche[rsmn]?|wann|wo\w{0,6}|warum|weshalb|wie\w{0,6}|(?:in|an|auf|aus|von|mit|seit|bis|für|bei|zu)\s+w\w+"
        "|ist|sind|war|waren|hat|haben|hatte|wird|wurde|wurden|kann|nenne|nenn|gib|zeig|gibt",
        r"\b(?:diese[rsmn]?|jene[rsmn]?|damals|dort|davon|dafür|dazu|darüber|danach|davor|daraus|daran)\b"
        rf"|\b(?:de[rnm]|die|das)\s+(?:erste|zweite|dritte|vierte|letzte|andere|nächste|vorige|erstere|letztere)[nrsm]?{_END}"
        rf"|\b(?:beide[nr]?|noch\s+jemand|(?:wer|was|wo)\s+(?:noch|sonst)){_END}|^(?:er|sie|ihm|ihn|ihnen)\b|\bder\s+gleiche{_END}",
    ),
    "fr": _signs(
        r"(?:et\s+)?qu[’']en\s+est-il\b|et\s+(?:pour|en\s+ce\s+qui)\b",
        "et|mais|ou",
        r"qui|que|qu[’']\w*|quoi|quel(?:le)?s?|lequel|quand|où|d[’']où|pourquoi|comment|combien|est-ce|(?:à|en|dans|par|avec|pour|de|depuis)"
        r"\s+(?:qu\w+|où|combien)|nomme\w*|donne\w*",
        r"(?<![-\w’'])ce(?:t|tte|s)?\s+(?!que\b|qu[’']|qui\b|dont\b|sont\b|fut\b)\w+|\b(?:celui|celle|ceux|celles)\b(?!\s+(?:qui|que|de|dont))"
        rf"|\b(?:cela|ça)\b|\bc[’']était\b|\blà(?:-bas)?{_END}|\balors{_END}|\b(?:le|la|les)\s+(?:premi\w+|second\w*|deuxième|troisième|derni\w+|autres?|même)s?{_END}"
        rf"|\bl[’']autre{_END}|\b(?:qui|quoi)\s+d[’']autre{_END}|\b(?:tous\s+)?les\s+deux{_END}|(?:-t)?-(?:ils?|elles?){_END}",
    ),
    "es": _signs(
        r"(?:y\s+)?qué\s+(?:hay|pasa|tal|sucede|ocurre)\s+(?:de|con)\b|y\s+(?:lo|los|las)\b",
        "y|pero|o",
        r"quién(?:es)?|qué|cuál(?:es)?|cuándo|dónde|adónde|por\s+qué|cómo|cuánt[oa]s?|(?:en|de|a|con|por|para|desde|hasta)\s+(?:qué|quién|cuál"
        r"|dónde|cuándo|cuánt\w+)|es|son|fue|era|ha|hay|nombra|dime",
        r"\b(?:es[eao]s?|est[eao]s?|aquel(?:la|los|las|lo)?)\b(?<!\bes)|\b(?:allí|ahí|allá)\b|\bentonces"
        rf"{_END}|\b(?:el|la|los|las)\s+(?:primer[oa]s?|segund[oa]|tercer[oa]|últim[oa]s?|otr[oa]s?|mism[oa]s?|dos){_END}"
        rf"|\b(?:quién|qué|dónde)\s+más{_END}|\bamb[oa]s{_END}",
    ),
    "it": _signs(
        r"(?:e\s+)?(?:che\s+ne\s+è|che\s+dire|cosa\s+ne\s+è)\b",
        "e|ma|o",
        r"chi|che|cosa|quale?|quali|quando|dove|dov[’']\w*|perché|come|quant[oaie]|(?:in|di|a|da|con|per)\s+(?:che|quale?|quali|chi|cosa)",
        r"\b(?:lui|lei|loro|egli|ella|ess[oaie]|su[oa]|suoi|sue|quest[oaie]|quell[oaie]|quel|lì|là|allora)\b"
        rf"|\b(?:il|la)\s+(?:primo|prima|secondo|seconda|terz[oa]|ultim[oa]){_END}|\b[lL][’']altr[oa]{_END}",
    ),
    "ru": _signs(
        r"(?:а\s+)?(?:как\s+насчёт|как\s+насчет|что\s+насчёт|что\s+насчет)\b",
        "а|и|но|или",
        r"кто|кого|кому|кем|что|чего|чему|чем|как\w*|когда|где|куда|откуда|почему|зачем|сколько|(?:в|на|с|из|от|до|за|о|об|к|для|по|у|при)\s+"
        r"(?:как\w+|кого|ком|что|чего|чем|чём|скольк\w+)|назов\w+|есть|был[аои]?",
        r"\b(?:он|она|оно|они|его|её|ее|ему|ей|им|ими|их|нём|ней|них|неё|него|нему|ним)\b|\bэт(?:от|а|о|и|ого|ой|ом|ому|их|им|у)\b"
        rf"|\bтогда{_END}|\bтам\b|\b(?:перв|втор|трет|последн|друг)\w{{2,4}}{_END}",
    ),
    "zh": _signs(
        r"(?:那么?|那|还有)(?!里|些|时)",
        "而且|但是",
        "谁|什么|哪|何|为什么|怎|几|多少",
        r"^.{0,2}(?:他们?|她们?|它们?|该|其(?![他实中]))|^(?:这|那)|第[一二三四五]个[？?]?$|[前后]者|那里|那时|^.{1,8}呢[？?]?$",
    ),
})  # fmt: skip


def may_be_incomplete(question: str, turns: Sequence[Turn], language: str) -> bool:
    """Whether `question` (in `language`, ISO 639-1) leans on what was said before; never without turns. Needs no model."""
    asked = question.strip().lstrip("¿ ")
    if not turns or not any(map(str.isalnum, asked)) or len(asked) > _LONGEST:
        return False
    signs = SIGNS.get(language)
    joined = signs.joined.match(asked) if signs else None
    if signs is None:
        return _has_no_subject(asked, language)
    return (
        (signs.about.match(asked) is not None and len(asked.split()) <= _SHORT)
        or (joined is not None and signs.asks.match(asked, joined.end()) is None)
        or _has_no_subject(asked[joined.end() :] if joined else asked, language)
        or _points_back(asked, language, signs)
    )


def _has_no_subject(asked: str, language: str) -> bool:
    """Whether a question has hardly a word, or none that says what it is about."""
    if language in _UNSPACED:
        return sum(map(str.isalnum, asked)) <= _FEW_CHARACTERS
    said = words(asked, language)
    about = [word for word in said if word not in stop_words(language) and not word.isdigit()]
    named = names(asked, language)
    if not about and not named:
        return len(said) <= _NO_SUBJECT
    return len(said) <= _FEW and (asked.endswith(("?", "？")) or not named) and len(about) < _FEW


def _points_back(asked: str, language: str, signs: Signs) -> bool:
    if with_name(asked, _A_NAME, language) != asked:
        return True
    begins = _FIRST_WORD.match(asked) if language in _INFLECTED else None  # "Каково", "Qual": in no list of question words
    start = begins.end() if begins else 0
    return any(not names(asked[start : found.start()], language) for found in signs.back.finditer(asked))
