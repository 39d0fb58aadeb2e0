"""What a command declares of itself, once: `/help`, docs/commands.md and the list in the chat are made from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from chatsearch.commands.arguments import UsageError
from chatsearch.commands.reply import Reply
from chatsearch.commands.session import Session
from chatsearch.errors import InputError, SpecError


@dataclass(frozen=True)
class Command:
    """A slash command.

    `changes_spec`: a locked engine refuses it. `shows`: without an argument it changes nothing. `leaves`: it goes to another
    spec rather than changing this one, which is refused only where the whole chat belongs to a locked engine. `perform` takes
    the session and the text after the name. `icon` is a name of the Lucide set.
    """

    name: str
    usage: str
    help: str
    examples: tuple[str, ...]
    perform: Callable[[Session, str], Awaitable[Reply]]
    changes_spec: bool = False
    shows: bool = False
    leaves: bool = False
    icon: str = "slash"

    async def run(self, session: Session, argument: str) -> Reply:
        """The reply. Raises ChatsearchError, and the session is then as it was."""
        if self.changes_spec and not (self.shows and not argument):
            session.check_may_leave() if self.leaves else session.check_unlocked()
        try:
            return await self.perform(session, argument)
        except SpecError as error:
            error.args = (f"Nothing was changed. {error}",)
            raise
        except UsageError as error:
            example = f" Example: {self.examples[0]}" if self.examples else ""
            raise InputError(f"{error}\nUsage: {self.usage}{example}") from None
