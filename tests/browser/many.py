"""A collection of a thousand generated documents with dates, places and labels, and an engine over it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.serving import ROOT

ROWS = 1_000
TOPICS = ("art", "music", "science", "trade", "war")
MOODS = ("calm", "joy", "sorrow")
CITIES = {
    "Graz": (47.07, 15.44), "Lisbon": (38.72, -9.14), "Lima": (-12.05, -77.04), "Cairo": (30.04, 31.24),
    "Kyoto": (35.01, 135.77), "Oslo": (59.91, 10.75), "Sydney": (-33.87, 151.21), "Vienna": (48.21, 16.37),
}  # fmt: skip
_WORDS = "the museum keeps paintings letters maps and instruments that a traveller brought home from the city".split()


def rows(count: int = ROWS) -> list[dict[str, object]]:
    """The later ones are longer; every third has no place, every fifth no date."""
    return [_row(number, count) for number in range(1, count + 1)]


def engine_over_many(home: Path, count: int = ROWS) -> Path:
    """Build the index `many` in a data directory and write a spec over it; returns the spec's file."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "many.jsonl").write_text("\n".join(json.dumps(row) for row in rows(count)), "utf-8")
    command = [sys.executable, "-m", "chatsearch.cli", "index", "build", "many", str(home / "many.jsonl"), "--no-dense"]
    environment = {**os.environ, "CHATSEARCH_DATA_DIR": str(home), "PYTHONPATH": str(ROOT)}
    subprocess.run([*command, "--language", "en"], env=environment, check=True, capture_output=True)
    spec = {
        "title": "Many documents",
        "display": {"chip_columns": ["topic", "mood"]},
        "pipeline": {
            "1": {"id": "index_datasource", "parameters": {"index": "many", "mode": "lexical", "limit": count}},
            "2": {"id": "punctuation_removal", "parameters": {"input_column": "full-text", "output_column": "plain text"}},
            "3": {"id": "lexical_reranker", "parameters": {"input_column": "title", "query": "war"}},
        },
    }
    (home / "many.json").write_text(json.dumps(spec), "utf-8")
    return home / "many.json"


def _row(number: int, count: int) -> dict[str, object]:
    city, (latitude, longitude) = list(CITIES.items())[number % len(CITIES)]
    sentence = " ".join(_WORDS[(number + at) % len(_WORDS)] for at in range(24))
    about = "It was here. " * max(1, 6 * number // count)
    row: dict[str, object] = {
        "id": f"doc-{number}",
        "title": f"Document {number:04d} about {TOPICS[number % 5]} in {city}",
        "url": f"https://{city.lower()}.example/documents/{number}",
        "text": f"{about}The painter lived in {city}, and it is said that {sentence}. "
        + f"Nothing more is known of number {number}. " * 12,
        "topic": TOPICS[number % 5],
        "mood": [MOODS[number % 3], MOODS[(number + 1) % 3]] if number % 2 else MOODS[number % 3],
    }
    if number % 5:
        row["published"] = f"{1900 + number % 120}-{1 + number % 12:02d}-{1 + number % 28:02d}"
    if number % 3:
        row |= {"latitude": round(latitude + number % 10 / 50, 3), "longitude": round(longitude + number % 7 / 50, 3)}
    return row
