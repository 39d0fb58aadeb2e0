"""Which spec a person names: a file, a built-in engine; and what is said when there is none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from chatsearch.engines import built_in_engines, find_spec, spec_file
from chatsearch.errors import InputError, SpecError
from tests.sources import services_with

GOOD = json.dumps({"title": "Mine", "pipeline": {"1": {"id": "index_datasource"}}})


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_found_and_named_after_itself(here: Path) -> None:
    (here / "arts.json").write_text(GOOD, encoding="utf-8")
    found = find_spec("arts.json", services_with(here))
    assert (found.name, found.title) == ("arts", "Mine")


@pytest.mark.parametrize("reference", ["demo", "demo.json", "specs/demo.json"])
def test_a_built_in_engine_is_found_from_any_folder(here: Path, reference: str) -> None:
    assert spec_file(reference) == built_in_engines()["demo"]
    assert find_spec(reference, services_with(here)).title == "Wikipedia sample"


def test_a_file_wins_over_a_built_in_engine_and_a_folder_does_not(here: Path) -> None:
    (here / "demo").mkdir()
    assert spec_file("demo") == built_in_engines()["demo"]
    (here / "demo").rmdir()
    (here / "demo").write_text(GOOD, encoding="utf-8")
    assert find_spec("demo", services_with(here)).title == "Mine"


@pytest.mark.parametrize("reference", ["nothing", "no/such.json", "x" * 5000, "a\x00b", "~nobody-of-that-name/x", "пример"])
def test_what_is_not_there_is_said_with_the_engines_there_are(here: Path, reference: str) -> None:
    with pytest.raises(InputError, match="demo") as caught:
        find_spec(reference, services_with(here))
    assert len(str(caught.value)) < 400


def test_the_nearest_engine_is_named(here: Path) -> None:
    with pytest.raises(InputError, match="Did you mean “demo”"):
        spec_file("demmo")


def test_a_url_is_not_read_yet_and_that_is_said(here: Path) -> None:
    with pytest.raises(InputError, match="is a URL"):
        spec_file("https://example.org/e/arts.json")


def test_a_folder_is_said_to_be_one(here: Path) -> None:
    (here / "some").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        find_spec("some", services_with(here))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_said(here: Path) -> None:
    (here / "mine.json").write_text(GOOD, encoding="utf-8")
    (here / "mine.json").chmod(0)
    with pytest.raises(InputError, match="cannot be read"):
        find_spec("mine.json", services_with(here))


def test_an_empty_file_is_not_json(here: Path) -> None:
    (here / "empty.json").write_bytes(b"")
    with pytest.raises(SpecError, match="The spec empty has a problem:\n  it is not JSON"):
        find_spec("empty.json", services_with(here))
