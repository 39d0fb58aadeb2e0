"""A chat for the tests of the server: it echoes, waits for `go`, and tells what it knows of its session."""

from __future__ import annotations

import asyncio
import threading

import chainlit as cl

go = threading.Event()
stopped: list[str] = []


@cl.on_message
async def message(message: cl.Message) -> None:
    if message.content == "wait":
        await cl.Message("before").send()
        await wait_for_go()
        await cl.Message("after").send()
    elif message.content == "stream":
        answer = cl.Message("")
        await answer.stream_token("one ")
        await wait_for_go()
        await answer.stream_token("two ")
        await wait_for_go()
        await answer.update()
    elif message.content == "session":
        session = cl.context.session
        await cl.Message(
            f"{session.user_env} {session.chat_profile} {message.author} {message.parent_id} {message.metadata}"
        ).send()
    else:
        await cl.Message(f"{message.command or 'said'}: {message.content}").send()


@cl.on_stop
def stop() -> None:
    stopped.append(cl.context.session.id)


async def wait_for_go() -> None:
    await asyncio.to_thread(go.wait, 30)
    go.clear()
