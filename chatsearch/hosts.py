"""Where the server may connect to: the administrator's list of hosts, and no internal address that is not on it.

A spec comes from anybody, so a URL in it must not lead into the administrator's network. The setting `allowed_hosts` lists
what may be asked; a name is checked before it is used, the addresses behind it when the connection is made.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import os
import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from chatsearch.errors import SourceError

log = logging.getLogger(__name__)

SETTING = "CHATSEARCH_ALLOWED_HOSTS"
SECRET_PREFIX = "CHATSEARCH_SECRET_"  # noqa: S105 - the beginning of a variable's name
WEB_PORTS = (80, 443)
DEFAULT_HOSTS = ("mosaic.ows.eu", "localhost:8008", "127.0.0.1:8008")
"""MOSAIC's public service, and one that runs on this machine."""

_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\]")
_HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")
_SECRET_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_NAT64 = ip_network("64:ff9b::/96")

Address = IPv4Address | IPv6Address


class HostRefusedError(SourceError):
    """Shown to the person who searches: a URL leads where this server may not go; the message names the setting."""

    code = "host-refused"


@dataclass(frozen=True)
class HostRule:
    """One entry of `allowed_hosts`. `host` may be `*` or begin with `*.`; `port` 0 stands for the web's ports, -1 for any."""

    host: str
    port: int = 0

    @classmethod
    def parse(cls, entry: str) -> HostRule:
        """`host`, `host:8000`, `host:*`, `*.example.org`, `*`; IPv6 in brackets. Raises ValueError."""
        text = entry.strip().lower()
        host, port = text, 0
        match = re.fullmatch(r"(\[[^\]]*\]|[^:]*):(\d{1,5}|\*)", text)
        if match:
            host, port = match[1], -1 if match[2] == "*" else int(match[2])
        host = host.strip("[]").rstrip(".")
        name = host.removeprefix("*.")
        if host != "*" and not _is_address(name) and not _HOST_NAME.fullmatch(name):
            raise ValueError(f"“{entry}” is not a host such as search.example.org, localhost:8000, *.example.org or *")
        if port > 65535 or (match and port == 0):
            raise ValueError(f"“{entry}” has no valid port")
        return cls(host, port)

    def names(self, host: str, port: int) -> bool:
        """Whether this rule names the host itself, or the domain it is in."""
        inside = self.host.startswith("*.") and host.endswith(self.host[1:])
        return (host == self.host or inside) and self._has(port)

    def allows(self, host: str, port: int) -> bool:
        """Whether it may be asked; `*` leaves out the ports below 1024 that are no web server's."""
        if self.host == "*":
            return port >= 1024 if self.port == 0 and port not in WEB_PORTS else self._has(port)
        return self.names(host, port)

    def _has(self, port: int) -> bool:
        return self.port == -1 or (port in WEB_PORTS if self.port == 0 else port == self.port)


class AllowedHosts:
    """The hosts that may be asked. Only a host that is named, itself or by its domain, may have an internal address."""

    def __init__(self, entries: Iterable[str] = DEFAULT_HOSTS) -> None:
        self._entries = tuple(entries)
        self._rules = tuple(map(HostRule.parse, self._entries))

    def check(self, url: str) -> SplitResult:
        """The parts of a URL that may be asked. Raises HostRefusedError, which never repeats a path, a query or a password."""
        try:
            parts = urlsplit(url)
            port = _port(parts)
        except ValueError:
            raise HostRefusedError("The URL is not valid. It looks like https://search.example.org/api.") from None
        if parts.scheme not in ("http", "https") or _FORBIDDEN.search(url) or not parts.hostname:
            raise HostRefusedError("The URL is not valid: only http:// and https:// addresses of a host can be asked.")
        if "@" in parts.netloc:
            raise HostRefusedError(
                f"The URL of {parts.hostname} holds a user name or a password. Take it out: a secret stands in the environment "
                f"of the server as {SECRET_PREFIX}NAME, and the step gives its NAME."
            )
        host = plain_host(parts.hostname)
        if not any(rule.allows(host, port) for rule in self._rules):
            raise HostRefusedError(
                f"This server may not ask {shown(host, port)}. Its administrator allows it by adding it to the setting "
                f"allowed_hosts: {self._with(shown(host, port))}"
            )
        return parts

    def _with(self, host: str) -> str:
        """The setting with one more host; what an administrator listed is not shown to whoever wrote the spec."""
        return f"{SETTING}={','.join((*self._entries, host))}" if self._entries == DEFAULT_HOSTS else f"{SETTING}=…,{host}"

    def names(self, url: str) -> bool:
        """Whether the list names the host of `url`, and not only `*`."""
        parts = urlsplit(url)
        return any(rule.names(plain_host(parts.hostname or ""), _port(parts)) for rule in self._rules)

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses to connect to. Raises HostRefusedError for an internal one of a host that is not named; OSError."""
        plain = plain_host(host)
        if not any(rule.allows(plain, port) for rule in self._rules):
            raise HostRefusedError(f"This server may not ask {shown(plain, port)} (setting {SETTING}).")
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
        if not any(rule.names(plain, port) for rule in self._rules):
            _refuse_internal(plain, port, addresses)
        return addresses


def secret(name: str, url: str, hosts: AllowedHosts) -> str:
    """The secret `CHATSEARCH_SECRET_<NAME>` for the host of `url`. Raises HostRefusedError when there is none or it may not go.

    It goes only to the hosts (`host` or `host:port`) of `CHATSEARCH_SECRET_<NAME>_HOST`, or, without that, to a host that
    `allowed_hosts` names: a spec must not be able to send it elsewhere.
    """
    key = name.strip().upper().removeprefix(SECRET_PREFIX)
    variable = SECRET_PREFIX + key
    if not _SECRET_NAME.fullmatch(key) or key.endswith("_HOST"):
        raise HostRefusedError(f"“{name[:40]}” is no name of a secret. It is the NAME of a variable {SECRET_PREFIX}NAME.")
    value = os.environ.get(variable, "").strip()
    if not value:
        raise HostRefusedError(f"The secret {variable} is not set in the environment of the server.")
    if re.search(r"[\x00-\x1f\x7f]", value) or not value.isascii():
        raise HostRefusedError(f"The secret {variable} holds characters that cannot be sent.")
    only_for = os.environ.get(f"{variable}_HOST", "").replace(",", " ").split()
    if not (AllowedHosts(only_for).names(url) if only_for else hosts.names(url)):
        host = urlsplit(url).hostname
        raise HostRefusedError(f"The secret {variable} may not be sent to {host}. Its hosts are named in {variable}_HOST.")
    return value


def without_secrets(text: str) -> str:
    """A text without the secrets of the environment: a server may repeat the key it was sent."""
    names = (name for name in os.environ if name.startswith(SECRET_PREFIX) and not name.endswith("_HOST"))
    for value in (os.environ[name].strip() for name in names):
        forms = (value, value.partition(":")[2], base64.b64encode(value.encode("utf-8", "replace")).decode())
        for form in (one for one in forms if len(one) >= 4):
            text = text.replace(form, "***")
    return text


def plain_host(host: str) -> str:
    """A host's name as the list has it: lower case, ASCII, without a trailing dot."""
    lower = host.strip("[]").rstrip(".").lower()
    try:
        return lower if lower.isascii() else lower.encode("idna").decode("ascii")
    except UnicodeError:
        return lower


def shown(host: str, port: int) -> str:
    """A host in a message, with its port where that is not the web's."""
    name = f"[{host}]" if ":" in host else host
    return name if port in WEB_PORTS else f"{name}:{port}"


def is_internal(address: str) -> bool:
    """Whether an address is of this machine, of a private network, or otherwise not of the public internet."""
    parsed = ip_address(address.split("%")[0])
    return any(not one.is_global or one.is_multicast for one in (parsed, *_embedded(parsed)))


def _refuse_internal(host: str, port: int, addresses: Sequence[str]) -> None:
    internal = [address for address in addresses if is_internal(address)]
    if internal:
        log.warning("%s has the internal address %s and was not asked", host, internal[0])  # not for whoever wrote the spec
        raise HostRefusedError(
            f"{shown(host, port)} has an internal address. Only hosts that the setting allowed_hosts ({SETTING}) names may have "
            "one; “*” names none."
        )


def _embedded(address: Address) -> list[Address]:
    """The IPv4 addresses that an IPv6 address stands for: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, IPv4Address):
        return []
    inner: list[Address | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64:
        inner.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return [one for one in inner if one is not None]


def _port(parts: SplitResult) -> int:
    return parts.port if parts.port is not None else {"http": 80, "https": 443}.get(parts.scheme, 0)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
