"""How one chat shows its list: which ranking and text, which chips, what is filtered out, how it is sorted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

import numpy as np

from chatsearch import answering
from chatsearch.cells import cells, is_missing, numbers_of
from chatsearch.errors import InputError, did_you_mean
from chatsearch.results import ORIGINAL_RANKING, ResultSet, Role
from chatsearch.step import StepRun

if TYPE_CHECKING:
    from chatsearch.filters import Filter
    from chatsearch.services import Services
    from chatsearch.spec import Display

FIELD_FILTER = "field_filter"
_SIGNS: Mapping[str, str] = MappingProxyType(
    {"equals": "=", "not equals": "≠", "greater": ">", "less": "<", "at least": "≥", "at most": "≤"}
)


@dataclass(frozen=True)
class Condition:
    """What a column of the shown documents has to be; `operator` is one of the module `field_filter`."""

    column: str
    operator: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.column} {_SIGNS.get(self.operator, self.operator)} {self.value}".rstrip()


@dataclass(frozen=True)
class ListView:
    """What a person chose for this chat alone; an empty text, or None, means: as the engine says."""

    rank: str = ""
    text: str = ""
    chips: tuple[str, ...] | None = None
    conditions: tuple[Condition, ...] = ()
    sort: str = ""
    descending: bool = False


@dataclass(frozen=True)
class ShownRows:
    """The row numbers to show, in their order, and what to tell the person of them."""

    rows: tuple[int, ...]
    notes: tuple[str, ...] = ()


def rank_column(view: ListView, display: Display, results: ResultSet) -> str:
    """The ranking whose order is shown: the chosen one, else the spec's, else that of the last re-ranker."""
    return _there(results, view.rank, display.rank_column) or results.ranking_column()


def text_column(view: ListView, display: Display, results: ResultSet) -> str:
    """The column whose text is shown under a title."""
    return answering.text_column(results, _there(results, view.text, display.text_column))


def chip_columns(view: ListView, display: Display, results: ResultSet) -> tuple[str, ...]:
    """The columns that are shown as chips: the chosen ones, else the spec's, else all with that role."""
    wanted = view.chips if view.chips is not None else display.chip_columns or columns_with(results, "chip")
    return tuple(column for column in wanted if column in results.documents.columns)


def columns_with(results: ResultSet, role: Role) -> tuple[str, ...]:
    """The columns of that role, in the order of the documents' columns."""
    return tuple(column for column in map(str, results.documents.columns) if role in results.roles.get(column, ()))


def column_named(results: ResultSet, text: str, among: tuple[str, ...] = ()) -> str:
    """The column that a person means, whatever its capitals and outer underscores. Raises InputError with the nearest."""
    columns = among or tuple(map(str, results.documents.columns))
    wanted = text.strip()
    for same in (str, str.casefold, lambda name: name.casefold().strip("_")):
        for column in columns:
            if same(column) == same(wanted):
                return column
    near = did_you_mean(wanted, columns)
    raise InputError(f"There is no such column “{wanted[:60]}”.{near} There are: {', '.join(columns)}.")


async def shown_rows(view: ListView, display: Display, results: ResultSet, services: Services) -> ShownRows:
    """The rows that the filters let through, sorted. Raises InputError when a filter cannot be used."""
    kept, notes = set(range(len(results))), []
    for condition in view.conditions:
        if condition.column not in results.documents.columns:
            notes.append(f"These results have no column “{condition.column}”: the filter “{condition}” is not used.")
            continue
        passed, said = await _passing(condition, results, services)
        kept &= passed
        notes += said
    order = _order(view, rank_column(view, display, results), results)
    return ShownRows(tuple(row for row in order if row in kept), tuple(notes))


async def _passing(condition: Condition, results: ResultSet, services: Services) -> tuple[set[int], list[str]]:
    """The rows that one condition lets through, judged by the module `field_filter`, and what it says of the others."""
    module = services.registry.get(FIELD_FILTER)
    # the registry knows modules by their ids; this one is a filter
    asked = {"column": condition.column, "operator": condition.operator, "value": condition.value}
    checked = cast("Filter", module.model_validate(asked))
    run = StepRun(services, 0, FIELD_FILTER, emit=lambda event: None)
    kept = await checked.keeps(results, run)
    said = [warning.message.replace("Removed because", "Not shown because") for warning in run.warnings]
    return {row for row, passes in enumerate(kept) if passes}, said


def _order(view: ListView, ranking: str, results: ResultSet) -> list[int]:
    order = _by_numbers(results.shown_order(), results, ranking)
    if view.sort not in results.documents.columns:
        return order
    values = cells(results.documents[view.sort])
    there = [row for row in order if not is_missing(values[row]) and values[row] != ""]
    numbers = numbers_of(results.documents[view.sort])
    if all(math.isfinite(numbers[row]) for row in there):
        there.sort(key=lambda row: float(numbers[row]), reverse=view.descending)
    else:
        there.sort(key=lambda row: str(values[row]).casefold(), reverse=view.descending)
    placed = set(there)
    return [*there, *(row for row in order if row not in placed)]  # what has no value comes last, either way


def _by_numbers(order: list[int], results: ResultSet, column: str) -> list[int]:
    """By a column of ranks, 1 first; rows without one last. Equal ones stay in the order they came in."""
    if column not in results.documents.columns or column == results.ranking_column():
        return order
    ranks = np.nan_to_num(numbers_of(results.documents[column]), nan=math.inf)
    return sorted(order, key=lambda row: float(ranks[row]))


def _there(results: ResultSet, *columns: str) -> str:
    return next((column for column in columns if column and column in results.documents.columns), "")


def ranking_label(column: str) -> str:
    """A ranking as a person reads it: `original ranking`, `re-ranking 2`."""
    if column == ORIGINAL_RANKING:
        return "original ranking"
    digits = "".join(one for one in column if one.isdigit())
    return f"re-ranking {digits}" if column.startswith("_reranking_rank_") and digits else column
