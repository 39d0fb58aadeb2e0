"""What runs share in a process: settings, modules, embedding models, open indexes and language models."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from chatsearch.errors import DataDirectoryError
from chatsearch.registry import Registry

if TYPE_CHECKING:
    from chatsearch.embedding import EmbeddingModels
    from chatsearch.index.search import LocalIndex
    from chatsearch.llm.model import LanguageModel
    from chatsearch.settings import Settings

EXTRACTIVE = "extractive"


@dataclass
class Services:
    """Made once per process and given to every run; everything heavy is made at first use."""

    settings: Settings
    registry: Registry = field(default_factory=Registry)
    _indexes: dict[Path, LocalIndex] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def embeddings(self) -> EmbeddingModels:
        from chatsearch.embedding import EmbeddingModels

        return EmbeddingModels(remembered=self.settings.vector_cache)

    @cached_property
    def _extractive(self) -> LanguageModel:
        from chatsearch.llm.extractive import ExtractiveModel

        return ExtractiveModel(self.embeddings)

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

    def language_model(self, wanted: str = "") -> tuple[LanguageModel, str]:
        """The model of that name, else of the settings; with it what to tell the person when another one had to be taken."""
        name = wanted or self.settings.model
        if name in ("", EXTRACTIVE):
            return self._extractive, ""
        return self._extractive, f"The model “{name}” cannot be had here; the built-in extractive model quotes instead."
