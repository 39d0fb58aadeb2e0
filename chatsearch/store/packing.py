"""Result sets and answers as the bytes that the database keeps, and back."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import pandas as pd

from chatsearch.errors import StoreError
from chatsearch.results import Answer, ResultSet
from chatsearch.store.exact_json import dumps, loads
from chatsearch.store.frames import pack_frame, unpack_frame
from chatsearch.store.records import dump_record, load_record
from chatsearch.store.store import StoredResults

if TYPE_CHECKING:
    from chatsearch.store.rows import StoredRow

_DOCUMENTS = frozenset({"documents"})


@dataclass(frozen=True)
class PackedResults:
    """A result set ready to be kept: its frame, everything else of it, its spec, and one key per document to find it by."""

    asked: str
    frame: bytes
    state: bytes
    spec: bytes | None
    documents: int
    keys: tuple[bytes, ...]


def packed(results: ResultSet, spec: Mapping[str, object] | None = None) -> PackedResults:
    """A result set, and the spec that made it, to be kept. Blocking."""
    documents: pd.DataFrame = results.documents
    state = zlib.compress(dumps(dump_record(results, without=_DOCUMENTS)), level=1)
    ids = list(documents["id"]) if "id" in documents.columns else []
    keys = tuple(dict.fromkeys(document_key(str(one)) for one in ids))
    return PackedResults(results.asked, pack_frame(documents), state, None if spec is None else dumps(spec), len(documents), keys)


def unpacked(row: StoredRow) -> StoredResults:
    """A row of the database as what was kept. Blocking. Raises StoreError when its bytes cannot be read."""
    try:
        state = loads(zlib.decompress(row.state))
        results = load_record(ResultSet, state, documents=unpack_frame(row.frame))
        answers = tuple(load_record(Answer, loads(one)) for one in row.answers)
        spec = None if row.spec is None else loads(row.spec)
    except (ValueError, KeyError, TypeError, OSError, zlib.error) as error:
        raise StoreError(
            f"The result set {row.id} in the store cannot be read ({error}): its row is damaged. Search again for a new one."
        ) from error
    return StoredResults(row.id, row.chat, row.engine, row.created, spec, results, answers)


def packed_answer(answer: Answer) -> bytes:
    """An answer with its footnotes."""
    return dumps(dump_record(answer))


def document_key(document_id: str) -> bytes:
    """What a document is looked up by: 32 bytes, since ids may be longer than an index of PostgreSQL takes."""
    return sha256(document_id.encode("utf-8", "surrogatepass")).digest()
