"""Measures the re-rankers on cranfield: `python -m benchmarks.reranking [--queries N] [--repeats N] [--no-embeddings]`.

What the published figures (BM25 .4945, its top 20 in perfect order .6807) stand for, found by trying: nDCG@10 with linear gain,
the ideal over all judged documents, mean over 225 queries; Lucene's BM25 (k1 1.2, b .75) over title and text as its
StandardAnalyzer splits them, no stop words, no stems, lengths rounded as Lucene stores them. Here that gives .4947 and .6807.

A simulated judge orders a group by grade + normal noise, fresh in every call. "flat" has the noise with which two documents one
grade apart come out right with p = .85 (more grades apart: more often; equal ones: at random). "pairs" is a harder one: each
pair of a group is right with p = .85 whatever the grades, independently, and the group is ordered by wins.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.retrieval import SHARED, Qrels, ndcg, read_qrels
from chatsearch.llm.model import LanguageModel, Meter
from chatsearch.module import Module
from chatsearch.prompts import Prompt
from chatsearch.registry import Registry
from chatsearch.results import ORIGINAL_RANKING, SOURCE_INDEX, ResultSet
from chatsearch.services import Services
from chatsearch.settings import Settings
from chatsearch.step import StepRun
from chatsearch.work import Progress

REGISTRY = Registry()
ONE_GRADE_APART = 0.85
NOISE = 1 / (math.sqrt(2) * 1.0364)
"""The deviation with which P(a + noise > b + noise) is .85 for a − b = 1; 1.0364 is the normal quantile of .85."""

Order = Callable[[random.Random, Sequence[int]], list[int]]
"""The grades of a group in its order of presentation → its places, best first."""


def flat(chance: random.Random, grades: Sequence[int]) -> list[int]:
    """By grade and normal noise."""
    noisy = [grade + chance.gauss(0, NOISE) for grade in grades]
    return sorted(range(len(grades)), key=lambda place: -noisy[place])


def pairs(chance: random.Random, grades: Sequence[int]) -> list[int]:
    """By the wins over all others, each comparison right with p = .85 on its own."""
    wins = [0] * len(grades)
    for one in range(len(grades)):
        for other in range(one + 1, len(grades)):
            right = chance.random() < (0.5 if grades[one] == grades[other] else ONE_GRADE_APART)
            wins[one if (grades[one] > grades[other]) == right else other] += 1
    return sorted(range(len(grades)), key=lambda place: -wins[place])


@dataclass
class SimulatedJudge:
    """A language model that knows the grades; counts its calls, and how many rounds of them came one after another."""

    grades: Qrels
    how: Order
    chance: random.Random
    name: str = "simulated"
    remote: bool = False
    query: str = ""
    calls: int = 0
    waves: int = 0
    _under_way: int = field(default=0, repr=False)

    async def order(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[int]:
        self.waves += self._under_way == 0
        self.calls += 1
        self._under_way += 1
        await asyncio.sleep(0)
        self._under_way -= 1
        return self.how(self.chance, [self.grades[self.query].get(one.id, 0) for one in prompt.documents])

    async def judge(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[float]:
        raise NotImplementedError

    def stream(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> object:
        raise NotImplementedError


@dataclass
class JudgedServices(Services):
    """Services whose language model is simulated."""

    simulated: SimulatedJudge | None = None

    def language_model(self, wanted: str = "") -> tuple[LanguageModel, str]:
        assert self.simulated is not None
        return self.simulated, ""  # type: ignore[return-value]


@dataclass(frozen=True)
class Collection:
    """Documents by id, queries by id, and their grades."""

    documents: Mapping[str, Mapping[str, str]]
    queries: Mapping[str, str]
    qrels: Qrels

    def result_set(self, query: str, ids: Sequence[str]) -> ResultSet:
        """The documents in the order of `ids`, as a source leaves them."""
        rows = [{"id": one, "title": self.documents[one]["title"], "url": "", "full-text": self.text(one), "language": "en",
                 SOURCE_INDEX: "judged", ORIGINAL_RANKING: rank} for rank, one in enumerate(ids, start=1)]  # fmt: skip
        return ResultSet(self.queries[query], self.queries[query], pd.DataFrame(rows))

    def text(self, identifier: str) -> str:
        return f"{self.documents[identifier]['title']} {self.documents[identifier]['text']}"


def read_collection(folder: Path, queries: int = 10_000) -> Collection:
    """A folder of judged documents, with its first `queries` queries."""
    documents = {one["_id"]: one for one in map(json.loads, (folder / "corpus.jsonl").open(encoding="utf-8"))}
    asked = {one["_id"]: one["text"] for one in map(json.loads, (folder / "queries.jsonl").open(encoding="utf-8"))}
    return Collection(documents, dict(list(asked.items())[:queries]), read_qrels(folder / "qrels.tsv"))


def lucene_bm25(collection: Collection, depth: int) -> dict[str, list[str]]:
    """Query id → the `depth` best documents, as the module's docstring says."""
    ids = list(collection.documents)
    counts = [Counter(_tokens(collection.text(one))) for one in ids]
    lengths = [sum(one.values()) for one in counts]
    norms = 1.2 * (0.25 + 0.75 * np.array([_stored(length) for length in lengths]) / np.mean(lengths))
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row, words in enumerate(counts):
        for word, count in words.items():
            postings[word].append((row, count))
    runs = {}
    for query, text in collection.queries.items():
        scores = np.zeros(len(ids))
        for word in _tokens(text):
            found = postings.get(word, [])
            idf = math.log(1 + (len(ids) - len(found) + 0.5) / (len(found) + 0.5))
            for row, count in found:
                scores[row] += idf * count / (count + norms[row])
        runs[query] = [ids[row] for row in np.argsort(-scores, kind="stable")[:depth] if scores[row] > 0]
    return runs


def _tokens(text: str) -> list[str]:
    joined = r"(?:(?:(?<=[a-z])['.:](?=[a-z])|(?<=\d)[.,;'](?=\d))[a-z0-9_]+)*"
    return re.findall(rf"[a-z0-9_]+{joined}", text.lower())


def _stored(length: int) -> int:
    """A length as Lucene's SmallFloat.intToByte4 keeps it: exact under 40, above with four significant bits."""
    exact = 24  # 255 − longToInt4(2³¹ − 1)
    rest = length - exact
    shift = max(rest.bit_length() - 4, 0)
    return length if length < exact else exact + ((rest >> shift) << shift)


def mean_ndcg(collection: Collection, runs: Mapping[str, Sequence[str]]) -> float:
    """Mean nDCG@10 over the queries."""
    return float(np.mean([ndcg(run, collection.qrels[query]) for query, run in runs.items()]))


def perfect(collection: Collection, runs: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Each list in the best possible order."""
    grades = collection.qrels
    return {query: sorted(run, key=lambda one: -grades[query].get(one, 0)) for query, run in runs.items()}


async def reranked(
    collection: Collection, runs: Mapping[str, Sequence[str]], steps: Sequence[Module], services: Services
) -> dict[str, list[str]]:
    """Each list after these modules, one after another."""
    done = {}
    for query, run in runs.items():
        results = collection.result_set(query, run)
        if isinstance(services, JudgedServices) and services.simulated is not None:
            services.simulated.query = query
        for number, module in enumerate(steps, start=1):
            results = await module.transform(results, StepRun(services, number, module.id, lambda event: None))
        ids = list(results.documents["id"])
        done[query] = [ids[row] for row in results.shown_order()]
    return done


async def judged(
    collection: Collection, runs: Mapping[str, Sequence[str]], module: Module, how: Order, seed: int, folder: Path
) -> tuple[float, float, float]:
    """nDCG@10, and the mean numbers of calls and of rounds of calls per query, with a simulated judge."""
    judge = SimulatedJudge(collection.qrels, how, random.Random(seed))
    ordered = await reranked(collection, runs, [module], JudgedServices(Settings(data_dir=folder), simulated=judge))
    return mean_ndcg(collection, ordered), judge.calls / len(runs), judge.waves / len(runs)


async def _by_judges(collection: Collection, runs: Mapping[str, Sequence[str]], repeats: int, folder: Path) -> None:
    rows: Sequence[tuple[str, str, dict[str, object]]] = (
        ("blocks", "group_llm_reranker", {}),
        ("blocks without the prior", "group_llm_reranker", {"prior": 0}),
        ("stages", "tournament_llm_reranker", {"method": "stages"}),
        ("exhaustive, all pairs", "group_llm_reranker", {"method": "exhaustive"}),
        ("exhaustive, knock-out", "tournament_llm_reranker", {"method": "exhaustive"}),
    )
    print("| top 20 of BM25, ordered by a judge | calls | rounds | flat | pairs |\n|---|---|---|---|---|")
    for label, identifier, parameters in rows:
        module = REGISTRY.get(identifier).model_validate(parameters)
        figures = {
            how.__name__: [await judged(collection, runs, module, how, seed, folder) for seed in range(repeats)]
            for how in (flat, pairs)
        }
        (_, calls, rounds), *_ = figures["flat"]
        means = [float(np.mean([one[0] for one in some])) for some in figures.values()]
        print(f"| {label} | {calls:.0f} | {rounds:.0f} | {means[0]:.4f} | {means[1]:.4f} |", flush=True)


async def _by_texts(collection: Collection, runs: Mapping[str, Sequence[str]], embeddings: bool, folder: Path) -> None:
    rows: list[tuple[str, list[tuple[str, dict[str, object]]]]] = [
        ("lexical_reranker", [("lexical_reranker", {})]),
        ("tf_idf_reranker, Cosine", [("tf_idf_reranker", {})]),
        ("tf_idf_reranker, BM25", [("tf_idf_reranker", {"similarity_metric": "BM25"})]),
    ]
    if embeddings:
        near: tuple[str, dict[str, object]] = ("embedding_reranker", {"model": "all-MiniLM-L6-v2"})
        rows += [
            ("embedding_reranker", [near]),
            ("embedding_reranker, fusion (rrf)", [near, ("fusion", {})]),
            ("embedding_reranker, fusion (min-max)", [near, ("fusion", {"method": "min-max"})]),
            ("embedding_reranker, lexical_reranker", [near, ("lexical_reranker", {})]),
        ]
    services = Services(Settings(data_dir=folder))
    print("\n| top 50 of BM25, ordered by their texts | nDCG@10 |\n|---|---|")
    for label, steps in rows:
        modules = [REGISTRY.get(identifier).model_validate(parameters) for identifier, parameters in steps]
        print(f"| {label} | {mean_ndcg(collection, await reranked(collection, runs, modules, services)):.4f} |", flush=True)


async def _main(options: argparse.Namespace) -> None:
    collection = read_collection(options.data / "cranfield", options.queries)
    runs = lucene_bm25(collection, 50)
    top = {query: run[:20] for query, run in runs.items()}
    best = mean_ndcg(collection, perfect(collection, top))
    print(f"BM25 {mean_ndcg(collection, runs):.4f}, its top 20 in perfect order {best:.4f}\n")
    with tempfile.TemporaryDirectory() as folder:
        await _by_judges(collection, top, options.repeats, Path(folder))
        await _by_texts(collection, runs, not options.no_embeddings, Path(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="the folder of judged collections")
    parser.add_argument("--queries", type=int, default=225, help="how many of the queries")
    parser.add_argument("--repeats", type=int, default=3, help="how many judges of different errors are averaged")
    parser.add_argument("--no-embeddings", action="store_true", help="leave out what embeds texts (two minutes)")
    asyncio.run(_main(parser.parse_args()))


if __name__ == "__main__":
    main()
