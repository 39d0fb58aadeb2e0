"""The chat's colours: readable whatever colour a spec names."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.chat.theme import (
    READABLE,
    color_problem,
    contrast,
    from_triplet,
    initial_mode,
    is_color,
    rgb,
    split_theme,
    theme_variables,
)

PAGES = {"light": ["0 0% 100%"], "dark": ["0 0% 13%", "0 0% 18%"]}
colors = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@given(colors)
def test_every_color_can_be_read_in_both_modes(color: str) -> None:
    for mode, variables in theme_variables(color).items():
        primary = from_triplet(variables["--primary"])
        for page in (*PAGES[mode], variables["--accent"], variables["--primary-foreground"]):
            assert contrast(primary, from_triplet(page)) >= READABLE


@given(colors)
def test_the_hue_of_a_color_is_kept(color: str) -> None:
    light, dark = (theme_variables(color)[mode]["--primary"] for mode in ("light", "dark"))
    assert light.split()[:2] == dark.split()[:2]


@given(st.text())
def test_no_text_breaks_it_and_nothing_of_it_reaches_the_style(text: str) -> None:
    for variables in theme_variables(text).values():
        assert all(re.fullmatch(r"\d+ \d+% \d+%", value) for value in variables.values())


def test_a_color_that_can_be_read_stays_as_it_is() -> None:
    assert theme_variables("#1f5fa8")["light"]["--primary"] == "212 69% 39%"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("orange", (1.0, 165 / 255, 0.0)),
        (" RebeccaPurple ", (0.4, 0.2, 0.6)),
        ("#f80", (1.0, 136 / 255, 0.0)),
        ("#ff8800cc", (1.0, 136 / 255, 0.0)),
        ("rgb(255, 136, 0)", (1.0, 136 / 255, 0.0)),
        ("rgba(100% 0% 0% / 50%)", (1.0, 0.0, 0.0)),
        ("hsl(120deg 100% 50%)", (0.0, 1.0, 0.0)),
        ("hsl(.5turn, 100%, 50%)", (0.0, 1.0, 1.0)),
        ("hsl(-240 100% 50%)", (0.0, 1.0, 0.0)),
    ],
)
def test_css_colors_are_read(text: str, expected: tuple[float, float, float]) -> None:
    assert rgb(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    "text",
    ["", "nocolor", "#12345", "rgb(1,2)", "rgb(1 2 3 4 5)", "rgb(a, b, c)", "rgb(1deg 2 3)", "hsl(10% 1% 1%)", "url(x)", "red;}"],
)
def test_nonsense_is_the_default_color_and_the_caller_can_tell(text: str) -> None:
    assert rgb(text) is None
    assert not is_color(text)
    assert theme_variables(text) == theme_variables("#1f5fa8")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("orange-dark", ("orange", "dark")), ("light-blue", ("blue", "light")), ("#fff", ("#fff", "")), ("dark", ("", "dark"))],
)
def test_a_theme_name_is_a_color_and_a_mode_in_either_order(name: str, expected: tuple[str, str]) -> None:
    assert split_theme(name) == expected


@pytest.mark.parametrize(
    ("color", "mode", "expected"),
    [
        ("blue", "", "system"),
        ("blue-dark", "", "dark"),
        ("blue-dark", "light", "light"),
        ("", "dark", "dark"),
        ("", "pink", "system"),
    ],
)
def test_the_initial_mode_is_the_specs_then_the_theme_names_then_the_systems(color: str, mode: str, expected: str) -> None:
    assert initial_mode(color, mode) == expected


@pytest.mark.parametrize("color", ["", "orange", "dark-orange", "orange-dark", "dark", "#abc", "hsl(20 50% 50%)"])
def test_a_colour_that_is_one_has_no_problem(color: str) -> None:
    assert color_problem(color) == ""


@pytest.mark.parametrize(
    ("color", "said"), [("oranje-dark", "Did you mean “orange”"), ("x" * 500, "is no colour"), ("#12345", "CSS")]
)
def test_a_nonsense_colour_is_told_with_the_nearest(color: str, said: str) -> None:
    assert said in color_problem(color)
    assert len(color_problem(color)) < 250
