"""What every model that reads prompts can do; the extractive model and the gateway's models are used through this alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from chatsearch.prompts import Prompt, Rendered
from chatsearch.work import Progress


@dataclass(frozen=True)
class Quotation:
    """A stretch of document `n` of the prompt: `text[start:end]`, in Unicode code points, end exclusive."""

    n: int
    start: int
    end: int


@dataclass(frozen=True)
class Piece:
    """A part of an answer as it comes. With a `quotation`, `text` is one whole statement, literally that stretch.

    `cites` is the number in a footnote that the model itself put here, after `text`: what it says is still to be checked.
    """

    text: str
    quotation: Quotation | None = None
    cites: int | None = None


@dataclass(frozen=True)
class Refusal:
    """The model found no answer in the documents. `reason` is for the log, not for the person."""

    reason: str


@dataclass
class Meter:
    """What calls of models cost: a model adds to the meter it is given. Tokens as the provider counts them, cost in USD.

    `cached` counts answers taken from a cache (no call, no cost), `repaired` the faults mended in lists that models wrote.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    cached: int = 0
    repaired: int = 0


class LanguageModel(Protocol):
    """A model behind one interface. `name` is what the JSON shows; `remote` says whether texts leave this machine."""

    name: str
    remote: bool

    def stream(
        self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None
    ) -> AsyncIterator[Piece | Refusal]:
        """The answer to `prompt`, piece by piece; a `Refusal` instead when the documents do not give one."""
        ...

    async def judge(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[float]:
        """The relevance of each document of `prompt` to its query, from 0 (none) to 1, in their order."""
        ...

    async def order(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[int]:
        """The places of the documents of `prompt` (from 0), the most relevant first: each exactly once.

        Raises ModelAnswerError when the model's answer orders nothing.
        """
        ...


@runtime_checkable
class HasWindow(Protocol):
    """A model that reads no more than so many tokens at once; one without this reads all it is given."""

    def room(self) -> int:
        """Tokens that a rendered prompt may have. Blocking."""
        ...

    async def rendered(self, prompt: Prompt) -> Rendered:
        """The prompt as the model gets it, and which of its documents are in it."""
        ...
