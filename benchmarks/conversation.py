"""Measures follow-ups over result sets of 20 documents: answers found, footnotes that hold, questions refused.

    python -m benchmarks.conversation                          English, German, Spanish, Russian, Chinese, cranfield, LLM answers
    python -m benchmarks.conversation en cranfield llm         only these
    python -m benchmarks.conversation --questions 100          at most so many of each

Everything goes through the product's own Pipeline and Conversation. Result sets are those of a lexical index. Thresholds were
set on the even-numbered questions; "odd" are the others. `llm` asks a scripted server, whose answers are right, of the wrong
source, invented, without a footnote, or obey an order in a document.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.progress import track

from benchmarks.scripted_answers import measure_scripted
from chatsearch.conversation import Conversation
from chatsearch.events import Answered
from chatsearch.index.build import BuildOptions, build_index
from chatsearch.pipeline import Pipeline, run_to_end
from chatsearch.results import Answer, ResultSet
from chatsearch.services import Services
from chatsearch.settings import Settings
from chatsearch.spec import Spec

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
DEPTH = 20
SEED = 7
PARTS = ("en", "de", "es", "ru", "zh", "cranfield", "llm")


@dataclass(frozen=True)
class Question:
    """A question, its number in its collection, its gold spans and the documents that answer it."""

    number: int
    text: str
    answers: tuple[str, ...]
    relevant: frozenset[str]


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        services = Services(Settings(data_dir=Path(folder), vector_cache=200_000))
        for part in options.parts:
            if part == "llm":
                asyncio.run(measure_scripted(options.questions))
            elif part == "cranfield":
                asyncio.run(_measure_cranfield(services, options))
            else:
                asyncio.run(_measure_language(services, options, part))


async def _measure_language(services: Services, options: argparse.Namespace, language: str) -> None:
    folder = options.data / f"xquad-{language}"
    spec = _engine(services, folder, language)
    questions = _sample(_questions(folder), options.questions)
    sets = [await run_to_end(Pipeline(services), spec, question.text) for question in track(questions, f"{language}: searching")]
    pairs = list(zip(questions, sets, strict=True))
    own = [await _answer(services, spec, found, question) for question, found in track(pairs, f"{language}: own results")]
    hard = [
        await _answer(services, spec, _without(found, question.relevant.__contains__), question)
        for question, found in track(pairs, f"{language}: without the answer")
    ]
    away = [
        await _answer(services, spec, _elsewhere(question, pairs), question)
        for question in track(questions, f"{language}: another article")
    ]
    foreign = _sample(_questions(options.data / "cranfield"), len(questions) // 3)
    chance = random.Random(SEED)
    off = [await _answer(services, spec, chance.choice(sets), question) for question in track(foreign, f"{language}: off topic")]
    rows: list[tuple[str, Sequence[Question], list[bool]]] = [
        ("gold span in the first two sentences", questions, [_gold(*pair) for pair in zip(own, questions, strict=True)]),
        ("wrongly refused", questions, [one.refused for one in own]),
        ("every quote literal", questions, [_literal(*pair) for pair in zip(own, sets, strict=True)]),
        ("without the answering paragraph: refused", questions, [one.refused for one in hard]),
        ("another article's results: refused", questions, [one.refused for one in away]),
        ("questions of cranfield: refused", foreign, [one.refused for one in off]),
    ]
    _report(f"xquad-{language}", rows)


async def _measure_cranfield(services: Services, options: argparse.Namespace) -> None:
    folder = options.data / "cranfield"
    spec = _engine(services, folder, "en")
    questions = _sample(_questions(folder), options.questions)
    sets = [await run_to_end(Pipeline(services), spec, question.text) for question in track(questions, "cranfield: searching")]
    pairs = list(zip(questions, sets, strict=True))
    own = [await _answer(services, spec, found, question) for question, found in track(pairs, "cranfield: own results")]
    foreign = _sample(_questions(options.data / "xquad-en"), len(questions))
    chance = random.Random(SEED)
    off = [await _answer(services, spec, chance.choice(sets), question) for question in track(foreign, "cranfield: off topic")]
    cites = [
        any(note.id in question.relevant for note in answer.footnotes) for answer, question in zip(own, questions, strict=True)
    ]
    rows: list[tuple[str, Sequence[Question], list[bool]]] = [
        ("a footnote to a document judged relevant", questions, cites),
        ("refused (some have no relevant document in the set)", questions, [one.refused for one in own]),
        ("every quote literal", questions, [_literal(*pair) for pair in zip(own, sets, strict=True)]),
        ("questions of xquad-en: refused", foreign, [one.refused for one in off]),
    ]
    _report("cranfield", rows)


def _engine(services: Services, folder: Path, language: str) -> Spec:
    """A lexical index of the collection, and an engine that takes its best 20 documents."""
    lines = (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    name = folder.name
    corpus = services.settings.data_dir / f"{name}.jsonl"
    corpus.write_text(
        "".join(
            json.dumps({"id": row["_id"], "title": row["title"].replace("_", " "), "text": row["text"], "language": language})
            + "\n"
            for row in rows
        ),
        encoding="utf-8",
    )
    directory = services.writable(services.indexes_dir)
    build_index(directory, name, [corpus], options=BuildOptions(language=language, dense=False), embeddings=services.embeddings)
    source = {"id": "index_datasource", "parameters": {"index": name, "mode": "lexical", "limit": DEPTH}}
    return Spec.load({"pipeline": {"1": source}}, services.registry)


async def _answer(services: Services, spec: Spec, found: ResultSet, question: Question) -> Answer:
    """The answer to a complete question: nothing is carried over from the search."""
    fresh = replace(found, asked=question.text, summaries=())
    async for event in Conversation(services, spec, fresh).ask(question.text):
        if isinstance(event, Answered):
            return event.answer
    raise AssertionError("a follow-up ends with Answered")


def _without(found: ResultSet, gone: Callable[[str], bool]) -> ResultSet:
    kept = [not gone(str(one)) for one in found.documents["id"]]
    return found.with_documents(found.documents[kept])


def _elsewhere(question: Question, pairs: Sequence[tuple[Question, ResultSet]]) -> ResultSet:
    """The results of a question on another article, without the paragraphs of this question's own."""
    article = next(iter(question.relevant)).split("-")[0]
    others = [found for other, found in pairs if not next(iter(other.relevant)).startswith(f"{article}-")]
    return _without(random.Random(SEED + question.number).choice(others), lambda one: one.startswith(f"{article}-"))


def _gold(answer: Answer, question: Question) -> bool:
    return any(span in str(note.quote) for note in answer.footnotes[:2] for span in question.answers)


def _literal(answer: Answer, found: ResultSet) -> bool:
    texts = dict(zip(found.documents["id"], found.documents["full-text"], strict=True))
    return all(note.quote == texts[note.id][note.start : note.end] for note in answer.footnotes)


def _report(name: str, rows: Sequence[tuple[str, Sequence[Question], list[bool]]]) -> None:
    say = Console(width=160).print
    say(f"\n| {name}, result sets of {DEPTH} | n | all | even | odd |\n| --- | --- | --- | --- | --- |")
    for title, questions, values in rows:
        halves = [
            [value for question, value in zip(questions, values, strict=True) if question.number % 2 == odd] for odd in (0, 1)
        ]
        shares = [f"{sum(half) / (len(half) or 1):.3f}" for half in (values, *halves)]
        say(f"| {title} | {len(values)} | {' | '.join(shares)} |")


def _questions(folder: Path) -> list[Question]:
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")[:3]
        if float(grade) > 0:
            relevant.setdefault(query, set()).add(document)
    rows = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        Question(number, row["text"], tuple(row.get("answers", ())), frozenset(relevant[row["_id"]]))
        for number, row in enumerate(rows)
        if row["_id"] in relevant
    ]


def _sample(questions: list[Question], count: int) -> list[Question]:
    """So many, from the whole collection, even- and odd-numbered ones alike."""
    chosen = questions if len(questions) <= count else random.Random(SEED).sample(questions, count)
    return sorted(chosen, key=lambda one: one.number)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=f"any of {', '.join(PARTS)}")
    parser.add_argument("--data", type=Path, default=SHARED, help="the folder of judged collections")
    parser.add_argument("--questions", type=int, default=300, help="how many of each collection at most")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; there are {', '.join(PARTS)}")
    return options


if __name__ == "__main__":
    main()
