"""What a build makes of documents, and what it leaves behind when it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chatsearch.embedding import EmbeddingModel, EmbeddingModels
from chatsearch.errors import DataDirectoryError, InputError, LocalIndexError, ModelError, ReadError
from chatsearch.index.build import BuildOptions, BuildProgress, BuildStopped, build_index
from chatsearch.index.dense import KnownVectors, passage_key
from chatsearch.index.search import LocalIndex

HASHED = "hashed-words"
ROOT = Path(__file__).resolve().parents[2]
Build = Callable[..., Any]
Write = Callable[..., Path]


def generations(indexes: Path, name: str = "birds") -> list[str]:
    return sorted(path.name for path in (indexes / name).iterdir() if path.is_dir())


def test_the_manifest_says_what_was_built(build: Build, indexes: Path) -> None:
    manifest = build().manifest
    assert (manifest.format_version, manifest.name, manifest.documents, manifest.passages) == (1, "birds", 3, 3)
    assert (manifest.language, manifest.languages, manifest.analyser) == ("en", {"en": 3}, "english")
    assert manifest.columns == ["colour", "weight"]
    assert manifest.embedding.model_dump() == {
        "model": HASHED, "fingerprint": "hashed/1", "dimensions": 64, "normalised": True,
    }  # fmt: skip
    assert manifest.created.utcoffset().total_seconds() == 0
    assert [(Path(source.path).name, source.documents, source.skipped) for source in manifest.sources] == [("corpus.jsonl", 3, 0)]
    assert LocalIndex.open(indexes, "birds").manifest == manifest


def test_skipped_records_are_counted_and_named(build: Build, write: Write) -> None:
    path = write('{"text": "one"}\n{"text": "tw\n{"text": ""}\n')
    report = build([path])
    assert report.manifest.skipped == {"broken JSON": 1, "has no text": 1}
    assert [str(item).partition(": ")[0] for item in report.skipped] == [f"{path}, line 2", f"{path}, line 3"]
    assert [(source.documents, source.skipped) for source in report.manifest.sources] == [(1, 2)]


def test_a_file_of_nothing_but_broken_lines_is_refused(build: Build, write: Write) -> None:
    with pytest.raises(ReadError, match="holds no record that can be read"):
        build([write("{\n{\n")])
    with pytest.raises(ReadError, match="Not one document could be read: 2 × has no text. The first: .*line 1"):
        build([write([{"text": ""}, {"text": None}])])


def test_ids_are_unique(build: Build, indexes: Path) -> None:
    given = ["a", "a", "a~2", "a", "", ""]
    report = build([{"id": id_, "text": "same"} for id_ in given])
    ids = list(LocalIndex.open(indexes, "birds").documents(range(6))["id"])
    assert ids[:4] == ["a", "a~2", "a~2~2", "a~3"]
    assert len(set(ids)) == 6
    assert len(ids[4]) == 16
    assert ids[5] == f"{ids[4]}~2"
    assert report.manifest.duplicate_ids == 4


def test_several_files_become_one_index(build: Build, write: Write, indexes: Path) -> None:
    paths = [write([{"text": "one"}], "a.jsonl"), write("text\ntwo\n", "b.csv")]
    assert build(paths).manifest.documents == 2
    assert list(LocalIndex.open(indexes, "birds").documents([1, 0])["full-text"]) == ["two", "one"]


def test_the_language_is_found_out(build: Build, shared: Path) -> None:
    report = build([shared / "xquad-de" / "corpus.jsonl"], language="", dense=False)
    assert (report.manifest.language, report.manifest.analyser) == ("de", "german")
    assert sum(report.manifest.languages.values()) == 240


def test_a_mixed_index_has_no_language(build: Build, shared: Path, indexes: Path) -> None:
    report = build([shared / f"xquad-{code}" / "corpus.jsonl" for code in ("en", "ru", "zh")], language="", dense=False)
    assert (report.manifest.language, report.manifest.analyser) == ("", "plain")
    assert set(report.manifest.languages) >= {"en", "ru", "zh"}


def test_documents_may_name_their_language(build: Build, indexes: Path) -> None:
    report = build([{"text": "x y", "lang": "deu"}, {"text": "z", "lang": "german"}], language="")
    assert (report.manifest.language, report.manifest.languages) == ("de", {"de": 2})
    assert list(LocalIndex.open(indexes, "birds").documents([0, 1])["language"]) == ["de", "de"]


def test_an_unknown_language_is_refused(build: Build) -> None:
    with pytest.raises(InputError, match="“klingonish” is no language"):
        build(language="klingonish")


def test_long_texts_have_several_passages(build: Build, indexes: Path) -> None:
    text = "Owls hunt at night. " * 50 + "\n\n" + "Ducks swim on ponds. " * 50
    assert build([{"text": text}], passage_words=60).manifest.passages > 5
    assert LocalIndex.open(indexes, "birds").manifest.passage_words == 60


def test_progress_is_told_for_every_phase(indexes: Path, write: Write, embeddings: EmbeddingModels) -> None:
    told: list[BuildProgress] = []
    source = write([{"text": f"text {number}"} for number in range(40)])
    build_index(indexes, "n", [source], options=BuildOptions(model=HASHED), embeddings=embeddings, progress=told.append)
    assert list(dict.fromkeys(item.phase for item in told)) == ["reading", "lexical", "dense"]
    assert {item.phase: (item.done, item.total) for item in told} == dict.fromkeys(("reading", "lexical", "dense"), (40, 40))


@pytest.mark.parametrize("after", [0, 1, 3, 6])
def test_a_stopped_build_leaves_the_old_index_and_no_trace(build: Build, indexes: Path, write: Write, after: int) -> None:
    kept = build().manifest.generation
    calls = iter(range(100))
    with pytest.raises(BuildStopped):
        build_index(
            indexes, "birds", [write([{"text": "new"}] * 3)], options=BuildOptions(dense=False), embeddings=EmbeddingModels({}),
            stop=lambda: next(calls) >= min(after, 5),
        )  # fmt: skip
    assert generations(indexes) == [kept]
    assert LocalIndex.open(indexes, "birds").manifest.generation == kept


def test_a_failed_first_build_leaves_nothing(build: Build, indexes: Path, write: Write) -> None:
    with pytest.raises(ReadError):
        build([write('{"x": 1}')])
    assert list(indexes.iterdir()) == []


def test_a_failing_model_leaves_the_old_index(build: Build, indexes: Path, embeddings: EmbeddingModels, model: Any) -> None:
    kept = build().manifest.generation
    model.encode = lambda texts, kind: np.zeros((len(texts), 64), np.float32)
    with pytest.raises(ModelError):
        build([{"text": "something new"}])
    assert generations(indexes) == [kept]


def test_a_model_that_cannot_be_loaded_is_refused_before_anything_is_made(indexes: Path, write: Write) -> None:
    def gone() -> EmbeddingModel:
        raise OSError("no such file")

    models = EmbeddingModels({"gone": gone})
    with pytest.raises(ModelError, match="“gone” cannot be loaded"):
        build_index(indexes, "n", [write([{"text": "x"}])], options=BuildOptions(model="gone"), embeddings=models)
    assert not indexes.exists()


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "/etc", ".hidden", "a b", "x" * 81, "a\x00", "CON:", "a..b", "-x"]
)
def test_names_that_are_no_names(build: Build, indexes: Path, name: str) -> None:
    with pytest.raises(LocalIndexError, match="cannot be called"):
        build(name=name)
    assert not indexes.exists()


def test_known_vectors_are_not_made_again(indexes: Path, write: Write, embeddings: EmbeddingModels, model: Any) -> None:
    vector = np.zeros(64, np.float16)
    vector[3] = 1
    known = KnownVectors("hashed/1", {passage_key("T\nfirst"): vector})
    source = write([{"title": "T", "text": "first"}, {"title": "T", "text": "second"}])
    options = BuildOptions(model=HASHED)
    build_index(indexes, "n", [source], options=options, embeddings=embeddings, known_vectors=known)
    assert model.embedded == ["T\nsecond"]
    hits = LocalIndex.open(indexes, "n").search("", mode="dense", query_vector=vector.astype(np.float32))
    assert hits.rows[0] == 0
    assert hits.scores[0] == pytest.approx(1.0)


def test_known_vectors_of_another_model_are_not_taken(
    indexes: Path, write: Write, embeddings: EmbeddingModels, model: Any
) -> None:
    known = KnownVectors("hashed/2", {passage_key("first"): np.ones(64, np.float16)})
    build_index(
        indexes, "n", [write([{"text": "first"}])], options=BuildOptions(model=HASHED), embeddings=embeddings, known_vectors=known
    )
    assert model.embedded == ["first"]


@pytest.fixture
def locked_folder() -> Iterator[Path]:
    """A folder in which nothing can be made; root, who may write anywhere, is nobody for the test."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        locked = Path(folder) / "indexes"
        locked.mkdir()
        (Path(folder) / "corpus.jsonl").write_text('{"text": "x"}')
        locked.chmod(0o555)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        yield locked
        if root:
            os.seteuid(0)
        locked.chmod(0o755)


def test_a_folder_without_permission_is_named(locked_folder: Path) -> None:
    source = locked_folder.parent / "corpus.jsonl"
    with pytest.raises(DataDirectoryError, match=f"{locked_folder}.*: Permission denied. Check that this user may"):
        build_index(locked_folder, "new", [source], options=BuildOptions(dense=False), embeddings=EmbeddingModels({}))


def test_a_file_where_the_folder_should_be_is_named(build: Build, indexes: Path) -> None:
    indexes.write_text("I am a file")
    with pytest.raises(DataDirectoryError, match=f"{indexes}.*--data-dir"):
        build()


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from chatsearch.embedding import EmbeddingModel, EmbeddingModels
from chatsearch.errors import DataDirectoryError
from chatsearch.index.build import BuildOptions, build_index
import numpy as np

class Model:
    name, fingerprint, dimensions, remote = "m", "m/1", 512, False
    def encode(self, texts, kind):
        return np.full((len(texts), 512), 512 ** -0.5, np.float32)

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
indexes, source, dense, size = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "dense", int(sys.argv[4])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    options = BuildOptions(language="en", dense=dense, model="m")
    build_index(indexes, "full", [source], options=options, embeddings=EmbeddingModels({"m": Model}))
except DataDirectoryError as error:
    print(error.message)
    sys.exit(7)
"""


@pytest.mark.parametrize(("what", "size"), [("documents", 20_000), ("words", 100_000), ("vectors", 100_000)])
def test_a_full_disk_is_an_error_and_leaves_nothing(indexes: Path, write: Write, what: str, size: int) -> None:
    """A limit on the size of files stands for a full disk. In Chinese text the words take more room than the documents."""
    characters = np.random.default_rng(0).integers(0x4E00, 0x9FA5, (100, 200))
    source = write([{"text": "short" if what == "vectors" else "".join(map(chr, row))} for row in characters])
    dense = "dense" if what == "vectors" else "lexical"
    command = [sys.executable, "-c", FULL_DISK, str(indexes), str(source), dense, str(size)]
    ended = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
    )
    assert ended.returncode == 7, ended.stderr
    assert str(indexes / "full") in ended.stdout, ended.stdout
    assert not (indexes / "full").exists()
