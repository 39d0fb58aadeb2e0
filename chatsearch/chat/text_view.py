"""A cited text as a Chainlit message: it streams, its markers open footnotes, and what is known of it stands below."""

from __future__ import annotations

import time
from typing import Any

import chainlit as cl

from chatsearch.chat.elements import Live, footnote_props
from chatsearch.chat.list_props import Pages, Props
from chatsearch.chat.markdown import MarkdownStream
from chatsearch.citations import statements_found
from chatsearch.results import Answer, ResultSet, Summary

_SECONDS_BETWEEN_TOKENS = 0.05


class TextView:
    """A cited text that streams into a message, with the element that opens its footnotes."""

    def __init__(self, engine: str | Pages, results: ResultSet | None = None, intro: str = "") -> None:
        self._engine = engine
        self._results = results
        self._intro = intro
        self._stream = MarkdownStream()
        self._waiting, self._sent = "", 0.0
        self._live = Live("Citations", {"state": "running", "footnotes": []})
        self.message = cl.Message(content=intro, elements=[self._live.element])

    async def start(self, results: ResultSet | None = None) -> None:
        """Show the message, empty; `results` are those its footnotes open."""
        self._results = results or self._results
        await self.message.send()

    async def add(self, token: str, footnotes: Any) -> None:
        """A part of the text; parts that come quickly after each other are sent together."""
        self._waiting += self._stream.add(token, footnotes)
        now = time.monotonic()
        if now - self._sent >= _SECONDS_BETWEEN_TOKENS:
            self._waiting, waiting, self._sent = "", self._waiting, now
            await self.message.stream_token(waiting)

    async def begin_anew(self) -> None:
        """What was streamed is void: another model answers."""
        self._stream, self._waiting = MarkdownStream(), ""
        self.message.content = self._intro
        await self.message.update()

    async def tell(self, props: Props) -> None:
        """More about a text that still comes: what it is made from, what went wrong."""
        await self._live.show({**self._live.element.props, **props})

    async def finish(self, props: Props, whole: Summary | Answer | None = None) -> None:
        """Send the text once more as it now is: as `whole` has it, which may be another than what was streamed."""
        markdown = MarkdownStream().add(whole.text, whole.footnotes, whole.unsupported) if whole else self._stream.markdown
        notes = footnote_props(whole.footnotes, self._results, self._engine) if whole and self._results else []
        self.message.content = self._intro + markdown
        self._live.element.props = {
            **self._live.element.props,
            "state": "done",
            **props,
            "footnotes": notes,
            "text": whole.text if whole else "",
        }
        await self.message.update()

    async def suggest(self, questions: list[str]) -> None:
        await self._live.show({**self._live.element.props, "suggestions": questions})


def found_line(text: Summary | Answer) -> str:
    return statements_found(text.text, text.footnotes, text.unsupported).line()
