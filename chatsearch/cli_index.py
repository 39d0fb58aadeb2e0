"""What `chatsearch index` does: build with progress, list, show, remove."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn
from rich.table import Table

from chatsearch.index.build import BuildOptions, BuildReport, build_index
from chatsearch.index.catalog import IndexInfo, index_info, list_indexes, remove_index
from chatsearch.index.progress import BuildProgress
from chatsearch.index.readers import ColumnNames
from chatsearch.passages import PASSAGE_WORDS
from chatsearch.services import Services
from chatsearch.terminal import plain_text, write_json

_SHOWN_SKIPPED = 20
_SECONDS_BETWEEN_LINES = 10.0  # where no bar can be shown
_PHASES = {"reading": "reading documents", "lexical": "indexing words", "dense": "embedding passages"}


def build(
    services: Services,
    name: str,
    sources: Sequence[Path],
    language: str,
    model: str | None,
    passage_words: int | None,
    columns: Mapping[str, str],
    out: Console,
    err: Console,
) -> None:
    """Build an index and say what came of it; what was skipped is named, with the reason. `model` None: no vectors."""
    options = BuildOptions(
        language=language,
        columns=ColumnNames(**columns),
        dense=model is not None,
        model=model or "",
        passage_words=passage_words or PASSAGE_WORDS,
    )
    directory = services.writable(services.indexes_dir)
    with _BuildDisplay(err) as display:
        report = build_index(directory, name, sources, options=options, embeddings=services.embeddings, progress=display.show)
    _show_report(report, out, err)


def show_list(services: Services, console: Console, output: str) -> None:
    indexes = list_indexes(services.indexes_dir)
    if output == "json":
        write_json([_info_json(info) for info in indexes])
        return
    if not indexes:
        console.print(
            f"No index in {services.indexes_dir}. Build one: chatsearch index build NAME FILE", markup=False, soft_wrap=True
        )
        return
    table = Table("name", "documents", "language", "embedding model", "created", "size", box=box.SIMPLE_HEAD)
    for info in indexes:
        table.add_row(info.name, *_row(info))
    console.print(table)
    for info in indexes:
        if info.problem:
            console.print(plain_text(f"! {info.name}: {info.problem}"), style="yellow", markup=False, soft_wrap=True)


def show_info(services: Services, name: str, console: Console, output: str) -> None:
    info = index_info(services.indexes_dir, name)
    if output == "json":
        write_json(_info_json(info))
        return
    manifest = info.manifest
    assert manifest is not None
    table = Table(box=None, show_header=False, padding=(0, 1))
    for key, value in manifest.model_dump(mode="json", exclude={"files", "sources"}).items():
        shown = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        text = ", ".join(shown) if isinstance(shown, list) else str("" if shown is None else shown)
        if text:
            table.add_row(key.replace("_", " "), f"{manifest.created:%Y-%m-%d %H:%M} UTC" if key == "created" else text)
    for source in manifest.sources:
        table.add_row("source", f"{source.path}: {source.documents:,} documents, {source.skipped:,} skipped")
    table.add_row("size", _size(info.bytes))
    console.print(table)


def remove(services: Services, name: str, console: Console) -> None:
    remove_index(services.indexes_dir, name)
    console.print(f"The index {name} is removed.", markup=False)


class _BuildDisplay:
    """A bar per phase on stderr: done, of how many, how fast, how long still."""

    def __init__(self, console: Console) -> None:
        columns = (
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[say]}"),
        )
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._tasks: dict[str, TaskID] = {}
        self._console = console
        self._told = time.monotonic()

    def __enter__(self) -> _BuildDisplay:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def show(self, progress: BuildProgress) -> None:
        if progress.phase not in self._tasks:
            self._tasks[progress.phase] = self._progress.add_task(_PHASES[progress.phase], total=progress.total, say="")
        left = f", {progress.seconds_left:,.0f} s left" if progress.seconds_left and progress.seconds_left >= 1 else ""
        of = f" of {progress.total:,}" if progress.total else ""
        say = f"{progress.done:,}{of}, {progress.per_second:,.0f}/s{left}"
        self._progress.update(self._tasks[progress.phase], completed=progress.done, total=progress.total, say=say)
        if not self._console.is_terminal and time.monotonic() - self._told >= _SECONDS_BETWEEN_LINES:
            self._told = time.monotonic()
            self._console.print(f"{_PHASES[progress.phase]}: {say}", markup=False, soft_wrap=True)


def _show_report(report: BuildReport, out: Console, err: Console) -> None:
    manifest = report.manifest
    for skipped in report.skipped[:_SHOWN_SKIPPED]:
        err.print(plain_text(f"! {skipped}"), style="yellow", markup=False, soft_wrap=True)
    total = sum(manifest.skipped.values())
    if total > _SHOWN_SKIPPED:
        err.print(f"! and {total - _SHOWN_SKIPPED:,} more", style="yellow", markup=False)
    vectors = f", {manifest.passages:,} passages embedded by {manifest.embedding.model}" if manifest.embedding else ", no vectors"
    language = manifest.language or "mixed languages"
    out.print(
        f"The index {manifest.name} is ready: {manifest.documents:,} documents ({language}){vectors}, in {report.seconds:.1f} s.",
        markup=False,
        soft_wrap=True,
    )
    if total:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in manifest.skipped.items())
        out.print(f"Skipped: {total:,} ({reasons}).", markup=False, soft_wrap=True)
    if manifest.duplicate_ids:
        out.print(
            f"{manifest.duplicate_ids:,} documents had an id that was taken and got a suffix.", markup=False, soft_wrap=True
        )


def _row(info: IndexInfo) -> tuple[str, ...]:
    manifest = info.manifest
    if manifest is None:
        return ("", "damaged", "", "", "")
    model = manifest.embedding.model if manifest.embedding else "none"
    created = f"{manifest.created:%Y-%m-%d %H:%M}"
    return (f"{manifest.documents:,}", manifest.language or "mixed", model, created, _size(info.bytes))


def _info_json(info: IndexInfo) -> dict[str, object]:
    manifest = info.manifest.model_dump(mode="json") if info.manifest else None
    return {"name": info.name, "bytes": info.bytes, "problem": info.problem or None, "manifest": manifest}


def _size(number: int) -> str:
    for unit in ("B", "kB", "MB"):
        if number < 1000:
            return f"{number:,.0f} {unit}"
        number //= 1000
    return f"{number:,} GB"
