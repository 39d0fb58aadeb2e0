"""The websocket side: who may connect, what a browser may send, Stop, and what arrives after a broken line."""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from socketio.exceptions import ConnectionError as Refused

from chatsearch.chat import sockets
from chatsearch.chat.sockets import KEPT_EVENTS, MAX_PACKET, connection_problem, is_uuid4, message_problem

# every event that Chainlit 2.12.0 listens to: an unknown one has to be looked at before it is let in
CHAINLIT_EVENTS = KEPT_EVENTS | {
    "edit_message",
    "message_favorite",
    "fetch_favorites",
    "window_message",
    "audio_start",
    "audio_chunk",
    "audio_end",
    "chat_settings_change",
    "chat_settings_edit",
}
BAD_IDS = [
    "",
    "x",
    "../x",
    "A" * 36,
    str(uuid.uuid1()),
    str(uuid.uuid4()).upper(),
    f"{{{uuid.uuid4()}}}",
    f"{uuid.uuid4()} ",
    None,
    7,
    ["x"],
]


@pytest.mark.parametrize("transports", [("websocket",), ("polling", "websocket")])
async def test_a_browser_connects_and_is_answered(tab: Any, transports: tuple[str, ...]) -> None:
    async with tab(transports=transports) as client:
        await client.send("hello")
        assert await client.answer() == "said: hello"


@pytest.mark.parametrize("transports", [("websocket",), ("polling",)])
@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
async def test_another_pages_connection_is_refused(tab: Any, transports: tuple[str, ...], origin: str) -> None:
    with pytest.raises(Refused):
        async with tab(origin=origin, transports=transports):
            pass


@pytest.mark.parametrize(
    "auth",
    [
        *({"sessionId": one} for one in BAD_IDS),
        *({"threadId": one} for one in BAD_IDS if one),
        {"clientType": "slack"},
        {"clientType": None},
    ],
)
async def test_a_bad_id_is_refused(tab: Any, auth: dict[str, object]) -> None:
    from chainlit.session import ws_sessions_id

    before = set(ws_sessions_id)
    with pytest.raises(Refused):
        async with tab(**auth):
            pass
    assert set(ws_sessions_id) == before


@pytest.mark.parametrize("identifier", BAD_IDS)
def test_only_a_uuid_of_version_4_in_canonical_form_is_an_id(identifier: object) -> None:
    assert not is_uuid4(identifier)
    assert is_uuid4(str(uuid.uuid4()))


@pytest.mark.parametrize("auth", [None, [], "x", 1])
def test_connection_data_of_another_kind_is_refused(auth: object) -> None:
    assert connection_problem(auth)


async def test_a_thread_id_that_is_a_uuid_passes(tab: Any) -> None:
    async with tab(threadId=str(uuid.uuid4())) as client:
        await client.send("hello")
        assert await client.answer() == "said: hello"


async def test_what_a_browser_says_of_itself_is_dropped(tab: Any) -> None:
    async with tab(userEnv='{"KEY": "x"}', chatProfile="other") as client:
        await client.send("session", name="Somebody", parentId="x", metadata={"a": 1}, type="assistant_message")
        assert await client.answer() == "{} None User None {}"


async def test_a_picked_command_arrives(tab: Any) -> None:
    async with tab() as client:
        await client.send("Tesla", command="search")
        assert await client.answer() == "search: Tesla"


def test_chainlit_has_no_event_that_we_do_not_know(front: Any) -> None:
    from chainlit.server import sio

    assert set(getattr(sio, sockets._ORIGINALS)) == CHAINLIT_EVENTS
    assert set(sio.handlers) == {"/"}
    assert set(sio.handlers["/"]) == KEPT_EVENTS


async def test_events_that_the_chat_does_not_use_do_nothing(tab: Any) -> None:
    async with tab() as client:
        for event in sorted(CHAINLIT_EVENTS - KEPT_EVENTS):
            await client.socket.emit(event, {"message": {"id": str(uuid.uuid4()), "output": "x"}})
        await client.send("hello")
        answers = [await client.answer()]
        await client.done()
        answers += [data["output"] for event, data in _rest(client) if event == "new_message"]
        assert answers == ["said: hello"]


async def test_a_message_that_is_too_long_is_refused_and_the_person_told(tab: Any, front: Any) -> None:
    limit = front.services.settings.max_query_characters
    async with tab() as client:
        await client.send("x" * (limit + 1))
        told = await client.until(lambda event, data: event == "new_message" and data["isError"])
        assert f"at most {limit:,}" in told["output"]
        await client.send("x" * limit)
        assert await client.answer() == "said: " + "x" * limit


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        {},
        {"message": None},
        {"message": {"id": "x", "output": "hi"}},
        {"message": {"id": str(uuid.uuid4()), "output": 7}},
        {"message": {"id": str(uuid.uuid4()), "output": "hi", "command": ["x"]}},
        {"message": {"id": str(uuid.uuid4()), "output": "hi", "command": "x" * 1000}},
    ],
)
async def test_a_message_of_another_shape_is_refused_and_the_person_told(tab: Any, payload: object) -> None:
    assert message_problem(payload, 100)
    async with tab() as client:
        await client.socket.emit("client_message", payload)
        assert "Reload" in (await client.until(lambda event, data: event == "new_message" and data["isError"]))["output"]
        await client.send("hello")
        assert await client.answer() == "said: hello"


async def test_a_packet_over_the_limit_ends_the_connection_and_the_server_lives_on(tab: Any) -> None:
    client_gone = asyncio.Event()
    async with tab() as client:
        client.socket.on("disconnect", lambda *_: client_gone.set())
        await client.send("x" * (MAX_PACKET + 1))
        await asyncio.wait_for(client_gone.wait(), 30)
    async with tab() as another:
        await another.send("hello")
        assert await another.answer() == "said: hello"


async def test_a_second_message_waits_its_turn(tab: Any, go: Callable[[], None]) -> None:
    async with tab() as client:
        await client.send("wait")
        assert await client.answer() == "before"
        await client.send("too early")
        told = await client.until(lambda event, data: event == "new_message" and data["isError"])
        assert "stop it" in told["output"]
        go()
        assert await client.answer() == "after"
        await client.done()
        await client.send("now")
        assert await client.answer() == "said: now"


async def test_two_chats_do_not_wait_for_each_other(tab: Any, go: Callable[[], None]) -> None:
    async with tab() as one, tab() as other:
        await one.send("wait")
        assert await one.answer() == "before"
        await other.send("hello")
        assert await other.answer() == "said: hello"
        go()
        assert await one.answer() == "after"


async def test_stop_stops_without_a_message_of_chainlits(tab: Any, stopped: list[str]) -> None:
    async with tab() as client:
        await client.send("wait")
        assert await client.answer() == "before"
        await client.socket.emit("stop")
        await client.done()
        await client.send("hello")
        assert await client.answer() == "said: hello"
        assert stopped == [client.session_id]


async def test_what_was_sent_while_the_browser_was_away_arrives_on_its_return(
    tab: Any, go: Callable[[], None], server: str
) -> None:
    async with tab() as first:
        await first.send("wait")
        assert await first.answer() == "before"
        await first.socket.disconnect()
        await _until(lambda: _away(first.session_id))
        go()
        await _until(lambda: _finished(first.session_id))
        async with tab(sessionId=first.session_id) as back:
            answers = [await back.answer(), await back.answer()]
            assert answers == ["before", "after"]  # the page knows the first, and takes it as a change


async def test_a_browser_that_is_back_before_the_break_was_noticed_gets_what_it_missed(tab: Any) -> None:
    async with tab() as first:
        await first.send("hello")
        await first.answer()
        async with tab(sessionId=first.session_id) as back:
            assert await back.answer() == "said: hello"


async def test_a_text_that_streamed_while_the_browser_was_away_is_whole_on_its_return(tab: Any, go: Callable[[], None]) -> None:
    async with tab() as first:
        await first.send("stream")
        await first.until(lambda event, _: event == "stream_start")
        await first.socket.disconnect()
        await _until(lambda: _away(first.session_id))
        go()
        await _until(lambda: _remembers(first.session_id, "one two "))
        async with tab(sessionId=first.session_id) as back:
            assert await back.answer() == "one two "
            await back.until(lambda event, _: event == "task_start")  # Stop is there again
            go()
            await back.done()


async def test_nothing_is_kept_of_a_chat_that_was_closed(tab: Any) -> None:
    from chainlit.chat_context import chat_contexts
    from chainlit.session import ws_sessions_id

    async with tab() as client:
        await client.send("hello")
        await client.answer()
        assert client.session_id in chat_contexts
    await _until(lambda: client.session_id not in ws_sessions_id)
    await _until(lambda: client.session_id not in chat_contexts)


async def test_when_it_is_full_the_chat_away_longest_makes_room_and_an_open_one_never(
    tab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chainlit.session import ws_sessions_id

    for session in list(ws_sessions_id.values()):
        await session.delete()
    async with tab() as first:
        await first.socket.disconnect()
        await _until(lambda: _away(first.session_id))
        monkeypatch.setattr(sockets, "MAX_SESSIONS", len(ws_sessions_id))
        async with tab() as second:
            assert first.session_id not in ws_sessions_id
            with pytest.raises(Refused):
                async with tab():
                    pass
            await second.send("hello")
            assert await second.answer() == "said: hello"


@pytest.fixture
def go(server: str) -> Callable[[], None]:
    """Lets a waiting answer of the target go on."""
    return _target("go").set  # type: ignore[no-any-return]


@pytest.fixture
def stopped(server: str) -> list[str]:
    """The sessions whose on_stop was called."""
    sessions: list[str] = _target("stopped")
    sessions.clear()
    return sessions


def _target(name: str) -> Any:
    return getattr(sys.modules["chatsearch_test_app"], name)


def _replay(session_id: str) -> Any:
    from chainlit.session import ws_sessions_id

    return getattr(ws_sessions_id[session_id], sockets._REPLAY)


def _away(session_id: str) -> bool:
    return _replay(session_id).away_since is not None


def _finished(session_id: str) -> bool:
    return not _replay(session_id).busy


def _remembers(session_id: str, text: str) -> bool:
    return any(sent.data.get("output") == text for sent in _replay(session_id)._sent.values() if isinstance(sent.data, dict))


def _rest(client: Any) -> list[tuple[str, Any]]:
    return [client.events.get_nowait() for _ in range(client.events.qsize())]


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - the server is another thread
            await asyncio.sleep(0.01)
