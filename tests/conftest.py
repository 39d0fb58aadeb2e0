"""Fixtures every test may use: a data directory of its own, and the judged collections where they are at hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.openai_server import OpenAIServer, openai_server

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# a busy machine must not leave a source out; tests of the limit set their own
os.environ.setdefault("CHATSEARCH_SOURCE_TIMEOUT", "120")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of judged collections; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"the judged collections are not at hand ({SHARED})")
    return SHARED


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh data directory that chatsearch uses for this test."""
    directory = tmp_path / "data"
    monkeypatch.setenv("CHATSEARCH_DATA_DIR", str(directory))
    return directory


@pytest.fixture(scope="session")
def running_llm() -> Iterator[OpenAIServer]:
    """One OpenAI-compatible server for all tests; take `llm_server`, which begins anew."""
    with openai_server() as server:
        yield server


@pytest.fixture
def llm_server(running_llm: OpenAIServer) -> OpenAIServer:
    """A server of scripted answers, with nothing enqueued and nothing recorded."""
    running_llm.reset()
    return running_llm
