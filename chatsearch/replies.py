"""Answers that need no model: small talk, questions about the set itself, and that there is no such document."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from chatsearch.cited_titles import CitedPart
from chatsearch.restriction import joined
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.set_answers import answer_from_set
from chatsearch.set_comparison import compare
from chatsearch.set_wording import say
from chatsearch.turns import FROM_RESULTS, NO_MODEL, Turn
from chatsearch.understanding import Kind, Understanding


async def reply(understood: Understanding, results: ResultSet, turns: Sequence[Turn], services: Services) -> list[CitedPart]:
    """The parts of the answer to what is no question to the documents. Raises ModelError when sentences cannot be compared."""
    if understood.kind is Kind.SMALL_TALK:
        return [CitedPart(understood.reply)]
    if understood.kind is Kind.NO_SUCH_DOCUMENT:
        return [CitedPart(_no_such_document(understood, len(results)))]
    question = understood.set_question
    assert question is not None
    if question.ask == "compare":
        answered = [turn.question for turn in turns if turn.answer and not turn.about_the_set]
        asked = answered[-1] if answered else results.asked
        first, second = question.numbers
        return await compare(results, (first, second), asked, question.language, services.embeddings)
    return await asyncio.to_thread(answer_from_set, question, results)


def replier(kind: Kind) -> str:
    """What stands in an answer's place for the model's name: `results` when it was read off them, else `none`."""
    return FROM_RESULTS if kind is Kind.ABOUT_THE_SET else NO_MODEL


def _no_such_document(understood: Understanding, count: int) -> str:
    language = understood.language
    numbers = joined(understood.missing, say(language, "and"))
    name = "absent" if count > 1 else "absent one" if count else "absent all"
    return say(language, name, numbers=numbers, last=count)
