"""Ctrl-C in the terminal chat: what was done stays."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import ClassVar

import pytest

from chatsearch.llm.model import Meter, Piece, Refusal
from chatsearch.module import Category, Module, StepRun
from chatsearch.prompts import Prompt
from chatsearch.results import ResultSet
from chatsearch.settings import load_settings
from chatsearch.terminal_interrupt import Left, Stopped, stoppable
from chatsearch.work import Progress
from tests.scripted import ScriptedModel, ScriptedServices
from tests.sources import OwnRegistry, document, memory_source, services_with, spec_of
from tests.terminals import shown

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself Ctrl-C there")

SOURCE = memory_source("memory_datasource", [document("a", "Tesla died in New York on 7 January 1943.", language="en")])


async def pressed(times: int = 1) -> None:
    """Work that never ends, during which Ctrl-C is pressed."""
    for _ in range(times):
        signal.raise_signal(signal.SIGINT)
    await asyncio.Event().wait()


class Endless(Module):
    """Never ends."""

    id: ClassVar[str] = "endless"
    name: ClassVar[str] = "Endless"
    category: ClassVar[Category] = Category.PRE_PROCESSING

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        await pressed()
        return results


async def test_a_search_that_is_stopped_leaves_the_results_of_the_steps_that_were_done(tmp_path: Path) -> None:
    services = services_with(tmp_path, SOURCE, Endless)
    said = await shown(services, spec_of(services, "memory_datasource", "endless"), "Tesla", "/rank")
    assert "1 found · 1 shown" in said
    assert "The search was stopped; these are the results of the steps that were done." in said
    assert "The order is that of original ranking" in said


async def test_an_answer_that_is_stopped_stays_as_far_as_it_came(tmp_path: Path) -> None:
    class StoppedModel(ScriptedModel):
        async def stream(
            self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None
        ) -> AsyncIterator[Piece | Refusal]:
            yield Piece("He died in New York. He was ")
            await pressed()

    services = ScriptedServices(load_settings(data_dir=tmp_path), OwnRegistry(SOURCE), scripted=StoppedModel())
    said = await shown(services, spec_of(services, "memory_datasource"), "Tesla", "Where did Tesla die?", "/spec")
    assert "He died in New York." in said
    assert "Stopped." in said


async def test_the_first_press_stops_and_the_second_leaves() -> None:
    with pytest.raises(Stopped):
        await stoppable(pressed())
    with pytest.raises(Left):
        await stoppable(pressed(2), stop=lambda: None)


async def test_a_work_that_is_cancelled_from_elsewhere_is_not_stopped_by_the_person() -> None:
    task = asyncio.create_task(stoppable(asyncio.Event().wait()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_is_done_is_given_and_ctrl_c_is_as_it_was_before() -> None:
    before = signal.getsignal(signal.SIGINT)
    assert await stoppable(asyncio.sleep(0, "done")) == "done"
    assert signal.getsignal(signal.SIGINT) is before
