"""Whatever happens to the files of an index: an error that names it and the way out, never a crash."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chatsearch.errors import IndexDamagedError, IndexMismatchError
from chatsearch.index.manifest import FORMAT_VERSION
from chatsearch.index.search import LocalIndex

ROOT = Path(__file__).resolve().parents[2]
Build = Callable[..., Any]


@pytest.fixture
def generation(build: Build, indexes: Path) -> Path:
    name: str = build().manifest.generation
    return indexes / "birds" / name


def refused(indexes: Path, message: str) -> None:
    with pytest.raises(IndexDamagedError, match=f"The index “birds” is damaged: .*{message}.*chatsearch index build birds"):
        LocalIndex.open(indexes, "birds")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON"),
        (b"{not json", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "no format_version"),
        (b"{}", "no format_version"),
        (b'{"format_version": "one"}', "no format_version"),
        (b'{"format_version": true}', "no format_version"),
        (b'{"format_version": 1}', "is not a manifest .*name: Field required"),
    ],
)
def test_a_corrupt_manifest(generation: Path, indexes: Path, content: bytes, message: str) -> None:
    (generation / "manifest.json").write_bytes(content)
    refused(indexes, message)


def test_a_truncated_manifest(generation: Path, indexes: Path) -> None:
    path = generation / "manifest.json"
    path.write_bytes(path.read_bytes()[:-50])
    refused(indexes, "is not JSON")


def test_a_manifest_without_a_field_or_with_a_wrong_one(generation: Path, indexes: Path) -> None:
    path = generation / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "documents": "many"}))
    refused(indexes, "documents: Input should be a valid integer")
    del manifest["embedding"]
    path.write_text(json.dumps(manifest))
    refused(indexes, "embedding: Field required")


def test_a_format_from_the_future(generation: Path, indexes: Path) -> None:
    path = generation / "manifest.json"
    path.write_text(json.dumps({"format_version": FORMAT_VERSION + 1, "unheard": "of"}))
    with pytest.raises(
        IndexMismatchError, match=f"“birds” has format {FORMAT_VERSION + 1}; this chatsearch reads format 1. Update"
    ):
        LocalIndex.open(indexes, "birds")


@pytest.mark.parametrize("name", ["manifest.json", "documents.arrow", "vectors.npy", "passages.npy", "lexical/meta.json", "LOCK"])
def test_a_missing_file(generation: Path, indexes: Path, name: str) -> None:
    (generation / name).unlink()
    refused(indexes, "missing")


def test_a_missing_folder(generation: Path, indexes: Path) -> None:
    shutil.rmtree(generation / "lexical")
    refused(indexes, "is missing")


def test_a_missing_generation(generation: Path, indexes: Path) -> None:
    shutil.rmtree(generation)
    refused(indexes, "is missing or not whole")


@pytest.mark.parametrize("content", [None, b"", b"\xff\xff", b"../x", b"20990101T000000-00000000"])
def test_current_is_gone_or_wrong(generation: Path, indexes: Path, content: bytes | None) -> None:
    current = indexes / "birds" / "CURRENT"
    current.unlink() if content is None else current.write_bytes(content)
    refused(indexes, "")


@pytest.mark.parametrize("name", ["documents.arrow", "vectors.npy", "passages.npy", "lexical/meta.json"])
@pytest.mark.parametrize("change", [-1, -1_000_000, 1])
def test_a_file_of_another_size(generation: Path, indexes: Path, name: str, change: int) -> None:
    path = generation / name
    content = path.read_bytes()
    path.write_bytes(content + b"x" if change > 0 else content[: max(0, len(content) + change)])
    refused(indexes, "bytes where its manifest says")


def test_vectors_of_another_shape(generation: Path, indexes: Path) -> None:
    path = generation / "vectors.npy"
    np.save(path, np.load(path).reshape(-1, 32))
    index = LocalIndex.open(indexes, "birds")
    with pytest.raises(IndexDamagedError, match="shape"):
        index.search("owl", mode="dense", query_vector=np.ones(64, np.float32))


def test_passages_of_other_documents(generation: Path, indexes: Path) -> None:
    path = generation / "passages.npy"
    np.save(path, np.load(path)[::-1])
    index = LocalIndex.open(indexes, "birds")
    with pytest.raises(IndexDamagedError, match="does not hold the passages of 3 documents"):
        index.search("owl", mode="dense", query_vector=np.ones(64, np.float32))


SCRAMBLED = """
import random, sys
from pathlib import Path
import numpy as np
from chatsearch.errors import LocalIndexError
from chatsearch.index.search import LocalIndex

indexes, generation = Path(sys.argv[1]), Path(sys.argv[2])
chance = random.Random(0)
outcomes = {"answered": 0, "refused": 0}
for path in sorted(path for path in generation.rglob("*") if path.is_file() and path.name not in ("LOCK", "manifest.json")):
    whole = path.read_bytes()
    for attempt in range(6):
        broken = bytearray(whole)
        for _ in range(1 if attempt < 2 else 8 if attempt < 4 else len(whole)):
            broken[chance.randrange(len(whole))] = chance.randrange(256)
        path.write_bytes(broken)
        try:
            with LocalIndex.open(indexes, "birds") as index:
                index.search("owls hunt the mice", query_vector=np.ones(64, np.float32))
                index.documents(range(3))
            outcomes["answered"] += 1
        except LocalIndexError as error:
            assert "birds" in error.message
            outcomes["refused"] += 1
    path.write_bytes(whole)
print(outcomes)
assert outcomes["refused"] > 20
"""


def test_scrambled_bytes_never_crash_the_process(generation: Path, indexes: Path) -> None:
    """Every file with some or all bytes replaced: answered from what is left, or refused by name."""
    command = [sys.executable, "-c", SCRAMBLED, str(indexes), str(generation)]
    ended = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT), "PATH": ""}, check=False
    )
    assert ended.returncode == 0, ended.stderr[-3000:]
