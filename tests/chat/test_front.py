"""What a chat gets from the URL it was opened at: its engine, its profile, its own memory."""

from __future__ import annotations

from typing import Any

import chainlit as cl
import pytest

from chatsearch.chat.front import Front
from chatsearch.chat.memory import chat_name
from chatsearch.chat.prefix import HERE, Here, _here
from chatsearch.chat.talk import Talk
from chatsearch.known_engines import KnownEngines
from chatsearch.spec import Spec
from tests.chat.conftest import Recorded

pytestmark = pytest.mark.usefixtures("chat_session")


def spec(front: Front, title: str = "Second", **top: Any) -> Spec:
    return Spec.load({"title": title, **top, "pipeline": {"1": {"id": "index_datasource"}}}, front.services.registry, "second")


def connected_at(engine: str, opened: Spec) -> None:
    """The browser's connection, as the gate gives it to Chainlit."""
    cl.context.session.environ = {"asgi.scope": {HERE: Here(engine, f"/e/{engine}", opened)}}


async def talk_of(front: Front) -> Talk:
    await front.start()
    talk = cl.user_session.get("talk")
    assert isinstance(talk, Talk)
    return talk


async def test_a_chat_is_with_the_engine_of_its_connection(front: Front, chat_session: Recorded) -> None:
    assert (await talk_of(front)).engine == "demo"  # a connection at `/`
    connected_at("second", spec(front))
    talk = await talk_of(front)
    assert (talk.engine, talk.spec.title) == ("second", "Second")
    names = [command["id"] for event, data in chat_session if event == "set_commands" for command in data]
    assert {"search", "load", "undo"} <= set(names)


async def test_a_chat_that_was_begun_keeps_its_spec_when_the_browser_comes_back(front: Front, chat_session: Recorded) -> None:
    connected_at("second", spec(front))
    talk = await talk_of(front)
    connected_at("second", spec(front, "Updated"))
    await front.hear(cl.Message("/title"))
    assert cl.user_session.get("talk") is talk
    assert talk.spec.title == "Second"


async def test_a_session_under_another_engine_has_a_memory_of_its_own(front: Front) -> None:
    memories = []
    for engine in ("one", "two", "one"):
        connected_at(engine, spec(front))
        memories.append((await talk_of(front)).memory)
    names = [memory.chat for memory in memories if memory]
    assert names[0] == names[2] == chat_name(f"{cl.context.session.id}/one")
    assert names[0] != names[1]


def profile_of(front: Front, **top: Any) -> cl.ChatProfile:
    token = _here.set(Here("second", "/e/second", spec(front, **top)))
    try:
        (profile,) = front.profiles()
    finally:
        _here.reset(token)
    return profile


def test_without_a_request_the_look_is_that_of_the_default_engine(front: Front) -> None:
    assert front.profiles()[0].name == "Wikipedia sample"
    assert len(front.starters()) == 4


def test_a_title_is_shown_as_it_is_and_a_picture_in_a_description_is_a_link(front: Front) -> None:
    profile = profile_of(
        front, title="a*b <i>", description="See ![x](https://evil.example/p.png) and \\![y](https://evil.example)"
    )
    assert "**a\\*b \\<i\\>**" in profile.markdown_description
    assert "![" not in profile.markdown_description
    assert profile.icon == "/e/second/logo"


@pytest.mark.parametrize(("host", "fetched"), [("mosaic.ows.eu", True), ("evil.example", False)])
def test_a_logo_is_fetched_when_its_host_is_allowed(front: Front, host: str, fetched: bool) -> None:
    url = f"https://{host}/logo.png"
    assert front.logo_url(spec(front, theme={"logo_url": url})) == (url if fetched else "")


def test_the_default_engine_is_what_the_front_says_of_itself(front: Front) -> None:
    assert isinstance(front.engines, KnownEngines)
    assert (front.engine, front.spec.title) == ("demo", "Wikipedia sample")
