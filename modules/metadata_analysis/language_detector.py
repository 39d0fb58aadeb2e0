"""Says what language a text is in."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from chatsearch.cells import cell_text
from chatsearch.module import Category, Column, RowModule, StepRun
from chatsearch.results import ResultSet, Role
from chatsearch.row_languages import language_code, text_language


class LanguageDetector(RowModule):
    """Says what language each document is in (ISO 639-1). A language that is stated already is kept as it is written."""

    id: ClassVar[str] = "language_detector"
    name: ClassVar[str] = "Language detector"
    category: ClassVar[Category] = Category.METADATA_ANALYSIS
    role: ClassVar[Role] = "chip"

    input_column: Column = Field("full-text", description="The column whose text is looked at.")
    output_column: Column = Field(
        "language", description="The column that takes the code; empty where there is too little to tell."
    )
    overwrite: bool = Field(False, description="Whether languages that are stated already are replaced.")

    def compute(self, text: str, query: str) -> str | None:
        return text_language(text) or None

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        stated = cell_text(results.documents, self.output_column)
        detected = await super().transform(results, run)
        if self.overwrite:
            return detected
        found = cell_text(detected.documents, self.output_column)
        kept = [old if language_code(old) else new or None for old, new in zip(stated, found, strict=True)]
        return detected.with_column(self.output_column, kept)
