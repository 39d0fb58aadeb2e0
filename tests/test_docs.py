"""The documentation keeps up with the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chatsearch.module_docs import modules_markdown
from chatsearch.parameters import parameter
from chatsearch.registry import Registry
from chatsearch.settings import Settings, environment_name
from tests.sources import document, result_set, services_with, step_run

DOCS = Path(__file__).resolve().parents[1] / "docs"
README = DOCS.parent / "README.md"


@pytest.mark.parametrize("name", list(Settings.model_fields))
def test_every_setting_is_listed_with_its_environment_name_and_meaning(name: str) -> None:
    (row,) = [line for line in (DOCS / "settings.md").read_text("utf-8").splitlines() if line.startswith(f"| `{name}` |")]
    assert f"`{environment_name(name)}`" in row
    assert str(Settings.model_fields[name].description) in row


def test_the_page_of_modules_is_what_the_declarations_say() -> None:
    made = modules_markdown(Registry())
    assert (DOCS / "modules.md").read_text("utf-8") == made, "stale: chatsearch modules --format markdown > docs/modules.md"


async def test_the_module_in_the_guide_works_by_being_one_file(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", (DOCS / "writing-modules.md").read_text("utf-8"), re.DOTALL)
    assert code
    (tmp_path / "metadata_analysis").mkdir()
    (tmp_path / "metadata_analysis" / "shout_detector.py").write_text(code[1], encoding="utf-8")
    registry = Registry(tmp_path)
    assert not registry.broken
    module = registry.get("shout_detector")
    assert parameter(module, "share")["default"] == 0.5
    shouted = await module().transform(
        result_set([document("a", "STOP IT now"), document("b", "stop it")]), step_run(services_with(tmp_path))
    )
    assert list(shouted.documents["shouts"]) == [True, False]


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_links_between_pages_lead_somewhere_and_the_readme_names_each_page(page: Path) -> None:
    """The pages of a folder stand in the folder's own README, which stands in that of the project."""
    index = page.with_name("README.md")
    source = index if index.exists() and page != index else README
    for one in (page, source):
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)|src=\"(?!https?:)([^\"]+)", one.read_text("utf-8")):
            assert (one.parent / "".join(target)).exists(), f"{one.name}: {target}"
    assert f"]({page.relative_to(source.parent)})" in source.read_text("utf-8")
