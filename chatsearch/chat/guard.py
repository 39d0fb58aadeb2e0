"""Stands before Chainlit: lets through what the chat needs and nothing else, and puts security headers on every response.

Chainlit is archived and will get no more fixes, so this is an allow-list. Everything that is not in `ROUTES`, such as uploads,
elements, actions, feedback, MCP, threads and login, is answered here as if it did not exist.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatsearch.chat.document_page import PAGE_CSP, render_not_found
from chatsearch.chat.origins import SOCKET_PATH, Origins, header
from chatsearch.chat.prefix import ENGINE, is_of_no_engine
from chatsearch.chat.responses import NEVER, answer, answer_json, raw_headers, secure_headers, wants_html

log = logging.getLogger(__name__)

MAX_BODY = 1_000_000  # bytes; what engine.io accepts in one request
MAX_URL = 4096  # bytes of path and query
NONCE = "chatsearch.nonce"  # key in the ASGI scope

FOREVER = "public, max-age=31536000, immutable"  # its name holds a hash of its content
SHORT = "public, max-age=60"
CHECK = "no-cache"


@dataclass(frozen=True)
class Route:
    methods: frozenset[str]
    path: re.Pattern[str]
    cache: str


def _route(methods: str, path: str, cache: str) -> Route:
    return Route(frozenset(methods.split()), re.compile(path), cache)


_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]{1,253}(:\d{1,5})?")
READ = "GET HEAD"
DOCUMENTS = r"/documents/.+"
FEEDBACK = r"/feedback"
ROUTES = (
    _route(READ, r"/", CHECK),
    _route(READ, r"/healthz", NEVER),
    _route(READ, r"/engines", CHECK),
    _route(READ, r"/embed\.js", SHORT),
    _route(READ, r"/spec\.json", CHECK),
    _route(READ, DOCUMENTS, CHECK),
    _route("POST", FEEDBACK, NEVER),
    _route(READ, r"/assets/[\w-][\w.-]*\.(js|mjs|css|svg|png|woff2)", FOREVER),
    _route(READ, r"/public/elements/[A-Za-z]\w*\.jsx", SHORT),
    _route(READ, r"/public/([\w-][\w.-]*\.(css|svg|png|ico)|chatsearch\.js)", SHORT),
    _route(READ, r"/(favicon|logo)", SHORT),
    _route(READ, r"/avatars/[\w .-]{1,100}", SHORT),
    _route("GET", r"/(project/settings|project/translations|auth/config|user)", NEVER),
    _route("POST", r"/set-session-cookie", NEVER),  # ours: sets none
    _route("GET POST", rf"{SOCKET_PATH}/?", NEVER),
)


def content_security_policy(nonce: str, embedded_by: Sequence[str] = ()) -> str:
    """The chat page's policy; `unsafe-eval` since Chainlit compiles the JSX of elements, which only we write, in the page.

    `embedded_by` are origins whose pages may show this one in a frame, beside our own; what is no origin is left out.
    """
    ancestors = " ".join(["'self'", *(one for one in embedded_by if _ORIGIN.fullmatch(one))])
    return "; ".join(
        [
            "default-src 'self'",
            f"script-src 'self' 'nonce-{nonce}' 'unsafe-eval'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors {ancestors}",
        ]
    )


class Guard:
    """ASGI middleware. `origins` says whose pages may talk to us."""

    def __init__(self, app: ASGIApp, origins: Origins) -> None:
        self.app = app
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        nonce = secrets.token_urlsafe(16)
        route = self._route(scope)
        send = _with_headers(send, route.cache if route else NEVER, nonce)
        if _url_bytes(scope) > MAX_URL:
            return await answer_json(send, 414, "The address is too long.")
        if refusal := self._origins.refusal(scope):
            log.warning("refused %s %r: %s", scope["method"], scope["path"][:200], refusal)
            return await answer_json(send, 403, refusal)
        if route is None:
            return await _answer_not_found(scope, send)
        if scope["method"] == "POST":
            body = await _body(scope, receive)
            if body is None:
                return await answer_json(send, 413, "The request is too large.")
            receive = _replayed(body, receive)
        await self.app({**scope, NONCE: nonce}, receive, send)
        return None

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._origins.refusal(scope)
        known = re.fullmatch(rf"{SOCKET_PATH}/?", scope["path"]) and _url_bytes(scope) <= MAX_URL
        if refusal:
            log.warning("refused a websocket: %s", refusal)
        if refusal or not known:
            # before it is accepted: the server answers 403
            await send({"type": "websocket.close", "code": 1008})
            return
        await self.app(scope, receive, send)

    @staticmethod
    def _route(scope: Scope) -> Route | None:
        """What is asked for. A document and a judgement are an engine's, the gallery and the built files are the server's."""
        method, path = scope["method"], scope["path"]
        if is_of_no_engine(path) if ENGINE in scope else re.fullmatch(f"{DOCUMENTS}|{FEEDBACK}", path):
            return None
        return next((route for route in ROUTES if method in route.methods and route.path.fullmatch(path)), None)


async def _answer_not_found(scope: Scope, send: Send) -> None:
    if wants_html(scope):
        await answer(send, 404, "text/html", render_not_found(), {"content-security-policy": PAGE_CSP})
    else:
        await answer_json(send, 404, "Not found")


def _with_headers(send: Send, cache: str, nonce: str) -> Send:
    """Adds our headers to the response; a stricter Content-Security-Policy that it brings stays."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            ours = secure_headers(content_security_policy(nonce), cache if message["status"] < 400 else NEVER)
            theirs = [(name.lower(), value) for name, value in message.get("headers", ())]
            if any(name == b"content-security-policy" for name, _ in theirs):
                ours.pop("content-security-policy")
            replaced = raw_headers(ours)
            names = {name for name, _ in replaced}
            message = {**message, "headers": [*(one for one in theirs if one[0] not in names), *replaced]}
        await send(message)

    return sending


def _url_bytes(scope: Scope) -> int:
    return len(scope.get("raw_path") or scope["path"].encode()) + len(scope.get("query_string", b""))


async def _body(scope: Scope, receive: Receive) -> bytes | None:
    """The body of a request; None when it is larger than MAX_BODY, whatever its Content-Length says."""
    declared = header(scope, b"content-length")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > MAX_BODY:
        return None
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            return None
        if not message.get("more_body"):
            return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What the application receives: the body at once, then what comes."""
    waiting = [body]

    async def receiving() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return receiving
