"""What `chatsearch search` does: run the pipeline, render its events, ask on, write the results in one format."""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Sequence

from rich.console import Console

from chatsearch import terminal
from chatsearch.conversation import Conversation
from chatsearch.engines import find_spec
from chatsearch.events import Answered, Finished, Warned
from chatsearch.pipeline import Pipeline
from chatsearch.results import Answer, ResultSet
from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.terminal_list import listed

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


async def search_and_show(
    services: Services, reference: str, query: str, questions: Sequence[str], output: str, explain: bool = False
) -> None:
    """Run the engine, ask every question of the results, and write all of it in one format."""
    out, err = Console(highlight=False), Console(stderr=True, highlight=False)
    spec = find_spec(reference, services)
    started = time.perf_counter()
    results = await _run(services, spec, query, err)
    seconds = time.perf_counter() - started
    if output == "table":
        terminal.show_results(out, results, seconds, await listed(results, spec.engine.display, services))
        if explain:
            out.print(terminal.ledger_table(results), terminal.journey_table(results))
    talk = Conversation(services, spec, results)
    for question in questions:
        answer = await _ask(talk, question, err)
        if output == "table":
            terminal.show_answer(out, answer)
    if output != "table":
        _write(results, talk.answers, output, err)


async def _run(services: Services, spec: Spec, query: str, err: Console) -> ResultSet:
    steps = terminal.LiveSteps(err)
    with steps.shown():
        async for event in Pipeline(services).run(spec, query):
            steps.show(event)
            if isinstance(event, Finished):
                return event.results
    raise AssertionError("a run ends with Finished or raises")


async def _ask(talk: Conversation, question: str, err: Console) -> Answer:
    async for event in talk.ask(question):
        if isinstance(event, Warned):
            terminal.show_warnings(err, [event.warning])
        if isinstance(event, Answered):
            return event.answer
    raise AssertionError("a follow-up ends with Answered or raises")


def _write(results: ResultSet, answers: Sequence[Answer], output: str, err: Console) -> None:
    if output == "json":
        terminal.write_json(results.to_json(answers))
        return
    terminal.show_warnings(err, results.warnings)
    if answers:
        err.print(
            f"{output} holds the documents alone; --format json has the summary and the answers too.", style="dim", markup=False
        )
    (_write_csv if output == "csv" else _write_jsonl)(results.documents_json())


def _write_jsonl(documents: Sequence[dict[str, object]]) -> None:
    for document in documents:
        sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")


def _write_csv(documents: Sequence[dict[str, object]]) -> None:
    if not documents:
        return
    writer = csv.DictWriter(sys.stdout, list(documents[0]))
    writer.writeheader()
    writer.writerows({name: _csv_cell(value) for name, value in document.items()} for document in documents)


def _csv_cell(value: object) -> object:
    """A text that a spreadsheet would run as a formula gets an apostrophe before it; lists and objects are JSON."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
