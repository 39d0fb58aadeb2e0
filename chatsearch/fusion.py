"""What several data sources found becomes one list: weighted reciprocal rank fusion, the same document once.

Reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009; score = Σ weight / (60 + rank). Raw scores of different
engines are never compared.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

import pandas as pd

from chatsearch.cells import column_of, is_missing
from chatsearch.results import ORIGINAL_RANKING, SOURCE_INDEX

K = 60

_ESCAPE = re.compile("%[0-9a-fA-F]{2}")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class SourceList:
    """The documents one source found, best first, its name, its weight, and which column has the text."""

    label: str
    documents: Sequence[Mapping[str, object]]
    weight: float = 1.0
    text_column: str = "full-text"


@dataclass
class _Row:
    values: dict[str, object]
    labels: list[str]
    score: float = 0.0
    best: tuple[int, int] = (0, 0)
    seen_in: set[int] = field(default_factory=set)


def fuse(lists: Sequence[SourceList], existing: pd.DataFrame | None = None) -> tuple[pd.DataFrame, int]:
    """One row per document, best first, and how many rows were merged into another.

    Between sources the same document (canonical URL, else the hash of its text) becomes one row whose `_source_index_` names
    all its sources; within a source nothing is merged. `_original_ranking_` is the fused rank from 1, or goes on after that of
    `existing`, whose rows stay first and take up the same documents. `id` stays unique text.
    """
    old = (
        []
        if existing is None
        else [
            _Row({str(name): value for name, value in row.items()}, _labels(row), seen_in={-1})
            for row in existing.to_dict("records")
        ]
    )
    keys = {key: row for row in reversed(old) for key in _keys(row.values, [one.text_column for one in lists])}
    new, merged = _collect(lists, keys)
    # one source keeps its own order to the letter; several are ordered by their fused score
    ranked = sorted(new, key=lambda row: (-row.score, row.best)) if len(lists) > 1 else new
    start = max((_rank(row.values) for row in old), default=0)
    for rank, row in enumerate(ranked, start=start + 1):
        row.values[ORIGINAL_RANKING] = rank
    rows = [{**row.values, SOURCE_INDEX: ", ".join(row.labels)} for row in (*old, *ranked)]
    _make_ids_unique(rows)
    return _frame(rows, existing, lists), merged


def canonical_url(url: str) -> str:
    """A URL as it names a document: https, lower-case host without www, no default port, plain fragment or trailing slash.

    A text fragment (`#:~:text=`) is kept, because it names a passage of a page.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return url.strip()
    if not parts.netloc:
        return url.strip()
    scheme = "https" if parts.scheme == "http" else parts.scheme
    host = (parts.hostname or "").removeprefix("www.")
    host += f":{port}" if port and port not in (_DEFAULT_PORTS.get(parts.scheme), _DEFAULT_PORTS.get(scheme)) else ""
    fragment = parts.fragment if parts.fragment.startswith(":~:text=") else ""
    return urlunsplit((scheme, host, _quoted(parts.path.rstrip("/")), _quoted(parts.query), fragment))


def _quoted(part: str) -> str:
    """A path or query with other letters percent-encoded, so that both ways of writing them are one."""
    encoded = quote(part, safe="%/:@!$&'()*+,;=~?", errors="replace")
    return _ESCAPE.sub(lambda escape: escape[0].upper(), encoded)


def _collect(lists: Sequence[SourceList], keys: dict[str, _Row]) -> tuple[list[_Row], int]:
    rows: list[_Row] = []
    merged = 0
    for number, source in enumerate(lists):
        for rank, document in enumerate(source.documents, start=1):
            found = _same(document, source, number, keys)
            if found is None:
                found = _Row(dict(document), [], best=(rank, number))
                rows.append(found)
            else:
                merged += 1
                found.values.update({name: value for name, value in document.items() if _is_empty(found.values.get(name))})
            found.seen_in.add(number)
            found.score += source.weight / (K + rank)
            found.best = min(found.best, (rank, number))
            found.labels += [source.label] if source.label not in found.labels else []
            for key in _keys(found.values, [source.text_column]):
                keys.setdefault(key, found)
    return rows, merged


def _same(document: Mapping[str, object], source: SourceList, number: int, keys: Mapping[str, _Row]) -> _Row | None:
    """The row of another source that is this document; none when it is the same source's."""
    found = next((keys[key] for key in _keys(document, [source.text_column]) if key in keys), None)
    return found if found is not None and number not in found.seen_in else None


def _keys(document: Mapping[str, object], text_columns: Iterable[str]) -> Iterator[str]:
    url = document.get("url")
    if isinstance(url, str) and url.strip():
        yield f"url {canonical_url(url)}"
        return
    for column in dict.fromkeys(text_columns):
        text = document.get(column)
        if isinstance(text, str) and text.strip():
            yield f"text {_text_hash(text)}"


def _text_hash(text: str) -> str:
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "replace")).hexdigest()


def _labels(row: Mapping[Any, object]) -> list[str]:
    return [one for one in str(row.get(SOURCE_INDEX) or "").split(", ") if one]


def _rank(values: Mapping[str, object]) -> int:
    rank = values.get(ORIGINAL_RANKING)
    return int(rank) if isinstance(rank, int | float) and not is_missing(rank) else 0


def _make_ids_unique(rows: Sequence[dict[str, object]]) -> None:
    seen: set[str] = set()
    for row in rows:
        plain = "" if is_missing(row.get("id")) else str(row["id"])
        candidates = [plain, f"{str(row[SOURCE_INDEX]).split(', ')[0]}:{plain}"]
        free = next((one for one in candidates if one and one not in seen), None)
        copy = 2
        while free is None or free in seen:
            free, copy = f"{candidates[1]}#{copy}", copy + 1
        row["id"] = free
        seen.add(free)


def _frame(rows: Sequence[dict[str, object]], existing: pd.DataFrame | None, lists: Sequence[SourceList]) -> pd.DataFrame:
    first = ["id", "title", "url", *(one.text_column for one in lists), SOURCE_INDEX, ORIGINAL_RANKING]
    before = [] if existing is None else [str(column) for column in existing.columns]
    names = dict.fromkeys([*before, *first, *(name for row in rows for name in row)])
    texts = ("title", "url")
    columns = {name: [row.get(name, "" if name in texts else None) for row in rows] for name in names}
    columns |= {name: ["" if is_missing(value) else str(value) for value in columns[name]] for name in texts}
    frame = pd.DataFrame({name: column_of(values) for name, values in columns.items()})
    frame[ORIGINAL_RANKING] = frame[ORIGINAL_RANKING].astype("int64")
    return frame


def _is_empty(value: object) -> bool:
    return is_missing(value) or value == ""
