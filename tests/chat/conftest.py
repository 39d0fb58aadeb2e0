"""A real chat server in a thread, clients that speak its websocket, and a recorded Chainlit session without a network.

Chainlit is one per process, so all tests here share it. What the server answers is `target.py`, unless CHATSEARCH_TEST_APP names
another file.
"""

from __future__ import annotations

import asyncio
import atexit
import importlib.util
import os
import shutil
import socket
import sys
import tempfile
import threading
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from chatsearch.services import Services

# before Chainlit's first import, which writes there
os.environ["CHAINLIT_APP_ROOT"] = tempfile.mkdtemp(prefix="chatsearch-test-")
atexit.register(shutil.rmtree, os.environ["CHAINLIT_APP_ROOT"], ignore_errors=True)

WAIT = 30  # seconds until a test that waits for an event fails
ENGINE = "demo"


class Recorded(list[tuple[str, Any]]):
    """The events a session was sent."""

    def texts(self) -> list[str]:
        """The texts of the assistant's messages, in their last state."""
        texts = {data["id"]: data["output"] for event, data in self if _is_answer(event, data)}
        return list(texts.values())


class ChatClient:
    """A browser tab: `events` is what it was sent, in order. `prefix` is that of an engine's URL, such as `/e/demo`."""

    def __init__(self, base: str, prefix: str = "") -> None:
        self.base = base
        self.prefix = prefix
        self.session_id = str(uuid.uuid4())
        self.events: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        self.socket: Any = None
        self._http: Any = None

    async def _received(self, event: str, data: Any = None) -> None:
        await self.events.put((event, data))

    async def connect(self, *, origin: str | None = None, transports: tuple[str, ...] = ("websocket",), **auth: Any) -> None:
        import aiohttp
        import socketio

        given = {"sessionId": self.session_id, "clientType": "webapp", "threadId": "", "userEnv": "{}", "chatProfile": "", **auth}
        self.session_id = given["sessionId"]
        self._http = aiohttp.ClientSession(headers={"Origin": self.base if origin is None else origin})
        self.socket = socketio.AsyncClient(reconnection=False, http_session=self._http)
        self.socket.on("*", self._received)
        path = f"{self.prefix}/ws/socket.io"
        await self.socket.connect(self.base, auth=given, transports=list(transports), socketio_path=path, wait_timeout=WAIT)
        await self.socket.emit("connection_successful")

    async def close(self) -> None:
        """As a browser does that starts a new chat."""
        if self.socket.connected:
            await self.socket.emit("clear_session")
            await self.socket.eio.queue.join()  # else this client closes before it has sent
            await self.socket.disconnect()
        await self._http.close()

    async def send(self, text: str, **changed: Any) -> None:
        message = {"id": str(uuid.uuid4()), "name": "User", "type": "user_message", "output": text, **changed}
        await self.socket.emit("client_message", {"message": message, "fileReferences": []})

    async def until(self, wanted: Callable[[str, Any], bool]) -> Any:
        """The data of the next event of that kind; those before it are dropped."""
        async with asyncio.timeout(WAIT):
            while True:
                event, data = await self.events.get()
                if wanted(event, data):
                    return data

    async def answer(self) -> str:
        """The text of the next message of the assistant."""
        return str((await self.until(lambda event, data: event == "new_message" and _is_answer(event, data)))["output"])

    async def done(self) -> None:
        """The server says that it has finished."""
        await self.until(lambda event, _: event == "task_end")


@pytest.fixture(scope="session")
def front(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The chat of the built-in demo engine, set up as app.py does it."""
    from chatsearch import chat
    from chatsearch.services import Services
    from chatsearch.settings import load_settings

    chat.use(Services(load_settings(data_dir=tmp_path_factory.mktemp("data"))), ENGINE)
    return chat.setup()


@pytest.fixture(scope="session")
def server(front: Any) -> Iterator[str]:
    """The base URL of a running server whose chat is the target."""
    import uvicorn
    from chainlit.server import app as chainlit_app
    from fastapi import FastAPI

    _load(Path(os.environ.get("CHATSEARCH_TEST_APP", Path(__file__).parent / "target.py")))
    application = FastAPI(openapi_url=None)
    application.mount("/", chainlit_app)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        running = uvicorn.Server(
            uvicorn.Config(application, lifespan="off", log_config=None, log_level="error", timeout_graceful_shutdown=1)
        )
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        running.should_exit = True
        thread.join(WAIT)


@pytest.fixture(scope="module")
def real_look(front: Any, server: str) -> Iterator[None]:
    """Profiles and starters as app.py gives them; the target of these tests has none."""
    import chainlit as cl
    from chainlit.config import config

    before = config.code.set_chat_profiles, config.code.set_starters

    @cl.set_starters
    async def starters(user: cl.User | None, language: str | None = None) -> list[cl.Starter]:
        return list(front.starters())

    @cl.set_chat_profiles
    async def profiles(user: cl.User | None, language: str | None = None) -> list[cl.ChatProfile]:
        return list(front.profiles())

    yield
    config.code.set_chat_profiles, config.code.set_starters = before


@pytest.fixture(scope="module")
def services(front: Any) -> Services:
    """Those of the server."""
    found: Services = front.services
    return found


@pytest.fixture(scope="module")
def http(server: str) -> Iterator[httpx.Client]:
    """A browser's requests from the server's own page."""
    with httpx.Client(base_url=server, headers={"Origin": server}, timeout=30) as client:
        yield client


@pytest.fixture
def tab(server: str) -> Callable[..., Any]:
    """`async with tab() as client` is a connected browser tab; its arguments are those of `ChatClient.connect`."""

    @asynccontextmanager
    async def opened(**given: Any) -> AsyncIterator[ChatClient]:
        client = ChatClient(server)
        try:
            await client.connect(**given)
            yield client
        finally:
            await client.close()

    return opened


@asynccontextmanager
async def recorded_session() -> AsyncIterator[Recorded]:
    """A real Chainlit session as the current task's; what it is sent is recorded, nothing goes over a network."""
    from chainlit.context import init_ws_context
    from chainlit.session import WebsocketSession

    recorded = Recorded()

    async def emit(event: str, data: Any) -> None:
        recorded.append((event, data))

    async def emit_call(event: str, data: Any, _seconds: int | None) -> None:
        recorded.append((event, data))

    session = WebsocketSession(
        id=str(uuid.uuid4()),
        socket_id=uuid.uuid4().hex,
        emit=emit,  # type: ignore[arg-type]
        emit_call=emit_call,
        user_env={},
        client_type="webapp",
        environ={},
    )
    init_ws_context(session)
    yield recorded
    await session.delete()


@pytest.fixture
async def chat_session(front: Any) -> AsyncIterator[Recorded]:
    """A recorded session for the test."""
    async with recorded_session() as recorded:
        yield recorded


def _is_answer(event: str, data: Any) -> bool:
    return event in ("new_message", "update_message") and data.get("type") == "assistant_message"


def _load(file: Path) -> None:
    spec = importlib.util.spec_from_file_location("chatsearch_test_app", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
