"""Measures the main job as a person meets it: the demo engine's results, its summary, and follow-ups, without an LLM.

    python -m benchmarks.main_job                 all of XQuAD's 1,190 English questions; some minutes
    python -m benchmarks.main_job --questions 200

Everything goes through the product's own Pipeline and Conversation. The refusal threshold was set on the even-numbered
questions; "odd" are the others.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log2
from pathlib import Path

from rich.console import Console
from rich.progress import track

from chatsearch.conversation import Conversation
from chatsearch.engines import find_spec
from chatsearch.events import Answered
from chatsearch.pipeline import Pipeline, run_to_end
from chatsearch.results import Answer, ResultSet
from chatsearch.services import Services
from chatsearch.settings import Settings
from chatsearch.spec import Spec

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
SEED = 7


@dataclass(frozen=True)
class Question:
    """A question with its gold spans and the paragraph that answers it."""

    text: str
    answers: tuple[str, ...] = ()
    paragraph: str = ""


@dataclass(frozen=True)
class Outcome:
    """What came of one question: nDCG@10 of the list, whether text was refused, and whether a gold span was quoted early."""

    ndcg: float
    summary_refused: bool
    summary_gold: bool
    answer_refused: bool
    answer_gold: bool
    literal: bool


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        services = Services(Settings(data_dir=Path(folder), step_cache_mb=0))
        asyncio.run(_measure(services, options))


async def _measure(services: Services, options: argparse.Namespace) -> None:
    spec, say = find_spec("demo", services), Console(width=160).print
    questions = _questions(options.data / "xquad-en")[: options.questions]
    sets = [await run_to_end(Pipeline(services), spec, question.text) for question in track(questions, "searching")]
    own = [await _outcome(services, spec, *pair) for pair in track(list(zip(questions, sets, strict=True)), "asking")]
    say("| over the demo engine | all | even | odd |\n| --- | --- | --- | --- |")
    rows: dict[str, Callable[[Outcome], float]] = {
        "nDCG@10": lambda one: one.ndcg,
        "summary: gold span in its first two sentences": lambda one: one.summary_gold,
        "summary: refused": lambda one: one.summary_refused,
        "answer to the question asked of its results: gold span in its first two sentences": lambda one: one.answer_gold,
        "answer: refused": lambda one: one.answer_refused,
        "every quote literally in its document": lambda one: one.literal,
    }
    for name, value in rows.items():
        say(_row(name, [value(one) for one in own]))
    elsewhere = await _refused_elsewhere(services, spec, questions, sets)
    say(_row("asked of another article's results: refused", elsewhere))
    foreign = [
        [await _summary_refused(services, spec, question.text) for question in track(_questions(options.data / name), name)]
        for name in ("cranfield", "cisi")
    ]
    for name, refused in zip(("cranfield", "cisi", "both"), [*foreign, [*foreign[0], *foreign[1]]], strict=True):
        say(_row(f"questions of {name}: refused", refused))
    milliseconds = await _warm(services, spec, questions[:100])
    say(f"A search on a warm process, all texts known: median {milliseconds[0]:.0f} ms, 95 % under {milliseconds[1]:.0f} ms.")


async def _outcome(services: Services, spec: Spec, question: Question, results: ResultSet) -> Outcome:
    (summary,) = results.summaries
    answer = await _answer(services, spec, results, question.text)
    texts = dict(zip(results.documents["id"], results.documents["full-text"], strict=True))
    notes = [*summary.footnotes, *answer.footnotes]
    return Outcome(
        ndcg=_ndcg(list(results.documents["id"]), question.paragraph),
        summary_refused=summary.refused,
        summary_gold=_gold([str(note.quote) for note in summary.footnotes], question),
        answer_refused=answer.refused,
        answer_gold=_gold([str(note.quote) for note in answer.footnotes], question),
        literal=all(note.quote == texts[note.id][note.start : note.end] for note in notes),
    )


async def _answer(services: Services, spec: Spec, results: ResultSet, question: str) -> Answer:
    """The answer to a complete question: nothing is carried over from the search."""
    fresh = replace(results, asked=question, summaries=())
    async for event in Conversation(services, spec, fresh).ask(question):
        if isinstance(event, Answered):
            return event.answer
    raise AssertionError("a follow-up ends with Answered")


async def _refused_elsewhere(
    services: Services, spec: Spec, questions: Sequence[Question], sets: Sequence[ResultSet]
) -> list[bool]:
    """Each question asked of the results of a question on another article, without the paragraphs of its own."""
    chance, refused = random.Random(SEED), []
    for question in track(questions, "asking elsewhere"):
        article = question.paragraph.split("-")[0]
        others = [found for other, found in zip(questions, sets, strict=True) if other.paragraph.split("-")[0] != article]
        found = chance.choice(others)
        kept = found.documents[~found.documents["id"].str.startswith(f"{article}-")]
        refused.append((await _answer(services, spec, found.with_documents(kept), question.text)).refused)
    return refused


async def _summary_refused(services: Services, spec: Spec, query: str) -> bool:
    return (await run_to_end(Pipeline(services), spec, query)).summaries[0].refused


async def _warm(services: Services, spec: Spec, questions: Sequence[Question]) -> tuple[float, float]:
    seconds = []
    for question in questions:
        await run_to_end(Pipeline(services), spec, question.text)
        began = time.perf_counter()
        await run_to_end(Pipeline(services), spec, question.text)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds) * 1000, statistics.quantiles(seconds, n=20)[-1] * 1000


def _ndcg(ids: Sequence[str], paragraph: str) -> float:
    """With one relevant document, nDCG@10 is the discount at its rank (Järvelin and Kekäläinen 2002)."""
    place = list(ids[:10]).index(paragraph) if paragraph in ids[:10] else None
    return 0.0 if place is None else 1 / log2(place + 2)


def _gold(quotes: Sequence[str], question: Question) -> bool:
    return any(answer in quote for quote in quotes[:2] for answer in question.answers)


def _row(name: str, values: Sequence[float | bool]) -> str:
    numbers = [statistics.mean(map(float, part)) for part in (values, values[::2], values[1::2])]
    return f"| {name} (n = {len(values):,}) | " + " | ".join(f"{number:.3f}" for number in numbers) + " |"


def _questions(folder: Path) -> list[Question]:
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    qrels = dict(line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:])
    return [Question(row["text"], tuple(row.get("answers", ())), qrels.get(row["_id"], "")) for row in rows]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="the folder of judged collections")
    parser.add_argument("--questions", type=int, default=1190, help="how many of XQuAD's questions")
    return parser.parse_args()


if __name__ == "__main__":
    main()
