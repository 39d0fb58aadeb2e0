"""Words that point back ("that year", "this treaty", "the second one"), replaced by what the last turn said, if that is sure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import TypeVar

from chatsearch.languages import stop_words
from chatsearch.names import names, names_asked, plain_words
from chatsearch.restriction import ORDINAL, place_of
from chatsearch.turns import Turn

_YEAR = re.compile(r"(?<![\d.,–-])(1[0-9]{3}|20[0-9]{2})(?![\d]|[.,–-]\d)")
_FIRST_STATEMENT = re.compile(r"^.*?\[\d+\]", re.DOTALL)
_THAT_YEAR = MappingProxyType({
    "en": (r"(?P<in>\b(?:in|of|before|after|since|during|by)\s+)?\b(?:that|this|the\s+same)\s+(?:very\s+)?year\b", "in"),
    "de": (r"(?P<in>\b(?:in|vor|nach|seit|aus)\s+)?\b(?:diese[ms]|jene[ms])\s+jahr\b", "im Jahr"),
    "fr": (r"(?P<in>\b(?:en|de|avant|après|depuis)\s+)?\b(?:cette|la\s+même)\s+année(?:-là)?(?!\w)", "en"),
    "es": (r"(?P<in>\b(?:en|de|desde)\s+)?\b(?:ese|aquel|este|el\s+mismo)\s+año\b", "en"),
})  # fmt: skip
_THIS = MappingProxyType({
    "en": r"\b(?:this|that)\s+(?P<noun>[^\W\d]{3,})\b",
    "de": r"\b(?:diese[rsmn]?|jene[rsmn]?)\s+(?P<noun>[A-ZÄÖÜ][^\W\d]{2,})\b",
    "fr": r"\b(?:ce|cet|cette)\s+(?P<noun>[^\W\d]{3,})(?:-là)?(?!\w)",
    "es": r"\b(?:est[ea]|es[ea]|aquel|aquella)\s+(?P<noun>[^\W\d]{3,})\b",
})  # fmt: skip
_ONE = (
    rf"\b(?:(?:the|the\s+very)\s+(?P<en>{ORDINAL})\s+one(?!\s+(?:to|that|who|which|in|of)\b)|(?:the)\s+(?P<pair>former"
    rf"|latter)(?!\s+\w*[^\W\d]\w*(?<!\bdo)(?<!\bdid)(?<!\blive)\s+\w))\b"
    rf"|\b(?:de[rnm]|die|das)\s+(?P<de>(?:erst|zweit|dritt|viert|fünft|letzt)(?:e|en|er|es)|erstere[nrs]?"
    rf"|letztere[nrs]?)(?=\s*[?.,!]|\s*$)"
    rf"|\b(?:le|la)\s+(?P<fr>premier|première|second|seconde|deuxième|troisième|quatrième|cinquième|dernier"
    rf"|dernière)(?=\s*[?.,!]|\s*$)"
    rf"|\b(?:el|la)\s+(?P<es>primero|primera|segundo|segunda|tercero|tercera|cuarto|cuarta|quinto|quinta|último"
    rf"|última)(?=\s*[?.,!]|\s*$)"
)
_ORDINAL_ONE = re.compile(_ONE, re.IGNORECASE)
_PAIR = MappingProxyType({"former": 1, "latter": -1, "erster": 1, "letzter": -1, "second": 2, "seconde": 2})
_BEFORE_THAT = 2  # words
_DOCUMENT = MappingProxyType({"en": "document {n}", "de": "Dokument {n}", "fr": "le document {n}", "es": "el documento {n}"})
_Item = TypeVar("_Item")
_LISTED = (
    r"(?:,\s+(?:and|und|et|y|or|oder|ou|o)\s+|,\s+|\s+(?:and|und|et|y|or|oder|ou|o)\s+)(?:the\s+|der\s+|die\s+"
    r"|das\s+|le\s+|la\s+|el\s+)?"
)


def year_said(question: str, last: Turn, language: str) -> str:
    """`question` with the one year of the last question, else of its answer's first statement, for "that year"."""
    form, preposition = _THAT_YEAR.get(language, ("", ""))
    found = re.search(form, question, re.IGNORECASE) if form else None
    statement = _FIRST_STATEMENT.match(last.answer)
    years = set(_YEAR.findall(last.question)) or set(_YEAR.findall(statement[0] if statement else last.answer))
    if not found or len(years) != 1 or _YEAR.search(question):
        return question
    said = found["in"] or f"{preposition} "
    said = "im Jahr " if language == "de" and said.strip().lower() == "in" else said
    said = said[:1].upper() + said[1:] if not question[: found.start()].strip(" ¿") else said
    return f"{question[: found.start()]}{said}{years.pop()}{question[found.end() :]}"


def thing_said(question: str, last: Turn, language: str) -> str:
    """`question` with the name that "this treaty" means: one with the word, or the one name asked about if its answer has it."""
    found = re.search(_THIS[language], question, re.IGNORECASE if language != "de" else 0) if language in _THIS else None
    if not found or names(question[: found.start()], language):
        return question
    noun = found["noun"].casefold()
    if noun in stop_words(language) or _is_relative(question, found):
        return question
    asked = names_asked(last, language)
    said = [*names(last.question, language), last.topic.replace("_", " "), *_separate(names(last.answer, language))]
    having = [name for name in said if len(name.split()) > 1 and noun in name.casefold().split()]
    # a word of the question before means what was meant there, which need not be the name
    answered = noun in plain_words(last.answer) and noun not in plain_words(last.question)
    if having:
        name = _in_a_sentence(having[0], language)
    elif len(asked) == 1 and answered and language in ("en", "de"):
        name = asked[0]
    else:
        return question
    return question[: found.start()] + name + question[found.end() :]


def one_of_several(question: str, last: Turn, present: Sequence[int], language: str) -> str:
    """`question` with what "the second one" is: of the documents the last answer named, names it lists, or a document.

    Unchanged when the question has no such words, says itself what they mean, or the place is beyond the list.
    """
    found = _ORDINAL_ONE.search(question)
    if not found or names(question[: found.start()].lstrip(" ¿"), language) or len(question) > 200:
        return question
    word = next(word for word in found.groups() if word).lower()
    place = _PAIR.get(word) or _PAIR.get(word[:-1]) or place_of(word)
    name = _at(_list_in(last.answer, language), place)
    by_itself = not re.sub(r"\b(?:and|what about|und|et|y)\b", "", question.replace(found[0], ""), flags=re.IGNORECASE).strip(
        " ¿?!.,"
    )
    if last.about_the_set or not last.answer or (by_itself and not name):
        listed = last.listed if last.about_the_set else tuple(present)
        number = _at(listed, place)
        if number is None:
            return question
        return question[: found.start()] + _DOCUMENT.get(language, _DOCUMENT["en"]).format(n=number) + question[found.end() :]
    if not name:
        return question
    whole = question[: found.start()] + _in_a_sentence(name, language) + question[found.end() :]
    return re.sub(r"^(?:[Aa]nd|[Bb]ut)\s+(?=the\s|[A-Z])", "What about ", whole) if language == "en" else whole


def _is_relative(question: str, found: re.Match[str]) -> bool:
    """Whether "that" begins a clause: after more than "Who signed", or before a name ("the tower that Tesla built")."""
    before = plain_words(question[: found.start()])
    return found[0].lower().startswith("that") and (found["noun"][0].isupper() or len(before) > _BEFORE_THAT)


def _in_a_sentence(name: str, language: str) -> str:
    """A name with its article where English needs one: the Treaty of Rome."""
    return f"the {name}" if language == "en" and re.search(r"^[A-Z]\w+ (?:of|for) ", name) else name


def _at(items: Sequence[_Item], place: int) -> _Item | None:
    if not items or place > len(items) or place == 0:
        return None
    return items[-1] if place < 0 else items[place - 1]


def _separate(found: Sequence[str]) -> list[str]:
    """The names, those that a joining "and" made one apart again."""
    return [part for name in found for part in re.split(r"\s+and\s+(?:the\s+)?", name) if part]


def _list_in(text: str, language: str) -> list[str]:
    """The first run of at least two names with commas or "and" between them."""
    found: list[str] = []
    last = 0
    for name in _separate(names(text, language)):
        at = text.find(name, last)
        if found and re.fullmatch(_LISTED, text[last:at]):
            found.append(name)
        elif len(found) > 1:
            break
        else:
            found = [name]
        last = at + len(name)
    return found if len(found) > 1 else []
