"""What a person means by a message to a result set: small talk, a question about the set, or one to its documents, made whole.

`understand` alone decides, by rules; chatsearch/llm_completion.py lets a language model complete what they cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import regex

from chatsearch.completing import complete
from chatsearch.restriction import Restriction, restriction, summary_question, with_note, without_references
from chatsearch.results import ResultSet
from chatsearch.set_questions import SetQuestion, read_set_question
from chatsearch.small_talk import small_talk
from chatsearch.summary_requests import asks_for_summary
from chatsearch.turns import Turn as Turn
from chatsearch.turns import turns_of as turns_of

_TITLES = "list the titles"
_LIST_THEM = regex.compile(
    r"\s*(?:please )?(?:list|show(?: me)?|name) (?:them|these|those)(?: all)?(?: please)?[\s.!?]*", regex.IGNORECASE
)


class Kind(StrEnum):
    """What a message is."""

    QUESTION = "question"
    SUMMARY = "summary"
    ABOUT_THE_SET = "about the set"
    SMALL_TALK = "small talk"
    NO_SUCH_DOCUMENT = "no such document"


@dataclass(frozen=True)
class Understanding:
    """What was understood, and why.

    `understood_as` is shown; `query` is what the documents are asked (empty: what they are about). `reason` says what it lacked:
    `complete`, `ellipsis`, `pronoun`, `that year`, `this thing`, `one of several`, `the last question again`, `incomplete` when
    only a language model could complete it. `numbers` are the documents it is restricted to (empty: all), always in the set;
    `missing` those it named and the set does not have. `notice` is what to tell the person: why no language model completed it.
    """

    kind: Kind
    understood_as: str
    query: str
    language: str
    reason: str = "complete"
    numbers: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    set_question: SetQuestion | None = None
    reply: str = ""
    notice: str = ""


def understand(question: str, turns: Sequence[Turn], language: str, results: ResultSet) -> Understanding:
    """What `question` means after `turns` (oldest first) over `results`; `language` (ISO 639-1) is the one it seems to be in.

    A complete question, and one the rules are unsure of, is itself. Blocking for a moment: columns of the frame are looked at.
    """
    reply = small_talk(question, language)
    if reply:
        return Understanding(Kind.SMALL_TALK, question, question, language, reply=reply)
    present = sorted((results.numbers or results.ranks()).values())
    about_the_set = len(turns) < 2 or turns[-1].about_the_set
    said = _TITLES if _LIST_THEM.fullmatch(question) else question
    asked = read_set_question(said, results, language, about_the_set=about_the_set)
    if asked is not None:
        missing = tuple(number for number in asked.numbers if number not in set(present))
        kind = Kind.NO_SUCH_DOCUMENT if missing else Kind.ABOUT_THE_SET
        return Understanding(kind, question, question, asked.language, missing=missing, set_question=asked)
    if asked_in := asks_for_summary(question):
        return Understanding(Kind.SUMMARY, question, "", asked_in)
    named = restriction(question, present)
    if named is not None:
        return _restricted(question, named, turns, language)
    whole = complete(question, turns, language, present)
    named = restriction(whole.question, present) if whole.reason == "one of several" else None
    if named is not None:
        return _restricted(whole.question, named, turns, language)
    return Understanding(Kind.QUESTION, whole.question, whole.question, language, whole.reason)


def _restricted(question: str, named: Restriction, turns: Sequence[Turn], language: str) -> Understanding:
    """A question to some documents alone: without their numbers in it, which are shown after it."""
    if named.missing:
        return Understanding(Kind.NO_SUCH_DOCUMENT, question, question, language, missing=named.missing)
    last = next((turn.question for turn in reversed(turns) if not turn.about_the_set), "")
    if named.asks == "summary" or (named.asks == "again" and not last):
        shown = summary_question(named.numbers, language)
        shown = question if shown.casefold() == question.strip().casefold() else shown
        return Understanding(Kind.SUMMARY, shown, "", language, numbers=named.numbers)
    if named.asks == "again":
        shown = with_note(last, named.numbers, language)
        return Understanding(Kind.QUESTION, shown, last, language, "the last question again", named.numbers)
    if named.inside:  # the question itself says which documents
        whole = complete(question, turns, language)
        query = without_references(whole.question, language, several=len(named.numbers) > 1)
        return Understanding(Kind.QUESTION, whole.question, query, language, whole.reason, named.numbers)
    whole = complete(named.rest, turns, language)
    shown = with_note(whole.question, named.numbers, language)
    return Understanding(Kind.QUESTION, shown, whole.question, language, whole.reason, named.numbers)
