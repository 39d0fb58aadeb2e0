"""A frame of documents as bytes (an Arrow stream compressed by Zstandard), and back."""

from __future__ import annotations

import pandas as pd

from chatsearch.store.columns import from_arrow, to_arrow
from chatsearch.store.exact_json import dumps, loads

_NOTES = b"chatsearch"


def pack_frame(frame: pd.DataFrame) -> bytes:
    """The frame's columns, one Arrow array each. Blocking: some 50 ms for 1,000 texts of 2,000 words.

    Names (of any kind, also twice the same), order, values and dtypes are kept: NumPy's, text in either storage, dates with and
    without zone, nullable, categorical and Arrow's. A column of objects is kept cell by cell: None, NaN, lists, dicts, arrays,
    dates and so on (exact_json.py).

    What changes: the row index becomes a RangeIndex; `attrs` and the names of the axes go; a zone that has no name (a file
    dateutil read) becomes UTC; intervals, periods and objects of classes not listed in exact_types.py become texts, and a column
    of a dtype not named here (sparse, complex, text with lone surrogates) a column of objects.
    """
    import pyarrow as pa

    columns = [to_arrow(frame.iloc[:, place]) for place in range(frame.shape[1])]
    about = {
        "rows": len(frame),
        "names": list(frame.columns),
        "object": pd.api.types.is_object_dtype(frame.columns),
        "columns": [note for note, _ in columns],
    }
    schema = pa.schema([(str(place), array.type) for place, (_, array) in enumerate(columns)], metadata={_NOTES: dumps(about)})
    options = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=1))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema, options=options) as stream:
        stream.write_batch(pa.record_batch([array for _, array in columns], schema=schema))
    return bytes(sink.getvalue())


def unpack_frame(packed: bytes) -> pd.DataFrame:
    """The frame that was packed. Blocking. Raises ValueError, KeyError, TypeError or OSError when these bytes are none."""
    import pyarrow as pa

    with pa.ipc.open_stream(packed) as stream:
        batch = stream.read_next_batch()
    about = loads(batch.schema.metadata[_NOTES])
    columns = {place: from_arrow(note, batch.column(place)) for place, note in enumerate(about["columns"])}
    frame = pd.DataFrame(columns, index=pd.RangeIndex(about["rows"]))
    if about["names"] or about["object"]:
        frame.columns = pd.Index(about["names"], dtype=object if about["object"] else None)
    return frame
