"""The one HTTP client of the process: only to allowed hosts, within a time and a size, retried for passing faults.

Nothing a server answers can make it go elsewhere, remember anything or fill the memory: a redirect is followed to allowed
hosts only, there are no cookies, an answer has a largest size, unpacked too, and TLS is always verified.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal
from urllib.parse import urljoin, urlsplit
from weakref import WeakKeyDictionary

import chatsearch
from chatsearch.errors import SourceError
from chatsearch.hosts import AllowedHosts, shown, without_secrets
from chatsearch.http_content import Packing, PackingError, retry_after
from chatsearch.text import clean

if TYPE_CHECKING:
    import httpx

    from chatsearch.settings import Settings

RETRIES = 2
BACKOFF = 0.2  # seconds before the first retry, doubled for the next
REDIRECTS = 3
USER_AGENT = f"chatsearch/{chatsearch.__version__}"

_PASSING = (429, 502, 503, 504)
_LEFT_FOR_OTHERS = 0.1  # of a source's time: what was found by then can still be made into rows


class HttpError(SourceError):
    """Shown to the person who searches: a server could not be asked. Names its host and the reason, never a key."""

    code = "http"


@dataclass(frozen=True)
class Request:
    """What is asked. `body` is sent as JSON by POST; every request only reads, so that it may be repeated."""

    url: str
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: object = None

    @property
    def method(self) -> Literal["GET", "POST"]:
        return "GET" if self.body is None else "POST"


@dataclass(frozen=True)
class Answer:
    """What came back, whatever its status: the host, the unpacked content, and the seconds it asks to wait (Retry-After)."""

    host: str
    status: int
    content_type: str
    content: bytes = field(repr=False)
    wait: float | None = None

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def json(self) -> object:
        """The content as JSON. Raises HttpError that says what it is instead."""
        try:
            return json.loads(self.content)
        except (ValueError, RecursionError):
            what = "a web page" if b"<html" in self.content[:2000].lower() or "html" in self.content_type else "something else"
            raise HttpError(f"{self.host} answered {what} instead of JSON (HTTP {self.status}). Is the URL right?") from None

    def failure(self, reason: str = "") -> HttpError:
        """The error to raise for a status that is none of success; `reason` is what the server itself gave."""
        said = f": {shortened(reason)}" if reason.strip() else ""
        if self.status == 429:
            wait = "" if self.wait is None else f" for {self.wait:.0f} s"
            return HttpError(f"{self.host} has had too many requests and asks to wait{wait} (HTTP 429){said}.")
        if self.status in (401, 403):
            return HttpError(f"{self.host} refused access (HTTP {self.status}){said}. It needs a key, or another one.")
        fault = "has a fault of its own" if self.status >= 500 else "refused the request"
        return HttpError(f"{self.host} {fault} (HTTP {self.status}){said}.")


class HttpClient:
    """Sends requests over one pool of connections. Belongs to the event loop it was made in: `http_client`."""

    def __init__(self, hosts: AllowedHosts, longest: int) -> None:
        import httpx

        from chatsearch.http_network import checked_transport, no_cookies

        self.hosts = hosts
        self._longest = longest
        self._client = httpx.AsyncClient(
            transport=checked_transport(hosts),
            headers={"User-Agent": USER_AGENT, "Accept": "application/json", "Accept-Encoding": "gzip"},
            cookies=no_cookies(),
            trust_env=False,
        )

    async def aclose(self) -> None:
        await self._client.aclose()

    async def send(self, request: Request, deadline: float) -> Answer:
        """The answer, its status whatever it is, before `deadline` (in the loop's time).

        Retried up to two times: connections that fail, 502, 503, 504, and 429 when the wait it asks for ends before the
        deadline. Raises HttpError (unreachable, late, too large) and HostRefusedError.
        """
        self.hosts.check(request.url)
        host = host_of(request.url)
        try:
            async with asyncio.timeout_at(deadline):
                return await self._with_retries(request, host, deadline)
        except TimeoutError:
            raise HttpError(f"{host} did not answer in time.") from None

    async def _with_retries(self, request: Request, host: str, deadline: float) -> Answer:
        for attempt in range(RETRIES + 1):
            last, wait = attempt == RETRIES, BACKOFF * 2**attempt
            try:
                answer = await self._followed(request)
            except _Passing as error:
                if last:
                    raise HttpError(f"{host} {error}") from None
            else:
                if last or answer.status not in _PASSING:
                    return answer
                wait = wait if answer.wait is None else answer.wait
                if asyncio.get_running_loop().time() + wait >= deadline:
                    return answer
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def _followed(self, request: Request) -> Answer:
        for _ in range(REDIRECTS + 1):
            answer, target = await self._once(request)
            if not target:
                return answer
            request = self._redirected(request, target)
        raise HttpError(f"{host_of(request.url)} sends from one address to the next without an end.")

    def _redirected(self, request: Request, target: str) -> Request:
        """The request where it is sent to. Keys go to the same origin only, bodies nowhere, and never from https to http."""
        host = host_of(request.url)
        try:
            url = urljoin(request.url, target)
            old, new = urlsplit(request.url), self.hosts.check(url)
        except (SourceError, ValueError) as error:
            raise HttpError(f"{host} sends this server elsewhere, which was not followed. {error}") from None
        if request.method == "POST" or (old.scheme == "https" and new.scheme != "https"):
            raise HttpError(f"{host} sends this server to {new.scheme}://{new.netloc}. Give that address as the URL of the step.")
        same = (old.scheme, old.netloc) == (new.scheme, new.netloc)
        return replace(request, url=url, params={}, headers=request.headers if same else {})

    async def _once(self, request: Request) -> tuple[Answer, str]:
        """The answer, and where it redirects to, if it does."""
        import httpx

        host = host_of(request.url)
        try:
            async with self._client.stream(
                request.method,
                request.url,
                params=dict(request.params) or None,
                headers=dict(request.headers),
                json=request.body,
                timeout=None,  # the deadline holds for all of it
                follow_redirects=False,
            ) as response:
                content = await self._content(response, host)
                headers, status = response.headers, response.status_code
                wait = retry_after(headers.get("retry-after", ""))
                answer = Answer(host, status, headers.get("content-type", ""), content, wait)
                return answer, headers.get("location", "") if status in (301, 302, 303, 307, 308) else ""
        except (httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise HttpError(f"The URL of {host} is not valid.") from None
        except httpx.TransportError as error:
            _raise_for(error, host)
        raise AssertionError("a stream gives no exception back")

    async def _content(self, response: httpx.Response, host: str) -> bytes:
        """The whole content, unpacked here so that a small packed answer cannot become a huge one. Raises HttpError."""
        too_large = HttpError(
            f"{host} answered more than {self._longest / 1e6:,.0f} MB, which was not read "
            "(setting CHATSEARCH_MAX_ANSWER_BYTES). Ask for fewer documents."
        )
        announced = response.headers.get("content-length", "0")
        if announced.isdigit() and len(announced) < 20 and int(announced) > self._longest:
            raise too_large
        content = bytearray()
        try:
            packing = Packing(response.headers.get("content-encoding", ""))
            async for chunk in response.aiter_raw():
                content += packing.unpack(chunk, self._longest - len(content) + 1)
                if len(content) > self._longest:
                    raise too_large
            packing.finish()
        except PackingError as error:
            raise HttpError(f"{host} sent an answer that {error}.") from None
        return bytes(content)


async def http_client(settings: Settings) -> HttpClient:
    """The client of this event loop for these settings; it is closed when the loop's asynchronous generators are."""
    loop = asyncio.get_running_loop()
    key = (settings.allowed_hosts, settings.max_answer_bytes)
    if key not in _clients.get(loop, {}):
        await asyncio.to_thread(_load)
    clients = _clients.setdefault(loop, {})
    if key not in clients:
        client = HttpClient(AllowedHosts(settings.allowed_hosts), settings.max_answer_bytes)
        life = _life(client, loop)
        clients[key] = client, life
        await anext(life)  # from now on the loop knows of it, and ends it before it closes
    return clients[key][0]


def deadline_of(settings: Settings) -> float:
    """When a source that starts now should have its answers (in the loop's time), a little before its time limit."""
    return asyncio.get_running_loop().time() + settings.source_timeout * (1 - _LEFT_FOR_OTHERS)


def host_of(url: str) -> str:
    """The host of a URL as messages name it, without anything else of the URL."""
    parts = urlsplit(url)
    return shown(parts.hostname or "?", parts.port or 443)


def shortened(reason: str) -> str:
    """What a server gave as a reason: one line without its stack trace and without our keys, at most 200 characters."""
    line = next((one.strip() for one in without_secrets(clean(reason)).splitlines() if one.strip()), "")
    return (line if len(line) <= 200 else f"{line[:199]}…").rstrip(".")


class _Passing(Exception):  # noqa: N818 - never leaves this file
    """A fault that may be gone at the next attempt."""


_Clients = dict[tuple[tuple[str, ...], int], tuple[HttpClient, AsyncIterator[None]]]
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, _Clients] = WeakKeyDictionary()


def _load() -> None:
    """Imports httpx and reads the certificates, which takes a fifth of a second, away from the event loop."""
    from chatsearch.http_network import tls

    tls()


async def _life(client: HttpClient, loop: asyncio.AbstractEventLoop) -> AsyncIterator[None]:
    try:
        yield
    finally:
        _clients.pop(loop, None)
        await client.aclose()


def _raise_for(error: httpx.TransportError, host: str) -> None:
    """Raises what a failed exchange means: `_Passing` when it may work at the next attempt, else HttpError."""
    import httpx

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise HttpError(f"{host} has no valid certificate: {cause.verify_message}.") from None
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        raise _Passing("cannot be reached. Is it running, and is the URL right?")
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError | httpx.WriteError):
        raise _Passing("broke off its answer, or does not speak HTTP.")
    raise HttpError(f"{host} could not be asked ({type(error).__name__}).") from None
