"""What an index says about itself: one JSON file per generation, written last and checked first."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chatsearch.errors import IndexDamagedError, IndexMismatchError

FILE = "manifest.json"
FORMAT_VERSION = 1


class EmbeddingInfo(BaseModel):
    """What the passages were embedded with. A query must be embedded by the same model: name and fingerprint."""

    model: str
    fingerprint: str
    dimensions: int = Field(ge=1)
    normalised: bool = True


class SourceInfo(BaseModel):
    """A file that was read: where it was, and what came of it."""

    path: str
    documents: int
    skipped: int


class Manifest(BaseModel):
    """Everything about one generation of an index; `files` are the bytes of each of its other files, by path."""

    model_config = ConfigDict(frozen=True)

    format_version: int = FORMAT_VERSION
    name: str
    generation: str
    created: datetime
    documents: int = Field(ge=0)
    passages: int = Field(ge=0, description="0 when the index has no vectors.")
    language: str = Field(description="ISO 639-1 of nearly all documents; empty when mixed or unknown.")
    languages: dict[str, int] = Field(description="Documents by language; estimated from a sample where they do not name theirs.")
    analyser: str
    columns: list[str] = Field(description="Names of the metadata columns.")
    embedding: EmbeddingInfo | None
    passage_words: int = Field(description="A passage is whole sentences of at most so many words, without overlap.")
    sources: list[SourceInfo]
    skipped: dict[str, int] = Field(description="Records that did not become documents, by reason.")
    duplicate_ids: int = Field(description="Documents whose id was taken and got a suffix.")
    files: dict[str, int]


def save_manifest(generation: Path, manifest: Manifest) -> None:
    """Writes the manifest whole or not at all."""
    partial = generation / f"{FILE}.partial"
    partial.write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")
    partial.replace(generation / FILE)


def load_manifest(generation: Path, name: str) -> Manifest:
    """The manifest of a generation, its files found whole.

    Raises IndexDamagedError when it is no manifest or a file is missing or has another size, IndexMismatchError when it was
    written by a newer chatsearch.
    """
    path = generation / FILE
    try:
        raw = json.loads(path.read_bytes())
    except FileNotFoundError as error:
        raise damaged(name, f"{path} is missing") from error
    except (ValueError, RecursionError) as error:
        raise damaged(name, f"{path} is not JSON ({error})") from error
    _check_version(raw, name, path)
    try:
        manifest = Manifest.model_validate(raw)
    except ValidationError as error:
        where = "; ".join(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()[:3])
        raise damaged(name, f"{path} is not a manifest ({where})") from error
    _check_files(generation, manifest, name)
    return manifest


def damaged(name: str, what: str) -> IndexDamagedError:
    """The error of an index whose files cannot be used, with the way out."""
    return IndexDamagedError(f"The index “{name}” is damaged: {what}. Build it again: chatsearch index build {name} SOURCE…")


def sizes(generation: Path) -> dict[str, int]:
    """The bytes of every file below a generation that its manifest vouches for."""
    found = sorted(path for path in generation.rglob("*") if path.is_file())
    return {
        path.relative_to(generation).as_posix(): path.stat().st_size
        for path in found
        if path.name != FILE and not path.name.endswith((".lock", ".partial")) and path.name != "LOCK"
    }


def _check_version(raw: object, name: str, path: Path) -> None:
    version = raw.get("format_version") if isinstance(raw, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise damaged(name, f"{path} is not a manifest (it has no format_version)")
    if version != FORMAT_VERSION:
        raise IndexMismatchError(
            f"The index “{name}” has format {version}; this chatsearch reads format {FORMAT_VERSION}. "
            f"Update chatsearch, or build the index again: chatsearch index build {name} SOURCE…"
        )


def _check_files(generation: Path, manifest: Manifest, name: str) -> None:
    for file, size in manifest.files.items():
        path = generation / file
        if not path.is_file():
            raise damaged(name, f"{path} is missing")
        if path.stat().st_size != size:
            raise damaged(name, f"{path} has {path.stat().st_size:,} bytes where its manifest says {size:,}")
