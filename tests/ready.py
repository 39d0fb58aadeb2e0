"""The ready engines for tests: their files, and what kind of engine each is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from chatsearch.registry import beside_package

FOLDER = beside_package("specs", "_specs")
READY = tuple(file.stem for file in sorted(FOLDER.glob("*.json")))

MOSAIC = ("arts", "hub-example", "federated")
"""Engines that ask MOSAIC, the last one a local index too."""

UNREACHABLE = "http://127.0.0.1:9"
"""An address where nothing listens: the port of the discard protocol."""


def ready(name: str, mosaic: str = UNREACHABLE) -> dict[str, Any]:
    """The engine of that name as its file has it, but that it asks the MOSAIC at that address instead of the public one."""
    data: dict[str, Any] = json.loads(file_of(name).read_text("utf-8"))
    for step in steps_of(data):
        if step["id"] == "mosaic_datasource":
            step["parameters"]["url"] = step["parameters"]["url"].replace("https://mosaic.ows.eu", mosaic)
    return data


def file_of(name: str) -> Path:
    return FOLDER / f"{name}.json"


def steps_of(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for number, step in data["pipeline"].items() if number.isdigit()]
