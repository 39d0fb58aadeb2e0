"""What kind of answer a question wants (a name, a time, a number), and which sentences hold one that it does not say itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

import regex

from chatsearch.languages import stop_words
from chatsearch.llm.answer_words import ASKS_FOR_A_NAME, ASKS_FOR_A_NUMBER, ASKS_FOR_A_TIME, NUMBERS, TIMES


class AnswerType(StrEnum):
    """What a question asks for, as far as its words tell."""

    NAME = "name"
    TIME = "time"
    NUMBER = "number"


@dataclass(frozen=True)
class Asked:
    """What a question asks for and what it says itself: its names, case folded, and its numbers.

    `wanted` is None where its words do not tell, and in languages without patterns.
    """

    wanted: AnswerType | None
    names: frozenset[str]
    numbers: frozenset[str]
    question: str
    language: str

    def may_be_answered_by(self, sentence: str) -> bool:
        """Whether a sentence has a name, a time or a number, as asked for, that the question does not have itself.

        True as well where it cannot be told: no kind known, or names in German and Chinese.
        """
        if self.wanted is AnswerType.NUMBER:
            return bool(numbers(sentence) - self.numbers) or _says_a_number(sentence, self.question, self.language)
        if self.wanted is AnswerType.TIME:
            return _says_a_time(sentence, self.question.casefold(), self.language)
        if self.wanted is AnswerType.NAME and self.language in _CAPITALS_TELL:
            return bool(names(sentence, self.language) - self.names)
        return True


def asked_for(question: str, language: str) -> Asked:
    """What `question` in `language` (ISO 639-1) asks for: "how many years" a number, "who, and when" a time."""
    patterns = ((wanted, _pattern(table, language)) for wanted, table in _IN_THIS_ORDER.items())
    wanted = next((wanted for wanted, pattern in patterns if pattern is not None and pattern.search(question)), None)
    return Asked(wanted, names(question, language), numbers(question), question, language)


def numbers(text: str) -> frozenset[str]:
    """The numbers written in digits."""
    return frozenset(_DIGITS.findall(text))


def names(text: str, language: str) -> frozenset[str]:
    """The words with a capital, case folded; in German these are all nouns.

    Neither stop words nor a first word that has its capital because the sentence begins.
    """
    stop = stop_words(language)
    first = _LETTERS.search(text)
    begins = first.start() if first else -1
    found = ((one.start(), one[0]) for one in _CAPITAL.finditer(text))
    return frozenset(
        word.casefold()
        for start, word in found
        if word.casefold() not in stop and (start != begins or word[1:] != word[1:].lower())
    )


_IN_THIS_ORDER = MappingProxyType({
    AnswerType.NUMBER: "number",
    AnswerType.TIME: "time",
    AnswerType.NAME: "name",
})  # fmt: skip
_TABLES: Mapping[str, Mapping[str, str]] = MappingProxyType({
    "number": ASKS_FOR_A_NUMBER,
    "time": ASKS_FOR_A_TIME,
    "name": ASKS_FOR_A_NAME,
    "times": TIMES,
})  # fmt: skip
_SPACED = r"(?<!\p{{L}})(?:{})(?!\p{{L}})"
_DIGITS = regex.compile(r"\p{N}+(?:[.,]\p{N}+)*")
_LETTERS = regex.compile(r"\p{L}+")
_CAPITAL = regex.compile(r"\p{Lu}[\p{L}\p{M}\p{N}]*")
_YEAR = regex.compile(r"(?<![\p{N}.,])(?:1\d{3}|20\d{2}|[1-9]\d{2}(?=\s?(?:AD|BC|[nv]\. Chr|год|г\.)))(?!\p{N}|[.,]\p{N})")
_CHINESE_NUMERAL = regex.compile(r"[二三四五六七八九十百千万亿两半]")
_CAPITALS_TELL = frozenset({"en", "es", "fr", "it", "nl", "pl", "pt", "ru"})
"""Languages in which a capital inside a sentence means a name: not German, nor scripts without capitals."""


@lru_cache(maxsize=64)
def _pattern(table: str, language: str) -> regex.Pattern[str] | None:
    """Compiled when first needed: `import chatsearch.llm.evidence` is to be cheap."""
    words = _TABLES[table].get(language)
    if words is None:
        return None
    return regex.compile(words if language == "zh" else _SPACED.format(words), regex.IGNORECASE)


def _says_a_time(sentence: str, said: str, language: str) -> bool:
    if any(year not in said for year in _YEAR.findall(sentence)):
        return True
    times = _pattern("times", language)
    return times is not None and any(one[0].casefold() not in said for one in times.finditer(sentence))


def _says_a_number(sentence: str, question: str, language: str) -> bool:
    if language == "zh":
        return _CHINESE_NUMERAL.search(sentence) is not None
    known, said = _number_words(language), frozenset(map(str.casefold, _LETTERS.findall(question)))
    return any(word in known and word not in said for word in map(str.casefold, _LETTERS.findall(sentence)))


@lru_cache(maxsize=64)
def _number_words(language: str) -> frozenset[str]:
    return frozenset(NUMBERS.get(language, "").split())
