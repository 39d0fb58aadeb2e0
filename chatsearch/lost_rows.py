"""Says which step left no document."""

from __future__ import annotations

from collections.abc import Sequence

from chatsearch.results import LedgerRow, ResultSet


def where_rows_went(results: ResultSet) -> str:
    """Which step left no row: `0 results` alone would not say that rows came."""
    emptied = [row for row in results.ledger if row.rows_in and not row.rows_out]
    if emptied:
        return f"No document is left: step {emptied[0].step} ({emptied[0].module}) removed the last {emptied[0].rows_in}."
    return f"Nothing was found: {_names(results.ledger)} gave no document."


def _names(ledger: Sequence[LedgerRow]) -> str:
    return " and ".join(f"step {row.step} ({row.module})" for row in ledger if not row.rows_in) or "the source"
