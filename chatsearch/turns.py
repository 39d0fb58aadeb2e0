"""The earlier turns of a talk, as far as a follow-up can refer to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatsearch.restriction import is_summary_question, without_note
from chatsearch.results import Answer, ResultSet

FROM_RESULTS = "results"
"""The model's name of an answer that was read off the frame of the results, without a model."""

NO_MODEL = "none"
"""The model's name of an answer that rests on nothing: small talk, and that there is no such document."""


@dataclass(frozen=True)
class Turn:
    """An earlier question as it was understood, the title of the document its answer quoted first, and the answer (may be empty).

    `listed` are the numbers of the documents the answer named, in its order; `about_the_set`: it asked about the set itself.
    """

    question: str
    topic: str = ""
    answer: str = ""
    listed: tuple[int, ...] = ()
    about_the_set: bool = False


def turns_of(results: ResultSet, answers: Sequence[Answer]) -> list[Turn]:
    """The earlier turns of a talk, oldest first: the search itself, then the questions; small talk is no turn."""
    first = next((summary for summary in results.summaries if summary.footnotes), None)
    topic, text = (first.footnotes[0].title, first.text) if first else ("", "")
    return [Turn(results.asked, topic, text), *(_turn(answer) for answer in answers if answer.model != NO_MODEL)]


def _turn(answer: Answer) -> Turn:
    topic = answer.footnotes[0].title if answer.footnotes else ""
    listed = tuple(dict.fromkeys(note.n for note in answer.footnotes))
    text = "" if answer.refused else answer.text
    about_the_set = answer.model == FROM_RESULTS or is_summary_question(answer.understood_as)
    return Turn(without_note(answer.understood_as), topic, text, listed, about_the_set)
