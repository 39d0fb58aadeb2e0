"""The one event stream of a run: every surface (terminal, chat, APIs) renders these and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatsearch.citations import Footnote, Source
from chatsearch.results import Answer, LedgerRow, ResultSet, RunWarning


@dataclass(frozen=True, kw_only=True)
class Event:
    """`run_id` names the run; `seq` counts its events from 1, without gaps."""

    run_id: str = ""
    seq: int = 0


@dataclass(frozen=True, kw_only=True)
class StepStarted(Event):
    """`step` is the position in the spec, `of` the number of steps that will run."""

    step: int
    module: str
    of: int


@dataclass(frozen=True, kw_only=True)
class StepProgress(Event):
    """`done` of `total` rows, texts or calls of a step; `note` says of what when it is not rows."""

    step: int
    module: str
    done: int
    total: int
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class StepFinished(Event):
    """A step ended; its row of the ledger."""

    row: LedgerRow


@dataclass(frozen=True, kw_only=True)
class Documents(Event):
    """The list, in its shown order, every document numbered; later steps may add columns, none moves or removes a row."""

    results: ResultSet


@dataclass(frozen=True, kw_only=True)
class SummaryToken(Event):
    """The next part of the overall summary called `title`, and the footnotes whose markers are in it."""

    title: str
    token: str
    footnotes: Sequence[Footnote] = ()


@dataclass(frozen=True, kw_only=True)
class Warned(Event):
    """Something went wrong and the run goes on."""

    warning: RunWarning


@dataclass(frozen=True, kw_only=True)
class Finished(Event):
    """The run ended; `cancelled` when the person stopped it, the results are then those of the steps that were done."""

    results: ResultSet
    cancelled: bool = False


@dataclass(frozen=True, kw_only=True)
class Understood(Event):
    """How a follow-up question was read; equal to `question` when it was complete.

    `numbers` are the documents it is restricted to, by their numbers; empty: all.
    """

    question: str
    understood_as: str
    numbers: Sequence[int] = ()


@dataclass(frozen=True, kw_only=True)
class Sources(Event):
    """The documents an answer may rest on, by number, before its first token, out of `total` in the set or in the question.

    A language model gets as many as fit its window; `cut` of them only in part.
    """

    sources: Sequence[tuple[int, Source]]
    total: int = 0
    cut: int = 0


@dataclass(frozen=True, kw_only=True)
class AnswerToken(Event):
    """The next part of an answer, and the footnotes whose markers are in it.

    With `anew` the answer begins again: the model that wrote what came before has failed, and another one answers.
    """

    token: str
    footnotes: Sequence[Footnote] = ()
    anew: bool = False


@dataclass(frozen=True, kw_only=True)
class Answered(Event):
    """The whole answer, with its footnotes, or a refusal; `row` is what it cost."""

    answer: Answer
    row: LedgerRow | None = None
