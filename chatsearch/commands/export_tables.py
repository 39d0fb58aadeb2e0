"""A result set as JSON, JSON lines, CSV and Parquet, with its summaries, answers and footnotes as far as each can hold them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatsearch.results import Answer, ResultSet

if TYPE_CHECKING:
    import pyarrow as pa

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_CITATIONS = "citations"
_METADATA = b"chatsearch"


def as_json(results: ResultSet, answers: Sequence[Answer]) -> bytes:
    """The object that every interface gives."""
    return _encoded(json.dumps(results.to_json(answers), ensure_ascii=False, indent=2) + "\n")


def as_jsonl(results: ResultSet, answers: Sequence[Answer]) -> bytes:
    """An object per line, each with one key that says what it is: `search`, `document`, `summary` or `answer`."""
    lines: list[dict[str, object]] = [{"search": {"query": results.query, "asked": results.asked}}]
    lines += [{"document": document} for document in results.documents_json()]
    lines += [{"summary": summary.to_json()} for summary in results.summaries]
    lines += [{"answer": answer.to_json()} for answer in answers]
    return _encoded("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def as_csv(results: ResultSet, answers: Sequence[Answer]) -> bytes:
    """A row per document with what is quoted from it; begins with a byte order mark, so that spreadsheets read UTF-8.

    A text that a spreadsheet would run as a formula gets an apostrophe before it; lists and objects are JSON.
    """
    rows, names = _rows(results, answers)
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(map(_csv_cell, names))
    writer.writerows([_csv_cell(row[name]) for name in names] for row in rows)
    return "\ufeff".encode() + _encoded(out.getvalue())


def as_parquet(results: ResultSet, answers: Sequence[Answer]) -> bytes:
    """A row per document with what is quoted from it; query, summaries and answers are JSON in the file's metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows, names = _rows(results, answers)
    said = {key: value for key, value in results.to_json(answers).items() if key != "documents"}
    columns = [_arrow([row[name] for row in rows]) for name in names]
    table = pa.table(columns, names=[_text(name) for name in names], metadata={_METADATA: _encoded(json.dumps(said))})
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


def _rows(results: ResultSet, answers: Sequence[Answer]) -> tuple[list[dict[str, object]], list[str]]:
    """Every document with its citations, and the names of the columns."""
    rows = results.documents_json()
    column = _CITATIONS
    while column in results.documents.columns:
        column += "_"
    cited: dict[object, list[dict[str, object]]] = {}
    texts = [(summary.title, summary.footnotes) for summary in results.summaries]
    texts += [(answer.question, answer.footnotes) for answer in answers]
    for title, footnotes in texts:
        for note in footnotes:
            found: dict[str, object] = {
                "in": title,
                "quote": note.quote,
                "start": note.start,
                "end": note.end,
                "check": note.check.value,
            }
            cited.setdefault(note.n, []).append(found)
    first = ["n", "id", "title", "url"]
    names = list(rows[0]) if rows else [*first, *(str(one) for one in results.documents.columns if one not in first)]
    return [{**row, column: cited.get(row["n"]) or None} for row in rows], [*names, column]


def _csv_cell(value: object) -> object:
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and (value.startswith(_FORMULA) or value.lstrip().startswith(_FORMULA)):
        return f"'{value}"
    return value


def _arrow(values: list[object]) -> pa.Array:
    """A column; of values that are not of one kind their texts, lists and objects as JSON."""
    import pyarrow as pa

    if not any(isinstance(value, list | dict) for value in values):
        # numbers and texts in one column, or more than 64 bits, are no column of Arrow's
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            return pa.array(values)
    return pa.array([None if value is None else _text(value) for value in values], type=pa.string())


def _text(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _encoded(text).decode()


def _encoded(text: str) -> bytes:
    """UTF-8; half of a character, which a question may hold, becomes a question mark."""
    return text.encode("utf-8", "replace")
