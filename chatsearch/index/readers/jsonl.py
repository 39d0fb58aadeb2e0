"""Reads JSON lines (.jsonl, .ndjson, also gzipped): one object per line."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from chatsearch.errors import ReadError
from chatsearch.index.readers.encoding import detect_encoding
from chatsearch.index.readers.rows import Row, Skipped

ENDINGS = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")

_BROKEN = "broken JSON"
_NOT_AN_OBJECT = "not a JSON object"


def rows(path: Path) -> Iterator[Row | Skipped]:
    """The objects of the file in order; a line that is broken, or no object, is skipped and named."""
    try:
        with _opened(path) as stream:
            encoding = detect_encoding(stream)
        with _opened(path) as stream:
            for number, line in enumerate(_lines(stream, encoding), 1):
                if line.strip("\ufeff \t\r\n\x00"):
                    yield _row(path, f"line {number}", line)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ReadError(f"{path} is not a whole gzip file ({error}). Fetch or compress it again.") from error


def _opened(path: Path) -> BinaryIO:
    if path.name.lower().endswith(".gz"):
        return cast("BinaryIO", gzip.open(path, "rb"))
    return path.open("rb")


def _lines(stream: BinaryIO, encoding: str) -> Iterator[str]:
    if encoding.startswith("utf-16"):
        yield from io.TextIOWrapper(stream, encoding, errors="replace", newline="\n")
        return
    for line in stream:
        yield line.decode(encoding, "replace")


def _row(path: Path, place: str, line: str) -> Row | Skipped:
    try:
        value = json.loads(line.strip("\ufeff \t\r\n\x00"))
    except json.JSONDecodeError as error:
        return Skipped(path, place, _BROKEN, f"{error.msg} at column {error.colno}")
    except (ValueError, RecursionError) as error:
        return Skipped(path, place, _BROKEN, str(error))
    if not isinstance(value, dict):
        return Skipped(path, place, _NOT_AN_OBJECT, f"a {type(value).__name__}")
    return Row(place, value)
