"""`chatsearch models`: what is configured, and whether it answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatsearch.cli import main
from tests.openai_server import OpenAIServer, Reply, openai_server

SECRET = "sk-test-4711-never-shown"


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


def listed(capsys: pytest.CaptureFixture[str], data_dir: Path, *more: str) -> dict[str, dict[str, object]]:
    with pytest.raises(SystemExit) as ended:
        main(["models", "--format", "json", "--data-dir", str(data_dir), *more])
    assert ended.value.code in (0, None)
    out, err = capsys.readouterr()
    assert SECRET not in out + err
    return {one["name"]: one for one in json.loads(out)}


def test_without_settings_the_built_in_models_answer(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = listed(capsys, data_dir)
    assert list(models) == ["extractive", "multilingual-e5-small", "all-MiniLM-L6-v2"]
    assert all(one["answers"] and one["seconds"] is not None for one in models.values())
    assert models["extractive"]["default"] is True


def test_each_model_is_tried_once_and_a_failure_has_its_reason(
    server: OpenAIServer, data_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server.usual = lambda request: Reply("OK.") if request.body["model"] == "good" else Reply(status=401, error=SECRET)
    monkeypatch.setenv("CHATSEARCH_LLM_BASE_URL", server.url)
    monkeypatch.setenv("CHATSEARCH_LLM_API_KEY", SECRET)
    monkeypatch.setenv("CHATSEARCH_MODEL", "good")
    monkeypatch.setenv("CHATSEARCH_MODELS", "good, bad")
    models = listed(capsys, data_dir)
    assert list(models)[:3] == ["good", "bad", "extractive"]
    assert (models["good"]["answers"], models["good"]["default"], models["good"]["from"]) == (True, True, "the setting model")
    assert models["bad"]["answers"] is False
    assert "CHATSEARCH_LLM_API_KEY" in str(models["bad"]["reason"])
    assert len(server.requests) == 2


def test_it_can_be_told_not_to_try(data_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATSEARCH_MODEL", "openai/gpt-4o-mini")
    models = listed(capsys, data_dir, "--no-try")
    assert [one["answers"] for one in models.values()] == [None] * 4


def test_a_missing_key_names_its_variable(
    data_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATSEARCH_MODEL", "openai/gpt-4o-mini")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SystemExit):
        main(["models", "--data-dir", str(data_dir)])
    out = capsys.readouterr().out
    assert "there is no key for it. Set the environment variable OPENAI_API_KEY." in out
