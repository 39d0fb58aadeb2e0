"""The commands that search, go back to earlier results, and begin anew."""

from __future__ import annotations

from chatsearch.commands.arguments import UsageError, step_number
from chatsearch.commands.command import Command
from chatsearch.commands.reply import Offer, Reply, say, table
from chatsearch.commands.session import Session
from chatsearch.commands.view import ListView
from chatsearch.pipeline import checked_query


async def _search(session: Session, argument: str) -> Reply:
    if not argument:
        raise UsageError("What to look for is missing.")
    return Reply(search=checked_query(argument, session.services.settings.max_query_characters))


async def _results(session: Session, argument: str) -> Reply:
    kept = session.result_sets
    if kept is None:
        now = f"The present ones are {len(session.results)} documents for “{session.last_query}”." if session.results else ""
        return say(f"Earlier results are not kept here. {now}".strip())
    if argument:
        n = step_number(argument)
        session.results = await kept.go_back(n)
        session.last_query = session.results.asked
        session.answers, session.searched = [], None
        said = say(f"Back to the results of “{session.last_query}”: {len(session.results)} documents. Ask about them.")
        return Reply(said.blocks, view_changed=True)
    lines = await kept.lines()
    if not lines:
        return say("There are no results yet. Type what you are looking for.")
    rows = [(line.n, line.query, line.documents, "now" if line.current else "") for line in lines]
    offers = [Offer(f"Back to “{line.query[:40]}”", f"/results {line.n}") for line in lines if not line.current]
    return Reply((table(("", "query", "documents", ""), rows), *offers[-5:]))


async def _clear(session: Session, argument: str) -> Reply:
    if argument:
        raise UsageError("It takes nothing after it; /filter off and /sort off undo these.")
    session.results, session.answers, session.last_query, session.searched = None, [], "", None
    session.view = ListView()
    return Reply(
        say("The results are put away. The next message searches anew; the engine stays as it is.").blocks, view_changed=True
    )


COMMANDS = (
    Command(
        name="search",
        usage="/search QUERY",
        help="Searches anew; later messages are answered from the new results.",
        examples=("/search Nikola Tesla",),
        perform=_search,
        icon="search",
    ),
    Command(
        name="results",
        usage="/results [N]",
        help="Lists the results of this chat, or goes back to one of them: later messages are answered from it.",
        examples=("/results", "/results 1"),
        perform=_results,
        icon="history",
    ),
    Command(
        name="clear",
        usage="/clear",
        help="Puts the results away: the next message searches anew.",
        examples=("/clear",),
        perform=_clear,
        icon="eraser",
    ),
)
