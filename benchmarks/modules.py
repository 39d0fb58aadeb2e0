"""CPU time of each module on 100 rows, models and dictionaries loaded: `python -m benchmarks.modules [SHARED_DATA]`.

Rows are Wikipedia paragraphs (English, then German) and the Open Web Index slice where a filter reads its columns. Modules that
embed text are listed apart; their time is that of the embedding.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from chatsearch import row_languages
from chatsearch.module import Module
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.settings import load_settings
from chatsearch.step import StepRun

ROWS = 100
RUNS = 5
BUDGET_MS = 150

WITHOUT_EMBEDDING: dict[str, dict[str, object]] = {
    "content_extractor": {},
    "punctuation_removal": {"input_column": "full-text"},
    "stopword_removal": {"input_column": "full-text"},
    "text_stemmer": {"input_column": "full-text"},
    "text_lemmatization": {"input_column": "full-text"},
    "reduction_step": {"k": 50},
    "curlie_filter": {"filter_by": "Reference/"},
    "geo_filter": {"latitude_center": 47, "longitude_center": 15, "radius_km": 300},
    "language_filter": {"languages": "de"},
    "date_filter": {"from_date": "2021"},
    "field_filter": {"column": "full-text", "value": "the"},
    "deduplicate": {},
    "relevance_filter": {"measure": "score", "score_column": "_original_ranking_"},
    "word_counter": {},
    "keyword_extractor": {},
    "language_detector": {},
}
WITH_EMBEDDING: dict[str, dict[str, object]] = {
    "relevance_filter": {"measure": "embedding"},
    "basic_sentiment_analysis": {},
    "relevance_marking_step": {},
    "topic_clusters": {},
}


def main() -> None:
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    frames = {name: rows_of(data / name) for name in ("xquad-en", "xquad-de")}
    with TemporaryDirectory() as directory:
        services = Services(load_settings(data_dir=Path(directory)))
        print(f"{'module, ms of CPU for 100 rows':34}{'first':>9}{'warm en':>9}{'warm de':>9}")
        for identifier, parameters in WITHOUT_EMBEDDING.items():
            report(services, identifier, parameters, frames)
        print("with embedding (English): all texts new, then all known")
        for identifier, parameters in WITH_EMBEDDING.items():
            module = Registry().get(identifier).model_validate(parameters)
            first, known = (milliseconds(services, module, frames["xquad-en"]) for _ in range(2))
            print(f"{identifier:34}{first:9.0f}{known:9.0f}")


def report(services: Services, identifier: str, parameters: dict[str, object], frames: dict[str, ResultSet]) -> None:
    module = Registry().get(identifier).model_validate(parameters)
    first = [milliseconds(services, module, frame) for frame in frames.values()]
    warm = [min(milliseconds(services, module, frame) for _ in range(RUNS)) for frame in frames.values()]
    over = "  over the budget" if max(warm) > BUDGET_MS else ""
    print(f"{identifier:34}{sum(first):9.0f}{warm[0]:9.1f}{warm[1]:9.1f}{over}")


def milliseconds(services: Services, module: Module, results: ResultSet) -> float:
    run = StepRun(services, 1, module.id, lambda event: None)
    row_languages._detected.cache_clear()  # every run meets its texts for the first time
    started = time.process_time()
    asyncio.run(module.transform(results, run))
    return (time.process_time() - started) * 1000


def rows_of(folder: Path) -> ResultSet:
    """100 paragraphs with labels, places and dates as the Open Web Index has them."""
    lines = (folder / "corpus.jsonl").read_text("utf-8").splitlines()[:ROWS]
    rows = [
        {
            "id": one["_id"], "title": one["title"], "url": f"https://example.org/{n}", "full-text": one["text"],
            "_source_index_": "bench", "_original_ranking_": n, "warc_date": f"20{n % 10 + 15}-05-12T10:00:00Z",
            "curlielabels_en": ["Reference/Knowledge", "Arts"], "address": [{"geo": {"latitude": 47.0, "longitude": 15.4}}],
        }
        for n, one in enumerate(map(json.loads, lines), start=1)
    ]  # fmt: skip
    return ResultSet("Where did Tesla live?", "Where did Tesla live?", pd.DataFrame(rows))


if __name__ == "__main__":
    main()
