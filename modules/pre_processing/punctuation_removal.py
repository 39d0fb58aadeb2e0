"""Removes punctuation from a text, and from the query."""

from __future__ import annotations

from typing import ClassVar, Literal

import regex
from pydantic import Field

from chatsearch.module import Category, Column, RowModule, StepRun
from chatsearch.results import ResultSet
from chatsearch.tokens import tidied

# What holds a word together stays: don’t, Saint-Denis, col·lecció, snake_case, AT&T, example.com, 3.14, 12:30, C#.
_INSIDE = r"(?<=[\p{L}\p{M}\p{N}])['’‐‑·_&@-](?=[\p{L}\p{N}])|(?<=[\p{L}\p{M}\p{N}])\.(?=\p{Ll})|(?<=\p{N})[.,:](?=\p{N})"
_SHARP = r"(?<=(?<![\p{L}\p{M}\p{N}])\p{Lu})#"
_MARK = regex.compile(rf"(?P<kept>{_INSIDE}|{_SHARP})|[\p{{P}}<=>^`|~]")


class PunctuationRemoval(RowModule):
    """Removes the punctuation of every script and keeps words whole: "don't", "Saint-Denis", "3.14" and "C#" stay."""

    id: ClassVar[str] = "punctuation_removal"
    name: ClassVar[str] = "Punctuation removal"
    category: ClassVar[Category] = Category.PRE_PROCESSING

    input_column: Column = Field("cleaned-text", description="The column whose text is read.")
    output_column: Column = Field("cleaned-text", description="The column that takes the text without punctuation.")
    process_query: Literal["Yes", "No"] = Field("Yes", description="Whether the query is cleaned too.")

    def compute(self, text: str, query: str) -> str:
        return _cleaned(text)

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        cleaned = await super().transform(results, run)
        query = _cleaned(results.query) if self.process_query == "Yes" else ""
        return cleaned.with_query(query) if query else cleaned  # a query of nothing but marks is better than none


def _cleaned(text: str) -> str:
    return tidied(_MARK.sub(lambda match: match["kept"] or " ", text))
