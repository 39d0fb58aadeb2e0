"""Our own pages among Chainlit's: the chat page, a document's page, and answers that the front end asks for."""

from __future__ import annotations

import gzip
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from chatsearch import __version__
from chatsearch.chat.document_page import PAGE_CSP, render_document, render_not_found
from chatsearch.chat.guard import NONCE
from chatsearch.chat.page import ChatPage, built_files
from chatsearch.chat.theme import initial_mode, theme_variables

if TYPE_CHECKING:
    from chatsearch.chat.front import Front
    from chatsearch.spec import Spec


_MEDIA_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css"}


class OurRoute(Route):
    """A route that is not Chainlit's."""


def routes(front: Front) -> list[Route]:
    """What comes before Chainlit's own routes."""
    page = chat_page(front.spec)
    return [
        OurRoute("/", lambda request: _chat(request, page), methods=["GET"]),
        OurRoute("/healthz", lambda _: JSONResponse({"status": "ok", "version": __version__}), methods=["GET"]),
        OurRoute("/assets/{name}", _asset, methods=["GET"]),
        OurRoute("/e/{engine}/documents/{identifier:path}", lambda request: _document(request, front), methods=["GET"]),
        OurRoute("/auth/config", lambda _: _auth_config(front.spec), methods=["GET"]),
        # the front end reports an error when this fails; Chainlit's answer is a cookie that one process does not need
        OurRoute("/set-session-cookie", lambda _: JSONResponse({}), methods=["POST"]),
    ]


def chat_page(spec: Spec) -> ChatPage:
    """The chat page of an engine. Raises ValueError when Chainlit's front end is not as we know it."""
    from chainlit.server import build_dir

    script, style = built_files((Path(build_dir) / "index.html").read_text(encoding="utf-8"))
    about = spec.engine
    return ChatPage(
        script=script,
        style=style,
        title=spec.title,
        description=about.description or about.subtitle,
        language=about.language,
        theme=theme_variables(about.theme.color),
        mode=initial_mode(about.theme.color, about.theme.mode),
    )


def _chat(request: Request, page: ChatPage) -> Response:
    return HTMLResponse(page.render(request.scope[NONCE]))


def _asset(request: Request) -> Response:
    """A file of Chainlit's front end, compressed once: Chainlit compresses its five megabytes for every visitor."""
    from chainlit.server import build_dir

    file = Path(build_dir) / "assets" / request.path_params["name"]  # the guard has seen to it that this is a plain name
    if not file.is_file():
        return JSONResponse({"detail": "Not found"}, 404)
    media_type = _MEDIA_TYPES.get(file.suffix)
    if media_type is None or "gzip" not in request.headers.get("accept-encoding", ""):
        return FileResponse(file, media_type=media_type)
    return Response(_compressed(file), media_type=media_type, headers={"content-encoding": "gzip", "vary": "Accept-Encoding"})


@lru_cache(maxsize=16)
def _compressed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), 6)


def _document(request: Request, front: Front) -> Response:
    headers = {"content-security-policy": PAGE_CSP}
    engine, identifier = request.path_params["engine"], request.path_params["identifier"]
    found = front.documents.find(engine, identifier) if engine == front.engine else None
    if found is None:
        return HTMLResponse(render_not_found(), 404, headers)
    return HTMLResponse(render_document(found, request.query_params), headers=headers)


def _auth_config(spec: Spec) -> Response:
    """As Chainlit has it, but the page may follow the system's light or dark, which its own settings cannot say."""
    from chainlit.auth import get_configuration

    return JSONResponse({**get_configuration(), "default_theme": initial_mode(spec.engine.theme.color, spec.engine.theme.mode)})
