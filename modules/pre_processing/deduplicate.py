"""Removes documents that another one repeats."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import unquote

from pydantic import Field

from chatsearch.cells import cell_text
from chatsearch.filters import kept_rows
from chatsearch.fusion import canonical_url
from chatsearch.module import Category, Column, Module, StepRun
from chatsearch.near_duplicates import resemblance, word_lists
from chatsearch.results import ResultSet
from chatsearch.work import in_batches

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>\[\]{}|\\^]+", re.IGNORECASE)
_HEAD = 600
"""Code points at a text's beginning where its own DOI stands; further down are those of what it cites."""


class Deduplicate(Module):
    """Keeps one of the documents with the same URL, the same DOI, or nearly the same text: the best ranked.

    The column `duplicates` of the document that stays names the others by URL, else by id.
    """

    id: ClassVar[str] = "deduplicate"
    name: ClassVar[str] = "Deduplication"
    category: ClassVar[Category] = Category.PRE_PROCESSING
    removes_rows: ClassVar[bool] = True

    same_url: bool = Field(True, description="Whether documents with the same URL are one, whatever its scheme or port.")
    same_doi: bool = Field(
        True, description="Whether documents with the same DOI are one: in `doi`, in the URL, or atop the text."
    )
    same_text: bool = Field(True, description="Whether documents with nearly the same text are one.")
    similarity: float = Field(
        0.8,
        gt=0,
        le=1,
        description="The share of five-word runs two texts have in common to be one; 1: the same words throughout.",
    )
    input_column: Column = Field("full-text", description="The column whose text is compared.")
    output_column: Column = Field("duplicates", description="The column that names the documents removed.")

    def writes(self) -> tuple[str, ...]:
        return (self.output_column,)

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        texts = cell_text(results.documents, self.input_column)
        keys = await asyncio.to_thread(self._keys, results, texts)
        alike = None
        if self.same_text and len(texts) > 1:
            found = await in_batches(word_lists, texts, progress=run.progress)
            alike = await asyncio.to_thread(resemblance, found)
        original = self._originals(results.shown_order(), keys, alike)
        names = [url or str(one) for url, one in zip(cell_text(results.documents, "url"), results.documents["id"], strict=True)]
        others: list[list[str]] = [[] for _ in texts]
        for row in results.shown_order():
            if original[row] != row:
                others[original[row]].append(names[row])
        named = results.with_column(self.output_column, [", ".join(one) or None for one in others], "chip")
        return kept_rows(named, [original[row] == row for row in range(len(texts))])

    def _keys(self, results: ResultSet, texts: Sequence[str]) -> list[set[str]]:
        """What each document is known by."""
        frame = results.documents
        found = []
        for url, doi, text in zip(cell_text(frame, "url"), cell_text(frame, "doi"), texts, strict=True):
            keys = {f"url {canonical_url(url)}"} if self.same_url and url.strip() else set()
            found.append(keys | ({f"doi {one}" for one in _dois(url, doi, text)} if self.same_doi else set()))
        return found

    def _originals(self, order: Sequence[int], keys: Sequence[set[str]], alike: csr_matrix | None) -> list[int]:
        """For each row the row it repeats, the best ranked one; itself when it repeats none."""
        original = list(range(len(keys)))
        known: dict[str, int] = {}
        kept: set[int] = set()
        for row in order:
            found = next((known[key] for key in sorted(keys[row]) if key in known), None)
            if found is None and alike is not None:
                found = self._first_alike(row, order, kept, alike)
            original[row] = row if found is None else found
            kept |= {row} if found is None else set()
            known |= {key: original[row] for key in keys[row] if key not in known}
        return original

    def _first_alike(self, row: int, order: Sequence[int], kept: set[int], alike: csr_matrix) -> int | None:
        """The best of the rows kept so far whose text is nearly that of `row`; not one that is only like another like it."""
        begin, end = alike.indptr[row], alike.indptr[row + 1]
        near = alike.data[begin:end] >= self.similarity - 1e-9
        rows = {int(other) for other in alike.indices[begin:end][near]} & kept
        return next((other for other in order if other in rows), None) if rows else None


def _dois(url: str, doi: str, text: str) -> Iterator[str]:
    """The DOI of a document itself: in its own column or its URL, else the only one in the head of its text."""
    own = _DOI.search(doi) or _DOI.search(unquote(url))
    if own:
        yield _plain(own[0])
        return
    in_head = {_plain(one) for one in _DOI.findall(text[:_HEAD])}
    if len(in_head) == 1:
        yield in_head.pop()


def _plain(doi: str) -> str:
    """A DOI without what a URL or a sentence puts after it; capitals do not count in one."""
    cut = re.split(r"[?#]", doi.casefold())[0].rstrip(".,;:'’”)")
    return re.sub(r"(?:/(?:full|abstract|pdf|meta|epdf|fulltext)|\.pdf)$", "", cut)
