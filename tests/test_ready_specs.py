"""The engines that come with the program load, and those that need a service run against its stand-in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatsearch.registry import beside_package
from chatsearch.spec import Spec
from tests.sources import events_of, finished, services_with
from tests.stand_ins.mosaic import Mosaic, page
from tests.stand_ins.serving import serving

FOLDER = beside_package("specs", "_specs")
READY = sorted(FOLDER.glob("*.json"))


def content(file: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return loaded


@pytest.mark.parametrize("file", READY, ids=lambda file: file.stem)
def test_it_loads_without_a_warning_but_those_of_old_parameters(file: Path, tmp_path: Path) -> None:
    spec = Spec.load(content(file), services_with(tmp_path).registry)
    assert spec.title
    assert all("summarize_prompt" in warning.message for warning in spec.warnings)


@pytest.mark.parametrize("name", ["arts", "hub-example"])
async def test_it_runs_against_mosaic(name: str, tmp_path: Path) -> None:
    mosaic = Mosaic({"arts": [page(n, f"Rembrandt painted the Night Watch in 1642. It is painting {n}.") for n in range(3)]})
    services = services_with(tmp_path, allowed_hosts=["127.0.0.1:*"])
    async with serving(mosaic.app("/service/api")) as url:
        given = content(FOLDER / f"{name}.json")
        parameters = given["pipeline"]["1"]["parameters"]
        parameters["url"] = parameters["url"].replace("https://mosaic.ows.eu", url)
        results = finished(await events_of(services, Spec.load(given, services.registry), "Who painted the Night Watch?"))
    assert len(results) == 3
    assert mosaic.queries[0]["index"] == "arts"
    assert "step-failed" not in [warning.code for warning in results.warnings]
    assert results.summaries if name == "arts" else all(results.documents["summary"])
