"""What runs share in a process: settings, modules, embedding models, open indexes and language models."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from chatsearch.errors import DataDirectoryError
from chatsearch.registry import Registry

if TYPE_CHECKING:
    from chatsearch.checking import StatementChecker
    from chatsearch.embedding import EmbeddingModels
    from chatsearch.index.search import LocalIndex
    from chatsearch.llm.cache import AnswerCache
    from chatsearch.llm.calls import Gate
    from chatsearch.llm.catalog import Catalog, Endpoint
    from chatsearch.llm.gateway import GatewayModel
    from chatsearch.llm.model import LanguageModel
    from chatsearch.settings import Settings
    from chatsearch.step_cache import StepCache
    from chatsearch.store.store import Store

EXTRACTIVE = "extractive"


@dataclass
class Services:
    """Made once per process and given to every run; everything heavy is made at first use."""

    settings: Settings
    registry: Registry = field(default_factory=Registry)
    _indexes: dict[Path, LocalIndex] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _store: asyncio.Task[Store] | None = None

    @cached_property
    def embeddings(self) -> EmbeddingModels:
        from chatsearch.embedding import EmbeddingModels
        from chatsearch.remote_embedding import RemoteEmbeddings

        return EmbeddingModels(remembered=self.settings.vector_cache, remote=RemoteEmbeddings(self.settings))

    @cached_property
    def _extractive(self) -> LanguageModel:
        from chatsearch.llm.extractive import ExtractiveModel

        return ExtractiveModel(self.embeddings)

    @cached_property
    def checker(self) -> StatementChecker:
        """Compares statements with documents; one for all answers, since it remembers the texts it has split."""
        from chatsearch.checking import StatementChecker

        return StatementChecker(self.embeddings)

    @property
    def indexes_dir(self) -> Path:
        return self.settings.data_dir / "indexes"

    def writable(self, directory: Path) -> Path:
        """The directory, made when it is missing. Raises DataDirectoryError when it cannot be."""
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataDirectoryError(
                f"The folder {directory} cannot be made ({error.strerror}). "
                "Choose another with --data-dir or CHATSEARCH_DATA_DIR."
            ) from error
        return directory

    def index(self, name: str) -> LocalIndex:
        """The open index of that name, in its current generation; blocking. Raises LocalIndexError."""
        from chatsearch.index.search import LocalIndex

        with self._lock:
            opened = LocalIndex.open(self.indexes_dir, name)
            kept = self._indexes.get(self.indexes_dir / name)
            if kept is not None and kept.manifest.generation == opened.manifest.generation:
                opened.close()
                return kept
            # a run that still searches the generation before keeps its own reference to it
            self._indexes[self.indexes_dir / name] = opened
            return opened

    async def store(self) -> Store:
        """What is kept, opened at first use, for the event loop that asks first. Raises StoreError; the next call tries again."""
        if self._store is None or (self._store.done() and (self._store.cancelled() or self._store.exception())):
            from chatsearch.store.store import Store

            self._store = asyncio.create_task(Store.open(self.settings))
        return await asyncio.shield(self._store)

    async def close(self) -> None:
        """Let go of the store; open indexes close with the process."""
        opening, self._store = self._store, None
        if opening is None:
            return
        opened = (await asyncio.gather(opening, return_exceptions=True))[0]
        if not isinstance(opened, BaseException):
            await opened.close()

    @cached_property
    def catalog(self) -> Catalog:
        """The language models that are configured."""
        import os

        from chatsearch.llm.catalog import Catalog

        return Catalog(self.settings, os.environ)

    @cached_property
    def answer_cache(self) -> AnswerCache | None:
        """The answers of language models kept on disk; None when the settings keep none."""
        from chatsearch.llm.cache import AnswerCache

        megabytes = self.settings.llm_cache_mb
        return AnswerCache(self.settings.data_dir / "cache" / "answers.sqlite", megabytes * 1_000_000) if megabytes else None

    @cached_property
    def step_cache(self) -> StepCache | None:
        """What steps of earlier runs left, for runs that begin alike; None when the settings keep none."""
        from chatsearch.step_cache import StepCache

        megabytes = self.settings.step_cache_mb
        return StepCache(megabytes * 1_000_000) if megabytes else None

    @cached_property
    def _gate(self) -> Gate:
        from chatsearch.llm.calls import Gate

        return Gate(self.settings.llm_concurrency)

    def language_model(self, wanted: str = "") -> tuple[LanguageModel, str]:
        """The model of that name, else the settings'; with it what to tell the person when another one had to be taken.

        Only models of the settings `model` and `models`, and the extractive one, can be named; by full name or without provider.
        """
        catalog = self.catalog
        name = wanted.strip() or catalog.default
        if name == EXTRACTIVE:
            return self._extractive, ""
        endpoint = catalog.find(name)
        if endpoint is not None:
            return self.gateway_model(endpoint), ""
        default, _ = self.language_model()
        instead = "the built-in extractive model quotes instead" if default is self._extractive else f"“{default.name}” is used"
        return default, f"The model “{name}” cannot be had here; {instead}."

    def gateway_model(self, endpoint: Endpoint) -> GatewayModel:
        """The model at an endpoint, with the settings' limits; the limit on simultaneous calls is shared by all of a provider."""
        from chatsearch.llm.calls import Limits
        from chatsearch.llm.gateway import GatewayModel

        given = self.settings
        limits = Limits(
            concurrency=given.llm_concurrency,
            connect=given.llm_connect_timeout,
            token=given.llm_token_timeout,
            total=given.llm_timeout,
            retries=given.llm_retries,
            max_wait=given.llm_max_wait,
        )
        return GatewayModel(endpoint, limits, self._gate, self.answer_cache, given.llm_window, given.llm_max_tokens)
