"""Follow-ups that leave the rest of the last question out ("and in May?", "why?", "and her brother?"), made whole from it."""

from __future__ import annotations

import re
from collections.abc import Callable

from chatsearch.ellipsis_words import BY_WHOM, ELLIPSES, OWNERS, PASSIVE, PERSONS, ShortForms
from chatsearch.names import names_asked
from chatsearch.pronouns import genitive
from chatsearch.pronouns_romance import french_owned, spanish_owned
from chatsearch.turns import Turn

_LONGEST = 80
_MOST_WORDS = 6
_NAME_PATTERN = r"[^\W\d_a-zà-ÿ][\w’'-]*(?:\s[^\W\d_a-zà-ÿ][\w’'-]*)*"
_TAIL = re.compile(r", (?:and|und|et|y) [^,?]{1,30}(?=\s?\?*$)")
_DETERMINER = re.compile(r"(?:the|der|die|das|den|le|la|les|el|los|las|l[’'])\b", re.IGNORECASE)


def completed(question: str, last: Turn, name: str, language: str) -> str:
    """The whole question that `question` is short for, after the turn `last` about `name`; empty when it is none, or unsure.

    `last.question` is whole itself. In English, German, French and Spanish.
    """
    words = ELLIPSES.get(language)
    asked = question.strip(" \t\n¿?!.…")
    before = _TAIL.sub("", last.question.strip().rstrip("?!.… ").lstrip("¿ "))
    if words is None or not asked or not before or len(question) > _LONGEST:
        return ""
    lead = words.lead.match(asked)
    rest = asked[lead.end() :].strip() if lead else asked
    for complete in (_question_word, _time, _of_owner, _named, _phrase):
        whole = complete(_Short(rest, bool(lead), before, last, name, language, words))
        if whole:
            return whole
    return ""


def without_lead(question: str, language: str) -> str:
    """`question` without the "and" before a question word: "and where did he live?"."""
    words = ELLIPSES.get(language)
    opened = question.lstrip(" ¿")
    lead = words.lead.match(opened) if words else None
    if words is None or lead is None or not words.bare.match(opened[lead.end() :]):
        return question
    rest = opened[lead.end() :].lstrip()
    return f"{'¿' if question.lstrip().startswith('¿') else ''}{rest[:1].upper()}{rest[1:]}"


class _Short:
    """A short follow-up: what it says, whether it began with an "and", and the question before it, without its mark."""

    def __init__(self, rest: str, led: bool, before: str, last: Turn, name: str, language: str, words: ShortForms) -> None:
        self.rest, self.led, self.before, self.last = rest, led, before, last
        self.name, self.language, self.words = name, language, words

    def question(self, text: str) -> str:
        """A question in the marks of its language, its first letter a capital one."""
        text = text.strip()
        text = text[:1].upper() + text[1:]
        return f"¿{text}?" if self.language == "es" else f"{text} ?" if self.language == "fr" else f"{text}?"

    def joined(self) -> str:
        return self.question(self.before + self.words.join.format(asked=self.rest[:1].lower() + self.rest[1:]))


def _question_word(short: _Short) -> str:
    """ "when?": in place of the question word before, where that leaves a sentence; else after it, "…, and when?"."""
    words = short.words
    bare = re.fullmatch(rf"(?P<word>{words.bare.pattern})(?P<filler>\s+(?:{words.filler.pattern}))?", short.rest, re.IGNORECASE)
    if not bare:
        return ""
    word = re.sub(r"^why (?:is|was) (?:that|this)$", "why", bare["word"], flags=re.IGNORECASE)
    asked_time = words.asks_time.match(f"{word} ") and words.time.search(short.before)
    if asked_time or (BY_WHOM.match(word) and not PASSIVE.search(short.before)):
        return ""
    asks = words.asks.match(short.before)
    if not asks and words.yes_no and words.yes_no.match(short.before):
        asks, tail = words.yes_no.match(short.before), short.before[:1].lower() + short.before[1:]
    else:
        tail = short.before[asks.end() :] if asks else ""
    if asks and re.fullmatch(words.movable.pattern, word, re.IGNORECASE):
        return short.question(f"{word}{bare['filler'] or ''} {tail}")
    short.rest = f"{word}{bare['filler'] or ''}"
    return short.joined() if _is_question(short.before, short) else f"{short.before}: {short.rest}?"


def _time(short: _Short) -> str:
    """ "in 1905?": in place of the time in the question before, else at its end; not after a question for a time."""
    if not re.fullmatch(short.words.time.pattern, short.rest, re.IGNORECASE) or short.words.asks_time.match(short.before):
        return ""
    return _put(short, lambda text: short.words.time.search(text))


def _phrase(short: _Short) -> str:
    """ "in Germany?": in place of a name with the same preposition, else at the end."""
    phrase = re.fullmatch(short.words.phrase.pattern, short.rest, re.IGNORECASE)
    if not phrase or not _is_noun(phrase["noun"], short) or not (short.led or len(short.rest.split()) <= 3):
        return ""
    if not (phrase["noun"][0].isupper() or _DETERMINER.match(phrase["noun"])):
        return ""
    same = re.compile(rf"\b(?i:{re.escape(phrase['preposition'])})\s+(?:(?i:the)\s+)?{_NAME_PATTERN}")
    return _put(short, same.search)


def _of_owner(short: _Short) -> str:
    """ "and her brother?": a person in place of the one it is whose; another thing in the place of what was asked of the name."""
    found = OWNERS[short.language].fullmatch(short.rest) if short.led and short.name else None
    if not found or not _is_noun(found["owned"], short):
        return ""
    owned = _owned(found, short)
    if not owned:
        return ""
    if PERSONS[short.language].match(found["owned"]) and short.before.count(short.name) == 1:
        return _in_place_of_name(short, owned)
    return _attribute(short, found["owned"]) or (short.words.about.format(noun=owned) if short.words.about else "")


def _named(short: _Short) -> str:
    """ "and Berlin?": in place of the one name of the question before."""
    if not short.led or not _is_noun(short.rest, short) or short.rest.endswith(" one"):
        return ""
    if short.words.phrase.fullmatch(short.rest):
        return ""
    if _DETERMINER.match(short.rest) and short.rest[:1].islower() and not re.search(r"\s[A-ZÀ-Þ]", short.rest):
        return _attribute(short, short.rest.split(maxsplit=1)[-1]) if " " in short.rest else ""
    asked = names_asked(short.last, short.language)
    if not re.fullmatch(rf"(?:(?i:{_DETERMINER.pattern})\s*)?{_NAME_PATTERN}", short.rest) or len(asked) != 1:
        return ""
    return _in_place_of_name(short, short.rest) if short.before.count(asked[0]) == 1 and asked[0] == short.name else ""


def _attribute(short: _Short, noun: str) -> str:
    """What was asked of a name, replaced: "What was the area of Warsaw in 1905?", "and its population?"."""
    if short.language != "en" or not short.name:
        return ""
    name = re.escape(short.name)
    head = r"(?P<head>what\s+(?:is|was|are|were)\s+)"
    of_name = re.match(rf"{head}the\s+[\w -]+?\s+of\s+(?:the\s+)?{name}\b(?P<tail>.*)", short.before, re.IGNORECASE)
    owned = re.match(rf"{head}{name}[’']s?\s+[\w-]+(?P<tail>.*)", short.before, re.IGNORECASE)
    found = of_name or owned
    if not found:
        of_owner = OWNERS["en"].match(short.rest)
        return "" if of_owner else short.words.about.format(noun=f"the {noun} of {short.name}")
    return short.question(f"{found['head']}{genitive(short.name, 'en')} {noun}{found['tail']}")


def _owned(found: re.Match[str], short: _Short) -> str:
    if short.language == "fr":
        return french_owned(found["owner"], found["owned"], short.name)
    if short.language == "es":
        return spanish_owned(found["owned"], short.name)
    return f"{genitive(short.name, short.language)} {found['owned']}"


def _in_place_of_name(short: _Short, noun: str) -> str:
    """The question before with `noun` for its name, which must stand free there: no compound, no owner."""
    free = re.compile(rf"(?<![\w-])(?:{_DETERMINER.pattern}\s*)?(?<![\w-]){re.escape(short.name)}(?![\w-])", re.IGNORECASE)
    found = free.search(short.before)
    return short.question(f"{short.before[: found.start()]}{noun}{short.before[found.end() :]}") if found else ""


def _put(short: _Short, find: Callable[[str], re.Match[str] | None]) -> str:
    if not _is_question(short.before, short):
        return f"{short.before} {short.rest}"
    found = find(short.before)
    said = short.rest[:1].lower() + short.rest[1:]
    if found:
        return short.question(f"{short.before[: found.start()]}{said}{short.before[found.end() :]}")
    return short.question(f"{short.before} {said}")


def _is_question(text: str, short: _Short) -> bool:
    """Whether it was asked as a sentence, and not as words to search for."""
    return short.last.question.rstrip().endswith("?") or short.words.asks.match(text) is not None


def _is_noun(text: str, short: _Short) -> bool:
    return 0 < len(text.split()) <= _MOST_WORDS and not short.words.no_noun.search(text)
