"""Names a few keywords of each document."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from chatsearch.cells import cell_text
from chatsearch.keywords import Candidates, candidates, keywords
from chatsearch.module import Category, Column, Module, StepRun
from chatsearch.results import ResultSet
from chatsearch.row_languages import language_code, text_language
from chatsearch.work import in_batches


class KeywordExtractor(Module):
    """Names the words and phrases that tell each document from the others of the results (TF-IDF, by each text's language)."""

    id: ClassVar[str] = "keyword_extractor"
    name: ClassVar[str] = "Keywords"
    category: ClassVar[Category] = Category.METADATA_ANALYSIS

    input_column: Column = Field("full-text", description="The column whose text is looked at.")
    output_column: Column = Field("keywords", description="The column that takes the keywords, with commas between them.")
    count: int = Field(5, ge=1, le=20, description="How many keywords a document gets at most.")
    language_column: Column = Field("language", description="The column with each text's language; a missing one is detected.")

    def writes(self) -> tuple[str, ...]:
        return (self.output_column,)

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        texts = cell_text(results.documents, self.input_column)
        pairs = list(zip(texts, cell_text(results.documents, self.language_column), strict=True))
        distinct = list(dict.fromkeys(pair for pair in pairs if pair[0].strip()))
        every = await in_batches(_candidates, distinct, progress=run.progress)
        found = dict(zip(distinct, await asyncio.to_thread(keywords, every, self.count), strict=True))
        column = [", ".join(found.get(pair, [])) or None for pair in pairs]
        return results.with_column(self.output_column, column, "chip")


def _candidates(pairs: Sequence[tuple[str, str]]) -> list[Candidates]:
    return [candidates(text, language_code(stated) or text_language(text)) for text, stated in pairs]
