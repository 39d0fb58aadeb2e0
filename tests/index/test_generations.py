"""Several processes build and read an index at once; nobody loses what he has, and no junk stays."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chatsearch.embedding import EmbeddingModels
from chatsearch.errors import IndexDamagedError, IndexNotFoundError, LocalIndexError
from chatsearch.index.build import BuildOptions, build_index
from chatsearch.index.catalog import index_info, list_indexes, remove_index
from chatsearch.index.search import LocalIndex

ROOT = Path(__file__).resolve().parents[2]
Build = Callable[..., Any]
Write = Callable[..., Path]


def generations(indexes: Path) -> list[str]:
    return sorted(path.name for path in (indexes / "birds").iterdir() if path.is_dir())


def test_readers_keep_the_generation_they_opened(build: Build, indexes: Path) -> None:
    build([{"id": "old", "text": "an owl"}])
    unread, read = LocalIndex.open(indexes, "birds"), LocalIndex.open(indexes, "birds")
    read.search("owl")
    read.documents([0])
    for number in range(3):
        build([{"id": f"new{number}", "text": "an owl and a wren"}])
    for index in (unread, read):
        assert list(index.documents(index.search("owl").rows)["id"]) == ["old"]
    assert list(LocalIndex.open(indexes, "birds").documents([0])["id"]) == ["new2"]


def test_generations_nobody_reads_are_removed(build: Build, indexes: Path) -> None:
    first = build().manifest.generation
    reader = LocalIndex.open(indexes, "birds")
    build()
    assert first in generations(indexes)
    reader.close()
    last = build().manifest.generation
    assert generations(indexes) == [last]


def test_an_open_searcher_works_on_after_its_files_are_gone(build: Build, indexes: Path) -> None:
    """What POSIX promises of mapped files holds for tantivy, Arrow and numpy alike."""
    build()
    index = LocalIndex.open(indexes, "birds")
    index.search("owl")
    index.documents([0])
    remove_index(indexes, "birds")
    assert list(index.documents(index.search("mice").rows)["id"]) == ["owl"]
    assert list(indexes.iterdir()) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from chatsearch.embedding import EmbeddingModels
from chatsearch.index.build import BuildOptions, build_index

class Model:
    name, fingerprint, dimensions, remote = "m", "m/1", 8, False
    def encode(self, texts, kind):
        os.kill(os.getpid(), signal.SIGKILL)

options = BuildOptions(language="en", model="m")
build_index(Path(sys.argv[1]), "birds", [Path(sys.argv[2])], options=options, embeddings=EmbeddingModels({"m": Model}))
"""


def test_a_killed_build_leaves_the_old_index_and_its_junk_goes_with_the_next(build: Build, indexes: Path, write: Write) -> None:
    kept = build().manifest.generation
    source = write([{"text": "never"}], "never.jsonl")
    command = [sys.executable, "-c", KILLED, str(indexes), str(source)]
    ended = subprocess.run(command, capture_output=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert len(generations(indexes)) == 2
    assert LocalIndex.open(indexes, "birds").manifest.generation == kept
    last = build().manifest.generation
    assert generations(indexes) == [last]


def test_a_build_never_clears_what_another_builds(build: Build, indexes: Path, write: Write, embeddings: EmbeddingModels) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def wait() -> bool:
        inside.set()
        return not go_on.wait(60)

    slow = write([{"id": "slow", "text": "slow"}], "slow.jsonl")
    options = BuildOptions(dense=False, language="en")
    arguments: dict[str, Any] = {"options": options, "embeddings": embeddings, "stop": wait}
    thread = threading.Thread(target=build_index, args=(indexes, "birds", [slow]), kwargs=arguments)
    thread.start()
    assert inside.wait(60)
    build()
    build()
    assert len(generations(indexes)) == 2
    with pytest.raises(LocalIndexError, match="being built"):
        remove_index(indexes, "birds")
    go_on.set()
    thread.join()
    assert list(LocalIndex.open(indexes, "birds").documents([0])["id"]) == ["slow"]


READER = """
import sys
from pathlib import Path
from chatsearch.index.search import LocalIndex

found = 0
while not (Path(sys.argv[1]) / "done").exists() or not found:
    with LocalIndex.open(Path(sys.argv[1]), "birds") as index:
        assert len(index.search("owl").rows) == 1
        assert list(index.documents([0])["id"]) == ["owl"]
    found += 1
"""


def test_processes_search_while_others_build(build: Build, indexes: Path) -> None:
    build()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", READER, str(indexes)]
    readers = [subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for _ in range(30):
        build()
    (indexes / "done").touch()
    for reader in readers:
        assert reader.communicate(timeout=120)[1] == ""
        assert reader.returncode == 0
    build()
    assert len(generations(indexes)) == 1


def test_threads_share_an_open_index(build: Build, indexes: Path) -> None:
    build()
    index = LocalIndex.open(indexes, "birds")
    wrong: list[object] = []

    def look() -> None:
        for _ in range(50):
            rows = index.search("owl mice").rows
            if list(index.documents(rows)["id"]) != ["owl"]:
                wrong.append(rows)

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_unknown_indexes_name_the_nearest_and_all_others(build: Build, indexes: Path) -> None:
    build()
    build(name="arts")
    with pytest.raises(IndexNotFoundError, match="no index “brids”. Did you mean “birds”\\? `chatsearch index list`"):
        LocalIndex.open(indexes, "brids")
    for name in ("../birds", "", ".", "birds/x", "x\x00"):
        with pytest.raises(IndexNotFoundError):
            LocalIndex.open(indexes, name)
        with pytest.raises(IndexNotFoundError):
            remove_index(indexes, name)


def test_no_index_at_all(indexes: Path) -> None:
    assert list_indexes(indexes) == []
    with pytest.raises(IndexNotFoundError, match="There is none yet.*chatsearch index build birds"):
        LocalIndex.open(indexes, "birds")


def test_removed_indexes_are_gone(build: Build, indexes: Path) -> None:
    build()
    assert index_info(indexes, "birds").bytes > 1_000
    remove_index(indexes, "birds")
    with pytest.raises(IndexNotFoundError):
        index_info(indexes, "birds")


def test_the_catalogue_lists_damaged_indexes_with_their_problem(build: Build, indexes: Path) -> None:
    build()
    build(name="arts")
    (indexes / "birds" / "CURRENT").unlink()
    (indexes / "README").write_text("not an index")
    arts, birds = list_indexes(indexes)
    assert arts.manifest is not None
    assert arts.manifest.documents == 3
    assert birds.manifest is None
    assert "CURRENT is missing" in birds.problem


def test_an_index_can_be_copied_to_another_place(build: Build, indexes: Path, tmp_path: Path) -> None:
    build()
    shutil.copytree(indexes / "birds", tmp_path / "elsewhere" / "birds")
    with LocalIndex.open(tmp_path / "elsewhere", "birds") as index:
        assert len(index.search("owl").rows) == 1


def test_another_user_may_read_where_he_may_not_write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        source = Path(folder) / "birds.jsonl"
        source.write_text('{"text": "an owl"}')
        build_index(
            Path(folder), "birds", [source], options=BuildOptions(dense=False, language="en"), embeddings=EmbeddingModels({})
        )
        LocalIndex.open(Path(folder), "birds").search("owl")
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            index = LocalIndex.open(Path(folder), "birds")
            assert list(index.documents(index.search("owl").rows)["full-text"]) == ["an owl"]
        finally:
            if is_root:
                os.seteuid(0)


def test_a_damaged_index_can_be_built_again(build: Build, indexes: Path) -> None:
    build()
    (indexes / "birds" / "CURRENT").write_text("../../etc")
    with pytest.raises(IndexDamagedError, match="does not name a generation"):
        LocalIndex.open(indexes, "birds")
    build()
    assert LocalIndex.open(indexes, "birds").manifest.documents == 3
