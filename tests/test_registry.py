"""Modules are found where they are; a broken one does not take the others with it."""

from __future__ import annotations

import importlib
import logging
from pathlib import Path

import pytest

from chatsearch.errors import InputError
from chatsearch.module import Category
from chatsearch.registry import Registry

GOOD = '''
"""A module."""
from typing import ClassVar
from chatsearch.module import Category, Module

class {name}(Module):
    """Does nothing."""
    id: ClassVar[str] = "{identifier}"
    name: ClassVar[str] = "{name}"
    category: ClassVar[Category] = Category.PRE_PROCESSING
    async def transform(self, results, run): return results
'''


def registry(directory: Path, **files: str) -> Registry:
    (directory / "some").mkdir()
    for name, text in files.items():
        (directory / "some" / f"{name}.py").write_text(text, encoding="utf-8")
    return Registry(directory)


def test_every_module_of_this_checkout_is_found_in_the_order_of_categories() -> None:
    found = Registry()
    assert found.broken == {}
    assert {"index_datasource", "tf_idf_reranker", "reduction_step", "all_results_summarizer", "word_counter"} <= set(
        found.modules
    )
    order = list(Category)
    places = [(order.index(one.category), identifier) for identifier, one in found.modules.items()]
    assert places == sorted(places)


def test_a_new_module_is_one_file_and_nothing_else(tmp_path: Path) -> None:
    found = registry(tmp_path, new=GOOD.format(name="New", identifier="new"))
    assert list(found.modules) == ["new"]
    assert found.get("new").declaration()["category"] == "Pre-Processing"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("this is no Python", "SyntaxError"),
        ("import a_package_nobody_has", "ModuleNotFoundError"),
        ("raise ValueError('x')", "ValueError: x"),
        ("raise SystemExit(1)", "SystemExit"),
        (GOOD.format(name="Bad", identifier="").replace('"""A', '"""A'), "Bad.id is not set"),
        (GOOD.format(name="Bad", identifier="bad").replace("Category.PRE_PROCESSING", '"Mine"'), "Bad.category is not set"),
        (GOOD.format(name="Bad", identifier="bad").replace('    id: ClassVar[str] = "bad"\n', ""), "Bad.id is not set"),
    ],
)
def test_a_broken_file_is_named_with_its_reason_and_the_others_work(tmp_path: Path, text: str, reason: str) -> None:
    found = registry(tmp_path, broken=text, good=GOOD.format(name="Good", identifier="good"))
    assert list(found.modules) == ["good"]
    assert reason in found.broken["broken"]
    with pytest.raises(InputError, match="cannot be loaded"):
        found.get("broken")


def test_an_unknown_id_names_the_nearest(tmp_path: Path) -> None:
    found = registry(tmp_path, good=GOOD.format(name="Good", identifier="good_reranker"))
    with pytest.raises(InputError, match="Did you mean “good_reranker”"):
        found.get("good_rerankr")
    with pytest.raises(InputError, match="`chatsearch modules` lists them"):
        found.get("zzz")


def test_of_two_modules_with_one_id_the_first_is_used_and_it_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    found = registry(tmp_path, a=GOOD.format(name="First", identifier="same"), b=GOOD.format(name="Second", identifier="same"))
    with caplog.at_level(logging.WARNING):
        assert found.get("same").__name__ == "First"
    assert "two modules are called same" in caplog.text


def test_files_that_begin_with_an_underscore_and_folders_without_modules_are_left_alone(tmp_path: Path) -> None:
    assert dict(registry(tmp_path, _private="raise ValueError", empty="").modules) == {}
    assert Registry(tmp_path / "absent").modules == {}


def test_a_plug_in_is_found_by_its_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, info = tmp_path / "site", tmp_path / "site" / "plugin-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "a_plug_in.py").write_text(GOOD.format(name="Plugged", identifier="plugged") + "\nnumber = 3\n", encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[chatsearch.modules]\none = a_plug_in:Plugged\nwhole = a_plug_in\nbad = a_plug_in:absent\nodd = builtins:int\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(site))
    importlib.invalidate_caches()
    found = Registry(tmp_path / "none")
    assert list(found.modules) == ["plugged"]
    assert set(found.broken) == {"bad", "odd"}
