"""What the result list is given: its documents with rankings, texts, chips, dates and places, few enough bytes to send."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from chatsearch import answering
from chatsearch.cells import cell_text, cells, is_missing, numbers_of, plain
from chatsearch.commands.view import ListView, chip_columns, columns_with, rank_column, shown_rows, text_column
from chatsearch.dates import Period
from chatsearch.labels import labels_of
from chatsearch.languages import iso639_1
from chatsearch.module import Category
from chatsearch.places import Point, point_of, points_in
from chatsearch.results import ORIGINAL_RANKING, RERANKING_RANK, SOURCE_INDEX, ResultSet
from chatsearch.set_columns import SetColumns
from chatsearch.snippets import marked
from chatsearch.spec import Display, Spec
from chatsearch.web import host, is_web

if TYPE_CHECKING:
    from chatsearch.services import Services

Props = dict[str, Any]


@dataclass(frozen=True)
class Pages:
    """Where the documents of a result set have their pages: under the engine of the URL, each of this very set."""

    engine: str
    set: str

    @property
    def votes(self) -> Props:
        """Where the page sends what people think of this set."""
        return {"url": f"/e/{quote(self.engine, safe='')}/feedback", "set": self.set}


_LONGEST_TEXT = 4_000  # characters of a text that go to the browser; the rest is fetched when it is opened
_ALL_TEXTS = 240_000  # bytes of JSON for the texts of a whole list
_LABELS = 12  # of one cell
_LONGEST_LABEL = 60
_PLACES = 5  # of one document
_DECIMALS = 4  # of a degree: eleven metres
_LATITUDES, _LONGITUDES = ("latitude", "lat"), ("longitude", "lon", "lng", "long")
_LOCATIONS = frozenset("locations location address addresses geo coordinates geopoint geo_point places place".split())
_PAIR = re.compile(r"\s*(-?\d{1,3}(?:\.\d+)?)\s*[,;]\s*(-?\d{1,3}(?:\.\d+)?)\s*")


def list_props(
    results: ResultSet,
    engine: str | Pages,
    snippets: Sequence[str],
    *,
    display: Display | None = None,
    names: Sequence[str] = (),
    view: Props | None = None,
) -> Props:
    """The props of the element Results. `snippets` has one per row, `names` one per re-ranking (see `ranking_names`).

    `view` is what `chosen_view` gives for the commands of a chat; without it the list is shown as the spec's `display` says.
    """
    display = display or Display()
    chosen = view or _view(ListView(), display, results)
    texts, labels = _text_columns(results, display, chosen["text"]), _all_labels(results, display, chosen["chips"])
    rankings = list(dict.fromkeys([*_with_original_last(columns_with(results, "rank")), chosen["rank"]]))
    periods = SetColumns(results)
    return {
        "documents": _documents(results, engine, snippets, _Columns(rankings, texts, list(labels.values()), periods)),
        "total": len(results),
        "warnings": [warning.message for warning in results.warnings],
        "rankings": [{"column": column, "label": ranking_label(column, names, results)} for column in rankings],
        "texts": [{"column": column, "label": label_of(column)} for column in texts],
        "snippet": texts.index(answering.text_column(results, "")),
        "chips": [{"column": column, "label": label_of(column)} for column in labels],
        "date": {"column": periods.date_column, "label": label_of(periods.date_column)} if periods.date_column else None,
        "view": chosen,
    }


async def chosen_view(view: ListView, display: Display, results: ResultSet, services: Services) -> Props:
    """The `view` of the list after commands: columns chosen, the numbers each filter lets through, the order of a sort.

    Raises InputError when a filter cannot be used.
    """
    chosen, numbers = _view(view, display, results), [results.number(row) for row in range(len(results))]
    for condition in view.conditions:
        kept = await shown_rows(replace(view, conditions=(condition,)), display, results, services)
        chosen["filters"].append({"label": str(condition), "rows": sorted(numbers[row] for row in kept.rows)})
        chosen["notes"] += kept.notes
    if view.sort:
        ordered = await shown_rows(replace(view, conditions=()), display, results, services)
        chosen["order"] = [numbers[row] for row in ordered.rows]
    return chosen


def ranking_names(spec: Spec) -> tuple[str, ...]:
    """What people call the re-rankings of a spec, the first one first: the names of the modules that make them."""
    modules = [step.module for step in spec.enabled_steps if step.module.category is Category.RERANKERS]
    return tuple(module.name.removesuffix(" re-ranker") for module in modules)


def ranking_label(column: str, names: Sequence[str], results: ResultSet) -> str:
    """What people call a ranking: `original`, or the module that made it where that is sure."""
    if column == ORIGINAL_RANKING:
        return "original"
    for n in range(1, results.reranking_count() + 1):
        if column == RERANKING_RANK.format(n=n):
            return _numbered(names, n) if len(names) == results.reranking_count() else f"re-ranking {n}"
    return label_of(column)


def label_of(column: str) -> str:
    """A column's name as words: `wordCount` is `word count`, `_source_index_` is `source`."""
    if column == SOURCE_INDEX:
        return "source"
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"[_\s]+", " ", column)).strip()
    return words.lower() if words != words.upper() else words or column


def link(url: str, identifier: str, engine: str | Pages) -> str:
    """Where a title leads: the document's URL when it is a web address, else our own page of it."""
    return url if is_web(url) else page_of(identifier, engine)


def page_of(identifier: str, engine: str | Pages) -> str:
    """The page of a document of an engine; with `Pages`, as it is in that result set."""
    named, of_set = (engine.engine, f"?set={engine.set}") if isinstance(engine, Pages) else (engine, "")
    return f"/e/{quote(named, safe='')}/documents/{quote(identifier, safe='')}{of_set}"


def _view(view: ListView, display: Display, results: ResultSet) -> Props:
    return {
        "rank": rank_column(view, display, results),
        "text": text_column(view, display, results),
        "chips": list(_shown(chip_columns(view, display, results), results)),
        "sort": view.sort if view.sort in results.documents.columns else "",
        "descending": view.descending,
        "filters": [],
        "notes": [],
    }


@dataclass(frozen=True)
class _Columns:
    """What a list shows beside the titles; `labels` are the chips, one list of rows per column."""

    rankings: list[str]
    texts: list[str]
    labels: list[list[list[str]]]
    dates: SetColumns


def _documents(results: ResultSet, engine: str | Pages, snippets: Sequence[str], columns: _Columns) -> list[Props]:
    frame, numbers = results.documents, results.numbers or results.ranks()
    titles, urls, languages = (cell_text(frame, name) for name in ("title", "url", "language"))
    ranks = list(zip(*(_ranks(results, column) for column in columns.rankings), strict=True))
    beginnings = list(zip(*_beginnings([cell_text(frame, column) for column in columns.texts]), strict=True))
    labels = list(zip(*columns.labels, strict=True)) or [()] * len(results)
    places = _places(results)
    rows: list[Props] = []
    for row, identifier in enumerate(map(str, cells(frame["id"]))):
        period = columns.dates.periods[row]
        shown: Props = {
            "n": numbers[identifier],
            "title": " ".join(titles[row].split()) or identifier,
            "href": link(urls[row], identifier, engine),
            "host": host(urls[row]),
            "page": page_of(identifier, engine),
            "snippet": [[text, int(hit)] for text, hit in marked(snippets[row], results.query, iso639_1(languages[row]))],
            "texts": [text for text, _ in beginnings[row]],
            "cut": [int(cut) for _, cut in beginnings[row]],
            "chips": labels[row],
            "ranks": ranks[row],
        }
        shown |= {"date": _date(period)} if period else {}
        shown |= {"places": places[row]} if places[row] else {}
        rows.append(shown)
    return rows


def _text_columns(results: ResultSet, display: Display, chosen: str) -> list[str]:
    columns = [answering.text_column(results, ""), display.text_column, chosen, *columns_with(results, "text")]
    first = columns[0]  # what is quoted is there even when no document has a text
    return [column for column in dict.fromkeys(columns) if column and (column == first or column in results.documents.columns)]


def _all_labels(results: ResultSet, display: Display, chosen: Sequence[str]) -> dict[str, list[list[str]]]:
    """Of every column that can be shown as chips: those with the role, those the spec names, those that are chosen."""
    columns = dict.fromkeys([*columns_with(results, "chip"), *display.chip_columns, *chosen])
    labels = {column: _labels(results, column) for column in _shown(tuple(columns), results)}
    return {column: rows for column, rows in labels.items() if any(rows)}


def _shown(columns: tuple[str, ...], results: ResultSet) -> list[str]:
    """Without what tells nothing: the sources where there is only one."""
    several = len({*cell_text(results.documents, SOURCE_INDEX)}) > 1
    return [column for column in columns if column in results.documents.columns and (several or column != SOURCE_INDEX)]


def _with_original_last(columns: Sequence[str]) -> list[str]:
    return [*(column for column in reversed(columns) if column != ORIGINAL_RANKING), ORIGINAL_RANKING]


def _ranks(results: ResultSet, column: str) -> list[int | float | None]:
    if column not in results.documents.columns:
        return [None] * len(results)
    ranks = numbers_of(results.documents[column]).tolist()
    return [None if is_missing(rank) else int(rank) if rank == int(rank) else rank for rank in ranks]


def _beginnings(columns: list[list[str]]) -> list[list[tuple[str, bool]]]:
    """The texts cut so that all of them together are short enough, each with whether it was cut."""
    count = max(sum(map(len, columns)), 1)
    longest = min(_LONGEST_TEXT, max(_ALL_TEXTS // count, 1))
    size = sum(len(json.dumps(text[:longest])) for column in columns for text in column)
    if size > _ALL_TEXTS:  # JSON needs six bytes for most characters that are not English
        longest = max(longest * _ALL_TEXTS // size, 1)
    return [[(text[:longest], len(text) > longest) for text in column] for column in columns]


def _labels(results: ResultSet, column: str) -> list[list[str]]:
    """The chips of each row: its values as short texts, numbers with three decimals."""
    if column == SOURCE_INDEX:
        return [[part.strip() for part in one.split(",") if part.strip()] for one in cell_text(results.documents, column)]
    return [_of_cell(value) for value in cells(results.documents[column])]


def _of_cell(cell: object) -> list[str]:
    value = plain(cell)
    if isinstance(value, float):
        return [str(int(value)) if value == int(value) else str(round(value, 3))]
    labels = labels_of(cell)[:_LABELS]
    return [one if len(one) <= _LONGEST_LABEL else f"{one[: _LONGEST_LABEL - 1]}…" for one in labels]


def _numbered(names: Sequence[str], n: int) -> str:
    """The name of the n-th ranking; with its number where several have that name."""
    name = names[n - 1]
    return f"{name} {names[:n].count(name)}" if names.count(name) > 1 else name


def _date(period: Period) -> str:
    """As exact as it is known: `2021`, `2021-05` or `2021-05-12`."""
    days = (period.end - period.start).days
    return f"{period.start:%Y-%m-%d}"[: 4 if days > 31 else 7 if days > 1 else 10]


def _places(results: ResultSet) -> list[list[tuple[float, float]]]:
    """The places of each row as latitude and longitude: of a pair of columns, or of a column of locations."""
    frame, rows = results.documents, [list[Point]() for _ in range(len(results))]
    names = {str(column).casefold(): str(column) for column in reversed(frame.columns)}
    pair = [next((names[name] for name in known if name in names), "") for known in (_LATITUDES, _LONGITUDES)]
    if all(pair):
        for row, values in enumerate(zip(*(cells(frame[column]) for column in pair), strict=True)):
            point = point_of(*map(plain, values))
            rows[row] += [point] if point else []
    for column in (names[name] for name in sorted(_LOCATIONS & names.keys())):
        for row, cell in enumerate(cells(frame[column])):
            rows[row] += _points(cell)
    return [list(dict.fromkeys(map(_rounded, points)))[:_PLACES] for points in rows]


def _points(cell: object) -> list[Point]:
    """The points of a cell: objects with latitude and longitude however deep, or a text `47.07, 15.44`."""
    pair = _PAIR.fullmatch(cell) if isinstance(cell, str) else None
    point = point_of(pair[1], pair[2]) if pair else None
    return [point] if point else points_in(cell)


def _rounded(point: Point) -> tuple[float, float]:
    return round(point.latitude, _DECIMALS), round(point.longitude, _DECIMALS)
