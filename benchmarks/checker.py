"""Measures the statement checker on labelled sentences: true paraphrases, altered ones, invented ones, and other paragraphs.

    python -m benchmarks.checker              both halves of tests/data/statements.jsonl; about three minutes on two cores
    python -m benchmarks.checker --wrong      also lists the wrong decisions on the half that was used for tuning

A false sentence is right when it is "not found", a true one when it is "exact" or "similar". "held out" was not looked at while
word lists and thresholds were set.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from chatsearch.checking import StatementChecker
from chatsearch.embedding import EmbeddingModels
from chatsearch.statements import Check, check_statement

STATEMENTS = Path(__file__).resolve().parents[1] / "tests" / "data" / "statements.jsonl"
HALVES = ("tuning", "held out")
TRUE = "true"


@dataclass(frozen=True)
class Labelled:
    """A sentence with a known label, and the paragraph it is checked against."""

    half: str
    kind: str
    statement: str
    text: str
    title: str
    language: str
    across: bool

    def is_right(self, check: Check) -> bool:
        return (check is not Check.NOT_FOUND) is (self.kind == TRUE)


@dataclass(frozen=True)
class Decision:
    """What the checker, and the comparison by words alone, decided, and the seconds the checker took."""

    labelled: Labelled
    check: Check
    by_words: Check
    seconds: float


def labelled(path: Path = STATEMENTS) -> Iterator[Labelled]:
    """All sentences of the file; each true one also against another paragraph of its article, as kind "other"."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        language = row["document_language"]
        across = language != row["language"]
        for one in row["statements"]:
            yield Labelled(row["half"], one["kind"], one["text"], row["text"], row["title"], language, across)
            if one["kind"] == TRUE:
                yield Labelled(row["half"], "other", one["text"], row["other"], row["title"], language, across)


def decide(checker: StatementChecker, one: Labelled) -> Decision:
    began = time.perf_counter()
    finding = checker.check(one.statement, one.text, one.language, one.title)
    seconds = time.perf_counter() - began
    return Decision(one, finding.check, check_statement(one.statement, one.text, one.language).check, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wrong", action="store_true", help="list the wrong decisions on the tuning half")
    arguments = parser.parse_args()
    checker = StatementChecker(EmbeddingModels())
    checker.check("Models are loaded.", "Before time is measured, all models load.", "en")
    decisions = [decide(checker, one) for one in labelled()]
    console = Console(width=140)
    console.print(_table(decisions))
    console.print(_languages(decisions))
    seconds = [one.seconds for one in decisions]
    slowest = statistics.quantiles(seconds, n=20)[-1]
    console.print(
        f"seconds per check: median {statistics.median(seconds):.3f}, mean {statistics.mean(seconds):.3f}, 95 % {slowest:.3f}"
    )
    for one in decisions if arguments.wrong else ():
        if one.labelled.half == HALVES[0] and not one.labelled.is_right(one.check):
            console.print(f"{one.labelled.kind}: {one.check.value}: {one.labelled.statement}", highlight=False, markup=False)


def _table(decisions: list[Decision]) -> Table:
    table = Table("kind", *(f"{half}{name}" for half in HALVES for name in ("", ", by words alone")), title="right decisions")
    kinds = list(dict.fromkeys(one.labelled.kind for one in decisions))
    for kind in [*kinds, "all false ones"]:
        of_kind = [
            one for one in decisions if one.labelled.kind == kind or (kind == "all false ones" and one.labelled.kind != TRUE)
        ]
        cells = []
        for half in HALVES:
            here = [one for one in of_kind if one.labelled.half == half]
            cells += [_share([one.labelled.is_right(one.check) for one in here])]
            cells += [_share([one.labelled.is_right(one.by_words) for one in here])]
        table.add_row(kind, *cells)
    return table


def _languages(decisions: list[Decision]) -> Table:
    table = Table(
        "documents", *(f"{half}, {name}" for half in HALVES for name in ("true", "false")), title="right decisions by language"
    )
    for name in dict.fromkeys(_group(one.labelled) for one in decisions):
        cells: list[str] = []
        for half in HALVES:
            here = [one for one in decisions if one.labelled.half == half and _group(one.labelled) == name]
            by_label = ([one for one in here if (one.labelled.kind == TRUE) is label] for label in (True, False))
            cells.extend(_share([one.labelled.is_right(one.check) for one in some]) for some in by_label)
        table.add_row(name, *cells)
    return table


def _group(one: Labelled) -> str:
    return f"{one.language}, German statement" if one.across else one.language


def _share(right: list[bool]) -> str:
    return f"{sum(right)} of {len(right)} ({sum(right) / len(right):.1%})" if right else "–"


if __name__ == "__main__":
    main()
