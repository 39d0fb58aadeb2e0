"""What a terminal lists of a result set: which rows in which order, with which text and chips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chatsearch.cells import cell_text
from chatsearch.commands.view import ListView, chip_columns, shown_rows, text_column
from chatsearch.languages import iso639_1
from chatsearch.results import ResultSet
from chatsearch.snippets import snippet
from chatsearch.work import in_batches

if TYPE_CHECKING:
    from chatsearch.services import Services
    from chatsearch.spec import Display


@dataclass(frozen=True)
class Listed:
    """The row numbers in the order they are shown, a snippet for each, the columns of the chips, what else is to be said."""

    rows: tuple[int, ...]
    snippets: tuple[str, ...]
    chips: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


async def listed(
    results: ResultSet, display: Display, services: Services, view: ListView | None = None, most: int | None = None
) -> Listed:
    """The list as the engine's `display` and the person's `view` have it, at most `most` rows.

    Raises InputError when a filter of the view cannot be used.
    """
    view = view or ListView()
    shown = await shown_rows(view, display, results, services)
    rows, notes = shown.rows[:most], list(shown.notes)
    if len(shown.rows) < len(results):
        out = len(results) - len(shown.rows)
        notes.append(f"{out} {'document is' if out == 1 else 'documents are'} filtered out; /filter off shows all.")
    if len(rows) < len(shown.rows):
        notes.append(f"{len(shown.rows) - len(rows):,} more are not shown; /filter and /sort choose, /export csv has all.")
    texts = await _snippets(results, text_column(view, display, results), rows)
    return Listed(rows, tuple(texts), chip_columns(view, display, results), tuple(notes))


async def _snippets(results: ResultSet, column: str, rows: tuple[int, ...]) -> list[str]:
    texts, languages = cell_text(results.documents, column), cell_text(results.documents, "language")
    pairs = [(texts[row], iso639_1(languages[row])) for row in rows]
    return await in_batches(lambda batch: [snippet(text, results.query, language) for text, language in batch], pairs)
