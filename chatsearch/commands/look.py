"""The commands for the look of an engine: its title, its colours, the questions on its start screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chatsearch.chat.css_colors import CSS_COLORS
from chatsearch.chat.theme import is_color, split_theme
from chatsearch.commands import edits
from chatsearch.commands.arguments import UsageError, first_word, unquoted
from chatsearch.commands.changes import reply_to
from chatsearch.commands.command import Command
from chatsearch.commands.reply import Offer, Reply, say, table
from chatsearch.commands.session import Session
from chatsearch.errors import InputError, did_you_mean
from chatsearch.spec import MODES

_SYSTEM = "system"


async def _title(session: Session, argument: str) -> Reply:
    if not argument:
        return say(f"The title is “{session.spec.title}”. /title NEW TITLE changes it.")
    title = " ".join(unquoted(argument).split())
    return await reply_to(session, session.change(edits.with_field(session.spec.data, ("title",), title)))


async def _theme(session: Session, argument: str) -> Reply:
    theme = session.spec.engine.theme
    if not argument:
        shown = theme.mode or split_theme(theme.color)[1] or "as the person's system"
        return say(f"The colour is {split_theme(theme.color)[0] or 'the default'}, the mode {shown}.")
    color, mode = _color_and_mode(argument)
    old_color, named = split_theme(theme.color)
    # a name such as `orange-dark` holds both; written apart, each can be changed without the other
    values = {"color": old_color if color is None else color, "mode": (theme.mode or named) if mode is None else mode}
    data = session.spec.data
    for name, value in values.items():
        if value != getattr(theme, name):
            data = edits.with_field(data, ("theme", name), value)
    return await reply_to(session, session.change(data))


def _color_and_mode(text: str) -> tuple[str | None, str | None]:
    """The colour, and the mode (empty: the system's); None where it is not given. Raises InputError with the nearest name."""
    given = unquoted(text).casefold()
    function = "(" in given  # hsl(-10, …) has spaces and hyphens of its own
    words = given.split() if function else given.replace("-", " ").split()
    modes = [word for word in words if word in (*MODES, _SYSTEM)]
    color = (" " if function else "").join(word for word in words if word not in modes)
    if len(set(modes)) > 1:
        raise UsageError("The mode is light, dark or system, one of them.")
    mode = None if not modes else "" if modes[0] == _SYSTEM else modes[0]
    if not color:
        return None, mode
    if color == "default":
        return "", mode
    if not is_color(color):
        near = did_you_mean(color, CSS_COLORS)
        raise InputError(f"“{color[:40]}” is no colour.{near} A name (orange, darkgreen) or a value (#1f5fa8) is.")
    return color, mode


async def _starters(session: Session, argument: str) -> Reply:
    starters = list(session.spec.engine.starters)
    verb, rest = first_word(argument)
    if not verb:
        if not starters:
            return say("There are no questions on the start screen. /starters add QUESTION adds one.")
        rows = list(enumerate(starters, start=1))
        return Reply((table(("", "question"), rows), *(Offer(one, f"/search {one}") for one in starters)))
    change = _CHANGES.get(verb.casefold())
    if change is None:
        raise UsageError(f"“{verb[:40]}” is not understood.{did_you_mean(verb, _CHANGES)}")
    return await reply_to(session, session.change(edits.with_field(session.spec.data, ("starters",), change(starters, rest))))


def _with(starters: list[str], text: str) -> list[str]:
    question = " ".join(unquoted(text).split())
    if not question:
        raise UsageError("The question is missing.")
    if question in starters:
        raise InputError(f"“{question[:60]}” is there already.")
    return [*starters, question]


def _without(starters: list[str], text: str) -> list[str]:
    if not (text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= len(starters)):
        there = f"they are numbered from 1 to {len(starters)}" if starters else "there are none"
        raise UsageError(f"Which question is to go? “{text[:40]}” is none of them; {there}.")
    return [one for n, one in enumerate(starters, start=1) if n != int(text)]


def _none(starters: list[str], text: str) -> list[str]:
    if text:
        raise UsageError("/starters clear removes all of them; /starters remove N one.")
    return []


_CHANGES: Mapping[str, Callable[[list[str], str], list[str]]] = {"add": _with, "remove": _without, "clear": _none}

COMMANDS = (
    Command(
        name="title",
        usage="/title [NEW TITLE]",
        help="Shows or changes the title of the engine.",
        examples=("/title Arts Search",),
        perform=_title,
        changes_spec=True,
        shows=True,
        icon="heading",
    ),
    Command(
        name="theme",
        usage="/theme [COLOUR] [light|dark|system]",
        help="Shows or changes the colour of the engine, by name or value, and whether it starts light or dark.",
        examples=("/theme orange dark", "/theme #1f5fa8", "/theme default system"),
        perform=_theme,
        changes_spec=True,
        shows=True,
        icon="palette",
    ),
    Command(
        name="starters",
        usage="/starters [add QUESTION | remove N | clear]",
        help="Shows or changes the questions on the start screen.",
        examples=("/starters", "/starters add Who painted the Night Watch?", "/starters remove 1"),
        perform=_starters,
        changes_spec=True,
        shows=True,
        icon="message-circle-question",
    ),
)
