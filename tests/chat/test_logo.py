"""The logo of an engine: a picture of an allowed host that the server fetches, or none."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import httpx
import pytest
from aiohttp import web

from chatsearch.chat.logo import MAX_BYTES, Logos, Picture, logo_problem
from chatsearch.settings import Settings, load_settings
from tests.stand_ins.serving import serving

PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 20
WEBP = b"RIFF\x04\0\0\0WEBP" + b"x" * 20
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path, allowed_hosts=["logos.example.org", "127.0.0.1:*"])


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", ""),
        ("https://logos.example.org/a.png", ""),
        ("https://127.0.0.1:9000/a.png", ""),
        ("http://logos.example.org/a.png", "takes an https"),
        ("data:image/png;base64,AAAA", "takes an https"),
        ("javascript:alert(1)", "takes an https"),
        ("/logo.png", "takes an https"),
        ("https://evil.example/a.png", "may not ask evil.example"),
        ("https://user:pass@logos.example.org/a.png", "user name or a password"),
        ("https://[", "not valid"),
    ],
)
def test_a_logo_is_of_an_allowed_host_by_https_or_the_reason_is_told(url: str, said: str, settings: Settings) -> None:
    problem = logo_problem(url, settings)
    assert (said in problem) if said else not problem


async def test_pictures_are_fetched_once_and_anything_else_is_none(settings: Settings) -> None:
    asked: list[str] = []
    bodies = {"/a.png": PNG, "/b.webp": WEBP, "/c.svg": SVG, "/d.png": PNG + b"x" * MAX_BYTES, "/e.png": b"<html>"}

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(body=bodies.get(request.path, b""), status=200 if request.path in bodies else 404)

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    async with serving(app) as url:
        logos = Logos(settings)
        found = await asyncio.gather(*(logos.get(f"{url}/a.png") for _ in range(5)))
        assert found == [Picture(PNG, "image/png")] * 5
        assert await logos.get(f"{url}/a.png") == Picture(PNG, "image/png")
        assert asked == ["/a.png"]
        assert await logos.get(f"{url}/b.webp") == Picture(WEBP, "image/webp")
        for path in ("/c.svg", "/d.png", "/e.png", "/f.png"):
            assert await logos.get(url + path) is None
            assert await logos.get(url + path) is None  # remembered, not asked for again
        assert len(asked) == 6


def test_an_engine_without_a_logo_has_ours_in_its_colour_under_a_policy_that_runs_nothing(server: str) -> None:
    answer, other = httpx.get(f"{server}/e/demo/logo?theme=light"), httpx.get(f"{server}/e/arts/logo")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert 'fill="hsl(212,69%,39%)"' in answer.text
    assert re.findall(r'fill="hsl\(39,\d+%,\d+%\)"', other.text)
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
