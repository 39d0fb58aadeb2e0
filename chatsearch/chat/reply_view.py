"""Shows what a command says: one element whose blocks the page draws; everything in them is data to it."""

from __future__ import annotations

import base64
from dataclasses import asdict

import chainlit as cl

from chatsearch.chat.list_props import Props
from chatsearch.commands.reply import (
    Block,
    Changed,
    File,
    Picture,
    Reply,
    Upload,
)

MOST_BYTES = 5_000_000
"""Of a file that goes to the browser within the page."""


async def show_reply(reply: Reply) -> None:
    """A message with the blocks; none for a reply that says nothing."""
    if not reply.blocks:
        return
    element = cl.CustomElement(
        name="Reply", props={"blocks": [block_props(block) for block in reply.blocks]}, url="about:blank", display="inline"
    )
    await cl.Message(content="", elements=[element]).send()


def block_props(block: Block) -> Props:
    """What the element Reply draws of a block; `kind` says how."""
    kind = type(block).__name__.lower()
    match block:
        case Changed():
            return {"kind": kind, "text": str(block)}
        case File():
            return _file(block)
        case Picture(svg, alt):
            return {"kind": kind, "svg": base64.b64encode(svg.encode()).decode("ascii"), "alt": alt}
        case Upload(label, command):
            return {"kind": kind, "label": label, "command": command, "accept": ".json,application/json"}
        case _:
            return {"kind": kind, **asdict(block)}


def _file(file: File) -> Props:
    size = len(file.content)
    if size > MOST_BYTES:
        said = f"{file.name} has {size:,} bytes; at most {MOST_BYTES:,} are sent to a browser. Use `chatsearch search --format`."
        return {"kind": "note", "text": said}
    content = base64.b64encode(file.content).decode("ascii")
    return {"kind": "file", "name": file.name, "type": file.media_type, "size": size, "content": content}
