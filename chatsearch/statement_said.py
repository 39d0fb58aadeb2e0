"""A statement as it is compared with a document: its words, numbers, months and names, and where these stand in the document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import regex

from chatsearch.languages import detect, iso639_1, stop_words, terms, words
from chatsearch.passages import Span
from chatsearch.statement_names import NamesOfStatement, NamesOfText
from chatsearch.statement_numbers import Readings, agree, months, numbers
from chatsearch.statement_polarity import Polarity, is_negation, is_opposite, polarity
from chatsearch.statement_roles import swaps_roles
from chatsearch.statement_text import SplitText

CLOSE_BY, NAMED_NEAR = 1, 2
"""How many sentences away a number, and a name, of a statement may stand."""

_WIDER = 0.25  # how much more of a statement's words a neighbour must bring to be meant, too
_TRIED = 40  # sentences whose numbers and names are looked at, those with the most words in common first
_YEAR = regex.compile(r"(?:1\d|20)\d\d")
_OTHER_SCRIPTS = frozenset({"ar", "el", "he", "ja", "ko", "ru", "uk", "zh"})


@dataclass(frozen=True)
class Statement:
    """A statement without the signs at its ends, in its `language`, and the language `of_document`; `across` when they differ."""

    text: str
    language: str
    of_document: str

    @property
    def across(self) -> bool:
        return self.language != self.of_document

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its terms without numbers in digits; across languages its words as they are written, to find those both share."""
        if self.across:
            return frozenset(words(self.text, self.language)).difference(stop_words(self.language), _in_digits(self.text))
        return frozenset(terms(self.text, self.language)).difference(_in_digits(self.text))

    @cached_property
    def numbers(self) -> list[Readings]:
        return numbers(self.text, self.language)

    @cached_property
    def months(self) -> frozenset[int]:
        return months(self.text, self.language)

    @cached_property
    def names(self) -> NamesOfStatement:
        return NamesOfStatement(self.text, self.language)

    @cached_property
    def polarity(self) -> Polarity:
        return polarity(self.text, self.language)

    def share(self, split: SplitText, *places: int) -> float:
        """The share of its words and numbers that the sentences at `places` have, 0 to 1."""
        of_each = split.words if self.across else split.terms
        there = frozenset().union(*(of_each[place] for place in places))
        numbers_there = frozenset().union(*(split.numbers_at(place) for place in places)) if self.numbers else frozenset()
        matched = len(self.terms & there) + sum(agree(number, numbers_there) for number in self.numbers)
        return matched / max(1, len(self.terms) + len(self.numbers))

    def candidates(self, split: SplitText, title: str) -> list[int]:
        """The places of the sentences near which all its numbers and names are, those with most of its words first."""
        if self.numbers and not all(agree(number, split.all_numbers) for number in self.numbers):
            return []
        of_title = NamesOfText(title.replace("_", " "))
        if self.names and self.names.missing([*split.all_names(), of_title]):
            return []
        overlap = self.overlap(split)
        ranked = sorted(range(len(split.spans)), key=lambda place: -overlap[place])[:_TRIED]
        return [place for place in ranked if not self._facts_missing(split, place, of_title)]

    def overlap(self, split: SplitText) -> list[float]:
        """`share` of each sentence, with a quarter of each neighbour's."""
        own = [self.share(split, place) for place in range(len(split.spans))]
        return [score + 0.25 * sum(own[max(0, at - 1) : at] + own[at + 1 : at + 2]) for at, score in enumerate(own)]

    def meant(self, split: SplitText, place: int) -> Span:
        """The sentence at `place`, with the neighbour that brings many more of the statement's words, if there is one."""
        beside = [at for at in (place - 1, place + 1) if 0 <= at < len(split.spans)]
        gain = {at: self.share(split, place, at) - self.share(split, place) for at in beside}
        best = max(beside, key=lambda at: gain[at], default=place)
        if best == place or self.across or gain[best] < _WIDER:
            return split.spans[place]
        return Span(split.spans[min(best, place)].start, split.spans[max(best, place)].end)

    def is_opposite(self, there: str) -> bool:
        """Whether a stretch of the document has the opposite of one of its words, or its names the other way round."""
        if is_opposite(self.polarity, polarity(there, self.of_document)):
            return True
        return not self.across and swaps_roles(self.text, there, self.language)

    def is_negation(self, there: str) -> bool:
        """Whether it negates what a stretch of the document does not, or the other way round."""
        return is_negation(self.polarity, polarity(there, self.of_document))

    def _facts_missing(self, split: SplitText, place: int, title: NamesOfText) -> bool:
        if self.numbers:
            there = split.numbers_around(place, CLOSE_BY)
            said, years = _years(frozenset().union(*self.numbers)), _years(split.numbers_at(place))
            other_year = bool(said and years) and not said & years  # in the sentence itself
            if other_year or not all(agree(number, there) for number in self.numbers):
                return True
        if self.months and not self.months <= split.months_around(place, CLOSE_BY):
            return True
        return bool(self.names and self.names.missing([*split.names_around(place, NAMED_NEAR), title]))


def statement_about(bare: str, text: str, language: str) -> Statement:
    """A statement to be compared with `text`, whose language is found out when `language` (any code) is empty."""
    of_document = iso639_1(language) if language else detect(text)
    return Statement(bare, _language_of(bare, of_document), of_document)


def _language_of(statement: str, of_document: str) -> str:
    """The language of a statement: the document's unless it is surely another one."""
    own = _detected(statement)
    if not own or not of_document or own == of_document:
        return of_document
    said = words(statement)
    small_words = {one: sum(word in stop_words(one) for word in said) for one in (own, of_document)}
    surely = bool({own, of_document} & _OTHER_SCRIPTS) or small_words[own] > small_words[of_document]
    return own if surely else of_document


@lru_cache(maxsize=256)
def _detected(statement: str) -> str:
    return detect(statement)


def _in_digits(text: str) -> frozenset[str]:
    return frozenset(word for word in words(text) if word[0].isdigit())


def _years(found: frozenset[str]) -> frozenset[str]:
    return frozenset(number for number in found if _YEAR.fullmatch(number))
