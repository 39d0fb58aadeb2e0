"""Replaces Chainlit's websocket handlers: a connection is checked, a message is bounded, what was missed is sent again."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from chatsearch.chat.origins import Origins
from chatsearch.chat.replay import Replay

if TYPE_CHECKING:
    from chainlit.session import WebsocketSession

log = logging.getLogger(__name__)

KEPT_EVENTS = frozenset({"connect", "disconnect", "connection_successful", "clear_session", "client_message", "stop"})
CLIENT_TYPES = ("webapp", "copilot")
MAX_PACKET = 1_000_000  # bytes of one websocket message or polling request
MAX_COMMAND = 250_000  # characters; what a command makes of them has its own limits
MAX_SESSIONS = 1000
MAX_ID = 64  # characters

_REPLAY = "_chatsearch_replay"
_ORIGINALS = "_chatsearch_originals"

Handler = Callable[..., Awaitable[Any]]


def guard_sockets(origins: Origins, max_characters: int) -> None:
    """Put our handlers in the place of Chainlit's, and remove the events that the chat does not use. May be called again.

    `max_characters` bounds a message. Chainlit must be imported already.
    """
    from chainlit.server import sio

    sio.eio.max_http_buffer_size = MAX_PACKET
    originals: dict[str, Handler] = getattr(sio, _ORIGINALS, None) or dict(sio.handlers["/"])
    setattr(sio, _ORIGINALS, originals)
    handlers = _Handlers(originals, origins, max_characters)
    sio.handlers["/"] = {event: getattr(handlers, event) for event in KEPT_EVENTS}
    _forget_deleted_sessions()


def connection_problem(auth: object) -> str:
    """What is wrong with the data a browser connects with; empty when nothing is."""
    if not isinstance(auth, Mapping):
        return "no session data"
    if not is_uuid4(auth.get("sessionId")):
        return "the session id is not a UUID"
    if auth.get("threadId") and not is_uuid4(auth.get("threadId")):
        return "the thread id is not a UUID"
    return "" if auth.get("clientType") in CLIENT_TYPES else "the client type is unknown"


def message_problem(payload: object, max_characters: int) -> str:
    """What to tell the person whose message is refused; empty when it is good. A command may hold a whole engine."""
    message = payload.get("message") if isinstance(payload, Mapping) else None
    if not isinstance(message, Mapping) or not is_uuid4(message.get("id")) or not isinstance(message.get("output"), str):
        return "The message could not be read. Reload the page and send it again."
    command = message.get("command")
    if not (command is None or (isinstance(command, str) and len(command) <= MAX_ID)):
        return "The command could not be read. Reload the page and send it again."
    length = len(message["output"])
    most = MAX_COMMAND if command or message["output"].lstrip().startswith("/") else max_characters
    if length > most:
        return f"The message has {length:,} characters; at most {most:,} are read. Shorten it and send it again."
    return ""


def is_uuid4(value: object) -> bool:
    """Whether it is a UUID of version 4 in its canonical form, as browsers make them."""
    if not isinstance(value, str) or len(value) != 36:
        return False
    try:
        parsed = uuid.UUID(value)
    except ValueError:
        return False
    return parsed.version == 4 and str(parsed) == value


class _Handlers:
    """One method per event; the names are those of Chainlit's events."""

    def __init__(self, originals: Mapping[str, Handler], origins: Origins, max_characters: int) -> None:
        self._originals = originals
        self._origins = origins
        self._max_characters = max_characters

    async def connect(self, sid: str, environ: dict[str, Any], auth: object = None) -> Any:
        from chainlit.session import WebsocketSession
        from socketio.exceptions import ConnectionRefusedError as Refused

        problem = self._origins.refusal(environ["asgi.scope"]) or connection_problem(auth)
        if problem:
            log.warning("refused a connection: %s", problem)
            raise Refused("refused")
        assert isinstance(auth, Mapping)
        before = WebsocketSession.get_by_id(auth["sessionId"])
        if before is None and not await _make_room():
            raise Refused("busy")
        if before is not None:
            _replay(before).leave()  # a browser often notices a broken line, and is back, before we notice
        known = {
            "sessionId": auth["sessionId"],
            "threadId": auth.get("threadId") or "",
            "clientType": auth["clientType"],
            "userEnv": None,
            "chatProfile": None,
        }
        accepted = await self._originals["connect"](sid, environ, known)
        if session := WebsocketSession.get(sid):
            _record(session)
        return accepted

    async def connection_successful(self, sid: str) -> None:
        from chainlit.session import WebsocketSession

        session = WebsocketSession.get(sid)
        if session is None:
            return
        replay = _replay(session)
        busy, missed = replay.busy, replay.returned()
        await self._originals["connection_successful"](sid)
        for event, data in missed:
            await session.emit(event, data)
        if busy and session.current_task and not session.current_task.done():
            await session.emit("task_start", {})  # Chainlit said task_end: Stop is shown again

    async def disconnect(self, sid: str, *_reason: object) -> None:
        from chainlit.session import WebsocketSession

        if session := WebsocketSession.get(sid):
            _replay(session).leave()
        await self._originals["disconnect"](sid)

    async def clear_session(self, sid: str, *_: object) -> None:
        """The person begins a new chat. This and the end of the connection, which follows at once, may come in either order."""
        from chainlit.session import WebsocketSession

        await self._originals["clear_session"](sid)
        session = WebsocketSession.get(sid)
        if session and _replay(session).away_since is not None:
            await _delete(session)

    async def client_message(self, sid: str, payload: object = None) -> None:
        from chainlit.session import WebsocketSession

        session = WebsocketSession.get(sid)
        if session is None:
            log.warning("a message came over a connection that has no chat, and was lost")
            return
        problem = message_problem(payload, self._max_characters)
        if not problem and _replay(session).busy:
            problem = "The answer to your last message is still being made. Wait for it, or stop it, then send this again."
        if problem:
            await _tell(session, problem)
            return
        assert isinstance(payload, Mapping)
        _replay(session).busy = True  # at once: a second message may come before the first is begun
        await self._originals["client_message"](sid, {"message": _cleaned(payload["message"]), "fileReferences": None})

    async def stop(self, sid: str, *_: object) -> None:
        """Chainlit's own handler also posts a message, in English."""
        from chainlit.config import config
        from chainlit.context import init_ws_context
        from chainlit.session import WebsocketSession

        session = WebsocketSession.get(sid)
        if session is None:
            return
        init_ws_context(session)
        if session.current_task:
            session.current_task.cancel()
        if config.code.on_stop:
            await config.code.on_stop()


def _cleaned(message: Mapping[str, Any]) -> dict[str, Any]:
    """Of what the browser says of its message, only what it may decide."""
    return {
        "id": message["id"],
        "threadId": "",
        "parentId": None,
        "name": "User",
        "type": "user_message",
        "output": message["output"],
        "command": message.get("command"),
        "createdAt": None,
        "metadata": {},
    }


async def _tell(session: WebsocketSession, problem: str) -> None:
    from chainlit.context import init_ws_context
    from chainlit.message import ErrorMessage

    init_ws_context(session)
    await ErrorMessage(content=problem).send()


def _replay(session: WebsocketSession) -> Replay:
    replay: Replay = session.__dict__.setdefault(_REPLAY, Replay())
    return replay


def _record(session: WebsocketSession) -> None:
    """Every event of this session passes its Replay; Chainlit gives the session a new `emit` at each connection."""
    replay, emit = _replay(session), session.emit

    def recording(event: str, data: Any) -> Any:
        replay.record(event, data)
        return emit(event, data)

    session.emit = recording


async def _make_room() -> bool:
    """Whether one more session may begin; the one that has been away longest makes room."""
    from chainlit.session import ws_sessions_id

    if len(ws_sessions_id) < MAX_SESSIONS:
        return True
    away = [(since, session) for session in ws_sessions_id.values() if (since := _replay(session).away_since) is not None]
    if not away:
        log.warning("refused a connection: %s sessions are open", len(ws_sessions_id))
        return False
    await _delete(min(away, key=lambda pair: pair[0])[1])
    return True


async def stop_chats(seconds: float) -> None:
    """The tasks of all chats are cancelled, so that what runs in threads ends at its next batch; waits so long at most."""
    from chainlit.session import ws_sessions_id

    tasks = [task for session in list(ws_sessions_id.values()) if (task := session.current_task) and not task.done()]
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)


async def _delete(session: WebsocketSession) -> None:
    from chainlit.user_session import user_sessions

    user_sessions.pop(session.id, None)
    await session.delete()


def _forget_deleted_sessions() -> None:
    """Chainlit keeps the messages of deleted sessions for ever, and lets their task run on."""
    from chainlit.chat_context import chat_contexts
    from chainlit.session import WebsocketSession

    delete = getattr(WebsocketSession.delete, _ORIGINALS, WebsocketSession.delete)

    async def deleting(self: WebsocketSession) -> None:
        task = self.current_task
        if task and not task.done() and task is not asyncio.current_task():
            task.cancel()
        await delete(self)
        chat_contexts.pop(self.id, None)

    setattr(deleting, _ORIGINALS, delete)
    WebsocketSession.delete = deleting  # type: ignore[method-assign]
