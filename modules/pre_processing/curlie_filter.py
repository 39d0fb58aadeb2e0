"""Keeps the documents that carry given labels of Curlie, the directory of the web."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from chatsearch.filters import Filter, column_cells
from chatsearch.labels import labels_of
from chatsearch.module import Column, StepRun
from chatsearch.results import ResultSet

Mode = Literal["OR", "AND", "NOT"]


class CurlieFilter(Filter):
    """Keeps the documents whose labels match: at least one of those given, all of them, or none of them."""

    id: ClassVar[str] = "curlie_filter"
    name: ClassVar[str] = "Curlie filter"

    curlie_column: Column = Field(
        "curlielabels_en", description="The column with the labels: a list, a JSON text of one, or a text with commas."
    )
    filter_by: str = Field(
        "", description="Labels with commas between them. `Arts/` is Arts and all below it, `Arts*` all that begin so."
    )
    filter_mode: Mode = Field("OR", description="OR: at least one label matches; AND: every one does; NOT: none does.")

    def reads(self) -> tuple[str, ...]:
        return (self.curlie_column,)

    async def keeps(self, results: ResultSet, run: StepRun) -> Sequence[bool]:
        wanted = [label.casefold() for label in labels_of(self.filter_by)]
        if not wanted:
            return self.everything(results, run, "filter_by names no label")
        rows = [[label.casefold() for label in labels_of(cell)] for cell in column_cells(results, self.curlie_column)]
        found = [[any(_matches(label, one) for label in row) for one in wanted] for row in rows]
        if self.filter_mode == "NOT":
            return [not any(row) for row in found]
        return [all(row) if self.filter_mode == "AND" else any(row) for row in found]


def _matches(label: str, wanted: str) -> bool:
    """Both case folded."""
    if wanted.endswith("*"):
        return label.startswith(wanted[:-1])
    if wanted.endswith("/"):
        return label.startswith(wanted) or label == wanted[:-1]
    return label == wanted
