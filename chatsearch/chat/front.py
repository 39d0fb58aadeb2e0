"""The chat of one server: its engine's look, and a talk per browser session."""

from __future__ import annotations

from dataclasses import dataclass, field

import chainlit as cl
from chainlit.types import CommandDict

from chatsearch.chat.document_page import RecentDocuments
from chatsearch.chat.talk import Talk
from chatsearch.commands import COMMANDS
from chatsearch.services import Services
from chatsearch.spec import Spec

_TALK = "talk"
_ICONS = {"search": "search"}


@dataclass
class Front:
    """What app.py hands every event to."""

    services: Services
    spec: Spec
    engine: str
    documents: RecentDocuments = field(default_factory=RecentDocuments)

    def starters(self) -> list[cl.Starter]:
        """The spec's starters: a button on the start screen sends the question."""
        return [cl.Starter(label=starter, message=starter) for starter in self.spec.engine.starters]

    def profiles(self) -> list[cl.ChatProfile]:
        """Exactly one: Chainlit shows its description on the start screen, and no picker."""
        about = self.spec.engine
        text = "\n\n".join(part for part in (f"**{self.spec.title}**", about.subtitle, about.description) if part)
        return [
            cl.ChatProfile(name=self.spec.title, markdown_description=text, icon="/public/favicon.svg", starters=self.starters())
        ]

    async def start(self) -> None:
        """A new chat: commands into the composer's list, an empty talk."""
        cl.user_session.set(_TALK, Talk(self.services, self.spec, self.engine, self.documents))
        commands: list[CommandDict] = [
            {
                "id": name,
                "description": usage,
                "icon": _ICONS.get(name, "slash"),
                "button": False,
                "persistent": False,
                "selected": False,
            }
            for name, usage in COMMANDS.items()
        ]
        await cl.context.emitter.set_commands(commands)

    async def hear(self, message: cl.Message) -> None:
        talk = cl.user_session.get(_TALK)
        if not isinstance(talk, Talk):  # the server was restarted under an open page
            await self.start()
            talk = cl.user_session.get(_TALK)
        assert isinstance(talk, Talk)
        await talk.hear(message.content, message.command)
