"""Measures retrieval on the judged collections: `python -m benchmarks.retrieval [COLLECTION:MODEL…]`.

MODEL is `e5`, `minilm` or `none` (lexical only). Without arguments what docs/measurements.md reports. `demo` is the shipped index
with XQuAD's English questions. Prints nDCG@10 by mode and by dense weight, and the latency of a warm query.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from chatsearch.demo import build_demo
from chatsearch.embedding import ENGLISH_MODEL, MULTILINGUAL_MODEL, EmbeddingModels
from chatsearch.index.build import BuildOptions, build_index
from chatsearch.index.search import LocalIndex

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
MODELS = {"e5": MULTILINGUAL_MODEL, "minilm": ENGLISH_MODEL, "none": ""}
DEFAULT = (
    "demo:e5",
    "cranfield:minilm",
    "scifact:none",
    "cisi:none",
    "xquad-de:none",
    "xquad-es:none",
    "xquad-ru:none",
    "xquad-zh:none",
)
WEIGHTS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)

Qrels = Mapping[str, Mapping[str, int]]


def main(arguments: Sequence[str]) -> None:
    """One line per collection and mode."""
    print(f"{'collection':12}{'model':24}{'mode':16}{'nDCG@10':>8}{'p50 ms':>8}{'p99 ms':>8}")
    for argument in arguments or DEFAULT:
        collection, _, model = argument.partition(":")
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), collection, MODELS[model or "none"])


def measure(folder: Path, collection: str, model: str) -> None:
    """Builds the index in `folder` and prints its lines."""
    embeddings = EmbeddingModels(remembered=0)
    judged = SHARED / ("xquad-en" if collection == "demo" else collection)
    if collection == "demo":
        build_demo(folder, embeddings)
    else:
        language = collection.removeprefix("xquad-") if collection.startswith("xquad-") else "en"
        options = BuildOptions(language=language, dense=bool(model), model=model)
        build_index(folder, "demo", [judged / "corpus.jsonl"], options=options, embeddings=embeddings)
    queries = {query["_id"]: query["text"] for query in map(json.loads, (judged / "queries.jsonl").open(encoding="utf-8"))}
    qrels = read_qrels(judged / "qrels.tsv")
    with LocalIndex.open(folder, "demo") as index:
        ids = list(index.documents(range(index.manifest.documents))["id"])
        report = Report(index, ids, {key: queries[key] for key in qrels if key in queries}, qrels, embeddings)
        report.line(collection, "lexical", None)
        if model:
            report.line(collection, "dense", None)
            report.line(collection, "hybrid", None)
            for weight in WEIGHTS:
                report.line(collection, "hybrid", weight)


class Report:
    """Runs all queries in one mode at a time; query vectors are made once and timed apart."""

    def __init__(
        self, index: LocalIndex, ids: Sequence[str], queries: Mapping[str, str], qrels: Qrels, embeddings: EmbeddingModels
    ) -> None:
        self._index = index
        self._ids = ids
        self._queries = queries
        self._qrels = qrels
        self._vectors: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]] = {}
        if index.manifest.embedding:
            began = time.perf_counter()
            self._vectors = {key: index.query_vector(text, embeddings) for key, text in queries.items()}
            print(f"{'':12}embedding a query takes {(time.perf_counter() - began) / len(queries) * 1000:.1f} ms")

    def line(self, collection: str, mode: str, weight: float | None) -> None:
        """Prints the mean nDCG@10 over the queries, also of the even and the odd ones, and the times of `search` alone."""
        gains, seconds = [], []
        for key, text in self._queries.items():
            began = time.perf_counter()
            hits = self._index.search(text, mode=mode, dense_weight=weight, query_vector=self._vectors.get(key))  # type: ignore[arg-type]
            seconds.append(time.perf_counter() - began)
            gains.append(ndcg([self._ids[row] for row in hits.rows], self._qrels[key]))
        embedding = self._index.manifest.embedding
        label = mode if weight is None else f"{mode} w={weight}"
        p50, p99 = np.percentile(seconds, [50, 99]) * 1000
        halves = f"  halves {np.mean(gains[::2]):.4f} {np.mean(gains[1::2]):.4f}"
        model = embedding.model if embedding else ""
        print(
            f"{collection:12}{model:24}{label:16}{np.mean(gains):8.4f}{p50:8.2f}{p99:8.2f}{halves}",
            flush=True,
        )


def ndcg(ranking: Sequence[str], relevant: Mapping[str, int], k: int = 10) -> float:
    """nDCG@k with linear gain (Järvelin and Kekäläinen 2002), as trec_eval computes it."""
    found = sum(relevant.get(document, 0) / math.log2(place + 2) for place, document in enumerate(ranking[:k]))
    ideal = sum(grade / math.log2(place + 2) for place, grade in enumerate(sorted(relevant.values(), reverse=True)[:k]))
    return found / ideal if ideal else 0.0


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Query id → document id → grade."""
    qrels: dict[str, dict[str, int]] = {}
    for line in path.read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        qrels.setdefault(query, {})[document] = int(grade)
    return qrels


if __name__ == "__main__":
    main(sys.argv[1:])
