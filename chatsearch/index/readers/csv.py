"""Reads tables as text (.csv, .tsv): the first line names the columns; delimiter and encoding are found out."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from chatsearch.errors import ReadError
from chatsearch.index.readers.encoding import detect_encoding
from chatsearch.index.readers.rows import Row, Skipped

ENDINGS = (".csv", ".tsv")
LONGEST_FIELD = 16 << 20
"""Characters; a longer field is most likely a quote that nobody closed."""

_SAMPLE = 1 << 16
_TOO_LONG = "a quote is not closed, or a field is too long"
_TOO_MANY = "more fields than columns"


def rows(path: Path) -> Iterator[Row | Skipped]:
    """The records in order, all values as text; an empty field is missing, a record with too many fields is skipped."""
    with path.open("rb") as binary:
        encoding = detect_encoding(binary)
    with path.open(encoding=encoding, errors="replace", newline="") as stream:
        delimiter = "\t" if path.name.lower().endswith(".tsv") else _delimiter(stream.read(_SAMPLE))
        stream.seek(0)
        reader = csv.reader((line.replace("\x00", "") for line in stream), delimiter=delimiter)
        yield from _records(path, reader)


def _records(path: Path, reader: Iterator[list[str]]) -> Iterator[Row | Skipped]:
    limit = csv.field_size_limit(LONGEST_FIELD)
    try:
        header = next(reader, [])
        if not any(name.strip() for name in header):
            raise ReadError(f"{path} has no column names in its first line. Add a line that names the columns.")
        number = 0
        while True:
            number += 1
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield Skipped(path, f"row {number}", _TOO_LONG, str(error))
                continue
            if len(fields) > len(header) and any(fields[len(header) :]):
                yield Skipped(path, f"row {number}", _TOO_MANY, f"{len(fields)} fields, {len(header)} columns")
            elif any(fields):
                named = zip(header, fields, strict=False)
                yield Row(f"row {number}", {name.strip(): value or None for name, value in named if name.strip()})
    finally:
        csv.field_size_limit(limit)


def _delimiter(sample: str) -> str:
    """The likeliest delimiter: what parts the first line into the most columns, of those that part the others alike."""
    lines = sample.splitlines()[:20]
    best, columns = ",", 1
    for candidate in ",;\t|":
        widths = [len(fields) for fields in csv.reader(lines, delimiter=candidate) if fields]
        if widths and widths[0] > columns and sum(width == widths[0] for width in widths) * 2 > len(widths):
            best, columns = candidate, widths[0]
    return best
