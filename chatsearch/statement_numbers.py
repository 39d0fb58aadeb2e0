"""The numbers and months of a text, however they are written: 1,500 and 1500, twelve and 12, March 12 and 12. März."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from itertools import product

import regex

from chatsearch.statement_number_words import MONTHS, OF_LANGUAGE, SCALES

Readings = frozenset[str]
"""What one number may mean: "1.500" is 1500 and 1.5, "20 %" is 20 and one in 5."""

_SEPARATOR = "[.,'’٬\u00a0\u202f\u2009 ]"
_DIGITS = rf"\p{{Nd}}{{1,3}}(?:{_SEPARATOR}\p{{Nd}}{{3}}(?!\p{{Nd}}))+(?:[.,]\p{{Nd}}+)?|\p{{Nd}}+(?:[.,٫]\p{{Nd}}+)?"
_NUMBER = regex.compile(rf"(?P<digits>{_DIGITS})(?P<half>½)?")
_SCALE_AFTER = regex.compile(r"[\s\u00a0-]?(\p{L}+)")
_PERCENT_AFTER = regex.compile(r"\s?(?:%|％|per ?cent|prozent|por ciento|pour cent|per cento|процент)", regex.IGNORECASE)
_RANGE_BEFORE = regex.compile(r"\s?(?:to|and|or|–|-|—|bis|und|oder|a|y|o|à|et|ou|e|до|и|至|到)\s?", regex.IGNORECASE)
_SHORT_YEAR = regex.compile(r"[-–—/](?P<end>\p{Nd}{2})(?!-?\p{Nd})")
_ISO_DATE = regex.compile(r"(?<!\p{Nd})\p{Nd}{4}-(?P<month>\p{Nd}{2})-\p{Nd}{2}(?!\p{Nd})")
_DOTTED_DATE = regex.compile(r"(?<!\p{Nd})\p{Nd}{1,2}\.\s?(?P<month>\p{Nd}{1,2})\.\s?(?:\p{Nd}{4}|\p{Nd}{2})(?!\p{Nd})")
_HAN_MONTH = regex.compile(r"(?<!\p{Nd})(?P<month>1[0-2]|[1-9])\s?月")
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_HAN_NUMERAL = regex.compile(r"[零〇一二三四五六七八九十百千两]{2,}|[二三四五六七八九十两](?=[个年月日名位条座人次种部颗天])")
_HAN = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_UNSURE_MONTHS = frozenset({"may", "march"})
_OF_A_DATE = regex.compile(
    r"(?:\p{Nd}(?:st|nd|rd|th)?(?: of)?|\b(?:in|since|of|until|by|from|to|and|early|late|mid|last|every|before|after))[\s-]*$",
    regex.IGNORECASE,
)


def numbers(text: str, language: str) -> list[Readings]:
    """Every number of a text, in digits or in words of `language` (ISO 639-1); "one" and its like are none."""
    return [*_in_digits(text), *_in_words(text, language), *_in_han(text)]


def months(text: str, language: str) -> frozenset[int]:
    """The months that a text names, 1 to 12, by their names or in a date written as 2015-10-08 or 8.10.2015."""
    written = [int(match["month"]) for kind in (_ISO_DATE, _DOTTED_DATE, _HAN_MONTH) for match in kind.finditer(text)]
    return frozenset({*_named_months(text, language), *(month for month in written if 1 <= month <= 12)})


def agree(said: Readings, there: frozenset[str]) -> bool:
    """Whether a number may be one of those whose readings are `there`."""
    return not said.isdisjoint(there)


def readings(text: str, language: str) -> frozenset[str]:
    """All that the numbers of a text may mean."""
    return frozenset().union(*numbers(text, language))


def _in_digits(text: str) -> Iterator[Readings]:
    of_dates = {match.start("month") for kind in (_ISO_DATE, _DOTTED_DATE) for match in kind.finditer(text)}
    found = [match for match in _NUMBER.finditer(text) if match.start() not in of_dates]
    factors = [_factor(text, match.end()) for match in found]
    for place, match in enumerate(found):
        values = _values(match["digits"])
        if match["half"]:
            values = {value + Decimal("0.5") for value in values}
        factor = factors[place]
        if factor == 1 and place + 1 < len(found) and factors[place + 1] > 1:
            between = text[match.end() : found[place + 1].start()]
            values |= {value * factors[place + 1] for value in values} if _RANGE_BEFORE.fullmatch(between) else set()
        else:
            scaled = {value * factor for value in values}
            values = scaled | (values if _may_be_a_unit(text, match.end()) else set())
        yield frozenset({*map(_plain, values), *_also(text, match, values)})
        short = _SHORT_YEAR.match(text, match.end())
        if short and len(match["digits"]) == 4:
            yield frozenset({match["digits"][:2] + short["end"], short["end"].lstrip("0") or "0"})


def _also(text: str, match: regex.Match[str], values: set[Decimal]) -> Iterator[str]:
    """20 % is also one in 5; the 1700s are also the 18th century, the 1970s the 70s."""
    if _PERCENT_AFTER.match(text, match.end()):
        yield from (_plain(100 / value) for value in values if value and 100 % value == 0)
    if text.startswith("s", match.end()) and len(match["digits"]) == 4:
        yield match["digits"][2:]
        if match["digits"].endswith("00"):
            yield str(int(match["digits"][:2]) + 1)


def _factor(text: str, end: int) -> Decimal:
    after = _SCALE_AFTER.match(text, end)
    if after is None:
        return Decimal(1)
    return Decimal(_scale_of(after[1].casefold()))


@lru_cache(maxsize=8192)
def _scale_of(word: str) -> int:
    return next((value for start, value in SCALES.items() if _is_scale(word, start)), 1)


def _is_scale(word: str, start: str) -> bool:
    if not start.isascii() and len(start) == 1:  # 万, 亿: nothing stands between them and what is counted
        return word.startswith(start)
    return word.startswith(start[:-1]) if start.endswith("*") else word == start


def _may_be_a_unit(text: str, end: int) -> bool:
    """Whether the scale is one letter, which may mean metres as well as millions."""
    after = _SCALE_AFTER.match(text, end)
    return after is not None and len(after[1]) == 1 and after[1].isascii()


def _values(digits: str) -> set[Decimal]:
    """`digits` with its signs read as separators of thousands and, where it has only one, as a decimal sign."""
    ascii_digits = "".join(str(unicodedata.digit(one)) if one.isdigit() else "." if one in ".,٫" else "_" for one in digits)
    joined = Decimal(regex.sub(r"[._]", "", ascii_digits))
    parts = regex.split(r"[._]", ascii_digits)
    if len(parts) == 1:
        return {joined}
    as_decimal = Decimal("".join(parts[:-1]) + "." + parts[-1])
    if len(parts[-1]) != 3:
        return {as_decimal}
    return {joined, as_decimal} if len(parts) == 2 and "." in ascii_digits else {joined}


def _plain(value: Decimal) -> str:
    return format(value.normalize(), "f")


def _in_words(text: str, language: str) -> Iterator[Readings]:
    values = _values_of_words(language)
    if not values.keys() & set(map(str.casefold, _WORD.findall(text))):
        return
    total, begun = Decimal(0), False
    tens = False
    last = 0
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        near = regex.fullmatch(r"[\s-]*(?:und|and|y|et|e)?[\s-]*", text[last : match.start()]) is not None
        scale = _scale_of(word) if begun and near else 1
        value = values.get(word)
        if scale > 1:
            total, last, tens = total * Decimal(scale), match.end(), False
            continue
        if begun and near and tens and value is not None and value < 10:
            total, last, tens = total + value, match.end(), False
            continue
        if begun and word not in {"und", "and", "y", "et", "e"}:
            yield _read(total)
            begun = False
        if value is not None:
            total, begun, last, tens = Decimal(value), True, match.end(), 20 <= value < 100 and value % 10 == 0
    if begun:
        yield _read(total)


def _read(value: Decimal) -> Readings:
    return frozenset({_plain(value), "50"} if value == 2 else {_plain(value)})


@lru_cache(maxsize=16)
def _values_of_words(language: str) -> dict[str, int]:
    """The number words of a language with their values: cardinals, ordinals, fractions."""
    words = OF_LANGUAGE.get(language, {})
    values = {word.casefold(): value for word, value in words.items()}
    if language == "de":
        units = {word: value for word, value in values.items() if 2 <= value <= 9} | {"ein": 1}
        tens = {word: value for word, value in values.items() if value in range(20, 100, 10)}
        values |= {f"{unit}und{ten}": one + more for (unit, one), (ten, more) in product(units.items(), tens.items())}
        values |= {f"{unit}hundert": 100 * one for unit, one in units.items()} | {
            f"{unit}tausend": 1000 * one for unit, one in units.items()
        }
        ordinals = {"dritt": 3, "siebt": 7} | {
            f"{word}{'t' if value < 20 else 'st'}": value for word, value in values.items() if value > 1
        }
        values |= {stem + end: value for stem, value in ordinals.items() for end in ("e", "er", "en", "es", "em", "el", "eln")}
    return values


def _in_han(text: str) -> Iterator[Readings]:
    for match in _HAN_NUMERAL.finditer(text):
        total, digit = 0, 0
        for character in match[0]:
            if character in _HAN_UNITS:
                total, digit = total + (digit or 1) * _HAN_UNITS[character], 0
            else:
                digit = digit * 10 + _HAN[character]
        yield frozenset({str(total + digit)})


def _named_months(text: str, language: str) -> Iterator[int]:
    names = MONTHS.get(language, {})
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        month = names.get(word)
        if month is None:
            continue
        if language != "en" or word not in _UNSURE_MONTHS or _is_in_a_date(text, match):
            yield month


def _is_in_a_date(text: str, match: regex.Match[str]) -> bool:
    """Whether a word that may be a verb, too, has a capital and something of a date beside it."""
    before, after = text[max(0, match.start() - 12) : match.start()], text[match.end() :]
    return match[0][0].isupper() and (_OF_A_DATE.search(before) is not None or regex.match(r",?\s\p{Nd}", after) is not None)
