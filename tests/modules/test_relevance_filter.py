"""Removing what is not relevant enough: the minimum means what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.errors import MissingColumnError, ModuleError
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.settings import load_settings
from tests.frames import quick_services, transformed
from tests.scripted import ScriptedModel, ScriptedServices
from tests.sources import document, memory_source, result_set, results_of, services_with

FILTER = Registry().get("relevance_filter")
ROWS = result_set(
    [
        document("tesla", "Nikola Tesla died in New York City in January 1943."),
        document("bread", "Bread is baked from flour, water and salt in a hot oven."),
        {**document("none"), "full-text": None},
    ],
    "When did Nikola Tesla die?",
)


async def kept(results: ResultSet, services: Services, **parameters: object) -> list[str]:
    after, _ = await transformed(FILTER, results, services, **parameters)
    return list(after.documents["id"])


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Services:
    return services_with(tmp_path_factory.mktemp("data"))


@pytest.mark.parametrize("measure", ["model", "embedding"])
async def test_what_is_near_stays_and_what_is_not_goes(real: Services, measure: str) -> None:
    assert await kept(ROWS, real, measure=measure) == ["tesla"]
    assert await kept(ROWS, real, measure=measure, missing="keep") == ["tesla", "none"]
    assert await kept(ROWS, real, measure=measure, minimum=-1) == ["tesla", "bread"]


@pytest.mark.parametrize("measure", ["model", "embedding"])
async def test_when_nothing_is_relevant_nothing_is_left(real: Services, measure: str) -> None:
    assert await kept(ROWS.with_query("How do volcanoes erupt under the sea?"), real, measure=measure) == []


async def test_the_run_says_which_step_removed_all(tmp_path: Path) -> None:
    services = services_with(tmp_path, memory_source("left", [document("a", "Bread is baked from flour.")]))
    results = await results_of(services, "left", "relevance_filter", query="When did Tesla die?")
    assert len(results) == 0
    assert "step 2 (relevance_filter) removed the last 1" in results.warnings[-1].message


async def test_the_models_judgement_decides_at_the_minimum(tmp_path: Path) -> None:
    model = ScriptedModel()
    services = ScriptedServices(load_settings(data_dir=tmp_path), scripted=model)
    for minimum, left in ((0.4, ["tesla", "bread"]), (0.41, ["bread"]), (1, [])):
        model.enqueue_judgement(0.4, 0.9)
        assert await kept(ROWS, services, minimum=minimum) == left
    assert [one.id for one in model.prompts[0].documents] == ["tesla", "bread"]
    assert model.prompts[0].query == "When did Nikola Tesla die?"


async def test_what_may_not_be_sent_is_judged_here(tmp_path: Path) -> None:
    class Local(ScriptedServices):
        def language_model(self, wanted: str = "") -> tuple[ScriptedModel, str]:
            return (here if wanted == "extractive" else remote), ""

    remote, here = ScriptedModel(remote=True), ScriptedModel(name="extractive")
    services = Local(load_settings(data_dir=tmp_path))
    remote.enqueue_judgement(0.1)
    here.enqueue_judgement(0.8)
    assert await kept(ROWS.with_column("_no_llm_", [True, False, False]), services) == ["tesla"]
    assert [one.id for one in remote.prompts[0].documents] == ["bread"]
    assert [one.id for one in here.prompts[0].documents] == ["tesla"]


async def test_a_score_of_a_reranker_or_any_column(tmp_path: Path) -> None:
    services = quick_services(tmp_path)
    scored = ROWS.with_column("_reranking_score_1_", [0.2, 0.7, None]).with_column("_reranking_rank_1_", [2, 1, 3])
    assert await kept(scored, services, measure="score", minimum=0.5) == ["bread"]
    assert await kept(scored, services, measure="score", minimum=0.5, missing="keep") == ["bread", "none"]
    assert await kept(scored, services, measure="score", score_column="_reranking_score_1_", minimum=0.2) == ["tesla", "bread"]
    with pytest.raises(MissingColumnError, match="put a re-ranker before"):
        await kept(ROWS, services, measure="score")
    with pytest.raises(ModuleError, match="“title” holds no numbers"):
        await kept(ROWS, services, measure="score", score_column="title")
