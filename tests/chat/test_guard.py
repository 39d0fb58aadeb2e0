"""The guard before Chainlit: what the chat needs passes, and nothing else; whose pages may talk to it; the headers."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from chatsearch.chat.guard import MAX_BODY, MAX_URL
from chatsearch.chat.origins import Origins
from chatsearch.errors import InputError
from chatsearch.settings import load_settings

POLLING = "/ws/socket.io/?EIO=4&transport=polling"


@pytest.fixture(scope="module")
def http(server: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server, headers={"Origin": server}, timeout=30) as client:
        yield client


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/healthz",
        "/public/pages.css",
        "/public/favicon.svg",
        "/public/elements/Citations.jsx",
        "/project/settings?language=en-US",
        "/project/translations?language=de-DE",
        "/auth/config",
        "/user",
        "/favicon",
        "/logo?theme=light",
        "/avatars/Some%20title",
        POLLING,
    ],
)
def test_what_the_chat_needs_is_answered(http: httpx.Client, path: str) -> None:
    assert http.get(path).status_code == 200


def test_what_chainlit_can_do_besides_is_not_there(http: httpx.Client) -> None:
    allowed = re.compile(
        r"/(|assets/.*|public/.*|project/(settings|translations)|auth/config|user|favicon|logo|avatars/.*|set-session-cookie)"
    )
    tried = 0
    for method, path in _chainlit_routes():
        if not allowed.fullmatch(path):
            answer = http.request(method, path, json={})
            assert (answer.status_code, answer.json()) == (404, {"detail": "Not found"}), f"{method} {path}"
            tried += 1
    assert tried > 25


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/project/file"),
        ("PUT", "/project/element"),
        ("DELETE", "/project/element"),
        ("POST", "/project/action"),
        ("PUT", "/feedback"),
        ("POST", "/mcp"),
        ("POST", "/login"),
        ("GET", "/docs"),
        ("GET", "/openapi.json"),
        ("GET", "/copilot/index.js"),
        ("PUT", "/project/settings"),
        ("GET", "/public/elements/Other.txt"),
        ("GET", "/public/%2e%2e/.chainlit/config.toml"),
        ("GET", "/assets/%2e%2e/index.html"),
        ("GET", "/assets/index.js.map"),
    ],
)
def test_a_request_that_is_not_listed_gets_404(http: httpx.Client, method: str, path: str) -> None:
    assert http.request(method, path).status_code == 404


def test_a_person_at_an_unknown_address_gets_a_page_with_the_way_back(http: httpx.Client) -> None:
    answer = http.get("/thread/1", headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert '<a href="/">' in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_no_cookie_is_set(http: httpx.Client) -> None:
    answers = [http.get("/"), http.get(POLLING), http.post("/set-session-cookie", json={"session_id": "x"})]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert all("set-cookie" not in answer.headers for answer in answers)


def test_another_pages_requests_are_refused_and_our_own_pass(http: httpx.Client) -> None:
    for origin in ("https://evil.example", "null", f"{http.base_url}".rstrip("/") + "0"):
        assert http.post("/set-session-cookie", json={}, headers={"Origin": origin}).status_code == 403
        assert http.get(POLLING, headers={"Origin": origin}).status_code == 403
    assert http.post("/set-session-cookie", json={}).status_code == 200
    assert http.get(POLLING).status_code == 200


def test_a_poll_without_an_origin_passes_unless_the_browser_says_it_comes_from_elsewhere(server: str) -> None:
    assert httpx.get(server + POLLING, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200
    assert httpx.get(server + POLLING).status_code == 200
    assert httpx.get(server + POLLING, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert httpx.post(server + "/set-session-cookie", json={}).status_code == 403


def test_a_chat_can_be_opened_by_polling_alone(http: httpx.Client) -> None:
    opened = json.loads(http.get(POLLING).text.lstrip("0"))
    address = f"{POLLING}&sid={opened['sid']}"
    auth = {"sessionId": str(uuid.uuid4()), "clientType": "webapp", "threadId": ""}
    assert http.post(address, content="40" + json.dumps(auth)).text.lower() == "ok"
    assert http.get(address).text.startswith('40{"sid":')


def test_a_foreign_name_that_points_here_is_refused(http: httpx.Client) -> None:
    assert http.get("/", headers={"Host": "evil.example"}).status_code == 403
    assert http.get("/", headers={"X-Forwarded-Host": "evil.example"}).status_code == 200


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_the_limit_is_refused(http: httpx.Client, chunked: bool) -> None:
    def body(size: int) -> Any:
        return iter([b"x" * 1000] * (size // 1000)) if chunked else b"x" * size

    assert http.post("/set-session-cookie", content=body(MAX_BODY + 1000)).status_code == 413
    assert http.post("/set-session-cookie", content=body(MAX_BODY)).status_code == 200


def test_a_long_address_is_refused(http: httpx.Client) -> None:
    assert http.get("/?x=" + "y" * MAX_URL).status_code == 414
    assert http.get("/?x=" + "y" * (MAX_URL - 100)).status_code == 200


@pytest.mark.parametrize("path", ["/", "/nothing", "/public/pages.css", "/public/missing.css", "/?" + "y" * MAX_URL, POLLING])
def test_every_response_carries_the_security_headers(http: httpx.Client, path: str) -> None:
    headers = http.get(path).headers
    policy = headers["content-security-policy"]
    assert "frame-ancestors 'self'" in policy
    assert "base-uri 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert len(headers.get_list("content-security-policy")) == len(headers.get_list("cache-control")) == 1


def test_no_page_of_another_origin_may_read_an_answer(http: httpx.Client) -> None:
    assert (
        "access-control-allow-origin"
        not in http.get("/project/settings?language=en-US", headers={"Origin": str(http.base_url)[:-1]}).headers
    )


def test_only_hashed_files_that_are_there_are_kept_for_long(http: httpx.Client) -> None:
    script = re.findall(r"/assets/[\w.-]+\.js", http.get("/").text)[0]
    assert (
        "immutable" in http.head(script).headers.get("cache-control", "")
        or "immutable" in http.get(script).headers["cache-control"]
    )
    assert http.get("/assets/missing.js").headers["cache-control"] == "no-store"
    assert http.get("/").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("encoding", ["gzip, br", "identity"])
def test_the_front_end_arrives_whole_compressed_or_not(http: httpx.Client, encoding: str) -> None:
    from chainlit.server import build_dir

    script = re.findall(r"/assets/[\w.-]+\.js", http.get("/").text)[0]
    answer = http.get(script, headers={"Accept-Encoding": encoding})
    assert ("content-encoding" in answer.headers) is ("gzip" in encoding)
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.content == (Path(build_dir) / script.lstrip("/")).read_bytes()


def _scope(**given: Any) -> dict[str, Any]:
    headers = given.pop("headers", {"host": "127.0.0.1:8000"})
    scope = {"type": "http", "method": "GET", "path": "/", "scheme": "http", "server": ("127.0.0.1", 8000), **given}
    return {**scope, "headers": [(name.encode(), value.encode()) for name, value in headers.items()]}


@pytest.mark.parametrize(
    ("host", "server", "ours"),
    [
        ("127.0.0.1:8000", "127.0.0.1", True),
        ("localhost:8000", "127.0.0.1", True),
        ("[::1]:8000", "::1", True),
        ("chat.localhost", "127.0.0.1", True),
        ("192.168.1.5:8000", "127.0.0.1", True),
        ("search.example.org", "127.0.0.1", True),
        ("evil.example:8000", "127.0.0.1", False),
        ("localhost.evil.example", "127.0.0.1", False),
        ("search.example.org.evil.example", "127.0.0.1", False),
        ("", "127.0.0.1", False),
        ("[", "127.0.0.1", False),
        ("anything.example", "10.0.0.7", True),
    ],
)
def test_a_loopback_server_answers_to_its_own_names_and_the_allowed_ones(host: str, server: str, ours: bool) -> None:
    origins = Origins(frozenset({"https://search.example.org"}))
    assert (origins.refusal(_scope(headers={"host": host}, server=(server, 8000))) == "") is ours


@pytest.mark.parametrize(
    ("scheme", "origin", "passes"),
    [
        ("http", "http://127.0.0.1:8000", True),
        ("ws", "http://127.0.0.1:8000", True),
        ("wss", "https://127.0.0.1:8000", True),
        ("http", "https://127.0.0.1:8000", False),
        ("http", "http://127.0.0.1", False),
        ("http", "https://search.example.org", True),
        ("http", "http://search.example.org", False),
        ("http", "https://search.example.org.evil.example", False),
        ("http", "null", False),
    ],
)
def test_an_origin_passes_when_it_is_our_own_or_allowed(scheme: str, origin: str, passes: bool) -> None:
    origins = Origins(frozenset({"https://search.example.org"}))
    kind = "websocket" if scheme.startswith("ws") else "http"
    scope = _scope(type=kind, scheme=scheme, method="POST", headers={"host": "127.0.0.1:8000", "origin": origin})
    assert (origins.refusal(scope) == "") is passes


def test_origins_are_read_from_the_environment_as_browsers_send_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHATSEARCH_ALLOWED_ORIGINS", "https://Search.Example.org:443/, http://[::1]:8000 http://localhost:80")
    settings = load_settings(data_dir=tmp_path)
    assert settings.allowed_origins == ("https://search.example.org", "http://[::1]:8000", "http://localhost")


@pytest.mark.parametrize(
    "text", ["search.example.org", "ftp://x", "https://", "https://x/path", "https://a@x", "https://x:port", "*"]
)
def test_what_is_not_an_origin_is_a_clear_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="allowed_origins"):
        load_settings(data_dir=tmp_path, allowed_origins=[text])


def test_a_websocket_without_an_origin_is_refused() -> None:
    assert Origins().refusal(_scope(type="websocket", scheme="ws", path="/ws/socket.io/"))


def _chainlit_routes() -> Iterator[tuple[str, str]]:
    """Every method and path of Chainlit's own application, with a plain word for each parameter."""
    from chainlit.server import app, router

    for route in [*router.routes, *app.routes]:
        for method in sorted(getattr(route, "methods", None) or ()):
            if method != "HEAD" and type(route).__name__ != "OurRoute":
                path = re.sub(r"\{[^}]+\}", "word", getattr(route, "path", ""))
                yield method, path
