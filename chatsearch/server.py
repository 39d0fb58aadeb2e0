"""The one ASGI application: answers at once, loads the chat in the background, then hands everything to it.

`/healthz` tells `starting`, `ok` or `failed`, and whether the models are loaded (`warm`). Nothing heavy is imported here at the
top: the import of Chainlit, of the engine and of the models happens in a thread while people see the waiting page.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import socket
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from chatsearch import __version__
from chatsearch.chat.responses import NEVER, answer, answer_json, secure_headers, wants_html
from chatsearch.chat.waiting import waiting_page, waiting_policy
from chatsearch.errors import ChatsearchError

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import ASGIApp, Receive, Scope, Send

    from chatsearch.services import Services
    from chatsearch.spec import Spec

log = logging.getLogger(__name__)

Status = Literal["starting", "ok", "failed"]
MAX_PACKET = 1_000_000  # bytes of one websocket message
_SHUTDOWN = 1  # seconds that open connections have to end


class Application:
    """An ASGI application. `services` is called in the loading thread; `engine` is a spec's file or name, empty for the
    setting `default_engine`.

    `on_failure` is called, in that thread, when loading failed.
    """

    def __init__(self, services: Callable[[], Services], engine: str = "", on_failure: Callable[[], None] = lambda: None) -> None:
        self._services = services
        self._made: Services | None = None
        self._engine = engine
        self._on_failure = on_failure
        self._chat: ASGIApp | None = None
        self._thread = threading.Thread(target=self._load, name="chatsearch-loading", daemon=True)
        self.status: Status = "starting"
        self.warm = False
        self.title = "chatsearch"
        self.failure: Exception | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http" and scope["path"] == "/healthz":
            await self._health(send)
        elif self._chat is not None:
            await self._chat(scope, receive, send)
        elif scope["type"] == "http":
            await self._wait(scope, send)
        else:
            await send({"type": "websocket.close", "code": 1013})

    def load(self) -> None:
        """Begin to load in the background; the ASGI lifespan does it. A second call does nothing."""
        if self._thread.ident is None:
            self._thread.start()

    @property
    def loading(self) -> bool:
        """Whether the chat or its models are still being loaded."""
        return self._thread.is_alive()

    def _load(self) -> None:
        try:
            services = self._made = self._services()
            spec = self._find_spec(services)
            self.title = spec.title
            self._chat = build_chat(services, self._engine or services.settings.default_engine)
        except ChatsearchError as error:
            log.exception("the chat cannot start")
            self._fail(error)
        except Exception as error:
            log.exception("the chat cannot start")
            self._fail(error)
        else:
            self.status = "ok"
            from chatsearch.warm_up import warm_up

            warm_up(services, spec)
            self.warm = True

    def _find_spec(self, services: Services) -> Spec:
        from chatsearch.engines import find_spec

        return find_spec(self._engine or services.settings.default_engine, services)

    def _fail(self, error: Exception) -> None:
        self.failure, self.status = error, "failed"
        self._on_failure()

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        self.load()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        if self._chat is not None:
            from chatsearch.chat.root import remove_session_files
            from chatsearch.chat.sockets import stop_chats

            await stop_chats(_SHUTDOWN)
            remove_session_files()
        if self._made is not None:
            await self._made.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _health(self, send: Send) -> None:
        text = json.dumps({"status": self.status, "warm": self.warm, "version": __version__})
        headers = secure_headers("default-src 'none'", NEVER)
        await answer(send, 503 if self.status == "failed" else 200, "application/json", text, headers)

    async def _wait(self, scope: Scope, send: Send) -> None:
        nonce = secrets.token_urlsafe(16)
        headers = {**secure_headers(waiting_policy(nonce), NEVER), "retry-after": "1"}
        if wants_html(scope):
            status = 503 if self.failure else 200
            title = self.title if scope["path"] == "/" else "chatsearch"  # that of another engine is not known yet
            await answer(send, status, "text/html", waiting_page(title, nonce, self._told()), headers)
        else:
            await answer_json(send, 503, self._told() or "Starting; try again in a second.", headers)

    def _told(self) -> str:
        """What people are told of a failure: our own message, or that the log has it."""
        if isinstance(self.failure, ChatsearchError):
            return self.failure.message
        return "The log of the server says why." if self.failure else ""


def serve(services: Callable[[], Services], host: str = "127.0.0.1", port: int = 8000, engine: str = "") -> None:
    """Run the server until Ctrl-C or SIGTERM. `services` is called in the loading thread, so that the server answers before.

    Raises ChatsearchError when the port cannot be had, or when the engine, the settings or the data directory are not right.
    """
    import uvicorn

    listening = _listen(host, port)
    _log_warnings()

    def give_up() -> None:
        server.should_exit = isinstance(application.failure, ChatsearchError)

    application = Application(services, engine, on_failure=give_up)
    config = uvicorn.Config(
        application,
        workers=1,
        lifespan="on",
        log_config=None,
        log_level="warning",
        access_log=False,
        ws_max_size=MAX_PACKET,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN,
    )
    server = uvicorn.Server(config)
    with listening, contextlib.suppress(KeyboardInterrupt):
        _say(f"chatsearch is at {_address(host, listening.getsockname()[1])} (Ctrl-C ends it)")
        server.run(sockets=[listening])
    if isinstance(application.failure, ChatsearchError):
        raise application.failure
    if application.loading:  # a model that is loaded in native code would abort the process at its end
        sys.stdout.flush()
        os._exit(0)


def build_chat(services: Services, engine: str) -> FastAPI:
    """Our FastAPI with the chat mounted last at `/`; imports Chainlit, which takes seconds. Once per process."""
    import chatsearch.chat as chat
    from chatsearch.chat.root import prepare_root

    chat.use(services, engine)
    prepare_root(services)  # before Chainlit's first import, which app.py does

    from fastapi import FastAPI

    load_app()

    # Chainlit's own lifespan does not run under a mount: it would end the process with os._exit
    application = FastAPI(title="chatsearch", version=__version__, openapi_url=None, docs_url=None, redoc_url=None)
    application.mount("/", chat.mounted())
    return application


def load_app() -> None:
    """Run app.py, wherever it is, without putting its folder on the import path as Chainlit's own loader does."""
    import importlib.util

    from chatsearch.registry import beside_package

    name = "chatsearch._app"
    spec = importlib.util.spec_from_file_location(name, beside_package("app.py", "_app.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


def _listen(host: str, port: int) -> socket.socket:
    """The listening socket. Raises ChatsearchError."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ChatsearchError(
            f"The server cannot listen on {_address(host, port)} ({reason}). "
            "Is another one running there? Choose another port with --port."
        ) from error


def _address(host: str, port: int) -> str:
    shown = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, host)  # noqa: S104 - compared, not bound
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"


def _log_warnings() -> None:
    """A server's log shows warnings, and errors with their traceback, also where the command line is silent."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    root = logging.getLogger()
    root.setLevel(min(root.level, logging.WARNING))
    # a missing translation is a warning there, at each page
    logging.getLogger("chainlit").setLevel(logging.ERROR)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
