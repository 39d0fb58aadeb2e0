"""The one place where documents become prompts: modules and conversations build a `Prompt`, never a string.

The built-in extractive model reads the object itself; what renders it for a chat model belongs in this file too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Task(StrEnum):
    """What a model is asked to do with the documents of a prompt."""

    SUMMARIZE_DOCUMENT = "summarize_document"
    SUMMARIZE_RESULTS = "summarize_results"
    ANSWER = "answer"
    JUDGE = "judge"
    ORDER = "order"


@dataclass(frozen=True)
class PromptDocument:
    """A document as a model sees it: `n` is its number in the result set, `text` its text, whole."""

    n: int
    id: str
    title: str
    text: str
    language: str = ""


@dataclass(frozen=True)
class Prompt:
    """A task over documents. `query` is the question; `language` (ISO 639-1) that of the answer, empty for the query's own."""

    task: Task
    query: str
    documents: tuple[PromptDocument, ...] = field(default=())
    instructions: str = ""
    language: str = ""
