"""A language model that orders documents as a test says, and services that have it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chatsearch.events import Event, StepProgress, Warned
from chatsearch.llm.model import Meter
from chatsearch.prompts import Prompt, PromptDocument
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from chatsearch.settings import load_settings
from chatsearch.step import StepRun
from chatsearch.work import Progress
from tests.scripted import ScriptedModel, ScriptedServices


@dataclass
class OrderingModel(ScriptedModel):
    """Orders documents by `worth` of their ids, highest first. `spoil` may raise or give another answer for the nth call.

    `waves` counts rounds: calls that began while no other was under way. `all_here` is set when so many calls are.
    """

    worth: Callable[[str], float] = float
    spoil: Callable[[int, Sequence[PromptDocument]], Sequence[int] | None] = lambda call, documents: None
    waves: int = 0
    most_at_once: int = 0
    under_way: int = 0
    gate: asyncio.Event | None = field(default=None, repr=False)
    all_here: tuple[int, asyncio.Event] = field(default_factory=lambda: (0, asyncio.Event()), repr=False)

    async def order(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[int]:
        self.prompts.append(prompt)
        call = len(self.prompts)
        self.waves += self.under_way == 0
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        if self.under_way == self.all_here[0]:
            self.all_here[1].set()
        try:
            await (self.gate.wait() if self.gate else asyncio.sleep(0))
        finally:
            self.under_way -= 1
        assert meter is not None
        meter.calls += 1
        spoiled = self.spoil(call, prompt.documents)
        if spoiled is not None:
            return list(spoiled)
        return sorted(range(len(prompt.documents)), key=lambda place: -self.worth(prompt.documents[place].id))


@dataclass
class Ran:
    """What a step left: the result set, its meter, and what it reported."""

    results: ResultSet
    run: StepRun
    events: list[Event]

    @property
    def order(self) -> list[str]:
        return [str(self.results.documents["id"].iloc[row]) for row in self.results.shown_order()]

    @property
    def ranks(self) -> list[int]:
        """The rank of each row, in the order of the rows."""
        return [int(rank) for rank in self.results.documents[self.results.ranking_column()]]

    @property
    def warnings(self) -> dict[str, str]:
        return {event.warning.code: event.warning.message for event in self.events if isinstance(event, Warned)}

    @property
    def progress(self) -> list[tuple[int, int]]:
        return [(event.done, event.total) for event in self.events if isinstance(event, StepProgress)]


async def ran(
    data_dir: Path, identifier: str, results: ResultSet, model: ScriptedModel | None = None, /, **parameters: object
) -> Ran:
    """One step over a result set, with this language model."""
    events: list[Event] = []
    services = ScriptedServices(load_settings(data_dir=data_dir), scripted=model or OrderingModel())
    run = StepRun(services, 2, identifier, events.append)
    module = Registry().get(identifier).model_validate(parameters)
    return Ran(await module.transform(results, run), run, events)
