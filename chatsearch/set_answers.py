"""Answers to questions about the result set, read off its frame: counts, orders, selections; no model takes part."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from chatsearch.cells import cell_text, cells, is_missing, plain
from chatsearch.cited_titles import CitedPart, CitedTitles
from chatsearch.results import ResultSet
from chatsearch.set_columns import HOST, LANGUAGE, LENGTH, SOURCE, YEAR, SetColumns, language_name
from chatsearch.set_questions import BY_DATE, BY_TITLE, SetQuestion
from chatsearch.set_wording import documents_in_words, say

_FILTERS = MappingProxyType({LANGUAGE: "language_filter", YEAR: "date_filter"})
_OTHER_FILTER = "field_filter"


def answer_from_set(question: SetQuestion, results: ResultSet) -> list[CitedPart]:
    """The parts of the answer, in the question's language, titles with their footnotes; not for `compare`."""
    return _Answer(question, results).parts()


class _Answer:
    def __init__(self, question: SetQuestion, results: ResultSet) -> None:
        self._question, self._language = question, question.language
        self._columns = SetColumns(results)
        self._count = len(results)
        self._text = CitedTitles(results)

    def parts(self) -> list[CitedPart]:
        answers: Mapping[str, Callable[[], None]] = {
            "count": self._how_many, "count value": self._selection, "filter": self._selection, "count by": self._groups,
            "values": self._groups, "extreme": self._extreme, "list": self._list, "statistic": self._statistic,
            "sort": self._sort,
            "no dates": lambda: self._say("no dates"),
        }  # fmt: skip
        answers[self._question.ask]()
        return self._text.parts

    def _say(self, name: str, **values: object) -> None:
        self._text.say(say(self._language, name, **values))

    def _how_many(self) -> None:
        self._say("count one") if self._count == 1 else self._say("count", count=self._count)

    def _list(self) -> None:
        self._say("list", documents=documents_in_words(self._language, self._count))
        self._text.say(": ")
        self._text.names(range(self._count))
        self._text.say(".")

    def _selection(self) -> None:
        value = self._question.value
        assert value is not None
        rows = [row for row, has in enumerate(value.rows) if has]
        label = f"{self._label(value.column)} “{self._shown(value.column, value.shown)}”"
        self._say("of", label=label, hits=len(rows), documents=documents_in_words(self._language, self._count))
        if rows:
            self._text.say(": ")
            self._text.names(rows)
        self._text.say(".")
        if self._question.ask == "filter":
            self._text.say(" ")
            self._say("frozen", module=_FILTERS.get(value.column, _OTHER_FILTER))

    def _groups(self) -> None:
        column = self._question.column
        kinds = [SOURCE, HOST] if column == SOURCE and len(self._columns.groups(SOURCE)) == 1 else [column]
        said = []
        for kind in kinds:
            groups = [f"{self._shown(kind, value)} ({count})" for value, count in self._columns.groups(kind)]
            lacking = sum(not own for own in self._columns.values(kind))
            groups += [say(self._language, "rest", count=lacking)] if lacking and groups else []
            said += [f"{self._label(kind)}: {', '.join(groups)}."] if groups else []
        self._text.say(" ".join(said))

    def _statistic(self) -> None:
        numbers = self._columns.numbers(self._question.column)
        there = numbers[np.isfinite(numbers)]
        statistic = self._question.statistic
        found = {"mean": there.mean, "min": there.min, "max": there.max}[statistic]()
        documents = documents_in_words(self._language, len(there))
        named = say(self._language, statistic)
        self._say("statistic", column=self._label(self._question.column), statistic=named, documents=documents)
        self._text.say(f": {_number(float(found))}")
        if statistic != "mean":
            self._text.say(", ")
            self._text.names([row for row in range(self._count) if numbers[row] == found])
        self._text.say(".")

    def _extreme(self) -> None:
        keys, shown = self._keys(self._question.column)
        there = keys[np.isfinite(keys)]
        best = (np.max if self._question.descending else np.min)(there)
        rows = [row for row in range(self._count) if keys[row] == best]
        self._text.say(f"{self._best()}: ")
        self._text.names(rows, [f" ({shown[row]})" for row in rows])
        self._text.say(".")
        self._without(keys)

    def _best(self) -> str:
        column, most = self._question.column, self._question.descending
        if column in (BY_DATE, LENGTH):
            return say(self._language, {BY_DATE: ("oldest", "newest"), LENGTH: ("shortest", "longest")}[column][most])
        return say(self._language, "most" if most else "least", column=column)

    def _sort(self) -> None:
        column, descending = self._question.column, self._question.descending
        keys, shown = self._keys(column)
        there = [row for row in range(self._count) if math.isfinite(keys[row])]
        rows = sorted(there, key=lambda row: -keys[row] if descending else keys[row])
        if column == BY_DATE:
            self._say("newest first" if descending else "oldest first")
        else:
            self._say("down" if descending else "up", column=self._label(column))
        self._text.say(": ")
        self._text.names(rows, [f" ({shown[row]})" if shown[row] else "" for row in rows])
        self._text.say(".")
        self._without(keys)
        self._text.say(" ")
        self._say("order")

    def _without(self, keys: np.ndarray) -> None:
        """The documents that have no such value."""
        lacking = [row for row in range(self._count) if not math.isfinite(keys[row])]
        if lacking:
            self._text.say(f" ({say(self._language, 'lacking')}: ")
            self._text.names(lacking)
            self._text.say(")")

    def _keys(self, column: str) -> tuple[np.ndarray, Sequence[str]]:
        """What documents are ordered by, NaN where it is missing, and how it is shown."""
        frame = self._columns.frame
        if column == BY_TITLE:
            titles = [title.strip().casefold() for title in cell_text(frame, "title")]
            order = {title: place for place, title in enumerate(sorted(set(titles)))}
            return np.array([order[title] if title else np.nan for title in titles], dtype=float), [""] * self._count
        if column == BY_DATE:
            dates = [one.start.timestamp() if one else np.nan for one in self._columns.periods]
            return np.array(dates, dtype=float), [_date(value) for value in cells(frame[self._columns.date_column])]
        numbers = self._columns.numbers(column)
        shown = [_number(one) if math.isfinite(one) else "" for one in numbers]
        return numbers, [say(self._language, "words", count=one) for one in shown] if column == LENGTH else shown

    def _label(self, column: str) -> str:
        known = (SOURCE, HOST, LANGUAGE, YEAR, LENGTH, BY_DATE, BY_TITLE)
        return say(self._language, column) if column in known else column

    def _shown(self, column: str, value: str) -> str:
        return language_name(value, self._language) if column == LANGUAGE else value


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.4g}" if abs(value) < 100 else f"{value:.1f}"


def _date(value: object) -> str:
    text = "" if is_missing(value) else str(plain(value)).strip()
    return text.removesuffix("T00:00:00Z")
