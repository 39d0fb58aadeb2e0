"""The HTTP client against servers that fail, stall, lie, and try to send it elsewhere."""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from chatsearch import http
from chatsearch.hosts import AllowedHosts, HostRefusedError
from chatsearch.http import HttpClient, HttpError, Request, http_client
from chatsearch.http_content import retry_after
from chatsearch.settings import load_settings
from tests.stand_ins.serving import raw_server, serving

HERE = "127.0.0.1:*"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@pytest.fixture
async def client() -> AsyncIterator[HttpClient]:
    made = HttpClient(AllowedHosts([HERE]), 1_000_000)
    yield made
    await made.aclose()


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "BACKOFF", 0.0)


@asynccontextmanager
async def answering(handler: Handler) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    async with serving(app) as url:
        yield url


def soon(seconds: float = 20) -> float:
    return asyncio.get_running_loop().time() + seconds


def replies(*made: web.Response) -> tuple[Handler, list[web.Request]]:
    """A handler that gives these one after another, the last for ever, and what it was asked."""
    asked: list[web.Request] = []

    async def handle(request: web.Request) -> web.Response:
        one = made[min(len(asked), len(made) - 1)]
        asked.append(request)
        return web.Response(status=one.status, body=one.body, headers=one.headers)

    return handle, asked


async def test_an_answer_comes_with_its_own_name_and_no_others(client: HttpClient) -> None:
    handle, asked = replies(web.json_response({"a": "ü"}))
    async with answering(handle) as url:
        answer = await client.send(Request(f"{url}/x", params={"q": "a b&c"}, headers={"X-Key": "k"}), soon())
    assert answer.json() == {"a": "ü"}
    assert asked[0].query["q"] == "a b&c"
    assert asked[0].headers["User-Agent"].startswith("chatsearch/")
    assert asked[0].headers["X-Key"] == "k"
    assert "k" not in repr(Request(url, headers={"X-Key": "k"}).headers.__class__)


async def test_a_body_is_posted_as_json(client: HttpClient) -> None:
    async def echo(request: web.Request) -> web.Response:
        return web.json_response({"method": request.method, "body": await request.json()})

    async with answering(echo) as url:
        answer = await client.send(Request(url, body={"q": "日本"}), soon())
    assert answer.json() == {"method": "POST", "body": {"q": "日本"}}


async def test_cookies_are_not_kept(client: HttpClient) -> None:
    handle, asked = replies(web.Response(headers={"Set-Cookie": "track=1; Path=/"}))
    async with answering(handle) as url:
        for _ in range(2):
            await client.send(Request(url), soon())
    assert all("Cookie" not in request.headers for request in asked)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_passing_faults_are_retried(client: HttpClient, status: int) -> None:
    handle, asked = replies(web.Response(status=status), web.json_response(1))
    async with answering(handle) as url:
        assert (await client.send(Request(url), soon())).json() == 1
    assert len(asked) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
async def test_other_faults_are_not(client: HttpClient, status: int) -> None:
    handle, asked = replies(web.Response(status=status))
    async with answering(handle) as url:
        assert (await client.send(Request(url), soon())).status == status
    assert len(asked) == 1


async def test_retries_end(client: HttpClient) -> None:
    handle, asked = replies(web.Response(status=503))
    async with answering(handle) as url:
        answer = await client.send(Request(url), soon())
    assert (answer.status, len(asked)) == (503, 1 + http.RETRIES)
    assert "127.0.0.1" in str(answer.failure())


async def test_a_wait_longer_than_the_deadline_is_told_and_not_waited(client: HttpClient) -> None:
    handle, asked = replies(web.Response(status=429, headers={"Retry-After": "30"}))
    async with answering(handle) as url:
        answer = await client.send(Request(url), soon(5))
    assert len(asked) == 1
    assert "asks to wait for 30 s" in str(answer.failure("slow down"))


async def test_a_short_wait_is_waited(client: HttpClient) -> None:
    handle, asked = replies(web.Response(status=429, headers={"Retry-After": "0"}), web.json_response(1))
    async with answering(handle) as url:
        assert (await client.send(Request(url), soon())).ok
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7.0), (" 0 ", 0.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None), ("", None), ("-1", None), ("²", None)],
)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after(value) == seconds


async def test_a_server_that_is_down_is_named(client: HttpClient) -> None:
    async with raw_server(_nothing) as url:
        pass
    with pytest.raises(HttpError, match=r"127\.0\.0\.1:\d+ cannot be reached"):
        await client.send(Request(url), soon())


async def test_a_name_that_does_not_exist_is_named() -> None:
    client = HttpClient(AllowedHosts(["nowhere.invalid"]), 1000)
    with pytest.raises(HttpError, match="nowhere.invalid cannot be reached"):
        await client.send(Request("https://nowhere.invalid/"), soon())
    await client.aclose()


async def test_a_deadline_ends_it(client: HttpClient) -> None:
    async def never(request: web.Request) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError

    async with answering(never) as url:
        with pytest.raises(HttpError, match="did not answer in time"):
            await client.send(Request(url), soon(0.2))


async def test_one_that_breaks_off_is_asked_again_and_then_named(client: HttpClient) -> None:
    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")

    async with raw_server(cut) as url:
        with pytest.raises(HttpError, match="broke off"):
            await client.send(Request(url), soon())


async def test_one_that_speaks_something_else_is_named(client: HttpClient) -> None:
    async def redis(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"-ERR unknown command 'GET'\r\n")

    async with raw_server(redis) as url:
        with pytest.raises(HttpError, match="does not speak HTTP"):
            await client.send(Request(url), soon())


class TestRedirects:
    async def sent_to(self, client: HttpClient, target: str, body: object = None) -> str:
        handle, asked = replies(web.Response(status=302, headers={"Location": target}))
        async with answering(handle) as url:
            with pytest.raises(HttpError) as caught:
                await client.send(Request(url, body=body), soon())
        assert len(asked) <= 1 + http.REDIRECTS
        return str(caught.value)

    @pytest.mark.parametrize(
        "target",
        [
            "http://169.254.169.254/latest/",
            "file:///etc/passwd",
            "http://localhost:9200/",
            "//evil.example/",
            "ftp://a/",
        ],
    )
    async def test_off_the_list_is_not_followed(self, client: HttpClient, target: str) -> None:
        assert "elsewhere, which was not followed" in await self.sent_to(client, target)

    async def test_to_what_is_no_address_is_an_error(self, client: HttpClient) -> None:
        assert await self.sent_to(client, "http://[::1")

    async def test_round_and_round_ends(self, client: HttpClient) -> None:
        assert "without an end" in await self.sent_to(client, "/again")

    async def test_a_body_is_sent_nowhere_else(self, client: HttpClient) -> None:
        assert "Give that address" in await self.sent_to(client, "/there", body={"q": 1})

    async def test_within_the_list_it_is_followed_without_the_key(self, client: HttpClient) -> None:
        there, asked = replies(web.json_response("there"))
        async with answering(there) as other:
            here, _ = replies(web.Response(status=301, headers={"Location": f"{other}/x?y=1"}))
            async with answering(here) as url:
                answer = await client.send(Request(url, headers={"Authorization": "Bearer k"}, params={"q": "1"}), soon())
        assert answer.json() == "there"
        assert asked[0].path_qs == "/x?y=1"
        assert "Authorization" not in asked[0].headers


class TestSizes:
    async def refused(self, client: HttpClient, write: Callable[[asyncio.StreamWriter], Awaitable[None]], match: str) -> None:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await write(writer)

        async with raw_server(talk) as url:
            with pytest.raises(HttpError, match=match):
                await client.send(Request(url), soon())

    async def test_a_gigabyte_that_is_announced_is_not_read(self, client: HttpClient) -> None:
        async def write(writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n{")

        await self.refused(client, write, "more than 1 MB.*CHATSEARCH_MAX_ANSWER_BYTES")

    async def test_endless_chunks_end_at_the_limit(self, client: HttpClient) -> None:
        async def write(writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while not writer.is_closing():
                writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
                await writer.drain()

        await self.refused(client, write, "more than 1 MB")

    async def test_a_small_packed_answer_cannot_become_a_huge_one(self, client: HttpClient) -> None:
        bomb = gzip.compress(b"0" * 50_000_000)
        assert len(bomb) < 60_000

        async def write(writer: asyncio.StreamWriter) -> None:
            head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n"
            writer.write(head.encode() + bomb)

        await self.refused(client, write, "more than 1 MB")

    @pytest.mark.parametrize("packing", ["br", "zstd", "gzip, gzip"])
    async def test_other_packings_are_refused(self, client: HttpClient, packing: str) -> None:
        async def write(writer: asyncio.StreamWriter) -> None:
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Encoding: {packing}\r\nContent-Length: 1\r\n\r\nx".encode())

        await self.refused(client, write, "not asked for")

    async def test_endless_headers_end(self, client: HttpClient) -> None:
        async def write(writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\n")
            for number in range(100_000):
                writer.write(b"X-%d: x\r\n" % number)
            await writer.drain()

        await self.refused(client, write, "broke off|does not speak HTTP")

    @pytest.mark.parametrize("packed", [gzip.compress(b"[1]")[:-6], b"no gzip", b""])
    async def test_damaged_packing_is_said(self, client: HttpClient, packed: bytes) -> None:
        handle, _ = replies(web.Response(body=packed, headers={"Content-Encoding": "gzip"}))
        async with answering(handle) as url:
            with pytest.raises(HttpError, match="packed, and"):
                await client.send(Request(url), soon())

    async def test_a_packed_answer_is_unpacked(self, client: HttpClient) -> None:
        handle, _ = replies(web.Response(body=gzip.compress(b"[1]"), headers={"Content-Encoding": "gzip"}))
        async with answering(handle) as url:
            assert (await client.send(Request(url), soon())).json() == [1]


@pytest.mark.parametrize(
    ("content", "kind", "match"),
    [
        (b"<!DOCTYPE html><html><title>Login</title>", "text/html", "a web page instead of JSON"),
        (b"not json", "application/json", "something else instead of JSON"),
        (b"[" * 200_000, "application/json", "something else instead of JSON"),
        (b"\xff\xfe", "application/json", "something else instead of JSON"),
    ],
)
def test_what_is_no_json_is_said(content: bytes, kind: str, match: str) -> None:
    with pytest.raises(HttpError, match=match):
        http.Answer("a.example", 200, kind, content).json()


def test_a_servers_reason_is_one_short_line_without_its_trace() -> None:
    message = str(http.Answer("a.example", 500, "", b"").failure(f"Bad &amp; broken\n\tat java.lang.Foo\n{'x' * 5000}"))
    assert message == "a.example has a fault of its own (HTTP 500): Bad & broken."
    assert len(str(http.Answer("a.example", 404, "", b"").failure("x" * 5000))) < 300


async def test_a_host_off_the_list_is_refused_before_anything_is_sent(client: HttpClient) -> None:
    with pytest.raises(HostRefusedError):
        await client.send(Request("http://169.254.169.254/"), soon())


async def test_the_address_that_was_checked_is_the_one_connected_to() -> None:
    """A name that is public when it is checked and internal when it is used (DNS rebinding) never gets a connection."""
    client = HttpClient(AllowedHosts(["*"]), 1000)
    async with raw_server(_nothing) as url:
        port = url.rsplit(":", 1)[1]
        with pytest.raises(HostRefusedError, match="an internal address"):
            await client.send(Request(f"http://localhost:{port}/"), soon())
    await client.aclose()


async def test_a_certificate_that_is_not_valid_is_said(tmp_path: Path) -> None:
    import ssl

    make = [
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"),
        *("-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")),
    ]
    try:
        await asyncio.to_thread(subprocess.run, make, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not installed")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0, ssl=context)
    client = HttpClient(AllowedHosts([HERE]), 1000)
    with pytest.raises(HttpError, match="no valid certificate: self"):
        await client.send(Request(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"), soon())
    await client.aclose()
    server.close()


async def test_there_is_one_client_per_loop_and_settings(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path)
    one, two = await asyncio.gather(http_client(settings), http_client(settings))
    assert one is two
    assert await http_client(load_settings(data_dir=tmp_path, allowed_hosts=["a.example"])) is not one


def test_it_is_closed_with_its_loop(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, allowed_hosts=[HERE])

    async def use() -> HttpClient:
        handle, _ = replies(web.json_response(1))
        async with answering(handle) as url:
            client = await http_client(settings)
            await client.send(Request(url), soon())
        return client

    first, second = asyncio.run(use()), asyncio.run(use())
    assert first is not second
    assert first._client.is_closed
    assert second._client.is_closed


def test_the_module_is_cheap_to_import() -> None:
    code = "import sys, chatsearch.http; print([one for one in ('httpx', 'certifi', 'anyio') if one in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


async def _nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
