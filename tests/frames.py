"""Result sets made of the real collections, and an embedding model that costs nothing, for tests of modules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import pandas as pd

from chatsearch.embedding import ENGLISH_MODEL, MULTILINGUAL_MODEL, EmbeddingModels, Kind
from chatsearch.languages import words
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.settings import load_settings
from tests.conformance import Quoter
from tests.scripted import ScriptedServices
from tests.sources import document, result_set, step_run

if TYPE_CHECKING:
    from chatsearch.embedding import Vectors
    from chatsearch.module import Module

COLLECTIONS = ("xquad-en", "xquad-de", "xquad-es", "xquad-ru", "xquad-zh", "cranfield")
OWI = ("deu", "eng")

_SLICE = "owi/demo-slice/year=2026/month=2/day=3/language={language}/metadata_0.parquet"


def collection(shared: Path, name: str, rows: int = 20, query: str = "Where did Tesla live?") -> ResultSet:
    """The first documents of a judged collection."""
    lines = (shared / name / "corpus.jsonl").read_text("utf-8").splitlines()[:rows]
    found = [json.loads(line) for line in lines]
    return result_set([document(one["_id"], one["text"], title=one["title"]) for one in found], query)


def owi(shared: Path, language: str, rows: int = 20) -> ResultSet:
    """The first documents of the Open Web Index slice, with every column its Parquet has."""
    return _from_parquet(shared / _SLICE.format(language=language), rows)


def owi_sample(shared: Path) -> ResultSet:
    """The one page of the real Open Web Index sample."""
    return _from_parquet(shared / "owi/resilipipe_sample_metadata.parquet", 1)


def _from_parquet(path: Path, rows: int) -> ResultSet:
    frame = pd.read_parquet(path).head(rows).rename(columns={"plain_text": "full-text"})
    frame["id"] = frame["record_id"]
    return result_set([{str(name): value for name, value in row.items()} for row in frame.to_dict("records")])


class HashedWords:
    """An embedding of word counts: near where words are shared, and made in no time."""

    fingerprint = "hashed-words/1"
    dimensions = 64
    remote = False

    def __init__(self, name: str) -> None:
        self.name = name

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors:
        vectors = np.full((len(texts), self.dimensions), 0.01, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in words(text):
                vectors[row, crc32(word.encode()) % self.dimensions] += 1
        unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def quick_services(data_dir: Path) -> Services:
    """Services without a model that takes its time: embeddings of hashed words, a language model that quotes first words."""
    services = ScriptedServices(load_settings(data_dir=data_dir), scripted=Quoter())
    names = (ENGLISH_MODEL, MULTILINGUAL_MODEL)
    services.__dict__["embeddings"] = EmbeddingModels({name: partial(HashedWords, name) for name in names})
    return services


async def transformed(
    module: type[Module], results: ResultSet, services: Services, **parameters: object
) -> tuple[ResultSet, Mapping[str, str]]:
    """What a configured module makes of results, and its warnings: code to message."""
    run = step_run(services, module.id)
    after = await module.model_validate(parameters).transform(results, run)
    return after, {warning.code: warning.message for warning in run.warnings}
