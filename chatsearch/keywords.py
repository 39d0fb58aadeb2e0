"""The words and short phrases that tell a text from the others of its set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import log
from typing import NamedTuple

import regex

from chatsearch.languages import stems, stop_words
from chatsearch.tokens import WORD, folded

Key = tuple[str, ...]
"""A candidate as it is counted: its stems, or in scripts without spaces its characters."""

LONGEST = 20_000
"""Code points of a text that are looked at."""

_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_RUN = regex.compile(r"(?:[\p{Han}\p{Katakana}ー]|[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*){2,}")
_PHRASE_WORDS = 3
_LONGEST_RUN = 4
_BONUS = 0.4  # a phrase says more than each of its words
_CAPITALS_ARE_NOUNS = frozenset({"de", "lb"})


@dataclass
class Candidates:
    """What may be a keyword of one text: how often, as first written, and how far from the beginning (0 to 1)."""

    counts: Counter[Key] = field(default_factory=Counter)
    surfaces: dict[Key, str] = field(default_factory=dict)
    places: dict[Key, float] = field(default_factory=dict)

    def add(self, key: Key, surface: str, place: float, times: int) -> None:
        self.counts[key] += times
        if key not in self.surfaces:
            self.surfaces[key], self.places[key] = surface, place


class _Token(NamedTuple):
    """A word that says something, and where it stands."""

    surface: str
    stem: str
    start: int
    end: int


def candidates(text: str, language: str) -> Candidates:
    """The candidates of a text in `language` (ISO 639-1; "" for one that is not known). Blocking."""
    text = text[:LONGEST]
    found = Candidates()
    names_have_capitals = language not in _CAPITALS_ARE_NOUNS
    for phrase in _phrases(text, _tokens(text, language)):
        named = names_have_capitals and len(phrase) > 1 and all(token.surface[0].isupper() for token in phrase)
        if named or len(phrase) < _PHRASE_WORDS:
            key = tuple([token.stem for token in phrase])
            # a name need not come twice to be one
            found.add(key, " ".join([token.surface for token in phrase]), phrase[0].start / len(text), 2 if named else 1)
    if not text.isascii():
        _add_unspaced(text, language, found)
    for key in [key for key, count in found.counts.items() if len(key) > 1 and count < 2]:
        del found.counts[key]
    return found


def keywords(every: Sequence[Candidates], count: int) -> list[list[str]]:
    """The `count` keywords of each text, best first, by TF-IDF against the others; earlier ones first among equals."""
    frequency = _frequency(every)
    chosen = []
    for one in every:
        scores = {
            key: (1 + log(times)) * log(1 + len(every) / frequency[key]) * _weight(key) * (1.5 - 0.5 * one.places[key])
            for key, times in one.counts.items()
        }
        chosen.append([one.surfaces[key] for key in _apart(scores, count)])
    return chosen


def labels(every: Sequence[Candidates], groups: Sequence[int], count: int) -> dict[int, str]:
    """For each group of texts the `count` terms that most of them have and few others (class-based TF-IDF, Grootendorst 2022)."""
    frequency = _frequency(every)
    found = {}
    for group in sorted(set(groups)):
        own = [one for one, other in zip(every, groups, strict=True) if other == group]
        inside = _frequency(own)
        said = {key: sum(1 + log(one.counts[key]) for one in own if key in one.counts) / len(own) for key in inside}
        scores = {
            key: said[key] * log(1 + len(every) / frequency[key]) * (texts / frequency[key]) * _weight(key)
            for key, texts in inside.items()
            if texts > 1 or len(own) < 3
        }
        surfaces = {key: _usual_surface(key, own) for key in _apart(scores, count)}
        found[group] = ", ".join(surfaces.values())
    return found


def _frequency(every: Sequence[Candidates]) -> Counter[Key]:
    """In how many texts each candidate is."""
    return Counter(key for one in every for key in one.counts)


def _weight(key: Key) -> float:
    return 1 + _BONUS * (len(key) - 1)


def _apart(scores: dict[Key, float], count: int) -> list[Key]:
    """The best candidates of which none repeats a part of another."""
    chosen: list[Key] = []
    for key in sorted(scores, key=lambda one: (-scores[one], one)):
        if len(chosen) == count:
            break
        if not any(set(key) & set(other) if len(key[0]) > 1 else _overlap(key, other) for other in chosen):
            chosen.append(key)
    return chosen


def _overlap(key: Key, other: Key) -> bool:
    """Of two runs of characters, whether they share two in a row."""
    return bool(set(pairwise(key)) & set(pairwise(other)))


def _usual_surface(key: Key, own: Sequence[Candidates]) -> str:
    spellings = Counter(one.surfaces[key] for one in own if key in one.surfaces)
    return min(spellings, key=lambda surface: (-spellings[surface], surface))


def _tokens(text: str, language: str) -> list[_Token]:
    small = stop_words(language)
    found = [(match[0], folded(match[0], language), *match.span()) for match in WORD.finditer(text)]
    telling = [one for one in found if one[1] not in small and _says_something(one[0])]
    stemmed = stems([plain for _, plain, _, _ in telling], language)
    return [_Token(word, stem, start, end) for (word, _, start, end), stem in zip(telling, stemmed, strict=True)]


@lru_cache(maxsize=50_000)
def _says_something(word: str) -> bool:
    if not word.isascii() and _UNSPACED.search(word):
        return False
    letters = sum(map(str.isalpha, word))
    return letters > 2 or (letters == 2 and len(word) == 2 and word.isupper())


def _phrases(text: str, tokens: Sequence[_Token]) -> Iterator[Sequence[_Token]]:
    """Every run of up to three words that say something, with nothing but a space or a hyphen between them."""
    joined = [text[one.end : other.start] in (" ", "-") for one, other in pairwise(tokens)] + [False]
    for place in range(len(tokens)):
        yield tokens[place : place + 1]
        for length in range(2, _PHRASE_WORDS + 1):
            if not joined[place + length - 2]:
                break
            yield tokens[place : place + length]


def _add_unspaced(text: str, language: str, found: Candidates) -> None:
    """Runs of two to four characters that come more than once, the longer where both come as often."""
    small = stop_words(language)
    counts: Counter[str] = Counter()
    places: dict[str, float] = {}
    for run in _RUN.finditer(text):
        for start in range(len(run[0]) - 1):
            for end in range(start + 2, min(start + _LONGEST_RUN, len(run[0])) + 1):
                gram = run[0][start:end]
                counts[gram] += 1
                places.setdefault(gram, (run.start() + start) / len(text))
    often = {gram: times for gram, times in counts.items() if times > 1 and not _has_small(gram, small)}
    for gram, times in often.items():
        longer = (other for other in often if len(other) == len(gram) + 1 and gram in other)
        if not any(often[other] == times for other in longer):
            key = tuple(gram)
            found.counts[key], found.surfaces[key], found.places[key] = times, gram, places[gram]


def _has_small(gram: str, small: frozenset[str]) -> bool:
    return gram in small or any(character in small for character in gram)
