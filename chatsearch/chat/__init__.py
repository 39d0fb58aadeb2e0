"""The chat: what Chainlit shows, and the hardening of Chainlit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.applications import Starlette

    from chatsearch.chat.front import Front
    from chatsearch.chat.origins import Origins
    from chatsearch.services import Services

_given: list[tuple[Services, str]] = []


def use(services: Services, engine: str = "") -> None:
    """Before app.py is loaded: what its chat uses. `engine` is what `find_spec` takes; empty, that of the settings."""
    _given[:] = [(services, engine or services.settings.default_engine)]


def setup() -> Front:
    """Make Chainlit ours: folder, configuration, guard, websocket handlers, our pages; app.py calls it first.

    The same under `chatsearch serve` and under `chainlit run app.py`. Raises ChatsearchError when the engine cannot be had.
    """
    from chatsearch.known_engines import KnownEngines

    services, engine = _given[0] if _given else _from_the_environment()
    engines = KnownEngines.open(services, engine)

    from chatsearch.chat.root import apply_root, prepare_root

    root = prepare_root(services)

    import chainlit.server

    from chatsearch.chat.front import Front
    from chatsearch.chat.origins import Origins
    from chatsearch.chat.sockets import guard_sockets

    apply_root(root, services)
    origins = Origins(frozenset(services.settings.allowed_origins))
    guard_sockets(origins, services.settings.max_query_characters)
    front = Front(services, engines)
    _put_before(chainlit.server.app, front, origins)
    if not _given:
        _warm_up_in_the_background(front)
    return front


def mounted() -> FastAPI:
    """Chainlit's application, after `setup`, to be mounted under ours."""
    import chainlit.server

    return chainlit.server.app


def _put_before(app: Starlette, front: Front, origins: Origins) -> None:
    """Our pages before Chainlit's, and before all what takes off `/e/<id>`, the guard, and what opens the engine.

    When app.py is read again, only the pages are replaced: another default engine takes a new start.
    """
    from starlette.middleware.cors import CORSMiddleware

    from chatsearch.chat.guard import Guard
    from chatsearch.chat.prefix import Gate, Prefix
    from chatsearch.chat.routes import OurRoute, routes

    app.router.routes[:] = [*routes(front), *(route for route in app.router.routes if not isinstance(route, OurRoute))]
    if app.middleware_stack is None:
        # Chainlit's CORS answers to any page when its own configuration is the default one
        replaced: tuple[object, ...] = (CORSMiddleware, Gate, Guard, Prefix)
        others = [one for one in app.user_middleware if one.cls not in replaced]
        app.user_middleware[:] = others
        app.add_middleware(Gate, engines=front.engines)  # the last one added stands outermost
        if origins.allowed:
            app.add_middleware(CORSMiddleware, allow_origins=list(origins.allowed), allow_credentials=True)
        app.add_middleware(Guard, origins=origins)
        app.add_middleware(Prefix)


def _warm_up_in_the_background(front: Front) -> None:
    """What `chatsearch serve` does when the chat is there."""
    import threading

    from chatsearch.warm_up import warm_up

    threading.Thread(target=warm_up, args=(front.services, front.spec), name="chatsearch-warm-up", daemon=True).start()


def _from_the_environment() -> tuple[Services, str]:
    """Under `chainlit run app.py` nobody has given anything."""
    from chatsearch.services import Services
    from chatsearch.settings import load_settings

    services = Services(load_settings())
    return services, services.settings.default_engine
