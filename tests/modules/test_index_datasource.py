"""The local index as a data source: a tiny index with vectors, and the shipped one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatsearch.errors import MissingColumnError, SourceError
from chatsearch.events import StepProgress
from chatsearch.index.build import BuildOptions, build_index
from chatsearch.pipeline import Pipeline
from chatsearch.services import Services
from tests.sources import events_of, results_of, services_with, spec_of

ROWS = [
    {"id": "sea", "title": "The sea", "text": "The ocean is deep and salty.", "url": "https://example.org/sea", "shelf": "A"},
    {"id": "tea", "title": "Tea", "text": "Green leaves are dried and brewed.", "url": "", "shelf": "B"},
    {"id": "tesla", "title": "Tesla", "text": "An inventor of machines.", "url": "", "shelf": "C"},
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with the index `small`, embedded by MiniLM."""
    home = tmp_path_factory.mktemp("home")
    file = home / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    services = services_with(home)
    options = BuildOptions(language="en", model="all-MiniLM-L6-v2")
    build_index(services.writable(services.indexes_dir), "small", [file], options=options, embeddings=services.embeddings)
    return home


@pytest.fixture
def services(built: Path) -> Services:
    return services_with(built)


def small(**parameters: object) -> tuple[str, dict[str, object]]:
    return "index_datasource", {"index": "small", **parameters}


@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid"])
async def test_every_mode_finds_the_document(services: Services, mode: str) -> None:
    results = await results_of(services, small(mode=mode), query="ocean")
    assert results.documents["id"].iloc[0] == "sea"
    assert list(results.documents.columns[:3]) == ["id", "title", "url"]
    assert results.documents["_source_index_"].iloc[0] == "small"
    assert not results.warnings


async def test_meaning_finds_what_words_do_not(services: Services) -> None:
    assert not len(await results_of(services, small(mode="lexical"), query="beverage"))
    assert (await results_of(services, small(mode="dense"), query="beverage")).documents["id"].iloc[0] == "tea"


async def test_limit_output_column_and_other_columns(services: Services) -> None:
    results = await results_of(services, small(limit="1", output_column="body"), query="ocean")
    assert len(results) == 1
    assert results.documents["body"].iloc[0] == ROWS[0]["text"]
    assert results.documents["shelf"].iloc[0] == "A"
    assert results.roles["body"] == ("text",)


async def test_a_missing_column_is_an_error_before_anything_is_fetched(services: Services) -> None:
    spec = spec_of(services, small(), ("word_counter", {"input_column": "shelff"}))
    with pytest.raises(MissingColumnError, match="Did you mean “shelf”"):
        await events_of(services, spec)


async def test_a_deleted_index_is_named_with_the_way_to_build_it(services: Services) -> None:
    with pytest.raises(SourceError, match="no index “gone”.*chatsearch index build gone"):
        await results_of(services, ("index_datasource", {"index": "gone"}), query="x")


class TestAnIndexOfAnotherModel:
    @pytest.fixture
    def other(self, built: Path, tmp_path: Path) -> Services:
        """A copy of the index whose manifest says that another form of the model made it."""
        import shutil

        shutil.copytree(built / "indexes", tmp_path / "indexes")
        (manifest,) = (tmp_path / "indexes" / "small").glob("*/manifest.json")
        changed = json.loads(manifest.read_text("utf-8"))
        changed["embedding"]["fingerprint"] = "all-MiniLM-L6-v2/full/0"
        manifest.write_text(json.dumps(changed), encoding="utf-8")
        return services_with(tmp_path)

    async def test_hybrid_goes_on_by_words_and_says_so(self, other: Services) -> None:
        results = await results_of(other, small(), query="ocean")
        assert results.documents["id"].iloc[0] == "sea"
        (warning,) = results.warnings
        assert warning.code == "lexical-only"
        assert "all-MiniLM-L6-v2/full/0" in warning.message
        assert "chatsearch index build small" in warning.message

    async def test_dense_is_refused_with_the_fix(self, other: Services) -> None:
        with pytest.raises(SourceError, match="another form of the embedding model.*chatsearch index build small"):
            await results_of(other, small(mode="dense"), query="ocean")


class TestTheShippedIndex:
    async def test_it_is_built_at_first_use_with_progress(self, tmp_path: Path) -> None:
        services = services_with(tmp_path)
        spec = spec_of(services, ("index_datasource", {"mode": "lexical"}))
        first, second = await events_of(services, spec, "Tesla"), await events_of(services, spec, "Tesla")
        notes = {event.note for event in first if isinstance(event, StepProgress)}
        assert {"building the demo index, lexical", "building the demo index, dense"} <= notes
        assert not [event for event in second if isinstance(event, StepProgress)]

    async def test_a_search_that_is_left_while_it_is_built_leaves_nothing_half_done(self, tmp_path: Path) -> None:
        services = services_with(tmp_path)
        spec = spec_of(services, "index_datasource")
        async for event in Pipeline(services).run(spec, "Tesla"):
            if isinstance(event, StepProgress):  # the build has begun; leaving the loop closes the run
                break
        assert len(await results_of(services, "index_datasource", query="Tesla")) == 10
