"""Engines at their own URLs, in one process: what each request gets, and that nothing of the guard is lost by the prefix."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.chat.prefix import ENGINE, HERE, Gate, Prefix
from chatsearch.known_engines import KnownEngines
from chatsearch.services import Services
from chatsearch.settings import load_settings
from tests.chat.conftest import ChatClient
from tests.chat.saved import in_store, saved

pytestmark = pytest.mark.usefixtures("real_look")

HTML = {"Accept": "text/html"}


def test_the_page_puts_the_engine_before_every_address_and_keeps_the_built_files_at_the_root(http: httpx.Client) -> None:
    for base in ("", "/e/demo"):
        page = http.get(f"{base}/")
        assert page.status_code == 200
        assert f'<meta property="og:root_path" content="{base}">' in page.text
        files = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        assert len([one for one in files if one.startswith("/assets/")]) == 2
        assert [one for one in files if not one.startswith(("/assets/", "/public/"))] == [f"{base}/logo"]


@pytest.mark.parametrize(
    "name", ["nosuch", "demo2", "arts-search-abc123", "%3Cscript%3E", "..", "a%00b", "%F0%9F%8D%8E", "x" * 200]
)
def test_an_unknown_engine_is_a_page_that_says_so(http: httpx.Client, name: str) -> None:
    page = http.get(f"/e/{name}/", headers=HTML)
    if page.status_code != 404:  # the client itself took /e/../ away
        assert page.url.path == "/"
        return
    assert "<script" not in page.text
    assert "Not found" in page.text
    assert 'href="/engines"' in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"
    assert http.get(f"/e/{name}/user").status_code == 404


@pytest.mark.parametrize("path", ["/e/demo", "/e/demo?prompt=a%20b&x=%0d%0a", "/e/%3Cb%3E%20%25"])
def test_an_address_without_its_slash_is_sent_to_the_one_with_it(http: httpx.Client, path: str) -> None:
    answer = http.get(path, follow_redirects=False)
    assert answer.status_code == 307
    assert answer.headers["location"] == re.sub(r"^(/e/[^?]+)", r"\1/", path)
    assert "set-cookie" not in answer.headers
    assert "frame-ancestors" in answer.headers["content-security-policy"]


async def test_the_websocket_of_an_engine_is_open_and_of_an_unknown_or_revoked_one_refused(
    server: str, services: Services
) -> None:
    from socketio.exceptions import ConnectionError as Refused

    gone = await asyncio.to_thread(saved, services)
    await asyncio.to_thread(in_store, services, lambda engines: engines.revoke(gone.id, gone.token))
    good = ChatClient(server, "/e/demo")
    await good.connect()
    await good.send("hello")
    assert await good.answer() == "said: hello"
    await good.close()
    for engine in ("nosuch", gone.id, "demo/x", ""):
        for transport in ("websocket", "polling"):
            client = ChatClient(server, f"/e/{engine}")
            with pytest.raises(Refused):
                await client.connect(transports=(transport,))
            await client._http.close()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/e/demo/engines"),
        ("GET", "/e/demo/healthz"),
        ("GET", "/e/demo/e/demo/"),
        ("GET", "/e/demo//"),
        ("GET", "/e/demo//evil.example/"),
        ("GET", "/e/demo/thread/1"),
        ("GET", "/documents/one"),
        ("POST", "/feedback"),
        ("GET", "/e/demo/feedback"),
        ("PUT", "/e/demo/feedback"),
        ("GET", "/e/demo/openapi.json"),
        ("GET", "/e/demo/public/%2e%2e/.chainlit/config.toml"),
        ("POST", "/e/demo/project/file"),
        ("PUT", "/e/demo/project/element"),
        ("POST", "/e/demo/mcp"),
        ("POST", "/e/demo"),
        ("POST", "/e/demo/"),
        ("GET", "/e//"),
        ("GET", "/e/"),
        ("GET", "/e"),
    ],
)
def test_the_prefix_opens_no_door_that_is_shut_without_it(http: httpx.Client, method: str, path: str) -> None:
    assert http.request(method, path, follow_redirects=True).status_code == 404 or (method, path) == ("POST", "/e/demo")


def test_the_built_files_are_not_served_a_second_time_under_an_engine(http: httpx.Client) -> None:
    script = re.findall(r"/assets/[\w.-]+\.js", http.get("/").text)[0]
    assert http.get(script).status_code == 200
    assert http.get(f"/e/demo{script}").status_code == 404


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_another_pages_requests_are_refused_under_a_prefix_too(http: httpx.Client, origin: str) -> None:
    polling = "/e/demo/ws/socket.io/?EIO=4&transport=polling"
    assert http.get(polling).status_code == 200
    assert http.get(polling, headers={"Origin": origin}).status_code == 403
    assert http.post("/e/demo/set-session-cookie", json={}, headers={"Origin": origin}).status_code == 403
    assert http.get("/e/demo/", headers={"Host": "evil.example"}).status_code == 403


@pytest.mark.parametrize(
    "path", ["/e/demo", "/e/demo/", "/e/demo/nothing", "/e/nosuch/", "/e/nosuch/user", "/engines", "/e/demo/logo"]
)
def test_every_response_carries_the_security_headers(http: httpx.Client, path: str) -> None:
    headers = http.get(path, follow_redirects=False).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert len(headers.get_list("content-security-policy")) == len(headers.get_list("cache-control")) == 1


@pytest.mark.parametrize("header", ["x-engine-id", "chatsearch.engine", "chatsearch.here", "x-forwarded-prefix"])
def test_no_header_of_a_browser_chooses_the_engine(http: httpx.Client, services: Services, header: str) -> None:
    answer = http.get("/e/demo/project/settings", headers={header: saved(services).id})
    assert answer.json()["chatProfiles"][0]["name"] == "Wikipedia sample"


async def test_a_store_that_cannot_be_read_is_told_without_its_place_and_built_in_engines_go_on(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"no database" * 1000)
    services = Services(load_settings(data_dir=tmp_path))
    application = Prefix(Gate(_echo, KnownEngines.open(services, "demo")))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://x") as client:
        answer = await client.get("/e/arts-search-abc123/")
        assert answer.status_code == 503
        assert str(tmp_path) not in answer.text
        assert (await client.get("/e/arts/a")).json() == ["/a", "arts", "Arts Search"]


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_path_has_one_engine_or_none(engine: str, rest: str) -> None:
    scope: dict[str, Any] = {"type": "http", "method": "GET", "path": f"/e/{engine}/{rest}", "headers": []}
    seen: list[tuple[str, str | None]] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope["path"], scope.get(ENGINE)))

    asyncio.run(Prefix(inner)(scope, None, None))  # type: ignore[arg-type]
    found, inside, rest_of_it = f"{engine}/{rest}".partition("/")
    whole = (f"{inside}{rest_of_it}", found) if found else (scope["path"], None)
    assert seen == [whole]


@given(st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), min_size=1, max_size=40), st.binary(max_size=20))
def test_what_an_address_is_sent_to_is_on_this_server_and_one_line(engine: str, query: bytes) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": f"/e/{engine}", "query_string": query, "headers": []}
    asyncio.run(Prefix(_echo)(scope, None, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 307
    location = dict(sent[0]["headers"])[b"location"]
    assert re.fullmatch(rb"/e/[!-~]+/(\?[!-~]*)?", location)
    assert unquote(location.decode().partition("?")[0]) == f"/e/{engine}/"


async def _echo(scope: Any, receive: Any, send: Any) -> None:
    body = json.dumps([scope["path"], scope[HERE].engine, scope[HERE].spec.title]).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})
