"""Reads the lists that models write: an order of documents, or a grade for each; what can be repaired is, and counted."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import regex

from chatsearch.errors import ModelAnswerError
from chatsearch.llm.reasoning import without_reasoning

UNJUDGED = 0.5
"""The relevance of a document that an answer leaves out: where neither yes nor no was said."""

_ITEM = r"[\[(\"'*【<]*(?:(?:document|doc|passage|id|n)\s*[:=#]?\s*)?[\[(【]*(\d{1,6})[\])\"'*】]*"
_CHAIN = regex.compile(rf"{_ITEM}(?:\s*(?:>+|≻|»|→|,|;)\s*{_ITEM})+", regex.IGNORECASE)
_BRACKETED = regex.compile(r"[\[【](\d{1,6})[\]】]")
_NAMED = regex.compile(r"\b(?:document|doc|passage)\s*[#:]?\s*(\d{1,6})", regex.IGNORECASE)
_BARE = regex.compile(r"(?<![\w.])(\d{1,6})(?![\w%])")
_LINE_NUMBER = regex.compile(r"^\s*\d{1,3}[.)]\s+(?=\S)", regex.MULTILINE)

_YES = r"yes|true|relevant|highly relevant|ja|oui|sí|si|да|是"
_NO = r"no|false|not relevant|irrelevant|nein|non|нет|否|不"
_GRADE = rf"(?P<grade>\d{{1,3}}(?:\.\d+)?)(?:\s*/\s*(?P<of>\d{{1,3}}))?|(?P<no>{_NO})\b|(?P<yes>{_YES})\b"
_JUDGED = regex.compile(
    rf"(?:document|doc|passage)?\s*[\[(\"'#*【]*(?P<n>\d{{1,6}})[\])\"'*】]*\s*(?:[:=]|->|→|[-–—]\s|\bis\b|\t|\.\s|\s(?=(?:{_YES}|{_NO})\b)"
    r"|,(?=\s*[\"']?(?:score|grade|relevance|rating)))"
    rf"\s*[*\"'\[(]*(?:(?:score|grade|relevance|rating)[\"']?\s*[:=]?\s*)?(?:{_GRADE})",
    regex.IGNORECASE,
)
_ALONE = regex.compile(rf"^\W*(?:(?:score|grade|relevance|rating|answer)\s*[:=]?\s*)?(?:{_GRADE})", regex.IGNORECASE)
_NUMBER_LIST = regex.compile(r"\[\s*\d{1,3}(?:\.\d+)?(?:\s*,\s*\d{1,3}(?:\.\d+)?)*\s*\]")


@dataclass(frozen=True)
class Order:
    """The places of the documents, from 0, the best first, each once; `repaired` counts what was dropped or appended."""

    places: tuple[int, ...]
    repaired: int


@dataclass(frozen=True)
class Judgements:
    """A relevance from 0 to 1 for each document, in their order; `repaired` counts those the answer left out."""

    relevance: tuple[float, ...]
    repaired: int


def parse_order(answer: str, count: int) -> Order:
    """The order of `count` documents called 1 to `count`, however it is written.

    As rank_llm does it: duplicates and numbers that no document has are dropped, the unmentioned follow in their old order.
    Raises ModelAnswerError when the answer orders nothing.
    """
    text = _plain_digits(without_reasoning(answer))
    said = _numbers_said(text, count)
    good = [n - 1 for n in dict.fromkeys(said) if 1 <= n <= count]
    if not good:
        raise ModelAnswerError(f"The answer names none of the {count} documents: {_shown(text)}")
    rest = [place for place in range(count) if place not in set(good)]
    return Order((*good, *rest), len(said) - len(good) + len(rest))


def parse_judgements(answer: str, count: int) -> Judgements:
    """The relevance of `count` documents called 1 to `count`: lines such as “2: 7” or “2: yes”, JSON, or one word for one.

    Grades are from 0 to 10, or what stands after “/”. Raises ModelAnswerError when no document is judged.
    """
    text = _plain_digits(without_reasoning(answer))
    found: dict[int, float] = {}
    for match in _JUDGED.finditer(text):
        n = int(match["n"])
        if 1 <= n <= count:
            found.setdefault(n - 1, _relevance(match))
    if not found:
        found = _judged_in_turn(text, count)
    if not found:
        raise ModelAnswerError(f"The answer judges none of the {count} documents: {_shown(text)}")
    return Judgements(tuple(found.get(place, UNJUDGED) for place in range(count)), count - len(found))


def _numbers_said(text: str, count: int) -> list[int]:
    """The numbers of the most telling form the answer has: a chain, brackets, named documents, or bare numbers."""
    chains = [_in_order(match) for match in _CHAIN.finditer(text)]
    best = max(chains, key=lambda chain: len({n for n in chain if 1 <= n <= count}), default=[])
    if any(1 <= n <= count for n in best):
        return best
    for form in (_BRACKETED, _NAMED):
        named = [int(n) for n in form.findall(text)]
        if any(1 <= n <= count for n in named):
            return named
    unnumbered = _LINE_NUMBER.sub("", text)
    bare = [int(n) for n in _BARE.findall(unnumbered)] or [int(n) for n in _BARE.findall(text)]
    in_range = {n for n in bare if 1 <= n <= count}
    prose = sum(map(str.isalpha, text)) > 20
    return bare if len(in_range) > (1 if prose else 0) else []


def _in_order(match: regex.Match[str]) -> list[int]:
    """The numbers of a chain in the order they stand in."""
    pairs = [(start, n) for group in (1, 2) for start, n in zip(match.starts(group), match.captures(group), strict=True)]
    return [int(n) for _, n in sorted(pairs)]


def _judged_in_turn(text: str, count: int) -> dict[int, float]:
    """Grades without numbers of documents: a JSON list, one a line, or the only one."""
    listed = _NUMBER_LIST.search(text)
    if listed:
        grades = [float(one) for one in listed[0].strip("[] ").split(",")]
        return dict(enumerate(min(1.0, grade / 10) for grade in grades)) if len(grades) == count else {}
    matches = [match for line in text.splitlines() if line.strip() for match in [_ALONE.match(line.strip())]]
    judged = [match for match in matches if match is not None]
    if count == 1 and judged:
        return {0: _relevance(judged[0])}
    return dict(enumerate(map(_relevance, judged))) if len(judged) == len(matches) == count else {}


def _relevance(match: regex.Match[str]) -> float:
    if match["grade"] is None:
        return 1.0 if match["yes"] else 0.0
    return max(0.0, min(1.0, float(match["grade"]) / (float(match["of"] or 10) or 10)))


def _plain_digits(text: str) -> str:
    """The digits of any script as 0 to 9."""
    return "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in text)


def _shown(text: str) -> str:
    short = " ".join(text.split())
    return f"“{short[:120]}{'…' if len(short) > 120 else ''}”." if short else "it is empty."
