"""Asks a language model to order groups of documents, all groups of a round at once, and counts the answers of no use."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from chatsearch.errors import ModelAnswerError, ModelError
from chatsearch.llm.model import LanguageModel
from chatsearch.prompts import Prompt, PromptDocument, Task
from chatsearch.step import StepRun

Ask = Callable[[Sequence[list[int]]], Awaitable[list[list[int]]]]
"""Groups of documents, each in its order of presentation → the same groups, the most relevant document first.

Documents are numbered from 0 in their present order. A group that got no usable answer comes back in that order.
"""


class TooFewAnswersError(ModelAnswerError):
    """More than half of a model's answers so far are of no use: what is made of them would be chance."""


class Judge:
    """Orders groups of `documents`, which are in their present order, by a language model.

    `total` is the number of calls that is expected; progress counts to it from 0.
    """

    def __init__(self, model: LanguageModel, query: str, documents: Sequence[PromptDocument], run: StepRun, total: int) -> None:
        self._model = model
        self._query = query
        self._documents = documents
        self._run = run
        self._total = total
        self.asked = 0
        self.unusable: list[str] = []

    async def ask(self, groups: Sequence[list[int]]) -> list[list[int]]:
        """One round (see `Ask`). Raises TooFewAnswersError when more than half of all answers so far are unusable."""
        if self.asked == 0 and groups:
            self._report()
        try:
            async with asyncio.TaskGroup() as together:  # a cancelled step takes its calls with it
                tasks = [together.create_task(self._ordered(group)) for group in groups]
        except ExceptionGroup as errors:  # the step failed for the first reason; a group's own message names none
            raise errors.exceptions[0] from None
        if 2 * len(self.unusable) > self.asked:
            raise TooFewAnswersError(f"{self.failures()} That is more than half, so the order stays as it was.")
        return [task.result() for task in tasks]

    def failures(self) -> str:
        """How many answers were of no use, and the reason of the first."""
        calls = f"{len(self.unusable)} of {self.asked} calls" if self.asked > 1 else "The only call"
        return f"{calls} of “{self._model.name}” gave no usable order ({self.unusable[0]})."

    async def _ordered(self, group: list[int]) -> list[int]:
        # numbered by place: a number in the result set would tell the model the ranking it is asked to improve
        shown = tuple(replace(self._documents[one], n=place) for place, one in enumerate(group, start=1))
        try:
            places = await self._model.order(Prompt(Task.ORDER, self._query, shown), None, self._run.meter)
            if sorted(places) != list(range(len(group))):
                raise ModelAnswerError("its answer does not name each document once")
            ordered = [group[place] for place in places]
        except ModelError as error:
            self.unusable.append(str(error).strip().rstrip(".") or type(error).__name__)
            ordered = sorted(group)
        self.asked += 1
        self._report()
        return ordered

    def _report(self) -> None:
        self._run.progress(min(self.asked, self._total), self._total, f"{self._total} calls of {self._model.name}")
