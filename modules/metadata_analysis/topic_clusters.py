"""Groups the documents by topic."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from chatsearch.cells import cell_text
from chatsearch.clustering import clustered
from chatsearch.embedding_choice import model_for_texts
from chatsearch.keywords import Candidates as Terms
from chatsearch.keywords import candidates, labels
from chatsearch.module import Category, Column, Module, StepRun
from chatsearch.ranking.candidates import Candidates
from chatsearch.results import ResultSet
from chatsearch.row_languages import language_code, text_language
from chatsearch.work import in_batches

_BEGINNING = 500
"""Code points of a text that say what it is about."""


class TopicClusters(Module):
    """Groups documents of like meaning and labels each group with the terms that set it apart."""

    id: ClassVar[str] = "topic_clusters"
    name: ClassVar[str] = "Topics"
    category: ClassVar[Category] = Category.METADATA_ANALYSIS

    input_column: Column = Field("full-text", description="The column whose text is looked at.")
    output_column: Column = Field("topic", description="The column that takes the label of each document's group.")
    clusters: int = Field(0, ge=0, le=50, description="How many groups; 0: as many as fit the documents best.")
    terms: int = Field(2, ge=1, le=5, description="How many terms a label has.")
    model: str = Field("", description="The embedding model; empty: the packaged one that reads the texts' languages.")
    language_column: Column = Field("language", description="The column with each text's language; a missing one is detected.")

    def writes(self) -> tuple[str, ...]:
        return (self.output_column,)

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        frame = results.documents
        rows = list(zip(*(cell_text(frame, name) for name in (self.input_column, "title", self.language_column)), strict=True))
        places = [place for place, (text, _, _) in enumerate(rows) if text.strip()]
        column: list[object] = [None] * len(rows)
        if places:
            worded = [rows[place] for place in places]
            every = await in_batches(_candidates, worded)
            stay = Candidates(results, "", tuple(places), ()).may_leave(remote=True).count(False)
            groups = await self._groups([f"{title}. {text[:_BEGINNING]}" for text, title, _ in worded], stay, run)
            named = await asyncio.to_thread(self._named, every, groups)
            for place, group in zip(places, groups, strict=True):
                column[place] = named[group]
        return results.with_column(self.output_column, column, "chip")

    async def _groups(self, texts: Sequence[str], stay: int, run: StepRun) -> list[int]:
        """The group of each text, of which `stay` may not go to a remote embedding."""
        if len(texts) == 1:
            return [0]
        model = await self._embedding(texts, stay, run)
        run.meter.calls += 1
        vectors = await run.services.embeddings.encode(model, texts, "passage", run.progress)
        return await asyncio.to_thread(clustered, vectors, self.clusters)

    async def _embedding(self, texts: Sequence[str], stay: int, run: StepRun) -> str:
        if self.model:
            embedding = await asyncio.to_thread(run.services.embeddings.get, self.model)
            if not (embedding.remote and stay):
                return self.model
            run.warn(
                "not-sent", f"{stay} of {len(texts)} documents may not be sent to “{self.model}”: a packaged model grouped all."
            )
        return await asyncio.to_thread(model_for_texts, texts)

    def _named(self, every: Sequence[Terms], groups: Sequence[int]) -> dict[int, str]:
        """A label for each group; two groups never share one."""
        found = labels(every, groups, self.terms)
        taken: dict[str, int] = {}
        for group, label in found.items():
            plain = label or "other"
            taken[plain] = taken.get(plain, 0) + 1
            found[group] = plain if taken[plain] == 1 else f"{plain} ({taken[plain]})"
        return found


def _candidates(rows: Sequence[tuple[str, ...]]) -> list[Terms]:
    return [candidates(f"{title}. {text}", language_code(stated) or text_language(text)) for text, title, stated in rows]
