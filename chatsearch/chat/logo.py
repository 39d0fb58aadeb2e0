"""The logo of an engine: a picture of an allowed host, fetched by the server, so that no visitor's browser asks anybody else."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from chatsearch.chat.theme import DEFAULT_COLOR, color_problem, theme_variables
from chatsearch.errors import SourceError
from chatsearch.hosts import AllowedHosts

if TYPE_CHECKING:
    from chatsearch.settings import Settings
    from chatsearch.spec import Spec

log = logging.getLogger(__name__)

MAX_BYTES = 300_000
KEPT_SECONDS = 3600
FAILED_SECONDS = 60

_MOST_KEPT = 50
_KINDS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


def logo_problem(url: str, settings: Settings) -> str:
    """Why the chat shows no logo from this URL; empty when it does, or when there is none."""
    if not url:
        return ""
    if not url.lower().startswith("https://"):
        return "The logo is not shown: theme.logo_url takes an https:// address of a PNG, JPEG, GIF or WebP picture."
    try:
        AllowedHosts(settings.allowed_hosts).check(url)
    except SourceError as error:
        return f"The logo is not shown. {error}"
    return ""


def look_problems(spec: Spec, settings: Settings) -> list[str]:
    """What of an engine's colour and logo is not shown as its spec says: for whoever writes it."""
    theme = spec.engine.theme
    return [problem for problem in (color_problem(theme.color), logo_problem(theme.logo_url, settings)) if problem]


def own_logo(color: str) -> str:
    """Our sign as SVG, in the colour that the engine's page has in its light mode."""
    primary = theme_variables(color)["light"]["--primary"].replace(" ", ",")
    return _own_sign().replace(DEFAULT_COLOR, f"hsl({primary})")


@lru_cache(maxsize=1)
def _own_sign() -> str:
    return (Path(__file__).parent / "public" / "favicon.svg").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Picture:
    """An image whose kind its first bytes tell; SVG is none, since it can hold scripts."""

    content: bytes
    media_type: str


@dataclass
class Logos:
    """The logos that a process fetched lately; one that failed is asked for again after a minute."""

    settings: Settings
    _kept: OrderedDict[str, tuple[float, Picture | None]] = field(default_factory=OrderedDict)
    _fetching: dict[str, asyncio.Task[Picture | None]] = field(default_factory=dict)

    async def get(self, url: str) -> Picture | None:
        """The picture, or None when it cannot be had: the log says why."""
        until, picture = self._kept.get(url, (0.0, None))
        if time.monotonic() < until:
            return picture
        if url not in self._fetching:  # many visitors of a new engine are one request
            self._fetching[url] = asyncio.create_task(self._fetched(url))
        return await asyncio.shield(self._fetching[url])

    async def _fetched(self, url: str) -> Picture | None:
        try:
            picture = await self._fetch(url)
        except SourceError as error:
            log.warning("a logo was not fetched: %s", error)
            picture = None
        finally:
            self._fetching.pop(url, None)
        self._kept[url] = time.monotonic() + (KEPT_SECONDS if picture else FAILED_SECONDS), picture
        self._kept.move_to_end(url)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return picture

    async def _fetch(self, url: str) -> Picture | None:
        from chatsearch.http import Request, deadline_of, http_client

        client = await http_client(self.settings)
        answer = await client.send(Request(url, headers={"Accept": "image/*"}), deadline_of(self.settings))
        if not answer.ok:
            raise answer.failure()
        media_type = _media_type(answer.content)
        if not media_type or len(answer.content) > MAX_BYTES:
            log.warning("the logo of %s is no picture of at most %d bytes", answer.host, MAX_BYTES)
            return None
        return Picture(answer.content, media_type)


def _media_type(content: bytes) -> str:
    """The kind of picture that its first bytes tell; empty for anything else."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _KINDS.items() if content.startswith(start)), "")
