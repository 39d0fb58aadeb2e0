"""Searches an index of this machine: by words, by meaning, or by both."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from chatsearch.errors import IndexDamagedError, IndexMismatchError, IndexNotFoundError, LocalIndexError
from chatsearch.module import DataSource, Hits, StepRun

if TYPE_CHECKING:
    import numpy as np

    from chatsearch.index.progress import BuildProgress
    from chatsearch.index.search import LocalIndex
    from chatsearch.services import Services

DEMO = "demo"

Mode = Literal["hybrid", "lexical", "dense"]


class IndexDataSource(DataSource):
    """Searches an index of this machine, by words, by meaning, or by both.

    The index `demo`, a sample of Wikipedia, is shipped: it is built at its first use.
    """

    id: ClassVar[str] = "index_datasource"
    name: ClassVar[str] = "Local index"

    index: str = Field(DEMO, min_length=1, description="The name of the index; `chatsearch index list` shows those there are.")
    mode: Mode = Field("hybrid", description="hybrid: by words and by meaning; lexical: by words; dense: by meaning.")
    dense_weight: float | None = Field(
        None, ge=0, le=1, description="How much the meaning counts against the words in hybrid; empty: by the index's language."
    )

    def label(self) -> str:
        return self.index

    def open_columns(self, services: Services) -> bool:
        """An index knows its columns; only one that is not built yet may give any."""
        return not self._columns(services)

    def more_columns(self, services: Services) -> tuple[str, ...]:
        return self._columns(services)

    async def prepare(self, run: StepRun) -> None:
        """Build the shipped index if this is its first use, open the files, load the embedding model."""
        if self.index == DEMO:
            await _demo_is_there(run)
        opened = await asyncio.to_thread(run.services.index, self.index)
        await asyncio.to_thread(opened.make_ready)
        if self.mode != "lexical" and opened.manifest.embedding is not None:
            await self._model_is_right(opened, run)

    async def fetch(self, query: str, run: StepRun) -> Hits:
        opened = await asyncio.to_thread(run.services.index, self.index)
        mode, vector = await self._query_vector(opened, query, run)
        return await asyncio.to_thread(self._search, opened, query, mode, vector)

    def _search(self, opened: LocalIndex, query: str, mode: Mode, vector: np.ndarray | None) -> Hits:
        found = opened.search(query, mode=mode, limit=self.limit, dense_weight=self.dense_weight, query_vector=vector)
        frame = opened.documents(found.rows, self.output_column)
        return Hits([{str(name): value for name, value in row.items()} for row in frame.to_dict("records")])

    async def _query_vector(self, opened: LocalIndex, query: str, run: StepRun) -> tuple[Mode, np.ndarray | None]:
        """The mode that can be had, and the query's vector. A hybrid search goes on by words where the vectors are of no use."""
        if self.mode == "lexical":
            return "lexical", None
        embedding = opened.manifest.embedding
        if embedding is None:
            return self._by_words(f"The index “{self.index}” has no vectors.", run)
        try:
            await asyncio.to_thread(opened.check_model, run.services.embeddings)
        except IndexMismatchError as error:
            return self._by_words(str(error), run)
        run.meter.calls += 1
        return self.mode, (await run.services.embeddings.encode(embedding.model, [query], "query"))[0]

    def _by_words(self, reason: str, run: StepRun) -> tuple[Mode, None]:
        if self.mode == "dense":
            raise IndexMismatchError(reason)
        run.warn("lexical-only", f"{reason} It was searched by words alone.")
        return "lexical", None

    async def _model_is_right(self, opened: LocalIndex, run: StepRun) -> None:
        """Load the model outside the time limit; what is wrong with it is said by `fetch`."""
        try:
            await asyncio.to_thread(opened.check_model, run.services.embeddings)
        except IndexMismatchError as error:
            if self.mode == "dense":
                raise error from None

    def _columns(self, services: Services) -> tuple[str, ...]:
        try:
            return tuple(column for column in services.index(self.index).columns)
        except LocalIndexError:
            return ()


async def _demo_is_there(run: StepRun) -> None:
    """Build the shipped index when it is missing, and again when it is damaged (which is said)."""
    try:
        await asyncio.to_thread(run.services.index, DEMO)
    except IndexNotFoundError:
        await _build_demo(run)
    except (IndexDamagedError, IndexMismatchError) as error:
        run.warn("index-rebuilt", f"The shipped index was built anew: {error.message.split(' Build it again')[0]}")
        await _build_demo(run)


async def _build_demo(run: StepRun) -> None:
    from chatsearch.demo import build_demo

    stop, loop = threading.Event(), asyncio.get_running_loop()

    def report(progress: BuildProgress) -> None:
        note = f"building the demo index, {progress.phase}"
        loop.call_soon_threadsafe(run.progress, progress.done, progress.total or progress.done, note)

    directory = run.services.writable(run.services.indexes_dir)
    try:
        await asyncio.to_thread(build_demo, directory, run.services.embeddings, report, stop.is_set)
    except asyncio.CancelledError:
        stop.set()
        raise
