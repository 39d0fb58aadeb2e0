"""Chainlit's folder and configuration are ours; and Chainlit is the version whose names we replace."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from chatsearch.chat.root import CHAINLIT_VERSION, PUBLIC, configuration, prepare_root, to_toml
from chatsearch.errors import DataDirectoryError
from chatsearch.services import Services
from chatsearch.settings import load_settings


def test_chainlit_is_the_version_that_was_looked_through(front: Any) -> None:
    """Before this version is changed: read its new routes, events and settings, then change guard.py, sockets.py and root.py."""
    assert importlib.metadata.version("chainlit") == CHAINLIT_VERSION


def test_every_name_that_is_replaced_is_there(front: Any) -> None:
    import chainlit.config
    import chainlit.server
    import chainlit.session
    from chainlit.chat_context import chat_contexts
    from chainlit.user_session import user_sessions

    for module in (chainlit.config, chainlit.server):
        assert {"APP_ROOT", "FILES_DIRECTORY", "public_dir"} <= set(vars(module))
    assert {"config_dir", "config_file", "config_translation_dir", "TRANSLATIONS_DIR"} <= set(vars(chainlit.config))
    assert {"app", "sio", "build_dir", "SOCKET_IO_PATH"} <= set(vars(chainlit.server))
    assert {"ws_sessions_id", "ws_sessions_sid", "WebsocketSession"} <= set(vars(chainlit.session))
    assert isinstance(chat_contexts, dict)
    assert isinstance(user_sessions, dict)
    assert chainlit.server.SOCKET_IO_PATH == "/ws/socket.io"


def test_chainlit_knows_every_setting_that_we_write(front: Any) -> None:
    from chainlit.config import FeaturesSettings, ProjectSettings, UISettings

    tables = configuration([])
    for table, model in (("project", ProjectSettings), ("features", FeaturesSettings), ("UI", UISettings)):
        assert set(tables[table]) <= set(model.model_fields)


def test_nothing_risky_is_switched_on(front: Any) -> None:
    from chainlit.config import config

    assert not config.features.unsafe_allow_html
    assert not config.features.mcp.enabled
    assert not config.features.edit_message
    assert config.features.spontaneous_file_upload is not None
    assert not config.features.spontaneous_file_upload.enabled
    assert config.project.allow_origins == []
    assert config.project.session_timeout == 3600


def test_the_written_configuration_reads_as_the_same() -> None:
    tables = configuration(["https://search.example.org"])
    assert tomllib.loads(to_toml(tables)) == tables


def test_the_public_files_are_refreshed_and_stale_ones_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHAINLIT_APP_ROOT")
    services = Services(load_settings(data_dir=tmp_path))
    public = prepare_root(services) / "public"
    (public / "pages.css").write_text("changed")
    (public / "elements" / "Gone.jsx").write_text("stale")
    prepare_root(services)
    there = {file.relative_to(public) for file in public.rglob("*") if file.is_file()}
    assert there == {file.relative_to(PUBLIC) for file in PUBLIC.rglob("*") if file.is_file()}
    assert (public / "pages.css").read_text() == (PUBLIC / "pages.css").read_text()


def test_a_data_directory_that_cannot_be_written_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHAINLIT_APP_ROOT")
    (tmp_path / "chainlit").mkdir()
    (tmp_path / "chainlit" / "public").write_text("a file where a folder should be")
    with pytest.raises(DataDirectoryError, match="--data-dir"):
        prepare_root(Services(load_settings(data_dir=tmp_path)))


def test_every_translation_has_our_wording(front: Any) -> None:
    from chainlit.config import config

    for language, part in (("en-US", "Open a footnote"), ("de-DE", "Fußnote"), ("fr-FR", "Une note"), ("hi", "Open a footnote")):
        texts = config.load_translation(language)
        assert part in texts["chat"]["watermark"], language
        assert "LLMs can make mistakes" not in json.dumps(texts)


def test_the_module_of_the_chat_is_cheap_to_import() -> None:
    heavy = "chainlit fastapi starlette pandas pydantic_settings uvicorn".split()
    code = f"import sys, chatsearch.server, chatsearch.chat; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
