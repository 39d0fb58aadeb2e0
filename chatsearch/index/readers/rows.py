"""What readers give: rows of a file, documents made of them, and what had to be skipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file under its own column names. `place` is `line 7` or `row 7`, counted from 1."""

    place: str
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that did not become a document. `reason` is one of a few sentences, so that they can be counted."""

    file: Path
    place: str
    reason: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.file}, {self.place}: {self.reason}{f' ({self.detail})' if self.detail else ''}"


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is stored; every string is clean. `id` may be "" until it is given one, `language` is ISO 639-1 or ""."""

    id: str
    title: str
    text: str
    url: str
    language: str
    metadata: dict[str, object] = field(default_factory=dict)
