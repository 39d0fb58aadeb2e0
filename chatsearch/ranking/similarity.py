"""Embedding similarity of documents to a query: the best passage of each counts, and each passage is embedded once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from chatsearch.answering import language_of
from chatsearch.embedding import EmbeddingModels
from chatsearch.errors import ModelError
from chatsearch.index.dense import passage_text
from chatsearch.languages import words
from chatsearch.prompts import PromptDocument
from chatsearch.ranking.best_passages import best_passages
from chatsearch.work import Progress, in_batches

PASSAGES = 6
"""Passages of one document that are embedded at most, those with the most words of the query: a book would take minutes."""

_ENGLISH_ENOUGH = 0.9


async def similarities(
    embeddings: EmbeddingModels,
    model: str,
    query: str,
    documents: Sequence[PromptDocument],
    progress: Progress | None = None,
) -> np.ndarray:
    """The greatest cosine of a passage of each document with the query, shape (documents,), −1 to 1. Raises ModelError."""
    if not documents:
        return np.empty(0)
    chosen = await in_batches(lambda batch: [_passages(one, query) for one in batch], documents)
    (wanted,) = await embeddings.encode(model, [query], "query")
    vectors = await embeddings.encode(model, [passage for some in chosen for passage in some], "passage", progress)
    starts = np.cumsum([0, *map(len, chosen)])[:-1]
    return np.maximum.reduceat(vectors @ wanted, starts).astype(float)


async def chosen_model(
    embeddings: EmbeddingModels, wanted: str, query: str, documents: Sequence[PromptDocument]
) -> tuple[str, str]:
    """The embedding model of that name, else the one for the documents' language; with it what to say when it is another."""
    if not wanted:
        return model_for(embeddings, query, documents), ""
    try:
        await asyncio.to_thread(embeddings.get, wanted)
    except ModelError as error:
        short = wanted.rsplit("/", 1)[-1]
        other = short if short in embeddings.names() else model_for(embeddings, query, documents)
        return other, f"{str(error).rstrip('.')}. “{other}” compared the texts instead."
    return wanted, ""


def model_for(embeddings: EmbeddingModels, query: str, documents: Sequence[PromptDocument]) -> str:
    """The English model when query and texts are English, else the multilingual one, which compares across languages."""
    sizes = [min(len(one.text), 1_000) for one in documents]  # the language of a short text is often guessed wrong
    english = sum(size for one, size in zip(documents, sizes, strict=True) if one.language in ("en", ""))
    if english < _ENGLISH_ENOUGH * sum(sizes):
        return embeddings.for_language("")
    # one word tells no language: "cat" is also Romanian
    one_word = query.isascii() and len(words(query)) <= 1
    return embeddings.for_language("en" if one_word else language_of(query, documents))


def _passages(document: PromptDocument, query: str) -> list[str]:
    """What is embedded of a document: its passages under its title, as an index embeds them."""
    spans = best_passages(document.text, query, PASSAGES, document.language)
    return [passage_text(document.title, passage) for passage in [span.of(document.text) for span in spans] or [document.text]]
