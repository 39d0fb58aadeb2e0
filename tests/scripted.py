"""A language model that says what a test enqueued, in order, and keeps the prompts it got."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from chatsearch.llm.model import LanguageModel, Meter, Piece, Refusal
from chatsearch.prompts import Prompt
from chatsearch.services import Services
from chatsearch.work import Progress

Reply = Piece | Refusal | Exception


@dataclass
class ScriptedModel:
    """Each `enqueue` is one answer: its pieces, a refusal, or the error it ends with."""

    name: str = "scripted"
    remote: bool = False
    prompts: list[Prompt] = field(default_factory=list)
    _replies: deque[tuple[Reply, ...]] = field(default_factory=deque)
    _judgements: deque[list[float]] = field(default_factory=deque)

    def enqueue(self, *reply: Reply) -> None:
        self._replies.append(reply)

    def enqueue_judgement(self, *relevance: float) -> None:
        self._judgements.append(list(relevance))

    async def stream(
        self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None
    ) -> AsyncIterator[Piece | Refusal]:
        if meter is not None:
            meter.calls += 1
        self.prompts.append(prompt)
        for one in self._replies.popleft():
            if isinstance(one, Exception):
                raise one
            yield one

    async def order(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[int]:
        relevance = await self.judge(prompt, progress, meter)
        return sorted(range(len(relevance)), key=lambda place: -relevance[place])

    async def judge(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[float]:
        self.prompts.append(prompt)
        return self._judgements.popleft()


@dataclass
class ScriptedServices(Services):
    """Services whose language model is scripted."""

    scripted: ScriptedModel = field(default_factory=ScriptedModel)

    def language_model(self, wanted: str = "") -> tuple[LanguageModel, str]:
        return self.scripted, ""
