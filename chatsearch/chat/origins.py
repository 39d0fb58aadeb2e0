"""Decides which web pages may talk to the chat: those of this server, and those of the setting `allowed_origins`.

What is believed: the `Host` header, and the scheme as uvicorn tells it (it takes `X-Forwarded-Proto` from this machine alone, and
nothing takes `X-Forwarded-Host`). Behind a proxy that ends TLS elsewhere or changes `Host`, the public address has to be in
`allowed_origins`. A server that is reached on a loopback address answers to loopback names and IP addresses only, and to the
hosts of `allowed_origins`: a foreign name that was made to point here (DNS rebinding) is refused.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

Scope = Mapping[str, Any]
SOCKET_PATH = "/ws/socket.io"


@dataclass(frozen=True)
class Origins:
    """`allowed` holds origins as browsers send them: `https://search.example.org`, without a path or a default port."""

    allowed: frozenset[str] = frozenset()

    def refusal(self, scope: Scope) -> str:
        """Why this request is refused, for the administrator's log and for the sender; empty when it is not."""
        host = header(scope, b"host")
        if not self._is_our_host(scope, host):
            return f"This server is not known as “{host[:100]}”. Its administrator can add that address to allowed_origins."
        origin = header(scope, b"origin")
        if origin:
            return "" if self._is_our_origin(scope, host, origin) else "Requests from other web pages are not accepted."
        if _changes_something(scope):
            return "A request without an Origin is not accepted."
        # a browser leaves Origin out of a GET to its own page's server; then Sec-Fetch-Site tells
        foreign = scope["path"].startswith(SOCKET_PATH) and header(scope, b"sec-fetch-site") not in ("", "same-origin")
        return "Requests from other web pages are not accepted." if foreign else ""

    def _is_our_origin(self, scope: Scope, host: str, origin: str) -> bool:
        secure = scope["scheme"] in ("https", "wss")
        return origin.lower() in ({f"{'https' if secure else 'http'}://{host.lower()}"} | self.allowed)

    def _is_our_host(self, scope: Scope, host: str) -> bool:
        if not host:
            return False
        server = scope.get("server")
        if not server or not is_loopback(str(server[0])):
            return True
        name = _hostname(host)
        return is_address(name) or is_loopback(name) or name in {_hostname(urlsplit(origin).netloc) for origin in self.allowed}


def header(scope: Scope, name: bytes) -> str:
    """A header of the request; empty when it is not there, or there twice."""
    values = [value for key, value in scope["headers"] if key == name]
    return values[0].decode("latin-1") if len(values) == 1 else ""


def is_loopback(name: str) -> bool:
    """Whether a host name or an address means this machine."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    return is_address(name) and ipaddress.ip_address(name).is_loopback


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _changes_something(scope: Scope) -> bool:
    return scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")


def _hostname(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
