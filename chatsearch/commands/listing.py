"""The commands for the list of results: its ranking, text, chips, filters and order. They hold for this chat alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from chatsearch.commands.arguments import UsageError, first_word, unquoted
from chatsearch.commands.command import Command
from chatsearch.commands.reply import Block, Note, Offer, Paragraph, Reply, say
from chatsearch.commands.session import Session
from chatsearch.commands.view import (
    Condition,
    ListView,
    chip_columns,
    column_named,
    columns_with,
    rank_column,
    ranking_label,
    shown_rows,
    text_column,
)
from chatsearch.errors import InputError
from chatsearch.results import ResultSet

_OPERATORS: Mapping[str, str] = MappingProxyType({
    "!=": "not equals", "≠": "not equals", ">=": "at least", "≥": "at least", "<=": "at most", "≤": "at most",
    "=": "equals", ">": "greater", "<": "less", "contains": "contains", "starts with": "starts with",
    "is not empty": "is not empty", "is empty": "is empty",
})  # fmt: skip
_SIGN = re.compile(r"(!=|>=|<=|[≠≥≤=<>])| (contains|starts with|is not empty|is empty)(?: |$)", re.IGNORECASE)


async def _rank(session: Session, argument: str) -> Reply:
    results = _results(session)
    rankings = columns_with(results, "rank")
    if not argument:
        now = rank_column(session.view, session.spec.engine.display, results)
        return _offered(f"The order is that of {ranking_label(now)} ({now}).", "rank", rankings, now)
    column = column_named(results, argument, rankings)
    return await _shown(session, replace(session.view, rank=column, sort=""), f"The order is that of {ranking_label(column)}.")


async def _text(session: Session, argument: str) -> Reply:
    results = _results(session)
    texts = columns_with(results, "text")
    if not argument:
        now = text_column(session.view, session.spec.engine.display, results)
        return _offered(f"The text shown is {now}.", "text", texts, now)
    column = column_named(results, argument, texts)
    return await _shown(session, replace(session.view, text=column), f"The text shown is {column}.")


def _offered(said: str, command: str, columns: Sequence[str], now: str) -> Reply:
    return Reply((Paragraph(said), *(Offer(column, f"/{command} {column}") for column in columns if column != now)))


async def _chips(session: Session, argument: str) -> Reply:
    results = _results(session)
    now = chip_columns(session.view, session.spec.engine.display, results)
    verb, rest = first_word(argument)
    if not verb:
        others = [column for column in columns_with(results, "chip") if column not in now]
        offers = [Offer(f"Show {column}", f"/chips on {column}") for column in others]
        return Reply((Paragraph(f"Chips: {', '.join(now) or 'none'}."), *offers))
    chips = _chips_after(results, now, verb.casefold(), rest)
    return await _shown(session, replace(session.view, chips=chips), f"Chips: {', '.join(chips) or 'none'}.")


def _chips_after(results: ResultSet, now: tuple[str, ...], verb: str, rest: str) -> tuple[str, ...]:
    if verb in ("all", "none") and not rest:
        return columns_with(results, "chip") if verb == "all" else ()
    if verb not in ("on", "off") or not rest:
        raise UsageError("Which columns, and on or off?")
    columns = tuple(column_named(results, part) for part in rest.split(",") if part.strip())
    if verb == "off":
        return tuple(column for column in now if column not in columns)
    return tuple(dict.fromkeys((*now, *columns)))


async def _filter(session: Session, argument: str) -> Reply:
    results = _results(session)
    conditions = session.view.conditions
    if not argument:
        if not conditions:
            return say("Nothing is filtered out. An example: /filter language=en")
        return Reply((Paragraph(f"Only documents where {_joined(conditions)}."), Offer("Show all", "/filter off")))
    if argument.casefold() == "off":
        return await _shown(session, replace(session.view, conditions=()), "All documents are shown.")
    new = _condition(results, argument)
    # the same question of the same column again takes the place of the one before
    kept = [one for one in conditions if (one.column, one.operator) != (new.column, new.operator)]
    view = replace(session.view, conditions=(*kept, new))
    return await _shown(session, view, f"Only documents where {_joined(view.conditions)}.")


def _condition(results: ResultSet, text: str) -> Condition:
    """What was typed as a condition, such as `wordCount > 100`. Raises UsageError and InputError."""
    typed = " ".join(text.split())
    sign = _SIGN.search(typed)
    if sign is None or not typed[: sign.start()].strip():
        raise UsageError("A column, a sign and a value are needed; the signs are = != > < >= <= and the word contains.")
    operator = _OPERATORS[(sign[1] or sign[2]).casefold()]
    value = unquoted(typed[sign.end() :])
    if not value and "empty" not in operator:
        raise UsageError("The value is missing.")
    return Condition(column_named(results, unquoted(typed[: sign.start()])), operator, value)


async def _sort(session: Session, argument: str) -> Reply:
    results = _results(session)
    if not argument:
        return say(f"Sorted by {_order(session.view)}.")
    if argument.casefold() == "off":
        return await _shown(session, replace(session.view, sort="", descending=False), "Sorted by the ranking.")
    name, direction = argument, "asc"
    head, _, last = argument.rpartition(" ")
    if head and last.casefold() in ("asc", "desc"):
        name, direction = head, last.casefold()
    view = replace(session.view, sort=column_named(results, unquoted(name)), descending=direction == "desc")
    return await _shown(session, view, f"Sorted by {_order(view)}.")


def _order(view: ListView) -> str:
    return f"{view.sort}, {'descending' if view.descending else 'ascending'}" if view.sort else "the ranking"


async def _shown(session: Session, view: ListView, said: str) -> Reply:
    """Use another view, if it can be used, and say how many documents it shows."""
    results = _results(session)
    shown = await shown_rows(view, session.spec.engine.display, results, session.services)
    session.view = view
    count = f" {len(shown.rows)} of {len(results)} are shown." if view.conditions else ""
    blocks: list[Block] = [Paragraph(said + count), *map(Note, shown.notes)]
    if view.conditions and not shown.rows:
        blocks.append(Offer("Show all", "/filter off"))
    return Reply(tuple(blocks), view_changed=True)


def _results(session: Session) -> ResultSet:
    if session.results is None:
        raise InputError("There are no results yet. Type what you are looking for, then change how they are shown.")
    return session.results


def _joined(conditions: Sequence[Condition]) -> str:
    return " and ".join(map(str, conditions))


COMMANDS = (
    Command(
        name="rank",
        usage="/rank [COLUMN]",
        help="Shows the list in the order of another ranking of the same search.",
        examples=("/rank", "/rank original_ranking"),
        perform=_rank,
        icon="list-ordered",
    ),
    Command(
        name="text",
        usage="/text [COLUMN]",
        help="Shows another text under each title.",
        examples=("/text", "/text full-text"),
        perform=_text,
        icon="text",
    ),
    Command(
        name="chips",
        usage="/chips [on COLUMN, … | off COLUMN, … | all | none]",
        help="Switches chips on and off: the small values beside each title.",
        examples=("/chips", "/chips on language", "/chips none"),
        perform=_chips,
        icon="tags",
    ),
    Command(
        name="filter",
        usage="/filter [COLUMN SIGN VALUE | off]",
        help="Shows only documents whose column compares so; the signs are = != > < >= <= contains. Several filters add up.",
        examples=("/filter language=en", "/filter title contains tesla", "/filter off"),
        perform=_filter,
        icon="filter",
    ),
    Command(
        name="sort",
        usage="/sort [COLUMN [desc] | off]",
        help="Sorts the list by a column; footnote numbers stay as they are.",
        examples=("/sort title", "/sort title desc", "/sort off"),
        perform=_sort,
        icon="arrow-down-a-z",
    ),
)
