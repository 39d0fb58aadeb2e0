"""The result set: what one run of a pipeline returned, and the JSON every interface gives of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd

from chatsearch.cells import cell_text as cell_text
from chatsearch.cells import cells, column_of, numbers_of
from chatsearch.cells import is_missing as is_missing
from chatsearch.cells import plain as plain
from chatsearch.citations import Footnote, Source, renumber
from chatsearch.passages import Span

Role = Literal["rank", "text", "chip"]

ORIGINAL_RANKING = "_original_ranking_"
SOURCE_INDEX = "_source_index_"
NO_LLM = "_no_llm_"
FULL_TEXT = "full-text"
RERANKING_RANK = "_reranking_rank_{n}_"
RERANKING_SCORE = "_reranking_score_{n}_"


@dataclass(frozen=True)
class Summary:
    """An overall summary: its title, its text with markers `[n]`, the model's name and the footnotes.

    `unsupported` are its sentences without a marker that no document has; `[?]` stands behind each.
    """

    title: str
    text: str
    model: str
    footnotes: tuple[Footnote, ...] = ()
    refused: bool = False
    unsupported: tuple[Span, ...] = ()

    def to_json(self) -> dict[str, object]:
        notes = [note.to_json() for note in self.footnotes]
        return {"title": self.title, "text": self.text, "model": self.model, "footnotes": notes}


@dataclass(frozen=True)
class Answer:
    """The answer to a follow-up question, from one result set alone; `unsupported` as in a summary."""

    question: str
    understood_as: str
    text: str
    refused: bool
    model: str
    footnotes: tuple[Footnote, ...] = ()
    unsupported: tuple[Span, ...] = ()

    def to_json(self) -> dict[str, object]:
        fields = _fields(self)
        del fields["unsupported"]  # `[?]` stands in the text
        return {**fields, "footnotes": [note.to_json() for note in self.footnotes]}


@dataclass(frozen=True)
class RunWarning:
    """Something that went wrong and did not stop the run. `step` is 0 when it concerns no step."""

    step: int
    module: str
    code: str
    message: str

    def to_json(self) -> dict[str, object]:
        return _fields(self)


@dataclass(frozen=True)
class LedgerRow:
    """What a step cost: rows in and out, seconds, calls of models, tokens, USD, values taken from a cache, warnings."""

    step: int
    module: str
    rows_in: int
    rows_out: int
    seconds: float
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    cached: int = 0
    warnings: int = 0

    def to_json(self) -> dict[str, object]:
        return {**_fields(self), "seconds": round(self.seconds, 4)}


@dataclass(frozen=True)
class JourneyStep:
    """The rank of every document after a step, by id; 1 is best. A document that is missing was not there."""

    step: int
    module: str
    ranks: Mapping[str, int]


@dataclass(frozen=True)
class ResultSet:
    """Documents with the query that found them; modules return a new one, the run's last one is final.

    `documents` has one row per document and a RangeIndex; at least the columns `id` (unique text), `title`, `url`, a text
    column (default `full-text`), `_source_index_` and `_original_ranking_` (1 is best). `asked` is what the person typed,
    `query` what the pipeline searches with. `numbers` maps a document's id to its footnote number, once it is given.
    """

    asked: str
    query: str
    documents: pd.DataFrame
    roles: Mapping[str, tuple[Role, ...]] = field(default_factory=dict)
    summaries: tuple[Summary, ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)
    journey: tuple[JourneyStep, ...] = ()
    ledger: tuple[LedgerRow, ...] = ()
    warnings: tuple[RunWarning, ...] = ()

    def __len__(self) -> int:
        return len(self.documents)

    def with_documents(self, documents: pd.DataFrame) -> ResultSet:
        """The same set with other rows or columns; the index is made a RangeIndex again."""
        return replace(self, documents=documents.reset_index(drop=True))

    def with_column(self, name: str, values: Sequence[object] | pd.Series | np.ndarray, *roles: Role) -> ResultSet:
        """The same set with a column added or replaced, one value per row, and its roles."""
        documents = self.documents.copy(deep=False)
        # the array of a Series: its index may be another, and rows must not move
        column = values if isinstance(values, pd.Series | np.ndarray) else column_of(values)
        documents[name] = column.array if isinstance(column, pd.Series) else column
        merged = tuple(dict.fromkeys((*self.roles.get(name, ()), *roles)))
        return replace(self, documents=documents, roles={**self.roles, name: merged} if merged else self.roles)

    def with_roles(self, roles: Mapping[str, tuple[Role, ...]]) -> ResultSet:
        return replace(self, roles={**self.roles, **roles})

    def with_query(self, query: str) -> ResultSet:
        return replace(self, query=query)

    def with_summary(self, summary: Summary) -> ResultSet:
        """The same set with one more summary; one of the same title is replaced."""
        others = tuple(one for one in self.summaries if one.title != summary.title)
        return replace(self, summaries=(*others, summary))

    def ranking_column(self) -> str:
        """The column that the shown order follows: the ranking with the highest N, else `_original_ranking_`."""
        count = self.reranking_count()
        return RERANKING_RANK.format(n=count) if count else ORIGINAL_RANKING

    def reranking_count(self) -> int:
        """The highest N of the columns `_reranking_rank_N_`; 0 when nothing was re-ranked."""
        columns = (column for column in map(str, self.documents.columns) if column.startswith("_reranking_rank_"))
        numbers = (_ranking_number(column) for column in columns)
        return max((number for number in numbers if number), default=0)

    def ranks(self) -> dict[str, int]:
        """The place of every document in the shown order, by id; 1 is best."""
        ids = cells(self.documents["id"])
        return {str(ids[row]): place for place, row in enumerate(self.shown_order(), start=1)}

    def shown_order(self) -> list[int]:
        """Row numbers in the shown order; rows without a rank come last, in their original order."""
        if self.documents.empty:
            return []
        keys = [numbers_of(self.documents[column]) for column in self._ranking_columns()]
        order: list[int] = np.lexsort([np.where(np.isnan(key), np.inf, key) for key in reversed(keys)]).tolist()
        return order

    def _ranking_columns(self) -> list[str]:
        columns = [self.ranking_column(), ORIGINAL_RANKING]
        return [column for column in dict.fromkeys(columns) if column in self.documents.columns]

    def numbered(self) -> tuple[ResultSet, int]:
        """The set in its shown order with every document numbered from 1, and how many footnotes lost their document."""
        ordered = self.documents.iloc[self.shown_order()].reset_index(drop=True)
        numbers = {str(one): n for n, one in enumerate(cells(ordered["id"]), start=1)}
        summaries, dropped = [], 0
        for summary in self.summaries:
            new = renumber(summary.text, summary.footnotes, numbers, summary.unsupported)
            summaries.append(replace(summary, text=new.text, footnotes=new.footnotes, unsupported=new.unsupported))
            dropped += new.dropped
        return replace(self, documents=ordered, numbers=numbers, summaries=tuple(summaries)), dropped

    def number(self, row: int) -> int:
        """The footnote number of a row; before the numbering its place in the present shown order."""
        identifier = str(self.documents["id"].iloc[row])
        return self.numbers[identifier] if self.numbers else self.ranks()[identifier]

    def sources(self, column: str) -> dict[int, Source]:
        """Of every document, by its number, what a footnote names."""
        numbers = self.numbers or self.ranks()
        frame = self.documents
        columns = zip(cells(frame["id"]), cell_text(frame, "title"), cell_text(frame, "url"), strict=True)
        return {numbers[str(one)]: Source(str(one), title, url, column) for one, title, url in columns}

    def to_json(self, answers: Iterable[Answer] = ()) -> dict[str, object]:
        """The object that every interface gives; NaN is null, dates are ISO 8601 in UTC."""
        return {
            "query": self.query,
            "asked": self.asked,
            "documents": self.documents_json(),
            "roles": {self.json_name(column): list(roles) for column, roles in self.roles.items()},
            "summaries": [summary.to_json() for summary in self.summaries],
            "answers": [answer.to_json() for answer in answers],
            "ledger": [row.to_json() for row in self.ledger],
            "warnings": [warning.to_json() for warning in self.warnings],
        }

    def documents_json(self) -> list[dict[str, object]]:
        """One object per document: `n`, `id`, `title`, `url`, then the other columns."""
        first = ["id", "title", "url"]
        columns = {column: cells(self.documents[column]) for column in self.documents.columns}
        columns = {column: columns.pop(column, [""] * len(self)) for column in first} | columns
        names = ["n", *(self.json_name(str(column)) for column in columns)]
        numbers = self.numbers or self.ranks()
        rows = zip([numbers[str(one)] for one in columns["id"]], *columns.values(), strict=True)
        return [dict(zip(names, map(plain, row), strict=True)) for row in rows]

    def json_name(self, column: str) -> str:
        """A column's name in the JSON: its own, but a column `n` is `n_` there, since `n` is the footnote number."""
        name = column
        while name == "n" or (name != column and name in self.documents.columns):
            name += "_"
        return name


def _ranking_number(column: str) -> int | None:
    head, tail = RERANKING_RANK.split("{n}")
    middle = column[len(head) : -len(tail)] if column.startswith(head) and column.endswith(tail) else ""
    return int(middle) if middle.isascii() and middle.isdigit() else None


def _fields(row: Answer | RunWarning | LedgerRow) -> dict[str, object]:
    return {one.name: getattr(row, one.name) for one in dataclasses.fields(row)}
