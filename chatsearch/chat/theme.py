"""Turns the colour of a spec into the chat's colours, light and dark, readable in both (WCAG 2.2 AA: contrast 4.5 to 1)."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from chatsearch.chat.css_colors import CSS_COLORS
from chatsearch.errors import did_you_mean

Rgb = tuple[float, float, float]  # each from 0 to 1
Hsl = tuple[int, int, int]  # degrees, per cent, per cent
Variables = dict[str, dict[str, str]]
Mode = Literal["light", "dark", "system"]

DEFAULT_COLOR = "#1f5fa8"
READABLE = 4.5
_LIGHT_PAGE: Hsl = (0, 0, 100)
_DARK_PAGE: Hsl = (0, 0, 13)
_DARK_CARD: Hsl = (0, 0, 18)
_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]*)\)")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(%|deg|turn|rad|grad)?")
_DEGREES = {"": 1.0, "deg": 1.0, "turn": 360.0, "grad": 0.9, "rad": 57.29577951308232}


def theme_variables(color: str) -> Variables:
    """Chainlit's CSS variables for `light` and `dark`: HSL triplets such as `211 69% 39%`.

    `color` is a CSS colour or a theme name (`orange`, `orange-dark`); for anything else the default colour is taken, and
    `is_color` says so. The hue is kept; the lightness moves as little as needed until text in `--primary` can be read on the
    page and on `--accent`, and `--primary-foreground` on `--primary`.
    """
    light, light_accent, dark, dark_accent = _readable(_hsl(rgb(split_theme(color)[0]) or rgb(DEFAULT_COLOR) or (0.0, 0.0, 0.0)))
    return {
        "light": _variables(light, light_accent, (0, 0, 100)),
        "dark": _variables(dark, dark_accent, (0, 0, 5)),
    }


def is_color(color: str) -> bool:
    """Whether it is a colour, or a theme name, that `theme_variables` understands."""
    return rgb(split_theme(color)[0]) is not None


def color_problem(color: str) -> str:
    """What to tell the person whose spec names this colour: empty when there is none, or when it can be understood."""
    name = split_theme(color)[0]
    if not name or rgb(name) is not None:
        return ""
    shown = name if len(name) <= 40 else f"{name[:39]}…"
    return (
        f"theme.color “{shown}” is no colour, so the usual one is shown.{did_you_mean(name, CSS_COLORS)} "
        "It takes a CSS colour, or a name such as orange-dark."
    )


def initial_mode(color: str, mode: str = "") -> Mode:
    """How the page starts for a person who has not chosen: as the spec says, else as its theme name says, else as the system."""
    wanted = mode or split_theme(color)[1]
    return "light" if wanted == "light" else "dark" if wanted == "dark" else "system"


def split_theme(name: str) -> tuple[str, str]:
    """`orange-dark` and `dark-orange` are (`orange`, `dark`); a colour without a mode has the empty mode."""
    color = name.strip().lower()
    for mode in ("light", "dark"):
        if color == mode:
            return "", mode
        for rest in (color.removeprefix(f"{mode}-"), color.removesuffix(f"-{mode}")):
            if rest != color:
                return rest, mode
    return color, ""


def rgb(color: str) -> Rgb | None:
    """A CSS colour (name, `#rgb`, `#rrggbb`, `rgb()`, `hsl()`; an alpha value is left out), or None when it is none."""
    text = color.strip().lower()
    if text in CSS_COLORS:
        return _from_hex(CSS_COLORS[text])
    if re.fullmatch(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})", text):
        return _from_hex(text[1:])
    function = _FUNCTION.fullmatch(text)
    if function is None:
        return None
    numbers = [_NUMBER.fullmatch(part) for part in re.split(r"[\s,/]+", function[2].strip())]
    if len(numbers) not in (3, 4):
        return None
    parts = [(float(one[1]), one[2] or "") for one in numbers if one]
    if len(parts) != len(numbers):
        return None
    read: Callable[[list[tuple[float, str]]], Rgb | None] = _from_rgb if function[1] == "rgb" else _from_hsl
    return read(parts[:3])


def contrast(one: Rgb, other: Rgb) -> float:
    """The contrast ratio of two colours, from 1 to 21 (WCAG 2.2, “relative luminance” and “contrast ratio”)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def from_triplet(triplet: str) -> Rgb:
    """The colour of an HSL triplet such as `211 69% 39%`."""
    hue, saturation, lightness = (float(part.rstrip("%")) for part in triplet.split())
    return colorsys.hls_to_rgb(hue / 360, lightness / 100, saturation / 100)


@lru_cache(maxsize=500)
def _readable(color: Hsl) -> tuple[Hsl, Hsl, Hsl, Hsl]:
    """Text and accent of this hue for the light page, then for the dark one; a millisecond's work for a page of each visitor."""
    hue, saturation, lightness = color
    light_accent: Hsl = (hue, min(saturation, 40), 96)
    dark_accent: Hsl = (hue, min(saturation, 15), 20)
    light = _first_readable(hue, saturation, range(lightness, -1, -1), _LIGHT_PAGE, light_accent)
    dark = _first_readable(hue, saturation, range(lightness, 101), _DARK_PAGE, _DARK_CARD, dark_accent)
    return light, light_accent, dark, dark_accent


def _first_readable(hue: int, saturation: int, lightnesses: range, *pages: Hsl) -> Hsl:
    """The first lightness at which text can be read on all of these; the last one, black or white, always can."""
    for lightness in lightnesses:
        color = from_triplet(_triplet((hue, saturation, lightness)))
        if all(contrast(color, from_triplet(_triplet(page))) >= READABLE for page in pages):
            return hue, saturation, lightness
    return hue, saturation, lightnesses[-1]


def _variables(primary: Hsl, accent: Hsl, foreground: Hsl) -> dict[str, str]:
    text, on_it = _triplet(primary), _triplet(foreground)
    names = ("--primary", "--ring", "--sidebar-primary", "--sidebar-ring")
    return {
        **dict.fromkeys(names, text),
        "--primary-foreground": on_it,
        "--sidebar-primary-foreground": on_it,
        "--accent": _triplet(accent),
    }


def _triplet(color: Hsl) -> str:
    return f"{color[0]} {color[1]}% {color[2]}%"


def _hsl(color: Rgb) -> Hsl:
    hue, lightness, saturation = colorsys.rgb_to_hls(*color)
    return round(hue * 360) % 360, round(saturation * 100), round(lightness * 100)


def _luminance(color: Rgb) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _from_hex(digits: str) -> Rgb:
    parts = [2 * digit for digit in digits] if len(digits) in (3, 4) else [digits[at : at + 2] for at in range(0, len(digits), 2)]
    red, green, blue = (int(part, 16) / 255 for part in parts[:3])
    return red, green, blue


def _from_rgb(parts: list[tuple[float, str]]) -> Rgb | None:
    if any(unit not in ("", "%") for _, unit in parts):
        return None
    red, green, blue = (_share(value / (100 if unit == "%" else 255)) for value, unit in parts)
    return red, green, blue


def _from_hsl(parts: list[tuple[float, str]]) -> Rgb | None:
    (angle, unit), saturation, lightness = parts
    if unit == "%" or saturation[1] not in ("", "%") or lightness[1] not in ("", "%"):
        return None
    hue = angle * _DEGREES[unit] % 360 / 360
    return colorsys.hls_to_rgb(hue, _share(lightness[0] / 100), _share(saturation[0] / 100))


def _share(value: float) -> float:
    return min(1.0, max(0.0, value))
