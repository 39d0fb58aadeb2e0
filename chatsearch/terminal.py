"""What a run looks like in a terminal: live progress, the summary with its footnotes, the list, the answers."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from chatsearch.cells import cell_text
from chatsearch.citations import UNSUPPORTED, Check, Footnote, statements_found, unsupported_sign
from chatsearch.events import AnswerToken, Event, StepFinished, StepProgress, StepStarted, SummaryToken
from chatsearch.results import SOURCE_INDEX, Answer, LedgerRow, ResultSet, RunWarning, Summary
from chatsearch.spec import Spec
from chatsearch.web import host, is_web

if TYPE_CHECKING:
    from chatsearch.terminal_list import Listed

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ROWS_OF_STEPS = 8  # left free above a text that streams
_SIGNS = {Check.EXACT: ("✓", "green"), Check.SIMILAR: ("≈", "yellow"), Check.NOT_FOUND: ("✗", "red")}


class Streamed:
    """A text while it comes: its last lines, as many as fit the terminal. What is whole is printed after it, with footnotes."""

    def __init__(self) -> None:
        self.text = ""

    def add(self, event: SummaryToken | AnswerToken) -> None:
        begun = "" if isinstance(event, AnswerToken) and event.anew else self.text
        self.text = begun + plain_text(event.token)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.text:
            yield from Text(self.text).wrap(console, options.max_width)[-max(console.height - _ROWS_OF_STEPS, 1) :]


class LiveSteps:
    """A line per step on stderr while it runs, the summary below while it comes; nothing where stderr is no terminal."""

    def __init__(self, console: Console) -> None:
        columns = (
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
        )
        self._console = console
        self._progress = Progress(*columns, TimeElapsedColumn(), console=console)
        self._tasks: dict[tuple[int, str], TaskID] = {}
        self._summary = Streamed()

    @contextmanager
    def shown(self) -> Iterator[LiveSteps]:
        with live(self._console, Group(self._progress, self._summary)):
            yield self

    def show(self, event: Event) -> None:
        if isinstance(event, SummaryToken):
            self._summary.add(event)
        elif isinstance(event, StepStarted):
            self._tasks[event.step, ""] = self._progress.add_task(f"{event.step} {event.module}", total=None)
        elif isinstance(event, StepProgress):
            self._progress.update(self._task(event), completed=event.done, total=event.total)
        elif isinstance(event, StepFinished):
            for (step, _), task in self._tasks.items():
                if step == event.row.step:
                    self._progress.update(task, completed=1, total=1)
                    self._progress.stop_task(task)

    def _task(self, event: StepProgress) -> TaskID:
        key = (event.step, event.note)
        if key not in self._tasks:
            self._tasks[key] = self._progress.add_task(f"{event.step} {event.module}: {event.note}", total=event.total)
        return self._tasks[key]


@contextmanager
def live(console: Console, shown: RenderableType) -> Iterator[None]:
    """Show what changes until it is over, then take it away; nothing where the console is no terminal."""
    if not console.is_terminal:
        yield
        return
    with Live(shown, console=console, transient=True, refresh_per_second=10):
        yield


def show_welcome(console: Console, spec: Spec) -> None:
    """What the engine is, what to ask, and how to leave."""
    console.print(Text(plain_text(spec.title), style="bold"))
    for line in (spec.engine.subtitle, spec.engine.description):
        if line:
            console.print(Text(plain_text(line)))
    for starter in spec.engine.starters:
        console.print(Text.assemble("  · ", (plain_text(starter), "italic")))
    how = "Type a query. Later lines are answered from its results; /search QUERY searches anew; /help lists all; /quit ends."
    console.print(Text(how, style="dim"))


def write_json(value: object) -> None:
    """A JSON value on stdout, for programs."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def plain_text(text: str) -> str:
    """Text of a document or a model without what a terminal would obey: escape sequences, other control and bidi characters."""
    return _CONTROL.sub("", text)


def show_results(console: Console, results: ResultSet, seconds: float, listed: Listed) -> None:
    """The line of figures, the summaries, the list; warnings come last, where they are seen."""
    console.print(Text(figures(results, seconds), style="dim"))
    for summary in results.summaries:
        console.print(Padding(_summary(summary), (1, 0, 0, 0)))
    show_list(console, results, listed)
    show_warnings(console, results.warnings)


def show_list(console: Console, results: ResultSet, listed: Listed) -> None:
    """The documents in the order they are listed in, and what is to be said of those that are not."""
    if listed.rows:
        console.print(Padding(_list(results, listed), (1, 0, 0, 0)))
    for note in listed.notes:
        console.print(Text(plain_text(note), style="dim"))


def show_answer(console: Console, answer: Answer, *, asked: bool = True) -> None:
    """The answer with its footnotes; with `asked` the question stands above it."""
    console.print()
    if asked:
        console.print(Text(plain_text(answer.question), style="bold"))
    if answer.understood_as != answer.question:
        console.print(Text(f"Understood as: {plain_text(answer.understood_as)}", style="italic dim"))
    console.print(_cited(answer))


def show_error(console: Console, message: str) -> None:
    """An error, whole, without what a terminal would obey: it may repeat what a spec or a document says."""
    console.print(f"Error: {plain_text(message)}", markup=False, highlight=False, soft_wrap=True, style="red")


def show_warnings(console: Console, warnings: Sequence[RunWarning]) -> None:
    for warning in warnings:
        console.print(Text.assemble(("! ", "yellow bold"), plain_text(warning.message)))


def figures(results: ResultSet, seconds: float) -> str:
    """`2 sources · 42 found · 6 merged · 16 removed · 20 shown · 0.8 s`."""
    sources = [row for row in results.ledger if _is_source(row)]
    found = sum(row.rows_out for row in sources)
    after = next((row.rows_in for row in results.ledger if row.rows_in and not _is_source(row)), len(results))
    parts = [_count(len(sources), "source"), f"{found} found"]
    parts += [f"{found - after} merged"] if found > after else []
    parts += [f"{after - len(results)} removed"] if after > len(results) else []
    return " · ".join([*parts, f"{len(results)} shown", f"{seconds:.1f} s"])


def ledger_table(results: ResultSet) -> Table:
    table = Table("step", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("module", no_wrap=True)
    for name in ("rows in", "rows out", "seconds", "calls", "cached", "warnings"):
        table.add_column(name, justify="right")
    for row in results.ledger:
        cells = (row.step, row.module, row.rows_in, row.rows_out, f"{row.seconds:.3f}", row.calls, row.cached, row.warnings)
        table.add_row(*map(str, cells))
    return table


def journey_table(results: ResultSet) -> Table:
    """Where each shown document stood after every step that ordered or removed some."""
    table = Table("", "title", *(f"{step.step} {step.module}" for step in results.journey), box=box.SIMPLE_HEAD)
    titles = cell_text(results.documents, "title")
    for row, identifier in enumerate(results.documents["id"]):
        ranks = [str(step.ranks.get(str(identifier), "–")) for step in results.journey]
        table.add_row(str(results.number(row)), Text(plain_text(titles[row])), *ranks)
    return table


def _is_source(row: LedgerRow) -> bool:
    return row.module.endswith("_datasource")


def _summary(summary: Summary) -> RenderableType:
    return Group(Text(plain_text(summary.title), style="bold"), _cited(summary))


def _cited(cited: Summary | Answer) -> RenderableType:
    """The text with its markers set off and `[?]` after what no document says, each footnote with its quotation, the count."""
    shown, text, last = Text(), cited.text, 0
    signs = [(note.at, f"[{note.n}]", _SIGNS[note.check][1]) for note in cited.footnotes]
    unsupported = [unsupported_sign(text, sentence) for sentence in cited.unsupported]
    for at, sign, colour in sorted([*signs, *((one.start, one.of(text), "red") for one in unsupported)]):
        shown.append(plain_text(text[last:at]))
        shown.append(sign, style=f"bold {colour}")
        last = at + len(sign)
    shown.append(plain_text(text[last:]))
    found = statements_found(text, cited.footnotes, cited.unsupported)
    count = [Text(f"  {found.line()}", style="dim")] if found.exact < found.total else []
    notes = [_footnote(note, said=text) for note in cited.footnotes]
    return Group(shown, *notes, *([Text(f"  {UNSUPPORTED} ✗ no document says this", "red")] if cited.unsupported else []), *count)


def _footnote(note: Footnote, said: str) -> Text:
    """Where a statement stands; its quotation only where the statement is not that quotation itself."""
    sign, colour = _SIGNS[note.check]
    line = Text.assemble((f"  [{note.n}] {sign} {note.check.value} ", colour), _linked(note.title or note.id, note.url))
    line.append(f", {note.column} {note.start}–{note.end}" if note.quote else "", style="dim")
    if note.quote and note.quote not in said:
        line.append(f"\n      “{plain_text(note.quote)}”", style="dim")
    return line


def _list(results: ResultSet, listed: Listed) -> Table:
    table = Table(box=None, padding=(0, 1), show_header=False)
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column()
    frame = results.documents
    ids, titles, urls, chips = cell_text(frame, "id"), cell_text(frame, "title"), cell_text(frame, "url"), _chips(results, listed)
    for row, snippet in zip(listed.rows, listed.snippets, strict=True):
        head = _linked(titles[row] or ids[row], urls[row])
        head.append("  " + "  ".join(part for part in (plain_text(host(urls[row])), chips[row]) if part), style="dim not bold")
        table.add_row(str(results.number(row)), head)
        table.add_row("", Text(plain_text(snippet), style="dim"))
    return table


def _chips(results: ResultSet, listed: Listed) -> list[str]:
    cells = [cell_text(results.documents, column) for column in listed.chips]
    labels = ["" if column == SOURCE_INDEX else f"{plain_text(column)} " for column in listed.chips]
    rows = [
        [f"{label}{plain_text(one)}" for label, one in zip(labels, row, strict=True) if one] for row in zip(*cells, strict=True)
    ]
    return ["  ".join(row) for row in rows] if listed.chips else [""] * len(results)


def _linked(title: str, url: str) -> Text:
    text = Text(plain_text(" ".join(title.split())), style="bold")
    if is_web(url):
        text.stylize(f"link {plain_text(url)}")
    return text


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
