"""The server: it answers at once, says what went wrong, ends cleanly, and is the same chat in both ways of running."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from chatsearch.errors import ChatsearchError, InputError
from chatsearch.server import Application, serve
from chatsearch.services import Services
from chatsearch.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
HTML = {"Accept": "text/html"}
WAIT = 120  # seconds until a server that does not start fails its test


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Until it is set, the application is loading."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def starting(release: threading.Event) -> Application:
    def services() -> Services:
        release.wait(WAIT)
        raise ChatsearchError("Never to be served: <b>bold</b>.")

    application = Application(services)
    application.load()
    return application


async def get(application: Application, path: str, headers: dict[str, str] | None = None) -> httpx.Response:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(application), base_url="http://localhost") as client:
        return await client.get(path, headers=headers)


async def test_while_it_loads_it_is_healthy_and_shows_a_waiting_page(starting: Application) -> None:
    health = await get(starting, "/healthz")
    assert (health.status_code, health.json()["status"]) == (200, "starting")
    page = await get(starting, "/", HTML)
    assert page.status_code == 200
    assert "Starting" in page.text
    assert page.headers["cache-control"] == "no-store"
    nonce = re.findall(r'<script nonce="([^"]+)">', page.text)[0]
    assert f"script-src 'nonce-{nonce}'" in page.headers["content-security-policy"]
    assert not re.search(r'(src|href)="(?!data:,")', page.text)  # nothing else has to be fetched


async def test_while_it_loads_programs_are_told_to_come_back(starting: Application) -> None:
    answer = await get(starting, "/project/settings")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert "Starting" in answer.json()["detail"]


async def test_while_it_loads_a_websocket_is_closed_with_try_again_later(starting: Application) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await starting({"type": "websocket", "path": "/ws/socket.io/", "headers": []}, None, send)  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.close", "code": 1013}]


async def test_the_title_of_the_engine_is_escaped(starting: Application) -> None:
    starting.title = "<script>alert(1)</script>"
    text = (await get(starting, "/", HTML)).text
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text


async def test_while_it_loads_the_page_of_an_engine_does_not_have_the_title_of_the_default_one(starting: Application) -> None:
    starting.title = "Arts Search"
    assert "Arts Search" in (await get(starting, "/", HTML)).text
    assert "Arts Search" not in (await get(starting, "/e/other/", HTML)).text


async def test_when_it_cannot_start_the_page_says_what_to_do_and_the_log_has_the_traceback(
    starting: Application, release: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    _finish(starting, release)
    health = await get(starting, "/healthz")
    assert (health.status_code, health.json()["status"]) == (503, "failed")
    page = await get(starting, "/", HTML)
    assert page.status_code == 503
    assert "Never to be served: &lt;b&gt;bold" in page.text
    assert "Traceback" in caplog.text


async def test_an_unexpected_failure_is_told_without_its_details(caplog: pytest.LogCaptureFixture) -> None:
    def services() -> Services:
        raise RuntimeError("the secret path /srv/x")

    application = Application(services)
    application.load()
    _finish(application)
    page = await get(application, "/", HTML)
    assert "secret" not in page.text
    assert "log of the server" in page.text
    assert "the secret path" in caplog.text


def test_a_port_that_is_taken_is_a_clear_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ChatsearchError, match=f"cannot listen on http://127.0.0.1:{port}.*--port"):
            serve(_never, port=port)


def test_a_host_that_is_not_ours_is_a_clear_error() -> None:
    with pytest.raises(ChatsearchError, match="cannot listen"):
        serve(_never, host="203.0.113.1", port=0)


def test_an_engine_that_is_not_there_ends_the_server_with_its_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No spec “nosuch”"):
        serve(lambda: Services(load_settings(data_dir=tmp_path)), port=0, engine="nosuch")


def test_served_it_becomes_the_chat_and_ends_at_ctrl_c_with_a_chat_open(tmp_path: Path) -> None:
    with _running([sys.executable, "-m", "chatsearch.cli", "serve", "--port", "0"], tmp_path) as (process, line):
        base = re.findall(r"http://\S+", line())[0]
        _wait_until_ok(base)
        _is_the_guarded_chat(base)
        with _open_chat(base) as told:
            assert "set_commands" in told
            process.send_signal(signal.SIGINT)
            assert process.wait(WAIT) == 0
        assert not list((tmp_path / "cwd").iterdir())


def test_run_by_chainlit_it_is_the_same_guarded_chat(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "chainlit", "run", str(ROOT / "app.py"), "--headless", "--port", str(port)]
    with _running(command, tmp_path):
        base = f"http://127.0.0.1:{port}"
        _wait_until_ok(base)
        _is_the_guarded_chat(base)
        with _open_chat(base) as told:
            assert "set_commands" in told
        assert (tmp_path / "data" / "chainlit" / "public" / "pages.css").is_file()
        assert not (tmp_path / "cwd" / "public").exists()
        assert not (tmp_path / "cwd" / "chainlit.md").exists()
        assert not (tmp_path / "cwd" / ".files").exists()


@contextmanager
def _running(command: list[str], tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], Callable[[], str]]]:
    """A process in an empty folder, and how to read its next line."""
    (tmp_path / "cwd").mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CHAINLIT")}
    environment |= {"PYTHONPATH": str(ROOT), "CHATSEARCH_DATA_DIR": str(tmp_path / "data")}
    with subprocess.Popen(
        command, cwd=tmp_path / "cwd", env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline
        finally:
            process.terminate()
            process.wait(WAIT)


def _wait_until_ok(base: str) -> None:
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{base}/healthz", timeout=WAIT).json()["status"] == "ok":
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    pytest.fail("the chat did not start")


def _is_the_guarded_chat(base: str) -> None:
    page = httpx.get(base)
    assert "<title>Wikipedia sample</title>" in page.text
    assert "https://" not in page.text
    assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
    assert httpx.get(f"{base}/public/elements/Citations.jsx").status_code == 200
    settings = httpx.get(f"{base}/project/settings?language=en-US").json()
    assert not settings["features"]["spontaneous_file_upload"]["enabled"]
    assert not settings["markdown"]
    assert "footnote" in httpx.get(f"{base}/project/translations?language=en-US").json()["translation"]["chat"]["watermark"]
    own = {"Origin": base}
    for method, path in (("POST", "/project/file"), ("PUT", "/project/element"), ("POST", "/mcp"), ("GET", "/openapi.json")):
        assert httpx.request(method, base + path, headers=own).status_code == 404
    assert httpx.post(f"{base}/set-session-cookie", json={}, headers=own).status_code == 200
    assert httpx.post(f"{base}/set-session-cookie", json={}, headers={"Origin": "https://evil.example"}).status_code == 403
    assert "access-control-allow-origin" not in httpx.get(base, headers={"Origin": base}).headers


@contextmanager
def _open_chat(base: str) -> Iterator[set[str]]:
    """A browser tab in a process of its own, open until the end; with it the names of the events it was sent first."""
    code = (
        "import asyncio, sys, uuid, socketio\n"
        "async def main(base):\n"
        "    client = socketio.AsyncClient(reconnection=False)\n"
        "    def received(event, *data):\n"
        "        print(event, flush=True)\n"
        "    client.on('*', received)\n"
        "    auth = {'sessionId': str(uuid.uuid4()), 'clientType': 'webapp', 'threadId': ''}\n"
        "    path = '/ws/socket.io'\n"
        "    await client.connect(base, auth=auth, headers={'Origin': base}, transports=['websocket'], socketio_path=path)\n"
        "    await client.emit('connection_successful')\n"
        "    await client.wait()\n"
        "asyncio.run(main(sys.argv[1]))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, base], stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        told: set[str] = set()
        for line in client.stdout:
            told.add(line.strip())
            if "set_commands" in told:
                break
        try:
            yield told
        finally:
            client.kill()


def _finish(application: Application, release: threading.Event | None = None) -> None:
    if release:
        release.set()
    application._thread.join(WAIT)
    assert application.status == "failed"


def _never() -> Services:
    raise AssertionError("nothing is loaded when there is no port")
