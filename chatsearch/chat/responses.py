"""Small ASGI responses with the headers that every response of ours carries, and plain pages; needs no library."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chatsearch.chat.origins import header

if TYPE_CHECKING:
    from starlette.types import Send

NEVER = "no-store"

COMMON_HEADERS = {
    "x-content-type-options": "nosniff",
    # `no-referrer` would make some browsers send `Origin: null` with our own pages' requests
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cross-origin-opener-policy": "same-origin",
}


async def answer_json(send: Send, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
    await answer(send, status, "application/json", json.dumps({"detail": detail}), headers)


async def answer(send: Send, status: int, content_type: str, text: str, headers: Mapping[str, str] | None = None) -> None:
    """A whole response. `content_type` without a charset: all texts here are UTF-8."""
    body = text.encode()
    fields = {"content-type": f"{content_type}; charset=utf-8", "content-length": str(len(body)), **(headers or {})}
    await send({"type": "http.response.start", "status": status, "headers": raw_headers(fields)})
    await send({"type": "http.response.body", "body": body})


def raw_headers(fields: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in fields.items()]


def secure_headers(policy: str, cache: str) -> dict[str, str]:
    """The headers that every response of ours carries."""
    return {**COMMON_HEADERS, "content-security-policy": policy, "cache-control": cache}


def plain_page(title: str, body: str, *, head: str = "", language: str = "en") -> str:
    """A page without scripts, of our own style. `title` is escaped here; `body` and `head` are HTML already."""
    return f"""<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<link rel="icon" href="/favicon">
<link rel="stylesheet" href="/public/pages.css">
{head}</head>
<body>
<main>{body}</main>
</body>
</html>
"""


def message_page(title: str, text: str, links: Sequence[tuple[str, str]]) -> str:
    """A page that says something, line by line, and links (address, text) to go on with."""
    lines = "".join(f"<p>{html.escape(line)}</p>" for line in text.splitlines() if line.strip())
    ways = "".join(f'<li><a href="{html.escape(address)}">{html.escape(name)}</a></li>' for address, name in links)
    body = f"<h1>{html.escape(title)}</h1>{lines}<ul>{ways}</ul>"
    return plain_page(title, body, head='<meta name="robots" content="noindex">\n')


def wants_html(scope: Mapping[str, Any]) -> bool:
    """Whether a person looks at it in a browser."""
    return scope["method"] in ("GET", "HEAD") and "text/html" in header(scope, b"accept")
