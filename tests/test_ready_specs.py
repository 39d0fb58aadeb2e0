"""The engines that come with the program are well-formed, each with a look, questions, a page and a picture of its own."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from chatsearch.chat.theme import READABLE, contrast, from_triplet, is_color, theme_variables
from chatsearch.registry import Registry
from chatsearch.spec import Spec
from tests.ready import FOLDER, MOSAIC, READY, file_of, ready, steps_of

PAGES = Path(__file__).resolve().parents[1] / "docs" / "engines"
LARGEST_PICTURE = 160_000  # bytes
WHITE, DARK = "0 0% 100%", "0 0% 13%"


def loaded(name: str) -> Spec:
    return Spec.loads(file_of(name).read_bytes(), Registry(), name)


@pytest.mark.parametrize("name", READY)
def test_it_loads_without_a_warning_and_is_saved_as_it_is(name: str) -> None:
    spec = loaded(name)
    assert not spec.warnings
    assert Spec.load(spec.dump(), Registry(), name).digest == spec.digest


@pytest.mark.parametrize("name", READY)
def test_it_says_what_it_is_and_has_questions_to_begin_with(name: str) -> None:
    engine = loaded(name).engine
    assert engine.title
    assert engine.subtitle
    assert engine.language == "en"
    assert 60 < len(engine.description) < 400
    assert 3 <= len(set(engine.starters)) == len(engine.starters) <= 4
    assert engine.permissions.edit


@pytest.mark.parametrize("name", READY)
def test_its_colour_can_be_read_light_and_dark(name: str) -> None:
    color = loaded(name).engine.theme.color
    assert is_color(color)
    variables = theme_variables(color)
    for mode, page in (("light", WHITE), ("dark", DARK)):
        text, on_it = variables[mode]["--primary"], variables[mode]["--primary-foreground"]
        assert contrast(from_triplet(text), from_triplet(page)) >= READABLE
        assert contrast(from_triplet(text), from_triplet(on_it)) >= READABLE


def test_no_two_have_the_same_colour_title_or_question() -> None:
    for one, other in combinations(map(loaded, READY), 2):
        assert theme_variables(one.engine.theme.color) != theme_variables(other.engine.theme.color), (one.name, other.name)
        assert one.title != other.title
        assert not set(one.engine.starters) & set(other.engine.starters)


def test_each_way_of_re_ranking_has_an_engine() -> None:
    used = {step["id"] for name in READY for step in steps_of(ready(name))}
    assert {
        "tf_idf_reranker",
        "embedding_reranker",
        "fusion",
        "group_llm_reranker",
        "tournament_llm_reranker",
        "cross_encoder_reranker",
    } <= used


def test_only_three_ask_another_machine() -> None:
    elsewhere = [name for name in READY if any(step["id"] == "mosaic_datasource" for step in steps_of(ready(name)))]
    assert sorted(elsewhere) == sorted(MOSAIC)


def test_the_arts_engine_is_the_papers() -> None:
    spec = loaded("arts")
    assert [step.module.id for step in spec.steps] == ["mosaic_datasource", "embedding_reranker", "all_results_summarizer"]
    assert (spec.engine.theme.color, spec.engine.theme.mode) == ("orange", "dark")
    assert getattr(spec.steps[0].module, "search_index") == "arts"  # noqa: B009  of this source alone


@pytest.mark.parametrize("name", READY)
def test_it_has_a_page_and_a_picture_and_stands_in_the_index(name: str) -> None:
    page, index = (PAGES / f"{name}.md").read_text("utf-8"), (PAGES / "README.md").read_text("utf-8")
    assert page.startswith(f"# {loaded(name).title}\n")
    assert f"]({name}.png)" in page
    assert f"]({name}.md)" in index
    assert f'src="{name}.png"' in index
    picture = (PAGES / f"{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < LARGEST_PICTURE


def test_no_page_or_picture_is_left_of_an_engine_that_is_gone() -> None:
    assert {file.stem for file in PAGES.iterdir()} == {*READY, "README"}
    assert FOLDER.is_dir()
