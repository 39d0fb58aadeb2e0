"""Keeps the documents whose column holds what is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, Literal

from pydantic import Field

from chatsearch.comparing import compared, is_equal, texts_of
from chatsearch.filters import Filter, column_cells
from chatsearch.labels import labels_of
from chatsearch.module import Column, StepRun
from chatsearch.results import ResultSet

Operator = Literal[
    "equals", "not equals", "contains", "starts with", "matches any of", "greater", "less", "at least", "at most", "is empty",
    "is not empty",
]  # fmt: skip

_ORDERED: Mapping[str, Callable[[int], bool]] = MappingProxyType({
    "greater": lambda sign: sign > 0,
    "less": lambda sign: sign < 0,
    "at least": lambda sign: sign >= 0,
    "at most": lambda sign: sign <= 0,
})  # fmt: skip


class FieldFilter(Filter):
    """Keeps the documents whose column compares with a value as asked: numbers as numbers, dates as dates, else as text.

    Capitals do not matter. A list matches when one of its values does.
    """

    id: ClassVar[str] = "field_filter"
    name: ClassVar[str] = "Field filter"

    column: Column = Field("title", description="The column that is looked at.")
    operator: Operator = Field("contains", description="How the column compares with the value.")
    value: str = Field("", description="The value; for `matches any of` several with commas between them.")

    def reads(self) -> tuple[str, ...]:
        return (self.column,)

    async def keeps(self, results: ResultSet, run: StepRun) -> Sequence[bool]:
        if not self.value and self.operator not in ("is empty", "is not empty", "equals", "not equals"):
            return self.everything(results, run, f"no value is given for “{self.operator}”")
        cells = column_cells(results, self.column)
        if self.operator in _ORDERED:
            return self._in_order(cells, run)
        return [self._matches(cell) for cell in cells]

    def _matches(self, cell: object) -> bool:
        texts = texts_of(cell)
        match self.operator:
            case "is empty" | "is not empty":
                return bool(texts) == (self.operator == "is not empty")
            case "equals" | "not equals":
                same = any(is_equal(text, self.value) for text in texts) if texts else not self.value
                return same == (self.operator == "equals")
            case "matches any of":
                return any(is_equal(text, one) for text in texts for one in labels_of(self.value))
        wanted = self.value.casefold()
        folded = [text.casefold() for text in texts]
        return any(text.startswith(wanted) if self.operator == "starts with" else wanted in text for text in folded)

    def _in_order(self, cells: Sequence[object], run: StepRun) -> list[bool]:
        """A document that cannot be compared, a text with a number, does not pass; how many is said."""
        passes = _ORDERED[self.operator]
        signs = [[compared(text, self.value) for text in texts_of(cell)] for cell in cells]
        odd = sum(1 for row in signs if row and all(sign is None for sign in row))
        if odd:
            message = f"Removed because they cannot be compared with “{self.value}”: {odd} of {len(cells)} documents."
            run.warn("not-comparable", message)
        return [any(sign is not None and passes(sign) for sign in row) for row in signs]
