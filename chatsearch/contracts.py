"""Column contracts: what a step reads must be there, and is looked for before anything is fetched where that can be told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from chatsearch.cells import cells
from chatsearch.errors import MissingColumnError, ModuleError, did_you_mean
from chatsearch.module import DataSource, Module
from chatsearch.results import ResultSet

if TYPE_CHECKING:
    from chatsearch.services import Services
    from chatsearch.spec import Spec


def check_columns(spec: Spec, services: Services) -> None:
    """Raises MissingColumnError when a step reads a column that no earlier step gives and no earlier source is open."""
    problems = [f"Step {number} ({module}) {problem}" for number, module, problem in column_problems(spec, services)]
    if problems:
        raise MissingColumnError("\n".join(problems))


def column_problems(spec: Spec, services: Services) -> list[tuple[int, str, str]]:
    """Every missing column that can be told without running: (step number, module id, sentence)."""
    known: dict[str, None] = {}
    is_open = False
    rankings = 0
    problems = []
    for step in spec.enabled_steps:
        module = step.module
        missing = "" if is_open else missing_columns(module, known)
        if missing:
            problems.append((step.number, module.id, missing))
        if isinstance(module, DataSource):
            is_open = is_open or module.open_columns(services)
            known |= dict.fromkeys(module.more_columns(services))
        written = module.writes()
        rankings += any("_N_" in column for column in written)
        known |= dict.fromkeys(column.replace("_N_", f"_{rankings}_") for column in written)
    return problems


def kept_promises(module: Module, before: ResultSet, after: ResultSet) -> ResultSet:
    """`after`, with what no module may change as it was. Raises ModuleError when rows or columns went that may not go.

    Only a module with `removes_rows` removes rows, only one with `moves_rows` moves them, none loses a column or an id.
    """
    if not isinstance(after, ResultSet):
        raise ModuleError(f"it gave back {type(after).__name__} and not a result set")
    there = set(after.documents.columns)
    lost = [str(column) for column in before.documents.columns if column not in there]
    if lost:
        raise ModuleError(f"it lost the column {' and '.join(f'“{column}”' for column in lost)}")
    old, new = cells(before.documents["id"]), cells(after.documents["id"])
    if old == new:
        return _as_asked(before, after)
    if len(set(new)) < len(new):
        raise ModuleError("it gave two documents the same id")
    if not module.removes_rows and not set(old) <= set(new):
        raise ModuleError(f"it lost {len(set(old) - set(new))} of {len(old)} documents, and is no module that removes any")
    if not (module.moves_rows or module.removes_rows):
        raise ModuleError("it added or moved documents, and is no module that does")
    return _as_asked(before, after)


def _as_asked(before: ResultSet, after: ResultSet) -> ResultSet:
    return after if after.asked == before.asked else replace(after, asked=before.asked)


def missing_columns(module: Module, there: Iterable[object]) -> str:
    """A sentence that names the columns a module reads and has not; empty when none is missing."""
    columns = [str(column) for column in there]
    missing = [column for column in module.reads() if column not in columns]
    if not missing:
        return ""
    names = " and ".join(f"“{column}”" for column in missing)
    listed = ", ".join(columns) if columns else "none: no data source comes before it"
    return f"reads the column {names}, which is not there.{did_you_mean(missing[0], columns)} The columns are: {listed}."
