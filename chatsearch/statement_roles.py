"""Who did it to whom: whether two names stand the other way round about the same verb."""

from __future__ import annotations

from dataclasses import dataclass

import regex

from chatsearch.languages import terms
from chatsearch.statement_names import bare, name_runs

_BY = regex.compile(r"\b(?:by|von|durch|por|par|da|dal|dalla)\b")
_WAS = regex.compile(r"\b(?:is|was|were|been|being|wurden?|worden|fue|fueron|sido|était|été|stato|stata)\b")
_FARTHEST = 60
"""Code points between two names that one verb may still join."""


@dataclass(frozen=True)
class _Between:
    """What stands between two names: its terms, whether it is passive or `acts`, and whether the second name comes first."""

    terms: frozenset[str]
    passive: bool
    acts: bool
    turned: bool


def swaps_roles(statement: str, sentence: str, language: str) -> bool:
    """Whether the first two names of a statement stand in `sentence` the other way round about the same words.

    Sees "A defeated B" against "B defeated A" or "A was defeated by B", and nothing finer: not another verb that means the
    reverse ("A gave B", "A received from B"), nor roles told without names.
    """
    named = [run[-1] for run in name_runs(statement, language)]
    if len(named) < 2 or bare(named[0]) == bare(named[1]):
        return False
    said = _between(statement, named[0], named[1], language)
    there = _between(sentence, named[0], named[1], language)
    if said is None or there is None:
        return False
    if said.turned == there.turned:
        return said.passive != there.passive and all(one.passive or one.acts for one in (said, there))
    return said.passive == there.passive and bool(said.terms & there.terms)


def _between(text: str, one: str, other: str, language: str) -> _Between | None:
    first = regex.search(rf"(?<!\w){regex.escape(one)}(?!\w)", text)
    second = regex.search(rf"(?<!\w){regex.escape(other)}(?!\w)", text)
    if first is None or second is None or first.start() == second.start():
        return None
    turned = second.start() < first.start()
    start, end = (second.end(), first.start()) if turned else (first.end(), second.start())
    between = text[start:end]
    if len(between) > _FARTHEST or regex.search(r"[,;:.!?]\s", between):
        return None
    is_or_was = _WAS.search(between) is not None
    found = frozenset(terms(between, language)) if between.strip() else frozenset()
    return _Between(found, is_or_was and _BY.search(between) is not None, bool(found) and not is_or_was, turned)
