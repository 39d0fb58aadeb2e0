"""Engines at their own URLs: `/e/<id>/…` is the chat of that engine, for its page, its requests and its websocket alike.

Every request of a chat's page carries the engine in its path: Chainlit's front end puts what the page's `og:root_path` says
before each. `Prefix` stands outermost and takes it off, `Gate` stands behind the guard and opens the engine. What a request asks
for stands in the ASGI scope, which nobody outside can write to.
"""

from __future__ import annotations

import logging
import re
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from chatsearch.chat.document_page import PAGE_CSP
from chatsearch.chat.responses import NEVER, answer, answer_json, message_page, secure_headers, wants_html
from chatsearch.engines import RevokedEngineError, UnknownEngineError
from chatsearch.errors import ChatsearchError, SpecError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from chatsearch.known_engines import KnownEngines
    from chatsearch.spec import Spec

log = logging.getLogger(__name__)

ENGINE = "chatsearch.engine"  # key in the ASGI scope: the id in the URL
HERE = "chatsearch.here"  # key in the ASGI scope: the opened engine

_PREFIX = re.compile(r"/e/([^/]{1,200})(/.*)?", re.DOTALL)
_OF_NO_ENGINE = re.compile(r"/(assets/.*|healthz|engines|embed\.js)", re.DOTALL)


@dataclass(frozen=True)
class Here:
    """The engine that a request is for. `base` is what its URLs begin with: empty at `/`, else `/e/<id>`."""

    engine: str
    base: str
    spec: Spec


_here: ContextVar[Here | None] = ContextVar("chatsearch_here", default=None)


def here() -> Here | None:
    """The engine of the request that is being answered, for Chainlit's handlers that have no session."""
    return _here.get()


def is_of_no_engine(path: str) -> bool:
    """Whether the path is the same for all engines, and stands at the root only."""
    return _OF_NO_ENGINE.fullmatch(path) is not None


def base_of(engine: str) -> str:
    """What the URLs of an engine begin with."""
    return f"/e/{quote(engine, safe='')}"


class Prefix:
    """ASGI middleware: `/e/<id>/rest` becomes `/rest`, and the scope has the id; `/e/<id>` is sent to `/e/<id>/`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match = _PREFIX.fullmatch(scope["path"]) if scope["type"] in ("http", "websocket") else None
        if match is None:
            await self.app(scope, receive, send)
        elif match[2] is None and scope["type"] == "http":
            query = scope.get("query_string", b"").decode("latin-1")
            location = f"{base_of(match[1])}/{'?' if query else ''}{quote(query, safe=_QUERY)}"
            await answer(send, 307, "text/plain", "", {**secure_headers(PAGE_CSP, NEVER), "location": location})
        else:
            # raw_path stays as it was sent: the guard measures it
            await self.app({**scope, "path": match[2] or "", ENGINE: match[1]}, receive, send)


class Gate:
    """ASGI middleware: opens the engine of a request, or says why it cannot be opened."""

    def __init__(self, app: ASGIApp, engines: KnownEngines) -> None:
        self.app = app
        self._engines = engines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or is_of_no_engine(scope["path"]):
            return await self.app(scope, receive, send)
        try:
            opened = await self._open(scope.get(ENGINE, ""))
        except ChatsearchError as error:
            return await _refuse(scope, send, error)
        token = _here.set(opened)
        try:
            await self.app({**scope, HERE: opened}, receive, send)
        finally:
            _here.reset(token)
        return None

    async def _open(self, engine: str) -> Here:
        spec = await self._engines.find(engine)
        return Here(engine or spec.name, base_of(engine) if engine else "", spec)


_QUERY = "!$%&'()*+,-./:;=?@_~"  # what a query may hold as it is


async def _refuse(scope: Scope, send: Send, error: ChatsearchError) -> None:
    """A websocket is closed before it is accepted: the server answers 403."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
        return
    status, title, text = _told(error)
    if wants_html(scope):
        page = message_page(title, text, [("/engines", "All engines"), ("/", "The search of this server")])
        await answer(send, status, "text/html", page, {"content-security-policy": PAGE_CSP})
    else:
        await answer_json(send, status, f"{title}. {text}")


def _told(error: ChatsearchError) -> tuple[int, str, str]:
    """Status, title and text; what is for the administrator goes to the log alone."""
    if isinstance(error, UnknownEngineError):
        return 404, "Not found", f"{error.message} See that the address is complete."
    if isinstance(error, RevokedEngineError):
        return 410, "Engine revoked", error.message
    if isinstance(error, SpecError):
        log.warning("an engine cannot be opened: %s", error)
        return 500, "The engine cannot be opened", error.message
    log.error("an engine was not looked for: %s", error)
    return 503, "The engine cannot be opened just now", "The server cannot read its engines just now. Try again in a minute."
