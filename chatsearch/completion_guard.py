"""Reads the question a language model made of a follow-up, and refuses what is none: prose, an answer, words nobody said."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from types import MappingProxyType

import regex

from chatsearch.errors import ModelAnswerError
from chatsearch.incomplete import SIGNS
from chatsearch.languages import stems, stop_words, words
from chatsearch.prompts import clean
from chatsearch.turns import Turn

_MOST_FROM_ANSWERS = 4  # content words that only an answer said: a name has three, an order hidden in a document more
_SLACK = 40  # code points beside the questions' own
_LEAST_KEPT = 0.5

_LABEL = regex.compile(
    r"^\W*(?:(?:the|your|new|complete[d]?|full|whole|rewritten|standalone|stand-alone|final|vollständige|umformulierte)\s+)*"
    r"(?:question|query|frage|pregunta|domanda|вопрос|问题)\s*(?:is\s*)?[:：]\s*",
    regex.IGNORECASE,
)
_WRAPPED = regex.compile(r"^[\s\"'“”„«»‹›`*_>-]+|[\s\"'“”„«»‹›`*_]+$")
_REFUSAL = regex.compile(
    r"^(?:i['’]?m\s+(?:sorry|unable|not)|i\s+(?:am|can|cannot|can['’]?t|do|don['’]?t)\b|sorry|as\s+an\s+ai|unfortunately|sure|certainly"
    r"|es\s+tut\s+mir|ich\s+kann|leider|désolé|je\s+(?:ne|suis)|lo\s+siento|no\s+puedo|mi\s+dispiace|извините|к\s+сожалению|抱歉|对不起)",
    regex.IGNORECASE,
)
_ORDERS = regex.compile(
    r"\b(?:ignor\w*|disregard\w*|forget|instructions?|prompt|system)\b|https?:|www\.|\w\.(?:com|org|net)\b|[{}<>|]",
    regex.IGNORECASE,
)
_ENDS_WITHIN = regex.compile(r"(?<=\p{L}{4}|\d{3})\.\s+(?=\p{Lu})|[!?。！？]+\s*(?=[\p{L}¿])")
_MARKED = regex.compile(r"[?？؟;]\s*$")
_POINTING = frozenset(
    "this that these those the same dieser diese dieses diesem diesen jener jene jenes ce cet cette ces este esta ese esa aquel "
    "questo questa quel quella этот эта это эти".split()
)  # fmt: skip
_ORDINALS = frozenset(
    "first second third fourth fifth last former latter other others one ones erste zweite dritte letzte andere".split()
)
_NAME_WITHIN = regex.compile(r"(?<=[^¿\s“\"(]\s+)\p{Lu}[\p{L}\p{N}’'-]+")
_CHARACTERS_OF_A_WORD = 3
_QUESTION_WORDS = MappingProxyType({
    "en": regex.compile(r"\b(?:who|whom|whose|which|when|where|why|how)\b", regex.IGNORECASE),
    "de": regex.compile(r"\b(?:wer|wen|wem|wessen|wann|warum|weshalb|wieso|wie|wo)\b", regex.IGNORECASE),
    "fr": regex.compile(r"\b(?:quand|où|pourquoi|comment|combien)\b", regex.IGNORECASE),
    "es": regex.compile(r"\b(?:quién|cuándo|dónde|cómo|cuántos|cuántas)\b|por qué", regex.IGNORECASE),
    "it": regex.compile(r"\b(?:chi|quando|dove|perché|quanti|quante)\b", regex.IGNORECASE),
    "ru": regex.compile(r"\b(?:кто|когда|где|куда|почему|сколько)\b", regex.IGNORECASE),
})  # fmt: skip
_CHARACTERS = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]")


def read_completion(written: str, question: str, turns: Sequence[Turn], language: str) -> str:
    """The completed question in a model's answer, without labels, quotes and code fences.

    It must be one line and one sentence that asks, hardly longer than the questions before, with the words of `question`, and no
    other words than those of `turns`. Raises ModelAnswerError, which says what is wrong.
    """
    line = _one_line(written)
    fault = _fault(line, question.strip(), turns, language)
    if fault:
        shown = " ".join(clean(written).split())[:80]
        raise ModelAnswerError(f"{fault}: “{shown}”")
    return line


def _one_line(written: str) -> str:
    """The one line that says something; empty when there are several."""
    lines = [line.strip() for line in clean(written).splitlines() if line.strip() and not line.strip().startswith("```")]
    lines = [_WRAPPED.sub("", _LABEL.sub("", _WRAPPED.sub("", line))) for line in lines]
    lines = [line for line in lines if any(map(str.isalnum, line)) and not line.endswith((":", "："))]
    return " ".join(lines[0].split()) if len(lines) == 1 else ""


def _fault(line: str, question: str, turns: Sequence[Turn], language: str) -> str:
    """What is wrong with a completion; empty when nothing is."""
    before = max((len(turn.question) for turn in turns), default=0)
    if not line:
        return "It is not one line"
    if len(line) > 3 * len(question) + before + _SLACK:
        return "It is too long"
    if _REFUSAL.match(line) or (_ENDS_WITHIN.search(line) and not _ENDS_WITHIN.search(question)):
        return "It is more than a question"
    if not _asks(line, question, turns, language):
        return "It is no question"
    if _lost(line, question, turns, language):
        return "It asks something else"
    if _invented(line, question, turns, language):
        return "It says what nobody said"
    return ""


def _asks(line: str, question: str, turns: Sequence[Turn], language: str) -> bool:
    """Whether a line asks: by its mark, by its first word, or as the questions before it did; with their question word kept."""
    signs = SIGNS.get(language, SIGNS["en"])
    own = question.lstrip("¿ ")
    lead = signs.about.match(own) or signs.joined.match(own)
    asked = {match[0].casefold() for match in _asking(own[lead.end() :] if lead else own, language)}
    if asked and not asked & {match[0].casefold() for match in _asking(line, language)}:
        return False
    if _MARKED.search(line) or signs.asks.match(line.lstrip("¿ ")):
        return True
    if not _MARKED.search(question) and len(line.split()) <= len(question.split()) + _MOST_FROM_ANSWERS:
        return True  # words to search for: the question was no sentence either
    firsts = {one.split()[0].casefold() for one in (question, *(turn.question for turn in turns)) if one.split()}
    return line.split()[0].casefold() in firsts


def _asking(text: str, language: str) -> list[regex.Match[str]]:
    return list(_QUESTION_WORDS[language].finditer(text)) if language in _QUESTION_WORDS else []


def _lost(line: str, question: str, turns: Sequence[Turn], language: str) -> bool:
    """Whether a completion lost a name or a number of the question, or most of its other words; with none, those before it."""
    said = set(_stems(line, language))
    if any(not said.issuperset(_stems(number, language)) for number in regex.findall(r"\p{N}+", question)):
        return True
    names = [_stems(name, language) for name in _NAME_WITHIN.findall(question)] if language != "de" else []
    if any(not said.intersection(parts) for parts in names):
        return True
    own = [_stems(word, language) for word in _own_words(question, language)]
    if own:
        return sum(said.issuperset(parts) for parts in own) < _LEAST_KEPT * len(own)
    asked = " ".join([question, *(f"{turn.question} {turn.topic}".replace("_", " ") for turn in turns)])
    return not said.intersection(stem for word in _content(asked, language) for stem in _stems(word, language))


def _own_words(question: str, language: str) -> list[str]:
    """The words of a question that a completion keeps: no stop words, no ordinals, no noun that points back ("that year")."""
    said = _words(question, language)
    pointed = {word for before, word in pairwise(said) if before in _POINTING}
    return [word for word in _content(question, language) if word not in _ORDINALS and word not in pointed]


def _content(text: str, language: str) -> list[str]:
    function = _function_words(text, language)
    return [word for word in _words(text, language) if word not in function]


def _invented(line: str, question: str, turns: Sequence[Turn], language: str) -> bool:
    """Whether a completion has words that nobody said, an order, or more of an answer than a name and a number."""
    asked = " ".join([question, *(f"{turn.question} {turn.topic}".replace("_", " ") for turn in turns)])
    if any(match[0] not in asked for match in _ORDERS.finditer(line)):
        return True
    new = {stem for word in _content(line, language) for stem in _stems(word, language)}
    own = set(_stems(asked, language))
    new -= own | {f"{stem}s" for stem in own}  # "Teslas Frau"
    most = _MOST_FROM_ANSWERS * (_CHARACTERS_OF_A_WORD if _CHARACTERS.search(line) else 1)
    return len(new) > most or not new.issubset(_stems(" ".join(turn.answer for turn in turns), language))


def _function_words(text: str, language: str) -> frozenset[str]:
    """The stop words of a language, as `_words` has those of `text`."""
    stop = stop_words(language)
    return frozenset(one for word in stop for one in word) | stop if _CHARACTERS.search(text) else stop


def _words(text: str, language: str) -> list[str]:
    """The words of a text; where scripts put no spaces between them, its characters."""
    spaced = [word for word in words(_CHARACTERS.sub(" ", text), language) if word]
    return [*spaced, *_CHARACTERS.findall(text)]


def _stems(text: str, language: str) -> list[str]:
    return stems([word.removesuffix("'s").removesuffix("'") for word in _words(text, language)], language)
