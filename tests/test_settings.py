"""Settings: which place wins, and what is said of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.errors import InputError
from chatsearch.settings import Settings, environment_name, load_settings


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine the tests run on."""
    for name in Settings.model_fields:
        monkeypatch.delenv(environment_name(name), raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def write(directory: Path, text: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "chatsearch.toml").write_text(text, encoding="utf-8")


def test_without_anything_the_defaults_hold() -> None:
    settings = load_settings()
    assert (settings.model, settings.source_timeout, settings.data_dir.name) == ("extractive", 5.0, "chatsearch")


def test_the_command_wins_over_the_environment_and_that_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, 'model = "file"\nsource_timeout = 1\nmax_query_characters = 7\n')
    monkeypatch.setenv("CHATSEARCH_MODEL", "environment")
    monkeypatch.setenv("CHATSEARCH_SOURCE_TIMEOUT", "2")
    settings = load_settings(model="command", source_timeout=None)
    assert (settings.model, settings.source_timeout, settings.max_query_characters) == ("command", 2.0, 7)


def test_the_file_of_the_data_directory_is_read_wherever_that_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "given", 'model = "given"')
    write(tmp_path / "set", 'model = "set"')
    write(tmp_path / "home" / "chatsearch", 'model = "home"')
    assert load_settings().model == "home"
    assert load_settings(data_dir=tmp_path / "given").model == "given"
    monkeypatch.setenv("CHATSEARCH_DATA_DIR", str(tmp_path / "set"))
    assert load_settings().model == "set"
    write(tmp_path, 'model = "here"')
    assert load_settings(data_dir=tmp_path / "given").model == "here"


def test_a_wrong_value_names_its_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATSEARCH_SOURCE_TIMEOUT", "soon")
    monkeypatch.setenv("CHATSEARCH_MAX_QUERY_CHARACTERS", "0")
    with pytest.raises(InputError, match="CHATSEARCH_SOURCE_TIMEOUT") as caught:
        load_settings()
    assert "CHATSEARCH_MAX_QUERY_CHARACTERS" in str(caught.value)


def test_a_misspelt_setting_of_the_file_names_the_nearest(tmp_path: Path) -> None:
    write(tmp_path, "source_timout = 3")
    with pytest.raises(InputError, match="no setting source_timout.*Did you mean “source_timeout”"):
        load_settings()


@pytest.mark.parametrize("text", [b"not toml", b"model = \xff", b"model = "])
def test_a_file_that_is_not_toml_is_said_to_be_none(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "chatsearch.toml").write_bytes(text)
    with pytest.raises(InputError, match=r"chatsearch\.toml is not valid TOML"):
        load_settings()


def test_other_programs_variables_of_the_same_beginning_are_no_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATSEARCH_SOMETHING_ELSE", "1")
    assert load_settings().model == "extractive"


def test_every_setting_has_a_meaning() -> None:
    assert all(field.description for field in Settings.model_fields.values())
