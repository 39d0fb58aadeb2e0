"""Makes a cited text of what a model says: foreign links taken out, markers checked, sentences without one looked up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chatsearch.citations import Footnote, Source
from chatsearch.cited_text import CitedText
from chatsearch.links import LinkFilter, addresses
from chatsearch.llm.model import Piece, Refusal

if TYPE_CHECKING:
    from chatsearch.checking import StatementChecker
    from chatsearch.prompts import Prompt, PromptDocument
    from chatsearch.statements import Finding

Cited = tuple[str, tuple[Footnote, ...]]
"""The next part of a text, and the footnotes whose markers are in it."""


def cited_text(prompt: Prompt, sources: dict[int, Source], checker: StatementChecker) -> CitedText:
    """An empty text that what a model says to `prompt` is added to; `sources` are those of all its documents, by number."""

    def check(statement: str, document: PromptDocument) -> Finding:
        return checker.check(statement, document.text, document.language, document.title)

    return CitedText(prompt.documents, sources, check=check, find=checker.find, language=prompt.language)


async def cite(pieces: AsyncIterator[Piece | Refusal], cited: CitedText) -> AsyncIterator[Cited | Refusal]:
    """What `pieces` add to `cited`, part by part, or the Refusal they hold. Raises what they raise.

    Statements are compared in a thread. Of a language model's links only those stay that lead to a document, or stand in one.
    """
    links: LinkFilter | None = None
    async for piece in pieces:
        if isinstance(piece, Refusal):
            yield piece
        elif piece.quotation is not None:
            yield cited.add(piece)
        else:
            links = links or LinkFilter(await asyncio.to_thread(_addresses_of, cited))
            text = links.feed(piece.text) + (links.end() if piece.cites is not None else "")
            if text or piece.cites is not None:
                yield await asyncio.to_thread(cited.add, replace(piece, text=text))
    if links is None:
        return
    rest = Piece(links.end())
    for part in (await asyncio.to_thread(cited.add, rest), await asyncio.to_thread(cited.end)):
        if part[0]:
            yield part


def _addresses_of(cited: CitedText) -> Collection[str]:
    """The URLs of the documents, and the addresses that stand in their texts."""
    found: Sequence[str] = [source.url for source in cited.sources.values()]
    return {*found, *(one for document in cited.documents for one in addresses(document.text))}
