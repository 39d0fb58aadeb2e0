"""Keeps the documents in given languages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from chatsearch.cells import cell_text
from chatsearch.filters import Filter
from chatsearch.labels import labels_of
from chatsearch.languages import iso639_1
from chatsearch.module import Column, StepRun
from chatsearch.results import ResultSet
from chatsearch.row_languages import UNKNOWN, language_code, text_language
from chatsearch.work import in_batches

Missing = Literal["detect", "keep", "drop"]


class LanguageFilter(Filter):
    """Keeps the documents in the languages given; a language that is not stated is detected from the text."""

    id: ClassVar[str] = "language_filter"
    name: ClassVar[str] = "Language filter"

    languages: str = Field("", description="Languages with commas between them: `en`, `deu`, `pt-BR` or `French`.")
    language_column: Column = Field("language", description="The column with each document's language, in any ISO 639 code.")
    missing: Missing = Field("detect", description="Documents without a stated language: detect it, keep them, or drop them.")
    input_column: Column = Field("full-text", description="The column whose text the language is detected from.")

    @field_validator("languages")
    @classmethod
    def _known(cls, languages: str) -> str:
        unknown = [one for one in labels_of(languages) if not iso639_1(one) and not (one.isalpha() and len(one) == 3)]
        if unknown:
            raise ValueError(f"“{unknown[0]}” is no language; write its ISO 639 code, such as `en` or `deu`")
        return languages

    def reads(self) -> tuple[str, ...]:
        return (self.input_column,) if self.missing == "detect" else (self.language_column,)

    async def keeps(self, results: ResultSet, run: StepRun) -> Sequence[bool]:
        wanted = {language_code(one) for one in labels_of(self.languages)}
        if not wanted:
            return self.everything(results, run, "languages names none")
        stated = [language_code(one) for one in cell_text(results.documents, self.language_column)]
        if self.missing == "detect":
            stated = await self._with_detected(stated, results, run)
        return [code in wanted or (code == UNKNOWN and self.missing == "keep") for code in stated]

    async def _with_detected(self, stated: list[str], results: ResultSet, run: StepRun) -> list[str]:
        texts = cell_text(results.documents, self.input_column)
        rows = [row for row, code in enumerate(stated) if code == UNKNOWN]
        found = await in_batches(lambda batch: [text_language(texts[row]) for row in batch], rows, progress=run.progress)
        by_row = dict(zip(rows, found, strict=True))
        return [by_row.get(row, code) for row, code in enumerate(stated)]
