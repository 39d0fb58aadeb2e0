"""Reads Parquet (.parquet), a few hundred rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from chatsearch.errors import ReadError
from chatsearch.index.readers.rows import Row, Skipped

ENDINGS = (".parquet",)

_ROWS_AT_ONCE = 256


def rows(path: Path) -> Iterator[Row | Skipped]:
    """The rows of the file in order, with Python values."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    number = 0
    try:
        with ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE):
                for values in batch.to_pylist(maps_as_pydicts="lossy"):
                    number += 1
                    yield Row(f"row {number}", values)
    except (pa.ArrowException, OSError, ValueError) as error:
        after = f" after row {number}" if number else ""
        raise ReadError(f"{path} cannot be read as Parquet{after}: {error}. Write or fetch it again.") from error
