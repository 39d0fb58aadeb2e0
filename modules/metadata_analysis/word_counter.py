"""Counts the words of a text."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from chatsearch.languages import words
from chatsearch.module import Category, Column, RowModule
from chatsearch.results import Role


class WordCounter(RowModule):
    """Counts the words of each document's text."""

    id: ClassVar[str] = "word_counter"
    name: ClassVar[str] = "Word counter"
    category: ClassVar[Category] = Category.METADATA_ANALYSIS
    role: ClassVar[Role] = "chip"
    missing_value: ClassVar[object] = 0

    input_column: Column = Field("full-text", description="The column whose words are counted.")
    output_column: Column = Field("wordCount", description="The column that takes the number.")

    def compute(self, text: str, query: str) -> int:
        return len(words(text))
