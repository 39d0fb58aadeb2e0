"""An OpenAI-compatible server of our own: it gives the answers a test enqueued, in order, and records how it was asked."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import uvicorn

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
END_SOON = 30.0
"""Seconds after which a server that waits for more requests than will come gives up, so that a test fails and does not hang."""


@dataclass(frozen=True)
class Reply:
    """One answer. `tokens` replaces `text` cut at its words; waiting times are in seconds.

    `together` holds the answer back until that many requests are open at once. `cut_after` closes the connection after so many
    tokens, `never_ends` leaves it open after the last one.
    """

    text: str = ""
    tokens: Sequence[str] = ()
    status: int = 200
    headers: Sequence[tuple[str, str]] = ()
    error: str = "scripted failure"
    before: float = 0.0
    per_token: float = 0.0
    together: int = 1
    cut_after: int | None = None
    never_ends: bool = False
    finish: str | None = "stop"
    usage: tuple[int, int] | None = (10, 5)
    reasoning: str = ""

    def pieces(self) -> list[str]:
        return list(self.tokens) or [part for part in self.text.replace(" ", "\0 ").split("\0") if part]


@dataclass(frozen=True)
class Request:
    """A request as it came: its JSON and its headers (lower case)."""

    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def text(self) -> str:
        """All messages as one text."""
        return "\n".join(str(message["content"]) for message in self.body["messages"])


@dataclass
class OpenAIServer:
    """`url` is the base URL; `usual` is given when nothing is enqueued; `most_open` counts the requests open at once."""

    url: str = ""
    usual: Reply | Callable[[Request], Reply] = field(default_factory=lambda: Reply("A good answer."))
    requests: list[Request] = field(default_factory=list)
    open: int = 0
    most_open: int = 0
    disconnects: int = 0
    disconnected: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)
    _replies: deque[Reply] = field(default_factory=deque)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def enqueue(self, *replies: Reply | str) -> None:
        self._replies.extend(Reply(one) if isinstance(one, str) else one for one in replies)

    def reset(self) -> None:
        """As new, but for the connections that are open."""
        self._replies.clear()
        self.usual = Reply("A good answer.")
        self.requests.clear()
        self.most_open = self.disconnects = 0
        self.disconnected.clear()
        self.asked.clear()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        request = Request(json.loads(body or b"{}"), headers)
        reply = self._next(request)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        self.asked.set()
        try:
            await self._until_gone(self._answer(reply, request, send), receive)
        finally:
            self.open -= 1

    def _next(self, request: Request) -> Reply:
        self.requests.append(request)
        if self._replies:
            return self._replies.popleft()
        return self.usual if isinstance(self.usual, Reply) else self.usual(request)

    async def _until_gone(self, answer: Any, receive: Receive) -> None:
        """Answers until it is done or the client closes the connection, which is counted."""
        answering, leaving = asyncio.ensure_future(answer), asyncio.ensure_future(self._gone(receive))
        await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            self.disconnects += 1
            self.disconnected.set()
            answering.cancel()
        leaving.cancel()
        await asyncio.gather(leaving, *([] if answering.done() else [answering]), return_exceptions=True)
        if answering.done() and not answering.cancelled():
            answering.result()  # what a cut stream raises makes uvicorn close the connection

    async def _gone(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    async def _answer(self, reply: Reply, request: Request, send: Send) -> None:
        await self._meet(reply.together)
        await asyncio.sleep(reply.before)
        if reply.status != 200:
            error = {"error": {"message": reply.error, "type": "scripted", "code": None}}
            await _whole(send, reply.status, reply.headers, error)
        elif request.body.get("stream"):
            await self._stream(reply, request, send)
        else:
            await _whole(send, 200, reply.headers, _completion(reply, request))

    async def _meet(self, together: int) -> None:
        async with asyncio.timeout(END_SOON), self._changed:
            self._changed.notify_all()
            await self._changed.wait_for(lambda: self.most_open >= together)

    async def _stream(self, reply: Reply, request: Request, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        await _event(send, _chunk(request, {"role": "assistant", "content": ""}))
        if reply.reasoning:
            await _event(send, _chunk(request, {"reasoning_content": reply.reasoning}))
        for place, token in enumerate(reply.pieces()):
            if place == reply.cut_after:
                raise ConnectionAbortedError("the test cuts this stream")
            await asyncio.sleep(reply.per_token)
            await _event(send, _chunk(request, {"content": token}))
        if reply.never_ends:
            await asyncio.sleep(END_SOON)
        if reply.finish is None:
            await send({"type": "http.response.body", "body": b""})
            return
        await _event(send, _chunk(request, {}, reply.finish))
        if reply.usage:
            await _event(send, {**_chunk(request, {}), "choices": [], "usage": _usage(reply.usage)})
        await send({"type": "http.response.body", "body": b"data: [DONE]\n\n"})


@contextmanager
def openai_server() -> Iterator[OpenAIServer]:
    """A server on a free port of this machine, in a thread of its own, for as long as the block runs."""
    server = OpenAIServer()
    config = uvicorn.Config(server, host="127.0.0.1", port=0, log_config=None, lifespan="off", timeout_graceful_shutdown=1)
    running = _Running(config)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    assert running.ready.wait(30), "the test server did not start"
    port = running.servers[0].sockets[0].getsockname()[1]
    server.url = f"http://127.0.0.1:{port}/v1"
    yield server
    running.should_exit = True
    thread.join(30)


class _Running(uvicorn.Server):
    """uvicorn, saying when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self.ready.set()


def many(reply: Reply, count: int, **changes: Any) -> list[Reply]:
    """The same reply `count` times."""
    return [replace(reply, **changes)] * count


async def _event(send: Send, data: dict[str, Any]) -> None:
    line = f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
    await send({"type": "http.response.body", "body": line, "more_body": True})


async def _whole(send: Send, status: int, headers: Sequence[tuple[str, str]], data: dict[str, Any]) -> None:
    body = json.dumps(data).encode()
    all_headers = [(b"content-type", b"application/json"), *((name.encode(), value.encode()) for name, value in headers)]
    await send({"type": "http.response.start", "status": status, "headers": all_headers})
    await send({"type": "http.response.body", "body": body})


def _chunk(request: Request, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": request.body["model"], "choices": [choice]}


def _completion(reply: Reply, request: Request) -> dict[str, Any]:
    message = {"role": "assistant", "content": "".join(reply.pieces())}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish}
    return {
        "id": "c", "object": "chat.completion", "created": 1, "model": request.body["model"], "choices": [choice],
        "usage": _usage(reply.usage or (0, 0)),
    }  # fmt: skip


def _usage(usage: tuple[int, int]) -> dict[str, int]:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
