"""A document as statements are compared with it: its sentences, their words, and the numbers and names around each."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import cached_property

from chatsearch.languages import terms, words
from chatsearch.passages import Span, sentences
from chatsearch.statement_names import NamesOfText
from chatsearch.statement_numbers import months, readings


class SplitText:
    """The sentences of a text in `language` (ISO 639-1, may be empty), by their places from 0."""

    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = text, language
        self.spans = sentences(text, language)
        self.terms = [frozenset(terms(span.of(text), language)) for span in self.spans]
        self._numbers: dict[int, frozenset[str]] = {}
        self._months: dict[int, frozenset[int]] = {}
        self._names: dict[int, NamesOfText] = {}

    @cached_property
    def words(self) -> list[frozenset[str]]:
        """The words of each sentence as they are written (case folded), to find those that two languages share."""
        return [frozenset(words(span.of(self.text), self.language)) for span in self.spans]

    @cached_property
    def all_numbers(self) -> frozenset[str]:
        return readings(self.text, self.language)

    def sentence(self, place: int) -> str:
        return self.spans[place].of(self.text)

    def around(self, place: int, reach: int) -> Span:
        """From `reach` sentences before one to `reach` after it."""
        first, last = max(0, place - reach), min(len(self.spans) - 1, place + reach)
        return Span(self.spans[first].start, self.spans[last].end)

    def numbers_at(self, place: int) -> frozenset[str]:
        """What the numbers of one sentence may mean."""
        if place not in self._numbers:
            self._numbers[place] = readings(self.sentence(place), self.language)
        return self._numbers[place]

    def numbers_around(self, place: int, reach: int) -> frozenset[str]:
        return frozenset().union(*(self.numbers_at(at) for at in self._near(place, reach)))

    def months_around(self, place: int, reach: int) -> frozenset[int]:
        for at in self._near(place, reach):
            if at not in self._months:
                self._months[at] = months(self.sentence(at), self.language)
        return frozenset().union(*(self._months[at] for at in self._near(place, reach)))

    def names_around(self, place: int, reach: int) -> list[NamesOfText]:
        """The names near one sentence and in the first one, which says what a text is about."""
        return [self._names_at(at) for at in {0, *self._near(place, reach)}]

    def all_names(self) -> list[NamesOfText]:
        return [self._names_at(at) for at in range(len(self.spans))]

    def _names_at(self, place: int) -> NamesOfText:
        if place not in self._names:
            self._names[place] = NamesOfText(self.sentence(place))
        return self._names[place]

    def _near(self, place: int, reach: int) -> range:
        return range(max(0, place - reach), min(len(self.spans), place + reach + 1))


class SplitTexts:
    """The texts that were split last, so that the statements of one answer do not split them again. Thread-safe."""

    def __init__(self, remembered: int = 128) -> None:
        self._remembered = remembered
        self._split: OrderedDict[tuple[str, str], SplitText] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, text: str, language: str) -> SplitText:
        key = (text, language)
        with self._lock:
            known = self._split.get(key)
            if known is not None:
                self._split.move_to_end(key)
                return known
        made = SplitText(text, language)
        with self._lock:
            self._split[key] = made
            while len(self._split) > self._remembered:
                self._split.popitem(last=False)
        return made
