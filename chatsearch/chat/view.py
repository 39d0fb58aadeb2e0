"""Renders the events of a run as Chainlit messages: the steps, the summary, the list below it."""

from __future__ import annotations

import asyncio
import time
import uuid

import chainlit as cl

from chatsearch.chat.elements import Live
from chatsearch.chat.list_props import Pages, Props, chosen_view, list_props, ranking_names
from chatsearch.chat.text_view import TextView, found_line
from chatsearch.commands.view import ListView
from chatsearch.events import (
    Documents,
    Event,
    Finished,
    StepFinished,
    StepProgress,
    StepStarted,
    SummaryToken,
    Warned,
)
from chatsearch.module import Summarizer
from chatsearch.results import LedgerRow, ResultSet
from chatsearch.services import Services
from chatsearch.snippets import snippets
from chatsearch.spec import Spec
from chatsearch.terminal import figures


class StepsView:
    """The line of figures, live while the steps run; it unfolds to a table of steps."""

    def __init__(self, spec: Spec) -> None:
        self._names = {step.number: step.module.name for step in spec.enabled_steps}
        self._rows: dict[int, Props] = {}
        self._warnings: list[str] = []
        self._began = time.monotonic()
        self._live = Live("Steps", self._props("Searching …", "running"))

    async def start(self) -> None:
        await cl.Message(content="", elements=[self._live.element]).send()

    async def show(self, event: Event) -> None:
        if isinstance(event, StepStarted):
            self._rows[event.step] = {
                "step": event.step,
                "name": self._names.get(event.step, event.module),
                "module": event.module,
                "state": "running",
            }
            await self._live.show(self._props("Searching …", "running"))
        elif isinstance(event, StepProgress):
            self._rows[event.step] |= {"done": event.done, "total": event.total, "note": event.note}
            await self._live.show(self._props("Searching …", "running"), at_once=False)
        elif isinstance(event, StepFinished):
            self._rows[event.row.step] |= _ledger(event.row)
            await self._live.show(self._props("Searching …", "running"))
        elif isinstance(event, Warned):
            self._warnings.append(event.warning.message)

    async def finish(self, results: ResultSet, *, stopped: bool = False) -> None:
        line = figures(results, time.monotonic() - self._began)
        await self._live.show(self._props(f"Stopped · {line}" if stopped else line, "stopped" if stopped else "done"))

    async def fail(self, state: str) -> None:
        for row in self._rows.values():
            row["state"] = state if row["state"] == "running" else row["state"]
        await self._live.show(self._props("Stopped" if state == "stopped" else "The search failed", state))

    def _props(self, line: str, state: str) -> Props:
        rows = [self._rows[step] for step in sorted(self._rows)]
        return {"line": line, "state": state, "of": len(self._names), "steps": rows, "warnings": self._warnings}


class SearchView:
    """One search: the steps, the summary, the list below it."""

    def __init__(self, spec: Spec, pages: Pages) -> None:
        self.pages = pages
        self._display, self._rankings = spec.engine.display, ranking_names(spec)
        self._key = uuid.uuid4().hex  # under which the page keeps how the list is shown when it is sent again
        self._steps = StepsView(spec)
        self._text = TextView(pages) if any(isinstance(step.module, Summarizer) for step in spec.enabled_steps) else None
        self._list: Live | None = None
        self.results: ResultSet | None = None

    async def start(self) -> None:
        await self._steps.start()

    async def show(self, event: Event) -> None:
        await self._steps.show(event)
        if isinstance(event, Documents):
            self.results = event.results
            await self._show_documents(event.results)
        elif isinstance(event, SummaryToken) and self._text:
            await self._text.add(event.token, event.footnotes)
        elif isinstance(event, Finished):
            await self._finish(event)

    async def stop(self) -> None:
        """The person stopped it: what is there stays, and says so."""
        await (self._steps.finish(self.results, stopped=True) if self.results else self._steps.fail("stopped"))
        if self._text and self.results:
            await self._text.finish({"state": "stopped"})

    async def fail(self) -> None:
        """What is there stays; nothing goes on looking as if it were still coming."""
        await (self._steps.finish(self.results) if self.results else self._steps.fail("failed"))
        if self._text and self.results:
            await self._text.finish({"state": "failed"})

    async def suggest(self, questions: list[str]) -> None:
        if self._text:
            await self._text.suggest(questions)

    async def take_votes(self) -> None:
        """The result set is kept: what people think of its summary can be, too."""
        if self._text and self.results and self.results.summaries:
            await self._text.tell({"votes": {**self.pages.votes, "answer": 0}})

    async def _show_documents(self, results: ResultSet) -> None:
        # the summary's place is above the list, although the list is usable before it is written
        if self._text and len(results):
            await self._text.start(results)
        self._list = Live("Results", await self._list_props(results))
        await cl.Message(content="", elements=[self._list.element]).send()

    async def _finish(self, event: Finished) -> None:
        results = self.results = event.results
        await self._steps.finish(results, stopped=event.cancelled)
        if self._text and results.summaries:
            summary = results.summaries[-1]
            await self._text.finish({"line": found_line(summary), "refused": summary.refused, "model": summary.model}, summary)
        props = await self._list_props(results) if self._list and len(results) else {}
        if self._list and props and props != self._list.element.props:
            await self._list.show(props)

    async def show_list(self, results: ResultSet, view: ListView, services: Services) -> None:
        """The list once more, as the person wants it: below what was said since. Raises InputError."""
        self.results = results
        chosen = await chosen_view(view, self._display, results, services)
        self._key = uuid.uuid4().hex
        self._list = Live("Results", await self._list_props(results, chosen))
        await cl.Message(content="", elements=[self._list.element]).send()

    async def _list_props(self, results: ResultSet, view: Props | None = None) -> Props:
        texts = await snippets(results)
        props = await asyncio.to_thread(
            list_props, results, self.pages, texts, display=self._display, names=self._rankings, view=view
        )
        return {**props, "key": self._key, "votes": self.pages.votes}


def _ledger(row: LedgerRow) -> Props:
    return {
        "state": "warned" if row.warnings else "done",
        "rows_in": row.rows_in,
        "rows_out": row.rows_out,
        "seconds": round(row.seconds, 2),
        "calls": row.calls,
        "cached": row.cached,
    }
