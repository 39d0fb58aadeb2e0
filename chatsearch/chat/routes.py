"""Our own pages among Chainlit's: the chat page, the gallery, a document's page, and answers that the front end asks for."""

from __future__ import annotations

import asyncio
import gzip
import json
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from chatsearch import __version__
from chatsearch.chat.document_page import PAGE_CSP, render_document, render_not_found
from chatsearch.chat.feedback import take_vote
from chatsearch.chat.gallery import gallery_policy, page_number, render_gallery
from chatsearch.chat.guard import NONCE, content_security_policy
from chatsearch.chat.logo import own_logo
from chatsearch.chat.page import ChatPage, built_files, language_tag
from chatsearch.chat.prefix import HERE, Here
from chatsearch.chat.root import PUBLIC, interface_texts
from chatsearch.chat.theme import initial_mode, theme_variables

if TYPE_CHECKING:
    from chatsearch.chat.front import Front


_MEDIA_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css"}
_PICTURE_POLICY = "default-src 'none'; sandbox"


class OurRoute(Route):
    """A route that is not Chainlit's."""


def routes(front: Front) -> list[Route]:
    """What comes before Chainlit's own routes. Raises ValueError when Chainlit's front end is not as we know it."""
    _built_files()
    return [
        OurRoute("/", _chat, methods=["GET"]),
        OurRoute("/healthz", lambda _: JSONResponse({"status": "ok", "version": __version__}), methods=["GET"]),
        OurRoute("/engines", partial(_gallery, front=front), methods=["GET"]),
        OurRoute("/embed.js", _embed, methods=["GET"]),
        OurRoute("/spec.json", _spec, methods=["GET"]),
        OurRoute("/assets/{name}", _asset, methods=["GET"]),
        OurRoute("/documents/{identifier:path}", partial(_document, front=front), methods=["GET"]),
        OurRoute("/feedback", partial(take_vote, services=front.services), methods=["POST"]),
        OurRoute("/logo", partial(_logo, front=front), methods=["GET"]),
        OurRoute("/auth/config", _auth_config, methods=["GET"]),
        OurRoute("/project/translations", _translations, methods=["GET"]),
        # the front end reports an error when this fails; Chainlit's answer is a cookie that one process does not need
        OurRoute("/set-session-cookie", lambda _: JSONResponse({}), methods=["POST"]),
    ]


def chat_page(here: Here) -> ChatPage:
    """The chat page of an engine."""
    script, style = _built_files()
    about = here.spec.engine
    return ChatPage(
        script=script,
        style=style,
        title=here.spec.title,
        description=about.description or about.subtitle,
        language=about.language,
        theme=theme_variables(about.theme.color),
        mode=initial_mode(about.theme.color, about.theme.mode),
        base=here.base,
    )


def _here(request: Request) -> Here:
    opened: Here = request.scope[HERE]
    return opened


def _chat(request: Request) -> Response:
    opened, nonce = _here(request), request.scope[NONCE]
    policy = content_security_policy(nonce, opened.spec.engine.permissions.embed_origins)
    return HTMLResponse(chat_page(opened).render(nonce), headers={"content-security-policy": policy})


def _embed(request: Request) -> Response:
    """The script that other pages load: public, the same for all engines."""
    return FileResponse(PUBLIC / "embed.js", media_type="text/javascript")


def _spec(request: Request) -> Response:
    """The engine as JSON, to be kept in a file or loaded by another chatsearch."""
    return Response(json.dumps(_here(request).spec.dump(), ensure_ascii=False, indent=2), media_type="application/json")


async def _gallery(request: Request, front: Front) -> Response:
    page, nonce = page_number(request.query_params.get("page", "")), request.scope[NONCE]
    listed = await front.engines.public(page)
    headers = {"content-security-policy": gallery_policy(nonce)}
    return HTMLResponse(render_gallery(listed, page, nonce), headers=headers)


@lru_cache(maxsize=1)
def _built_files() -> tuple[str, str]:
    from chainlit.server import build_dir

    return built_files((Path(build_dir) / "index.html").read_text(encoding="utf-8"))


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


async def _document(request: Request, front: Front) -> Response:
    headers = {"content-security-policy": PAGE_CSP}
    found = await front.document(_here(request).engine, request.path_params["identifier"], request.query_params.get("set", ""))
    if found is None:
        return HTMLResponse(render_not_found(), 404, headers)
    return HTMLResponse(
        await asyncio.to_thread(render_document, found, request.query_params, _here(request).base + "/"), headers=headers
    )


async def _logo(request: Request, front: Front) -> Response:
    """The engine's logo; ours in the engine's colour when it has none that can be had."""
    headers = {"content-security-policy": _PICTURE_POLICY}
    spec = _here(request).spec
    url = front.logo_url(spec)
    picture = await front.logos.get(url) if url else None
    if picture is None:
        return Response(own_logo(spec.engine.theme.color), media_type="image/svg+xml", headers=headers)
    return Response(picture.content, media_type=picture.media_type, headers=headers)


def _auth_config(request: Request) -> Response:
    """As Chainlit has it, but the page may follow the system's light or dark, which its own settings cannot say."""
    from chainlit.auth import get_configuration

    theme = _here(request).spec.engine.theme
    return JSONResponse({**get_configuration(), "default_theme": initial_mode(theme.color, theme.mode)})


def _translations(request: Request) -> Response:
    """The interface in the engine's language, else in the browser's, as far as there are translations."""
    browser = request.query_params.get("language", "")
    return JSONResponse({"translation": interface_texts([_here(request).spec.engine.language, language_tag(browser)])})
