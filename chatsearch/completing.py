"""Makes an incomplete follow-up whole from the last turns by rules; a complete question, and one they are unsure of, stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from chatsearch.ellipsis import completed, without_lead
from chatsearch.ellipsis_words import ELLIPSES
from chatsearch.languages import stop_words
from chatsearch.names import names_of, plain_words, with_article
from chatsearch.pronouns import with_name
from chatsearch.references import one_of_several, thing_said, year_said
from chatsearch.restriction import MOST_CHARACTERS
from chatsearch.turns import Turn

Reason = Literal["complete", "ellipsis", "pronoun", "that year", "this thing", "one of several"]


_OTHER_SCRIPT = regex.compile(r"(?!\p{Latin})\p{L}")


@dataclass(frozen=True)
class Completion:
    """A whole question, and what it lacked."""

    question: str
    reason: Reason = "complete"


def complete(question: str, turns: Sequence[Turn], language: str, present: Sequence[int] = ()) -> Completion:
    """`question` made whole from `turns` (oldest first); `present` are the numbers of the documents."""
    if not turns or len(question) > MOST_CHARACTERS:
        return Completion(question)
    asked = [turn for turn in turns if not turn.about_the_set] or list(turns)
    name = next(names_of(asked, language), "")
    pointed = one_of_several(question, turns[-1], present, language)
    if pointed != question:
        return Completion(pointed, "one of several")
    whole = completed(question, asked[-1], name, language) if _is_in(asked[-1].question, language) else ""
    if whole:
        return Completion(whole, "ellipsis")
    attempts: list[tuple[Reason, str]] = [
        ("that year", year_said(question, asked[-1], language)),
        ("this thing", thing_said(question, asked[-1], language)),
        ("pronoun", _with_name(question, name, asked, language)),
    ]
    for reason, changed in attempts:
        if changed != question:
            return Completion(without_lead(changed, language), reason)
    return Completion(question)


def _is_in(question: str, language: str) -> bool:
    """Whether an earlier question may be in `language`: no other of ours has more of its words. A mixed one would help nobody."""
    if _OTHER_SCRIPT.search(question):
        return False  # the rules are for languages in Latin letters
    said = plain_words(question)
    hits = {one: sum(word in stop_words(one) for word in said) for one in ELLIPSES}
    return hits.get(language, 0) == max(hits.values())


def _with_name(question: str, name: str, turns: Sequence[Turn], language: str) -> str:
    if not name:
        return question
    changed = with_name(question, with_article(name, turns) if language == "en" else name, language)
    return changed if changed == question else changed[:1].upper() + changed[1:] if question[:1].isupper() else changed
