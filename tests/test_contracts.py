"""Column contracts: what can be told before anything is fetched, and what a step may not do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chatsearch.contracts import check_columns, column_problems, kept_promises, missing_columns
from chatsearch.errors import MissingColumnError, ModuleError
from chatsearch.module import DataSource, Module
from chatsearch.results import ResultSet
from tests.sources import document, documents, memory_source, result_set, services_with, spec_of
from tests.test_pipeline import Length, RemoveAll, Reverse, Step

CLOSED = memory_source("closed", documents("a"), more=("author",))
OPEN = memory_source("opened", documents("a"), is_open=True)


def told(data_dir: Path, *steps: Any) -> list[tuple[int, str]]:
    services = services_with(data_dir, CLOSED, OPEN, Length, Reverse)
    return [(number, module) for number, module, _ in column_problems(spec_of(services, *steps), services)]


@pytest.mark.parametrize("column", ["full-text", "title", "url", "id", "_original_ranking_", "_source_index_", "author"])
def test_what_a_source_surely_gives_may_be_read(tmp_path: Path, column: str) -> None:
    assert told(tmp_path, "closed", ("length", {"input_column": column})) == []


def test_what_nobody_gives_is_told_for_every_step(tmp_path: Path) -> None:
    steps = (
        "closed",
        ("length", {"input_column": "x"}),
        ("length", {"input_column": "output"}),
        ("length", {"input_column": "y"}),
    )
    assert told(tmp_path, *steps) == [(2, "length"), (4, "length")]


def test_after_an_open_source_nothing_can_be_told(tmp_path: Path) -> None:
    assert told(tmp_path, "opened", ("length", {"input_column": "x"})) == []
    assert told(tmp_path, ("length", {"input_column": "x"}), "opened") == [(1, "length")]


def test_another_name_of_the_text_column_is_known(tmp_path: Path) -> None:
    assert told(tmp_path, ("closed", {"output_column": "body"}), ("length", {"input_column": "body"})) == []
    assert told(tmp_path, ("closed", {"output_column": "body"}), "length") == [(2, "length")]


def test_the_rankings_are_counted(tmp_path: Path) -> None:
    second = ("reduction_step", {"ranking_column": "_reranking_rank_2_"})
    assert told(tmp_path, "closed", "reverse", "reverse", second) == []
    assert told(tmp_path, "closed", "reverse", second) == [(3, "reduction_step")]


def test_the_error_names_the_step_the_column_and_those_there_are(tmp_path: Path) -> None:
    services = services_with(tmp_path, CLOSED, Length)
    with pytest.raises(MissingColumnError, match=r"Step 2 \(length\) reads the column “titel”.*Did you mean “title”.*author"):
        check_columns(spec_of(services, "closed", ("length", {"input_column": "titel"})), services)


def test_a_step_before_any_source_is_told_so() -> None:
    assert "no data source comes before it" in missing_columns(Length(), [])


BEFORE = result_set([document("a"), document("b")])


@pytest.mark.parametrize(
    ("module", "frame", "said"),
    [
        (Step(), BEFORE.documents.iloc[:1], "lost 1 of 2 documents"),
        (Reverse(), BEFORE.documents.iloc[:1], "lost 1 of 2 documents"),
        (RemoveAll(), BEFORE.documents.drop(columns="url"), "lost the column “url”"),
        (Step(), BEFORE.documents.iloc[::-1], "moved"),
        (Step(), BEFORE.documents.assign(id=["a", "c"]), "lost 1"),
        (Reverse(), BEFORE.documents.assign(id=["a", "a"]), "the same id"),
        (RemoveAll(), BEFORE.documents.iloc[[0, 0]], "the same id"),
    ],
)
def test_a_broken_promise_is_named(module: Module, frame: Any, said: str) -> None:
    with pytest.raises(ModuleError, match=said):
        kept_promises(module, BEFORE, BEFORE.with_documents(frame))


def test_kept_promises_pass() -> None:
    for module, frame in (
        (Step(), BEFORE.documents),
        (Reverse(), BEFORE.documents.iloc[::-1]),
        (RemoveAll(), BEFORE.documents.iloc[:1]),
    ):
        after = BEFORE.with_documents(frame)
        assert kept_promises(module, BEFORE, after) is after


def test_what_is_no_result_set_is_refused() -> None:
    nothing: Any = None
    with pytest.raises(ModuleError, match="NoneType and not a result set"):
        kept_promises(Step(), BEFORE, nothing)


def test_the_sources_of_these_tests_are_sources() -> None:
    assert issubclass(CLOSED, DataSource)
    assert isinstance(BEFORE, ResultSet)
