"""Connections to checked addresses: imported late, since it needs httpx.

A name is looked up once, every address it has is checked, and the connection goes to one of those addresses. Checking first
and letting the library look up the name again would leave a gap between the two answers.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any

import certifi
import httpcore
import httpx

from chatsearch.hosts import AllowedHosts

if TYPE_CHECKING:
    from httpcore import SOCKET_OPTION

CONNECTIONS = 100
KEPT = 20
KEPT_FOR = 30.0  # seconds


class CheckedNetwork(httpcore.AsyncNetworkBackend):
    """Opens connections to the addresses that `hosts` gives for a name."""

    def __init__(self, hosts: AllowedHosts) -> None:
        self._hosts = hosts
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's own signature
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            addresses = await self._hosts.addresses(host, port)
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error
        failed: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed

    async def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        raise httpcore.ConnectError("no sockets of this machine")

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)


def checked_transport(hosts: AllowedHosts) -> httpx.AsyncHTTPTransport:
    """httpx's own transport, with a pool over `CheckedNetwork`; httpx offers no other way to give it one."""
    transport = httpx.AsyncHTTPTransport(verify=tls(), trust_env=False)
    if not isinstance(transport._pool, httpcore.AsyncConnectionPool):  # a changed httpx must not go unchecked
        raise TypeError("this httpx has another kind of pool; chatsearch needs httpx 0.28")
    transport._pool = httpcore.AsyncConnectionPool(
        ssl_context=tls(),
        max_connections=CONNECTIONS,
        max_keepalive_connections=KEPT,
        keepalive_expiry=KEPT_FOR,
        network_backend=CheckedNetwork(hosts),
    )
    return transport


def no_cookies() -> CookieJar:
    """A jar that takes nothing."""
    return CookieJar(policy=DefaultCookiePolicy(allowed_domains=()))


@lru_cache(maxsize=1)
def tls() -> ssl.SSLContext:
    """The system's certificates (SSL_CERT_FILE too), and those of certifi for machines that have none."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context
