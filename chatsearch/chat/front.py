"""The chats of one server: each engine's look, and a talk per browser session with the engine of its URL."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import chainlit as cl
from chainlit.types import CommandDict

from chatsearch.chat.document_page import Found, RecentDocuments
from chatsearch.chat.logo import Logos, logo_problem
from chatsearch.chat.markdown import escape
from chatsearch.chat.memory import Memory, changed, chat_name
from chatsearch.chat.prefix import HERE, Here, here
from chatsearch.chat.talk import Talk
from chatsearch.commands.registry import BY_NAME
from chatsearch.errors import StoreError
from chatsearch.known_engines import KnownEngines
from chatsearch.services import Services
from chatsearch.spec import Spec

if TYPE_CHECKING:
    from chatsearch.store.store import StoredResults

log = logging.getLogger(__name__)

_TALK = "talk"


def _document_in(stored: StoredResults | None, engine: str, identifier: str) -> Found | None:
    if stored is None or stored.engine not in (engine, changed(engine)):
        return None
    ids = [str(one) for one in stored.results.documents["id"]]
    return Found(stored.results, ids.index(identifier)) if identifier in ids else None


@dataclass
class Front:
    """What app.py hands every event to."""

    services: Services
    engines: KnownEngines
    documents: RecentDocuments = field(default_factory=RecentDocuments)
    logos: Logos = field(init=False)

    def __post_init__(self) -> None:
        self.logos = Logos(self.services.settings)

    @property
    def spec(self) -> Spec:
        """The spec of the default engine."""
        return self.engines.default

    @property
    def engine(self) -> str:
        """The id of the default engine."""
        return self.spec.name

    def starters(self) -> list[cl.Starter]:
        """The starters of the request's engine: a button on the start screen sends the question."""
        return [cl.Starter(label=starter, message=starter) for starter in self._requested().spec.engine.starters]

    def profiles(self) -> list[cl.ChatProfile]:
        """Exactly one, of the request's engine: Chainlit shows its description on the start screen, and no picker."""
        asked = self._requested()
        about, title = asked.spec.engine, asked.spec.title
        # a picture in a description would be fetched from elsewhere by whoever opens the page: it becomes a link
        description = about.description.replace("![", "&#33;[")
        text = "\n\n".join(part for part in (f"**{escape(title)}**", escape(about.subtitle), description) if part)
        return [cl.ChatProfile(name=title, markdown_description=text, icon=f"{asked.base}/logo", starters=self.starters())]

    def logo_url(self, spec: Spec) -> str:
        """Where the engine's logo is fetched from; empty when it has none that this server may fetch."""
        url = spec.engine.theme.logo_url
        return "" if logo_problem(url, self.services.settings) else url

    async def start(self) -> None:
        """A new chat: commands into the composer's list, an empty talk."""
        session = cl.context.session
        asked = self._connected(session.environ)
        # a session that comes back under another engine's URL finds nothing of this one's
        memory = Memory(self.services, chat_name(f"{session.id}/{asked.engine}"), asked.engine)
        cl.user_session.set(_TALK, Talk(self.services, asked.spec, asked.engine, self.documents, memory))
        commands: list[CommandDict] = [
            {
                "id": name,
                "description": command.help,
                "icon": command.icon,
                "button": False,
                "persistent": False,
                "selected": False,
            }
            for name, command in BY_NAME.items()
        ]
        await cl.context.emitter.set_commands(commands)

    async def document(self, engine: str, identifier: str, of_set: str = "") -> Found | None:
        """A document as it is in a result set; without one, as a search of the engine found it lately, or the store has it."""
        found = self.documents.find(engine, identifier, of_set)
        if found is not None:
            return found
        try:
            store = await self.services.store()
            if of_set:
                return _document_in(await store.load_results(of_set), engine, identifier)
            kept = await store.find_document(engine, identifier)
        except StoreError as error:
            log.warning("a document was not looked for in the store: %s", error)
            return None
        return Found(kept[0].results, kept[1]) if kept else None

    async def hear(self, message: cl.Message) -> None:
        talk = cl.user_session.get(_TALK)
        if not isinstance(talk, Talk):  # the server was restarted under an open page
            await self.start()
            talk = cl.user_session.get(_TALK)
        assert isinstance(talk, Talk)
        await talk.hear(message.content, message.command)

    def _requested(self) -> Here:
        return here() or self._default()

    def _connected(self, environ: dict[str, object]) -> Here:
        """The engine in whose URL the browser opened its connection."""
        scope = environ.get("asgi.scope")
        opened = scope.get(HERE) if isinstance(scope, dict) else None
        return opened if isinstance(opened, Here) else self._default()

    def _default(self) -> Here:
        return Here(self.engine, "", self.spec)
