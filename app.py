"""The Chainlit app: one short function per chat event, no logic."""

if __name__ == "__main__":  # `python app.py` is `chatsearch serve`
    from chatsearch.cli import main

    main(["serve"])

import chainlit as cl

from chatsearch.chat import setup

chat = setup()


@cl.set_starters
async def starters(user: cl.User | None, language: str | None = None) -> list[cl.Starter]:
    return chat.starters()


@cl.set_chat_profiles
async def profiles(user: cl.User | None, language: str | None = None) -> list[cl.ChatProfile]:
    return chat.profiles()


@cl.on_chat_start
async def start() -> None:
    await chat.start()


@cl.on_message
async def message(message: cl.Message) -> None:
    await chat.hear(message)
