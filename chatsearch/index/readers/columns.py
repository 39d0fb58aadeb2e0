"""Which column of a file is the id, the title, the text, the URL and the language; all others become metadata."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from chatsearch.errors import ReadError, did_you_mean
from chatsearch.index.readers.rows import Document, Row, Skipped
from chatsearch.languages import iso639_1
from chatsearch.text import clean

KNOWN = {
    "id": ("id", "_id", "docid", "doc_id", "docno", "record_id"),
    "title": ("title", "headline", "heading", "name"),
    "text": (
        "text", "full-text", "full_text", "fulltext", "plain_text", "contents", "content", "body", "abstract", "passage",
        "description",
    ),
    "url": ("url", "link", "uri", "href"),
    "language": ("language", "lang"),
}  # fmt: skip
"""Names by which a column is recognised, the likeliest first; upper and lower case are the same."""

RESERVED = frozenset({"id", "title", "url", "text", "language"})
_NO_TEXT = "has no text"
_NO_INDEX = "its owner does not want it indexed"


@dataclass(frozen=True)
class ColumnNames:
    """The columns to take, by name; an empty name means: the first of `KNOWN` that a row has."""

    id: str = ""
    title: str = ""
    text: str = ""
    url: str = ""
    language: str = ""


class DocumentMaker:
    """Makes documents of the rows of one file, and remembers which columns it saw."""

    def __init__(self, path: Path, names: ColumnNames) -> None:
        self._path = path
        self._names = {role: getattr(names, role) for role in KNOWN}
        self._candidates = {role: (name,) if name else KNOWN[role] for role, name in self._names.items()}
        self._seen: dict[str, None] = {}
        self._roles_seen: set[str] = set()
        self._rows = 0

    def document(self, row: Row | Skipped) -> Document | Skipped:
        """The document of a row, or why there is none."""
        if isinstance(row, Skipped):
            return row
        self._rows += 1
        self._seen.update(dict.fromkeys(row.values))
        columns = self._columns(row.values)
        self._roles_seen.update(columns)
        text = _text(row.values.get(columns.get("text", "")))
        if not text.strip():
            return Skipped(self._path, row.place, _NO_TEXT)
        if _plain(row.values.get("ows_index")) in (False, "false", "False"):
            return Skipped(self._path, row.place, _NO_INDEX)
        return self._made(row.values, columns, text)

    def check(self) -> None:
        """Raises ReadError when the file gave no record at all, or none that has one of the columns asked for."""
        if not self._rows:
            raise ReadError(f"{self._path} holds no record that can be read. Check that its format is what its name says.")
        there = ", ".join(list(self._seen)[:40]) or "none"
        for role, name in self._names.items():
            if name and role not in self._roles_seen:
                raise ReadError(f"{self._path} has no column “{name}”.{did_you_mean(name, self._seen)} Its columns: {there}.")
        if "text" not in self._roles_seen:
            raise ReadError(f"{self._path} has no column known to hold text. Its columns: {there}. Name it with --text-column.")

    def _columns(self, values: Mapping[str, object]) -> dict[str, str]:
        """Role → the row's column for it; of the known names the first that has a value, else the first that is there."""
        own = {name.strip().casefold(): name for name in reversed(list(values))}
        found: dict[str, str] = {}
        for role, candidates in self._candidates.items():
            there = [own[name.casefold()] for name in candidates if name.casefold() in own]
            if there:
                found[role] = next((name for name in there if _plain(values[name]) not in (None, "")), there[0])
        return found

    def _made(self, values: Mapping[str, object], columns: dict[str, str], text: str) -> Document:
        fields = {role: _text(values.get(columns.get(role, ""))).strip() for role in ("id", "title", "url", "language")}
        return Document(
            id=" ".join(fields["id"].split()),
            title=" ".join(fields["title"].split()),
            text=text,
            url="".join(fields["url"].split()),
            language=iso639_1(fields["language"]) if fields["language"] else "",
            metadata=_metadata({name: value for name, value in values.items() if name not in columns.values()}),
        )


def _metadata(values: Mapping[str, object]) -> dict[str, object]:
    metadata: dict[str, object] = {}
    for name, value in values.items():
        plain, key = _plain(value), clean(name).strip()
        if plain is None or not key:
            continue
        metadata[f"original_{key}" if key in RESERVED else key] = plain
        if key == "ows_genai" and plain in (False, "false", "False"):
            metadata["_no_llm_"] = True
    return metadata


def _text(value: object) -> str:
    plain = _plain(value)
    if isinstance(plain, list):
        return "\n\n".join(str(part) for part in plain if part is not None)
    return "" if plain is None else str(plain)


def _plain(value: object) -> object:
    """`value` as JSON can hold it; NaN, infinity and empty are missing (None)."""
    match value:
        case None | bool() | int():
            return value
        case str():
            return clean(value)
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {clean(str(key)): _plain(part) for key, part in value.items()}
        case list() | tuple():
            return [_plain(part) for part in value]
    return _plain_scalar(value)


def _plain_scalar(value: object) -> object:
    match value:
        case decimal.Decimal():
            return _plain(float(value))
        case dt.datetime() | dt.date() | dt.time():
            return None if value != value else value.isoformat()  # pandas.NaT is a datetime unlike itself
        case dt.timedelta():
            return value.total_seconds()
        case bytes():
            return clean(value.decode("utf-8", "replace"))
    return clean(str(value))
