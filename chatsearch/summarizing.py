"""A summary of documents by a language model of any window: at once where they fit, else in groups whose summaries are merged."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from chatsearch.errors import ModelError
from chatsearch.fitting import tokens
from chatsearch.llm.model import HasWindow, LanguageModel, Meter, Piece, Refusal
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.work import Progress

MOST_GROUPS = 8
"""Calls before the merging one; with more, documents are shortened instead."""

_RULES_TOKENS = 400
_FENCE_TOKENS = 90  # a document's fence and a title of the usual length


@dataclass
class Reading:
    """What came of reading: which documents were read, which only in part, out of how many, and what failed."""

    total: int
    used: set[int] = field(default_factory=set)
    cut: set[int] = field(default_factory=set)
    failed: list[ModelError] = field(default_factory=list)

    def sentence(self) -> str:
        """“12 of 20 documents were used, 3 of them in part.”, or nothing when all were read whole."""
        if len(self.used) == self.total and not self.cut:
            return ""
        partly = f", {len(self.cut)} of them in part" if self.cut else ""
        return f"{len(self.used)} of {self.total} documents were used{partly}."


async def summarize(
    model: LanguageModel, prompt: Prompt, reading: Reading, progress: Progress, meter: Meter
) -> AsyncIterator[Piece | Refusal]:
    """The pieces of a summary of `prompt`'s documents; `reading` is filled in on the way.

    Groups are summarised at the same time, as far as the provider lets us; a group that fails is noted, and the others go on.
    Raises ModelError when nothing could be summarised.
    """
    groups = await asyncio.to_thread(_groups, model, prompt)
    if len(groups) > 1:
        notes = await _notes(model, prompt, groups, reading, progress, meter)
        if not notes:
            yield Refusal("no group of documents answers")
            return
        citable = tuple(document.n for document in prompt.documents)
        prompt = replace(prompt, task=Task.MERGE_SUMMARIES, documents=notes, citable=citable)
    else:
        await _note_used(model, prompt, reading)
    async with aclosing(model.stream(prompt, progress, meter)) as pieces:  # type: ignore[type-var]  # every model's is a generator
        async for piece in pieces:
            yield piece


def _groups(model: LanguageModel, prompt: Prompt) -> list[tuple[PromptDocument, ...]]:
    """The documents in the fewest groups that fit the model's window, at most `MOST_GROUPS` of about equal size."""
    if not isinstance(model, HasWindow):
        return [prompt.documents]
    room = model.room() - _RULES_TOKENS - tokens(prompt.query) - tokens(prompt.instructions)
    sizes = [min(tokens(document.text) + _FENCE_TOKENS, room) for document in prompt.documents]
    count = min(MOST_GROUPS, len(sizes), -(-sum(sizes) // max(1, room)))
    if count <= 1:
        return [prompt.documents]
    each, groups, filled = sum(sizes) / count, [list[PromptDocument]() for _ in range(count)], 0.0
    for document, size in zip(prompt.documents, sizes, strict=True):
        groups[min(count - 1, int((filled + size / 2) // each))].append(document)
        filled += size
    return [tuple(group) for group in groups if group]


async def _notes(
    model: LanguageModel,
    prompt: Prompt,
    groups: Sequence[tuple[PromptDocument, ...]],
    reading: Reading,
    progress: Progress,
    meter: Meter,
) -> tuple[PromptDocument, ...]:
    """A summary of each group that says something, as documents; their texts cite the group's own numbers."""
    done = 0

    async def one(group: tuple[PromptDocument, ...]) -> str:
        nonlocal done
        part = replace(prompt, documents=group)
        try:
            await _note_used(model, part, reading)
            text = await _text(model, part, meter)
        except ModelError as error:
            reading.failed.append(error)
            reading.used -= {document.n for document in group}
            reading.cut -= {document.n for document in group}
            text = ""
        done += 1
        progress(done, len(groups) + 1)
        return text

    async with asyncio.TaskGroup() as running:
        tasks = [running.create_task(one(group)) for group in groups]
    if len(reading.failed) == len(groups):
        raise reading.failed[0]
    texts = [task.result() for task in tasks]
    return tuple(PromptDocument(n, f"part-{n}", "", text) for n, text in enumerate(texts, start=1) if text)


async def _text(model: LanguageModel, prompt: Prompt, meter: Meter) -> str:
    """The whole text with its markers; empty when the model refuses."""
    text = ""
    async for piece in model.stream(prompt, None, meter):
        if isinstance(piece, Refusal):
            return ""
        text += piece.text + (f"[{piece.cites}]" if piece.cites is not None else "")
    return text


async def _note_used(model: LanguageModel, prompt: Prompt, reading: Reading) -> None:
    if isinstance(model, HasWindow):
        rendered = await model.rendered(prompt)
        reading.used.update(rendered.used)
        reading.cut.update(rendered.cut)
    else:
        reading.used.update(document.n for document in prompt.documents)
