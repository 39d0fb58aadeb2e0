"""Remembers what was sent to a browser, so that what it missed while it was away arrives on its return.

Chainlit sends to a connection that may be gone already: a server notices a broken line only when a ping is not answered. So the
last `GRACE` seconds before the break are sent again too. What is sent again is the present state of each message and element,
which the page takes as new or as a change; a text that was streaming comes whole.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Emit = Callable[[str, Any], Awaitable[None]]

GRACE = 60.0  # seconds: above engine.io's ping interval and timeout (25 + 20)
MOST = 500  # messages, elements and other things remembered per session

_STATE_OF_A_STEP = ("new_message", "update_message", "stream_start")
_STATE_BY_NAME = ("first_interaction", "set_commands", "set_modes", "chat_settings", "set_sidebar_title", "set_sidebar_elements")
_REMOVED = {"delete_message": "new_message", "remove_element": "element", "remove_action": "action"}

Key = tuple[str, str]


@dataclass
class _Sent:
    """The present state of one thing. `first` orders a message before its children, `changed` is in seconds."""

    event: str
    data: Any
    first: int
    changed: float


@dataclass
class Replay:
    """What one session was sent lately."""

    clock: Callable[[], float] = time.monotonic
    busy: bool = False
    _away_since: float | None = None
    _count: int = 0
    _sent: dict[Key, _Sent] = field(default_factory=dict)

    @property
    def away_since(self) -> float | None:
        """When the connection was lost, in the clock's seconds; None while there is one."""
        return self._away_since

    def leave(self) -> None:
        self._away_since = self._away_since if self._away_since is not None else self.clock()

    def returned(self) -> list[tuple[str, Any]]:
        """The browser is back: what it may have missed, a message before its children."""
        if self._away_since is None:
            return []
        since, self._away_since = self._away_since - GRACE, None
        missed = sorted((sent for sent in self._sent.values() if sent.changed >= since), key=lambda sent: sent.first)
        return [message for sent in missed for message in _messages(sent)]

    def record(self, event: str, data: Any) -> None:
        """Something was sent, whether or not it arrived."""
        if event in ("task_start", "task_end"):
            self.busy = event == "task_start"
        elif event == "stream_token":
            self._add_token(data)
        elif key := _key(event, data):
            self._put(key, "new_message" if event in _STATE_OF_A_STEP else event, data)
        self._forget()

    def _put(self, key: Key, event: str, data: Any) -> None:
        before = self._sent.pop(key, None)
        self._count += 1
        self._sent[key] = _Sent(event, data, before.first if before else self._count, self.clock())

    def _add_token(self, data: dict[str, Any]) -> None:
        """A streaming text is remembered with what has been streamed of it."""
        key = ("new_message", str(data["id"]))
        if key not in self._sent:
            return
        step, part = self._sent[key].data, "input" if data.get("isInput") else "output"
        text = data["token"] if data.get("isSequence") else f"{step.get(part) or ''}{data['token']}"
        self._put(key, "new_message", {**step, part: text})

    def _forget(self) -> None:
        """The oldest go when there are too many, or when they surely arrived. The order is that of the last change."""
        arrived = (self.clock() if self._away_since is None else self._away_since) - GRACE
        while self._sent:
            oldest = next(iter(self._sent))
            if len(self._sent) <= MOST and self._sent[oldest].changed >= arrived:
                return
            del self._sent[oldest]


def _key(event: str, data: Any) -> Key | None:
    """What the event is about; None when it need not be sent again."""
    if event in _STATE_BY_NAME:
        return event, ""
    if event in _REMOVED:
        return _REMOVED[event], str(data["id"])
    if event in _STATE_OF_A_STEP:
        return "new_message", str(data["id"])
    return (event, str(data["id"])) if event in ("element", "action") else None


def _messages(sent: _Sent) -> Iterator[tuple[str, Any]]:
    if sent.event == "action":  # the page adds an action without looking whether it has it
        yield "remove_action", sent.data
    yield sent.event, sent.data
