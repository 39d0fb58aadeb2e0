"""Vectors that somebody else stored: which model embeds a query for them, and refusal where that would give nonsense."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from chatsearch.embedding import ENGLISH_MODEL, PACKAGED
from chatsearch.errors import ModelError, SourceError
from chatsearch.model_names import canonical_name
from chatsearch.step import StepRun

PARAMETER = "embedding_model"


@dataclass(frozen=True)
class StoredVectors:
    """What is known of them: `where` they are (`the collection “arts”`), the model that made them (empty: not known), its
    fingerprint, what is named instead of a model that can be run here, and how many numbers each has."""

    where: str
    model: str = ""
    fingerprint: str = ""
    unknown_model: str = ""
    dimensions: int | None = None


@dataclass(frozen=True)
class QueryModel:
    """The model to embed queries with, and what the person should know of it (empty: nothing)."""

    name: str
    notice: str = ""


async def query_model(stored: StoredVectors, wanted: str, run: StepRun) -> QueryModel:
    """The model that made the vectors, loaded; `wanted` where they do not name theirs, else Chroma's default, which is said.

    Raises SourceError, with the fix, when the models or their dimensions differ or the model cannot be had.
    """
    chosen = _chosen(stored, wanted)
    try:
        model = await asyncio.to_thread(run.services.embeddings.get, chosen.name)
    except ModelError as error:
        made = f"was embedded by “{stored.model}”" if stored.model else f"is to be searched by “{wanted or chosen.name}”"
        raise SourceError(f"{_start(stored)} {made}, which cannot be had here. {error}") from None
    if stored.fingerprint and stored.fingerprint != model.fingerprint:
        raise SourceError(
            f"{_start(stored)} was embedded by another form of “{chosen.name}” ({stored.fingerprint}) than the one here "
            f"({model.fingerprint}). Embed it again with the one here."
        )
    if stored.dimensions and stored.dimensions != model.dimensions:
        maker = f"by “{stored.model}” " if stored.model else ""
        raise SourceError(
            f"{_start(stored)} was embedded {maker}with {stored.dimensions:,} dimensions, and “{chosen.name}” gives "
            f"{model.dimensions:,}. Set {PARAMETER} to the model that made it, or embed it again with “{chosen.name}”."
        )
    return chosen


async def query_vector(stored: StoredVectors, wanted: str, query: str, run: StepRun) -> Sequence[float]:
    """The query's vector (of unit length) for these vectors; what should be known of the model is a warning."""
    chosen = await query_model(stored, wanted, run)
    if chosen.notice:
        run.warn("query-model", chosen.notice)
    run.meter.calls += 1
    vectors = await run.services.embeddings.encode(chosen.name, [query], "query")
    return [float(one) for one in vectors[0]]


def _chosen(stored: StoredVectors, wanted: str) -> QueryModel:
    if stored.model:
        name = canonical_name(stored.model)
        if wanted and canonical_name(wanted) != name:
            raise SourceError(
                f"{_start(stored)} was embedded by “{stored.model}”, and the step says “{wanted}”. "
                f"Leave {PARAMETER} empty, or embed it again with “{wanted}”."
            )
        packaged = name in PACKAGED and not stored.fingerprint
        return QueryModel(name, _other_form(stored, name) if packaged else "")
    if wanted:
        return QueryModel(canonical_name(wanted))
    if stored.unknown_model:
        raise SourceError(
            f"{_start(stored)} was embedded by “{stored.unknown_model}”, which cannot be run here. "
            f"Name a model that makes the same vectors as {PARAMETER}, or embed it again."
        )
    return QueryModel(
        ENGLISH_MODEL,
        f"{_start(stored)} does not say which model embedded it: “{ENGLISH_MODEL}” is assumed. "
        f"If the results make no sense, set {PARAMETER}.",
    )


def _other_form(stored: StoredVectors, name: str) -> str:
    return (
        f"{_start(stored)} was embedded by “{stored.model}”; queries are embedded by the small form of it that comes with "
        f"chatsearch (“{name}”), whose vectors differ slightly."
    )


def _start(stored: StoredVectors) -> str:
    return stored.where[0].upper() + stored.where[1:]
