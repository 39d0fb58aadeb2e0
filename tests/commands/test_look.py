"""Title, colours and starters are changed as they are written in the spec."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chatsearch.commands.registry import respond
from tests.commands.sessions import ENGINE, changes, refusal, said, session_of


async def test_the_title(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert await changes(session, "/title “Arts  Search”") == ["title: Small engine → Arts Search"]
    assert "Arts Search" in await said(session, "/title")


@pytest.mark.parametrize(
    ("typed", "color", "mode"),
    [
        ("/theme blue", "blue", "dark"),
        ("/theme light", "orange", "light"),
        ("/theme system", "orange", ""),
        ("/theme Blue-Light", "blue", "light"),
        ("/theme dark blue", "blue", "dark"),
        ("/theme sky blue light", "skyblue", "light"),
        ("/theme dark orange", "orange", "dark"),
        ("/theme darkorange", "darkorange", "dark"),
        ("/theme #1f5fa8", "#1f5fa8", "dark"),
        ("/theme rgb(10, 20, 30)", "rgb(10, 20, 30)", "dark"),
        ("/theme rgb(10, 20, 30) light", "rgb(10, 20, 30)", "light"),
        ("/theme default system", "", ""),
    ],
)
async def test_colour_and_mode_change_apart(tmp_path: Path, typed: str, color: str, mode: str) -> None:
    session = session_of(tmp_path)
    await respond(session, typed)
    theme = session.spec.engine.theme
    assert (theme.color, theme.mode) == (color, mode)


async def test_a_wrong_colour_names_the_nearest(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert "Did you mean “orange”?" in await refusal(session, "/theme organge")
    assert "one of them" in await refusal(session, "/theme blue light dark")
    assert "no colour" in await refusal(session, "/theme rgb(1,2)")


async def test_the_old_names_of_mosaic_rag_are_kept_up(tmp_path: Path) -> None:
    old: dict[str, Any] = {"colorTheme": "dark-orange", "pipeline": {"1": {"id": "memory"}}}
    session = session_of(tmp_path, old)
    await respond(session, "/theme blue light")
    assert session.spec.data["colorTheme"] == "blue"
    assert session.spec.engine.theme.color == "blue"
    both = session_of(tmp_path, {**old, "theme": {"color": "red"}})
    await respond(both, "/theme blue")
    assert (both.spec.data["colorTheme"], both.spec.engine.theme.color) == ("blue", "blue")


async def test_starters(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert await changes(session, "/starters add “What is  art?”") == ["starters: What is art? (new)"]
    assert await changes(session, "/starters remove 1") == ["starters: Who was Tesla? (removed)"]
    assert "Where is Warsaw?" in await said(session, "/starters")
    await respond(session, "/starters clear")
    assert session.spec.engine.starters == ()
    assert "no questions" in await said(session, "/starters")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("/starters remove 3", "numbered from 1 to 2"),
        ("/starters remove", "Which question"),
        ("/starters add", "The question is missing"),
        ("/starters add Who was Tesla?", "there already"),
        ("/starters ad x", "Did you mean “add”?"),
        ("/starters clear 1", "removes all"),
    ],
)
async def test_what_starters_cannot_do(tmp_path: Path, typed: str, message: str) -> None:
    assert message in await refusal(session_of(tmp_path), typed)


async def test_the_look_shown_is_that_of_the_engine(tmp_path: Path) -> None:
    assert await said(session_of(tmp_path), "/theme") == "The colour is orange, the mode dark."
    plain = session_of(tmp_path, {**ENGINE, "theme": {}})
    assert await said(plain, "/theme") == "The colour is the default, the mode as the person's system."
