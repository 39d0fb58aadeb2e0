"""Renders the events of a follow-up as a Chainlit message."""

from __future__ import annotations

from chatsearch.chat.list_props import Pages, Props
from chatsearch.chat.markdown import escape
from chatsearch.chat.text_view import TextView, found_line
from chatsearch.conversation import MODEL_FAILED
from chatsearch.events import Answered, AnswerToken, Event, Sources, Understood, Warned
from chatsearch.restriction import without_note
from chatsearch.results import Answer, ResultSet
from chatsearch.turns import FROM_RESULTS, NO_MODEL


class AnswerView:
    """One follow-up: how it was understood, the answer with its footnotes, or a refusal that offers a search."""

    def __init__(self, results: ResultSet, pages: Pages) -> None:
        self._results, self._pages = results, pages
        self._text: TextView | None = None
        self._warnings: list[str] = []
        self._used = ""
        self._retry = False

    async def show(self, event: Event) -> None:
        if isinstance(event, Understood):
            changed = event.understood_as != event.question
            self._text = TextView(
                self._pages, self._results, f"*Understood as: {escape(event.understood_as)}*\n\n" if changed else ""
            )
            await self._text.start()
            await self._tell()
        elif isinstance(event, Warned):
            self._warnings.append(event.warning.message)
            self._retry = self._retry or event.warning.code == MODEL_FAILED
            await self._tell()
        elif isinstance(event, Sources):
            self._used = _used_line(event)
            await self._tell()
        elif isinstance(event, AnswerToken) and self._text:
            if event.anew:
                await self._text.begin_anew()
            await self._text.add(event.token, event.footnotes)
        elif isinstance(event, Answered) and self._text:
            await self._text.finish(self._props(event.answer), event.answer)

    async def stop(self) -> None:
        if self._text:
            await self._text.finish({"state": "stopped"})

    async def fail(self) -> None:
        if self._text:
            await self._text.finish({"state": "failed"})

    async def suggest(self, questions: list[str]) -> None:
        if self._text:
            await self._text.suggest(questions)

    async def take_votes(self, place: int) -> None:
        """The answer is kept as the one at `place` (from 1) of the result set."""
        if self._text:
            await self._text.tell({"votes": {**self._pages.votes, "answer": place}})

    async def _tell(self) -> None:
        if self._text and (self._warnings or self._used):
            await self._text.tell({"warnings": self._warnings, "used": self._used})

    def _props(self, answer: Answer) -> Props:
        return {
            "line": "" if answer.model in (FROM_RESULTS, NO_MODEL) else found_line(answer),
            "refused": answer.refused,
            "model": answer.model,
            "search": without_note(answer.understood_as) if answer.refused else "",
            "retry": answer.question if self._retry else "",
        }


def _used_line(event: Sources) -> str:
    """`12 of 20 documents used, 3 of them in part`; nothing when all were read whole."""
    used = len(event.sources)
    if used == event.total and not event.cut:
        return ""
    return f"{used} of {event.total} documents used" + (f", {event.cut} of them in part" if event.cut else "")
