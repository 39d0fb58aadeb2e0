"""A document as another system gives it becomes a row: cleaned once, its fields found under their usual names.

Nothing is taken for granted of what comes: names may be missing or doubled, ids numbers, texts lists, addresses scripts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from chatsearch.errors import SourceError
from chatsearch.results import NO_LLM
from chatsearch.text import clean
from chatsearch.work import in_batches

_TITLE_LENGTH = 80
_DEPTH = 6
_MOST_FIELDS = 1_000

_IDS = ("id", "_id", "record_id", "uid", "uuid", "objectID")
_TITLES = ("title", "name", "heading", "headline")
_URLS = ("url", "link", "uri", "source_url", "href", "permalink", "source")
_TEXTS = (
    *("full-text", "full_text", "fullText", "fulltext", "plain_text", "mainContent", "main_content", "text", "content"),
    *("page_content", "body", "document", "description", "abstract", "snippet", "textSnippet"),
)
_NO_LLM = ("ows_genai", "owsGenai", "genai")


@dataclass(frozen=True)
class FieldNames:
    """Which field of a record is what, `a.b` for a field inside another; empty: the first of the usual names it has."""

    id: str = ""
    title: str = ""
    url: str = ""
    text: str = ""


async def as_rows(
    records: Sequence[object], text_column: str, names: FieldNames | None = None, *, text_is_all: bool = True
) -> list[dict[str, object]]:
    """`as_row` of every record, in their order, away from the event loop.

    Raises SourceError when one is no object, or when they have more than 1,000 different fields, each of which is a column.
    """
    used = names or FieldNames()
    if len({name for one in records for name in _object(one)}) > _MOST_FIELDS:
        raise SourceError(f"It answered documents with more than {_MOST_FIELDS:,} different fields, which are too many columns.")

    def rows(batch: Sequence[object]) -> list[dict[str, object]]:
        return [as_row(_object(one), text_column, used, text_is_all=text_is_all) for one in batch]

    return await in_batches(rows, records)


def as_row(
    record: Mapping[str, object], text_column: str, names: FieldNames | None = None, *, text_is_all: bool = True
) -> dict[str, object]:
    """`id`, `title`, `url`, the text column, then every other field of the record under its own name.

    A URL that is no web address is left out; a missing id is the URL, else a hash of the text; a missing title the URL or the
    text's beginning. Without a field for the text, the text is all other texts of the record (unless not `text_is_all`). Names
    that begin with `_` are ours and are not taken over; `ows_genai: false` becomes `_no_llm_`.
    """
    used = names or FieldNames()
    cleaned = {clean(str(name)): _cleaned(value) for name, value in record.items()}
    url_name, url = _first(cleaned, used.url, _URLS, web_address)
    title_name, title = _first(cleaned, used.title, _TITLES, text_of)
    text_name, text = _first(cleaned, used.text, _TEXTS, text_of)
    id_name, identifier = _first(cleaned, used.id, _IDS, _identifier)
    taken = {name for name in (url_name, title_name, text_name, id_name) if name}
    others = {name: value for name, value in cleaned.items() if name not in taken and not name.startswith("_")}
    if not text and text_is_all and not used.text:
        text = "\n".join(value for value in others.values() if isinstance(value, str) and value)
    row: dict[str, object] = {
        "id": identifier or url or _hash(text or title),
        "title": " ".join(title.split()) or url or _beginning(text) or identifier or "Untitled",
        "url": url,
        text_column: text,
    }
    row |= {name if name not in row else f"original_{name}": value for name, value in others.items()}
    if any(str(cleaned.get(name)).lower() == "false" for name in _NO_LLM):
        row[NO_LLM] = True
    return row


def usual_text(record: Mapping[str, object]) -> str:
    """The text of a record under one of its usual names; empty when it has none."""
    return _first(record, "", _TEXTS, text_of)[1]


def text_of(value: object) -> str:
    """A field as text: several texts are joined by line breaks, numbers written out, anything else is none."""
    if isinstance(value, list):
        return "\n".join(part for part in map(text_of, value) if part)
    if isinstance(value, bool):
        return ""
    return value.strip() if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def web_address(value: object) -> str:
    """A URL that a browser may open; empty for any other kind (`javascript:`, a path, none)."""
    text = text_of(value[0] if isinstance(value, list) and value else value)
    try:
        parts = urlsplit(text)
        return text if parts.scheme in ("http", "https") and parts.hostname and not set(text) & set("\n\r\t ") else ""
    except ValueError:
        return ""


def field_at(record: Mapping[str, object], name: str) -> object:
    """The field of that name, or inside others where the name is a path (`metadata.title`); None when there is none."""
    if name in record:
        return record[name]
    head, dot, rest = name.partition(".")
    inner = record.get(head) if dot else None
    return field_at(inner, rest) if isinstance(inner, Mapping) else None


def _object(record: object) -> Mapping[str, object]:
    if not isinstance(record, Mapping):
        raise SourceError(f"It answered a document that is no object ({type(record).__name__}).")
    return record


def _first(record: Mapping[str, object], given: str, usual: Sequence[str], read: Callable[[object], str]) -> tuple[str, str]:
    """The name and the value of the first field that can be read so; the given one only, when one is given."""
    for name in (given,) if given else usual:
        value = read(field_at(record, name))
        if value:
            return name, value
    return "", ""


def _identifier(value: object) -> str:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    return text_of(whole) if isinstance(whole, str | int) else ""


def _cleaned(value: object, depth: int = _DEPTH) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(one, depth - 1) for one in value] if depth else None
    if isinstance(value, Mapping):
        return {clean(str(name)): _cleaned(one, depth - 1) for name, one in value.items()} if depth else None
    return value


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _beginning(text: str) -> str:
    words = " ".join(text[: 4 * _TITLE_LENGTH].split())
    return words if len(words) <= _TITLE_LENGTH else f"{words[:_TITLE_LENGTH].rsplit(' ', 1)[0]}…"
