"""Makes a better search query of what a person typed, by a language model."""

from __future__ import annotations

from typing import ClassVar, Literal

import regex
from pydantic import Field

from chatsearch.errors import ModelError
from chatsearch.languages import words
from chatsearch.llm.model import LanguageModel, Piece
from chatsearch.module import Category, Module, StepRun
from chatsearch.prompts import Prompt, Task, clean
from chatsearch.results import ResultSet
from chatsearch.services import EXTRACTIVE

_LABEL = regex.compile(
    r"^\W*(?:(?:new|rewritten|improved|search|expanded|added)\s+)*(?:query|words|terms|keywords|answer)\s*:\s*", regex.I
)
_LIST_SIGN = regex.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
_WRAPPED = regex.compile(r"^[\s\"'“”„«»`*_]+|[\s\"'“”„«»`*_]+$")


class QueryRewriter(Module):
    """Expands or rewrites the query for the steps after it; what the person asked stays as it was.

    Without a language model the query stays as it is, and a warning says so. A source before this step has searched already.
    """

    id: ClassVar[str] = "query_rewriter"
    name: ClassVar[str] = "Query rewriter"
    category: ClassVar[Category] = Category.PRE_PROCESSING

    model: str = Field("", description="The language model; empty: the setting's.")
    method: Literal["expand", "rewrite"] = Field(
        "expand", description="expand adds words to the query, rewrite replaces it by a better one."
    )
    instructions: str = Field("", description="What a language model is told beside our rules.")
    max_words: int = Field(32, ge=1, le=200, description="The longest query that is made, in words.")

    def reads(self) -> tuple[str, ...]:
        return ()

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        if not results.query.strip():
            return results
        model, notice = run.services.language_model(self.model)
        if notice:
            run.warn("model-replaced", notice)
        if model.name == EXTRACTIVE:
            run.warn("query-unchanged", "The query was not changed: that takes a language model. Choose one by CHATSEARCH_MODEL.")
            return results
        try:
            written = await self._written(model, results.query, run)
        except ModelError as error:
            run.warn("query-unchanged", f"The query was not changed. {error}")
            return results
        query = self._query(results.query, cleaned(written), run.services.settings.max_query_characters)
        if query == results.query:
            run.warn("query-unchanged", "The query was not changed: the language model had nothing better.")
        return results.with_query(query)

    async def _written(self, model: LanguageModel, query: str, run: StepRun) -> str:
        task = Task.EXPAND if self.method == "expand" else Task.REWRITE
        pieces = model.stream(Prompt(task, query, instructions=self.instructions), run.progress, run.meter)
        return "".join([piece.text async for piece in pieces if isinstance(piece, Piece)])

    def _query(self, before: str, written: str, characters: int) -> str:
        """The new query, at most `max_words` words and `characters` long; one that is expanded begins with what it was."""
        parts = written.split()
        if self.method == "expand":
            known = set(words(before))
            parts = [*before.split(), *(part for part in dict.fromkeys(parts) if not known.issuperset(words(part)))]
        least = len(before.split()) if self.method == "expand" else 0
        kept = parts[: max(self.max_words, least)]
        while kept and len(" ".join(kept)) > characters:
            kept.pop()
        return " ".join(kept) or before


def cleaned(written: str) -> str:
    """The query in a model's answer: its first line that says something, without labels, quotes, list signs and code fences."""
    lines = [line for line in clean(written).splitlines() if line.strip() and not line.strip().startswith("```")]
    lines = [_WRAPPED.sub("", _LIST_SIGN.sub("", _LABEL.sub("", line))) for line in lines]
    line = next((line for line in lines if any(map(str.isalnum, line)) and not line.endswith(":")), "")
    return " ".join(regex.sub(r"[,;]+(?=\s|$)", " ", line).split())
