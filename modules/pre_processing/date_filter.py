"""Keeps the documents of a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from pydantic import Field, field_validator, model_validator

from chatsearch.cells import is_missing
from chatsearch.dates import period_of
from chatsearch.filters import Filter, Missing, column_cells
from chatsearch.module import Column, StepRun
from chatsearch.results import ResultSet

WARC_DATE = "warc_date"
_OTHERS = ("warcDate", "date")
"""Where the default column is missing: MOSAIC's name for it, and everybody's."""


class DateFilter(Filter):
    """Keeps the documents from a date to a date, both included; "2021" is the whole year, also in a document."""

    id: ClassVar[str] = "date_filter"
    name: ClassVar[str] = "Date filter"

    from_date: str = Field("", description="The first day, such as `2021-05-12`, `2021-05`, `2021` or `12 May 2021`; empty: any.")
    to_date: str = Field("", description="The last day, written likewise; it belongs to the time. Empty: no end.")
    date_column: Column = Field(
        WARC_DATE, description="The column with the dates. Where `warc_date` is missing, `warcDate` or `date` is taken for it."
    )
    missing: Missing = Field("drop", description="What becomes of documents without a date that can be read.")

    @field_validator("from_date", "to_date")
    @classmethod
    def _readable(cls, value: str) -> str:
        if value and period_of(value) is None:
            raise ValueError(f"“{value}” is no date; write it like `2021-05-12`")
        return value

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        first, last = period_of(self.from_date), period_of(self.to_date)
        if first and last and last.end <= first.start:
            raise ValueError(f"to_date ({self.to_date}) is before from_date ({self.from_date})")
        return self

    def reads(self) -> tuple[str, ...]:
        """The default has others to stand in for it, which is checked when it runs."""
        return () if self.date_column == WARC_DATE else (self.date_column,)

    async def keeps(self, results: ResultSet, run: StepRun) -> Sequence[bool]:
        first, last = period_of(self.from_date), period_of(self.to_date)
        if not (first or last):
            return self.everything(results, run, "neither from_date nor to_date is given")
        names = (self.date_column, *(_OTHERS if self.date_column == WARC_DATE else ()))
        dates = column_cells(results, *names)
        periods = [period_of(one) for one in dates]
        self._report(sum(1 for one, period in zip(dates, periods, strict=True) if not period and not is_missing(one)), run)
        start, end = first.start if first else None, last.end if last else None
        return [period.meets(start, end) if period else self.missing == "keep" for period in periods]

    def _report(self, unreadable: int, run: StepRun) -> None:
        if unreadable:
            documents = "1 document has a date that" if unreadable == 1 else f"{unreadable} documents have dates that"
            outcome = "kept" if self.missing == "keep" else "removed"
            run.warn("date-unreadable", f"{documents} cannot be read; they were {outcome} (parameter missing).")
