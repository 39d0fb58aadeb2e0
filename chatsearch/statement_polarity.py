"""Whether a statement and what it rests on say yes to the same: negations, opposites, points of the compass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from chatsearch.languages import stems, stop_words, words
from chatsearch.statement_words import AXES, CLAUSE_WORDS, COMPASS, NEGATING_PHRASES, NEGATIONS, NOT_NEGATING, OPPOSITE_PREFIXES

REACH = 5
"""How many words with a meaning a negation negates."""

_CLAUSE = regex.compile(r"[,;:.!?()\[\]–—“”„\"，。；：！？、]+")
_TOKEN = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:[-'’][\p{L}\p{M}\p{N}]+)*")
_LIKE = 6  # code points of a stem that must agree: German "besuchte" and "besuchen" have different stems
_UNSPACED = frozenset({"zh", "ja", "th"})


@dataclass(frozen=True)
class Polarity:
    """What a stretch says yes and no to: the stems it negates, those it does not, and on which side of each axis it stands.

    `sides` has for an axis of opposites +1, -1, or both where the stretch speaks of both sides; a negated word counts for the
    other side, and its axis is `turned`.
    """

    language: str
    negated: frozenset[str]
    plain: frozenset[str]
    scopes: tuple[frozenset[str], ...]
    sides: Mapping[int, frozenset[int]]
    turned: frozenset[int]
    compass: frozenset[str]
    forms: frozenset[str]

    @property
    def negates(self) -> bool:
        return bool(self.scopes)


def polarity(text: str, language: str) -> Polarity:
    """What `text` in `language` (ISO 639-1) affirms and negates."""
    lowered = text.casefold()
    for phrase in NOT_NEGATING:
        lowered = regex.sub(rf"(?<!\p{{L}}){regex.escape(phrase)}" if phrase.isascii() else regex.escape(phrase), " ", lowered)
    if language in NEGATING_PHRASES:
        lowered = regex.sub(NEGATING_PHRASES[language], f" {NEGATIONS[language].split()[0]} ", lowered)
    clauses = list(_clauses(lowered))
    found = [_negated(clause, language) for clause in clauses]
    sides: dict[int, set[int]] = {}
    turned: set[int] = set()
    spoken = _in_run(lowered) if language in _UNSPACED else _in_clauses(clauses, language)
    for axis, side, is_turned in spoken:
        sides.setdefault(axis, set()).add(-side if is_turned else side)
        turned |= {axis} if is_turned else set()
    forms = frozenset(token for clause in clauses for token in clause)
    points = COMPASS.get(language, {})
    return Polarity(
        language,
        frozenset().union(*(scope for scopes, _ in found for scope in scopes)),
        frozenset().union(*(plain for _, plain in found)),
        tuple(scope for scopes, _ in found for scope in scopes),
        {axis: frozenset(both) for axis, both in sides.items()},
        frozenset(turned),
        frozenset(points[word] for word in forms if word in points),
        forms,
    )


def is_opposite(said: Polarity, there: Polarity) -> bool:
    """Whether one uses the opposite of a word of the other: first and last, north and south, developed and undeveloped."""
    if said.compass and there.compass and not said.compass <= there.compass:
        return True
    shared = said.sides.keys() & there.sides.keys()
    if any(said.sides[axis].isdisjoint(there.sides[axis]) for axis in shared):
        return True
    return said.language == there.language and _prefixed(said, there)


def is_negation(said: Polarity, there: Polarity) -> bool:
    """Whether one negates what the other does not, as far as words show it."""
    return _negated_here_only(said, there) if said.negates else _negated_there_only(said, there)


def _prefixed(said: Polarity, there: Polarity) -> bool:
    """Whether one has a word that the other has with a prefix that makes it the opposite: developed, undeveloped."""
    return _has_opposite(said.forms, there.forms, said.language) or _has_opposite(there.forms, said.forms, said.language)


def _has_opposite(forms: frozenset[str], others: frozenset[str], language: str) -> bool:
    for prefix in OPPOSITE_PREFIXES.get(language, ()):
        for form in forms:
            rest = form.removeprefix(prefix)
            if rest != form and len(rest) > 4 and rest in others and form not in others and rest not in forms:
                return True
    return False


def _negated_here_only(said: Polarity, there: Polarity) -> bool:
    if said.turned & there.sides.keys():
        return False
    if not there.negates:
        return True
    if said.language != there.language:
        return False
    return any(len(scope & there.plain) > 1 and not scope & there.negated for scope in said.scopes)


def _negated_there_only(said: Polarity, there: Polarity) -> bool:
    if said.language != there.language or there.turned & said.sides.keys():
        return False
    return any(len(scope & said.plain) >= max(1, (len(scope) + 1) // 2) for scope in there.scopes if scope)


def _clauses(lowered: str) -> Iterator[list[str]]:
    for stretch in _CLAUSE.split(lowered):
        clause: list[str] = []
        for token in _TOKEN.findall(stretch):
            if token in CLAUSE_WORDS and clause:
                yield clause
                clause = []
            clause.extend(_parts(token))
        if clause:
            yield clause


def _parts(token: str) -> list[str]:
    if token.endswith(("n't", "n’t")):
        return [token[:-3], "n't"]
    if any("\u4e00" <= character <= "\u9fff" for character in token):
        return list(token)
    return [part for part in regex.split(r"[-'’]", token) if part]


def _negations(clause: Sequence[str], language: str) -> list[int]:
    return [at for at, word in enumerate(clause) if _matcher(NEGATIONS.get(language, ""))(word)]


def _reached(clause: Sequence[str], place: int, language: str) -> list[int]:
    """The places of the words that a negation negates: those after it, or those before where it ends its clause."""
    after = [at for at in range(place + 1, len(clause)) if _means(clause[at], language)][:REACH]
    return after or [at for at in range(place) if _means(clause[at], language)][-REACH:]


def _negated(clause: Sequence[str], language: str) -> tuple[list[frozenset[str]], frozenset[str]]:
    """The stems each negation of a clause negates, and the stems that none does."""
    reached = [_reached(clause, place, language) for place in _negations(clause, language)]
    in_reach = {at for reach in reached for at in reach}
    plain = {_stem(word, language) for at, word in enumerate(clause) if at not in in_reach and _means(word, language)}
    return [frozenset(_stem(clause[at], language) for at in reach) for reach in reached], frozenset(plain)


def _in_clauses(clauses: Sequence[Sequence[str]], language: str) -> Iterator[tuple[int, int, bool]]:
    """Each axis that is spoken of, the side, and whether a negation right before turns it to the other one."""
    for clause in clauses:
        places = _negations(clause, language)
        for at, word in enumerate(clause):
            for axis, side in _sides_of(word):
                yield axis, side, _next_to(places, at)


def _in_run(text: str) -> Iterator[tuple[int, int, bool]]:
    """`_in_clauses` for a text without spaces between its words."""
    for number, both in enumerate(AXES):
        for side, listed in zip((1, -1), both, strict=True):
            for word in listed.split():
                if "\u4e00" <= word[0] <= "\u9fff" and (at := text.find(word)) >= 0:
                    yield number, side, any(sign in text[max(0, at - 2) : at] for sign in NEGATIONS["zh"].split())


def _next_to(places: Sequence[int], at: int) -> bool:
    return any(0 < at - place <= 3 for place in places)


def _means(word: str, language: str) -> bool:
    if language in _UNSPACED:
        return word not in "的了是在和与及以为其而这那被把将"
    return word not in stop_words(language) and not _matcher(NEGATIONS.get(language, ""))(word)


@lru_cache(maxsize=65536)
def _stem(word: str, language: str) -> str:
    found = words(word, language)
    return stems(found[:1], language)[0][:_LIKE] if found else word


@lru_cache(maxsize=65536)
def _sides_of(word: str) -> tuple[tuple[int, int], ...]:
    return tuple(
        (number, side)
        for number, (one, other) in enumerate(AXES)
        for side, listed in ((1, one), (-1, other))
        if _matcher(listed)(word)
    )


class _Matcher:
    def __init__(self, listed: str) -> None:
        every = listed.casefold().split()
        self._whole = frozenset(word for word in every if not word.endswith("*"))
        self._beginnings = tuple(word[:-1] for word in every if word.endswith("*"))

    def __call__(self, word: str) -> bool:
        return word in self._whole or (bool(self._beginnings) and word.startswith(self._beginnings))


@lru_cache(maxsize=256)
def _matcher(listed: str) -> _Matcher:
    return _Matcher(listed)
