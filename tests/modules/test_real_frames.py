"""Every module runs on frames of the real collections: five languages, abstracts, and the Open Web Index's own columns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatsearch.contracts import kept_promises
from chatsearch.module import Module
from chatsearch.results import ResultSet
from tests.conformance import TRANSFORMING
from tests.frames import COLLECTIONS, OWI, collection, owi, owi_sample, quick_services

# what a filter filters by; without it most keep everything
CONFIGURED: dict[str, dict[str, object]] = {
    "curlie_filter": {"filter_by": "Reference/, Science*"},
    "geo_filter": {"latitude_center": 47, "longitude_center": 15, "radius_km": 300},
    "language_filter": {"languages": "deu, ru"},
    "date_filter": {"from_date": "2026-02"},
    "field_filter": {"operator": "contains", "value": "e"},
}
NEEDS_COLUMNS = ("curlie_filter", "geo_filter", "date_filter")
SERVED_ELSEWHERE = ("cross_encoder_reranker",)  # loads a model by name

MODULES = [module for module in TRANSFORMING if module.id not in SERVED_ELSEWHERE]


async def run(module: type[Module], before: ResultSet, tmp_path: Path) -> None:
    from tests.sources import step_run

    configured = module.model_validate(CONFIGURED.get(module.id, {}))
    if "cleaned-text" in configured.reads():
        before = before.with_column("cleaned-text", before.documents["full-text"], "text")
    after = await configured.transform(before, step_run(quick_services(tmp_path), module.id))
    kept_promises(configured, before, after)
    json.dumps(after.to_json(), allow_nan=False)


@pytest.mark.parametrize("name", COLLECTIONS)
@pytest.mark.parametrize("module", [one for one in MODULES if one.id not in NEEDS_COLUMNS], ids=lambda module: module.id)
async def test_it_runs_on_a_judged_collection(module: type[Module], name: str, shared: Path, tmp_path: Path) -> None:
    await run(module, collection(shared, name), tmp_path)


@pytest.mark.parametrize("language", OWI)
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.id)
async def test_it_runs_on_the_open_web_index(module: type[Module], language: str, shared: Path, tmp_path: Path) -> None:
    await run(module, owi(shared, language), tmp_path)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.id)
async def test_it_runs_on_the_one_real_page_of_the_open_web_index(module: type[Module], shared: Path, tmp_path: Path) -> None:
    await run(module, owi_sample(shared), tmp_path)
