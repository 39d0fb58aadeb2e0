"""Sessions for the tests of commands: an engine of three steps, results with rankings, texts, chips and footnotes."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chatsearch.citations import Footnote
from chatsearch.commands.plain import plain
from chatsearch.commands.registry import respond
from chatsearch.commands.reply import Changed, File, Reply
from chatsearch.commands.session import ResultLine, Session
from chatsearch.errors import InputError
from chatsearch.module import Module
from chatsearch.results import Answer, LedgerRow, ResultSet, Summary
from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.statements import Check
from tests.sources import document, memory_source, result_set, services_with

ENGINE: dict[str, Any] = {
    "spec_version": 1,
    "title": "Small engine",
    "note": {"from": "a key nobody knows"},
    "theme": {"color": "orange-dark"},
    "starters": ["Who was Tesla?", "Where is Warsaw?"],
    "pipeline": {
        "query": "",
        "1": {"id": "memory", "parameters": {"limit": "10"}, "comment": "kept"},
        "2": {"id": "tf_idf_reranker", "parameters": {"similarity_metric": "BM25"}},
        "3": {"id": "all_results_summarizer", "parameters": {"output_column": "Summary"}},
        "later": "kept too",
    },
}

DOCUMENTS = [
    document("a", "Tesla died in 1943.", title="Tesla", url="https://a.example/t", language="en", words=300, year=1943),
    document("b", "Warschau liegt an der Weichsel.", title="Warsaw", language="de", words=20, year=None),
    document("c", "The Rhine is a river.", title="rhine, the river", language="en", words=1200, year=2001),
]


def services(directory: Path, *modules: type[Module], **settings: object) -> Services:
    return services_with(directory, memory_source("memory", DOCUMENTS), *modules, **settings)


def session_of(
    directory: Path, data: dict[str, Any] | None = None, *modules: type[Module], searched: bool = False, **settings: object
) -> Session:
    """A session on ENGINE, or on `data`; `searched`: with results."""
    with_memory = services(directory, *modules, **settings)
    session = Session(with_memory, Spec.load(copy.deepcopy(data or ENGINE), with_memory.registry, "small"), "small")
    if searched:
        session.searched_for("Tesla", results())
        session.answers = [answer("When did he die?", "He died in 1943 [1].", 1, "Tesla died in 1943.")]
    return session


def locked_session(directory: Path) -> Session:
    return session_of(directory, {**ENGINE, "permissions": {"edit": False}}, searched=True)


def results() -> ResultSet:
    """Three documents whose re-ranking turns their order around, numbered; a summary that cites the first two."""
    ledger = (LedgerRow(1, "memory", 0, 3, 0.01), LedgerRow(2, "tf_idf_reranker", 3, 3, 0.02))
    roles: Any = {
        "_original_ranking_": ("rank",),
        "_reranking_rank_1_": ("rank",),
        "full-text": ("text",),
        "title": ("text",),
        "language": ("chip",),
        "words": ("chip",),
    }
    rows = [{**row, "_reranking_rank_1_": rank} for row, rank in zip(DOCUMENTS, (3, 2, 1), strict=True)]
    found = replace(result_set(rows, "Tesla", roles=roles), ledger=ledger).numbered()[0]
    text = "The Rhine is a river [1]. Warschau liegt an der Weichsel [2]."
    notes = (note(text, 1, "c", "The Rhine is a river."), note(text, 2, "b", "Warschau liegt an der Weichsel."))
    return replace(found, summaries=(Summary("Summary", text, "extractive", notes),))


def note(text: str, n: int, identifier: str, quote: str) -> Footnote:
    return Footnote(n, identifier, f"Title {n}", "", text.index(f"[{n}]"), "full-text", quote, 0, len(quote), Check.EXACT)


def answer(question: str, text: str, n: int, quote: str) -> Answer:
    return Answer(question, question, text, False, "extractive", (note(text, n, "c", quote),))


async def said(session: Session, content: str) -> str:
    """What a message is replied with, as plain text."""
    return plain(await respond(session, content))


async def changes(session: Session, content: str) -> list[str]:
    """What a message changes, as the reply says it."""
    reply = await respond(session, content)
    return [str(block) for block in reply.blocks if isinstance(block, Changed)]


async def refusal(session: Session, content: str) -> str:
    """The error a message is refused with; the session's spec is as it was."""
    before = session.spec
    try:
        reply = await respond(session, content)
    except InputError as error:
        message = str(error)
    else:
        raise AssertionError(f"not refused: {reply}")
    assert session.spec is before
    return message


def file_of(reply: Reply) -> File:
    (file,) = [block for block in reply.blocks if isinstance(block, File)]
    return file


def modules_of(session: Session) -> list[str]:
    return [step.module.id for step in session.spec.steps]


class Kept:
    """Result sets as a chat keeps them."""

    def __init__(self, *sets: ResultSet) -> None:
        self.sets = list(sets)

    async def lines(self) -> Sequence[ResultLine]:
        return [ResultLine(n, one.asked, len(one), n == len(self.sets)) for n, one in enumerate(self.sets, start=1)]

    async def go_back(self, n: int) -> ResultSet:
        if not 1 <= n <= len(self.sets):
            raise InputError(f"There are no results {n}: there are {len(self.sets)}.")
        return self.sets[n - 1]
