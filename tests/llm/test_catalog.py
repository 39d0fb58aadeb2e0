"""Names of models: which may be named, what a bare name means, where each is reached and with which key."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.errors import InputError
from chatsearch.llm.catalog import Catalog
from chatsearch.services import Services
from chatsearch.settings import Settings, environment_name, load_settings

OURS = ("CHATSEARCH_LLM_API_KEY", "LITELLM_APIKEY", "LITELLM_URL", "LITELLM_MODELS", "LITELLM_CHAT_MODEL", "OLLAMA_HOST")


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*map(environment_name, Settings.model_fields), *OURS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def catalog(environment: dict[str, str] | None = None, **settings: object) -> Catalog:
    return Catalog(load_settings(**settings), environment or {})


def services(tmp_path: Path, **settings: object) -> Services:
    return Services(load_settings(data_dir=tmp_path, **settings))


def test_without_settings_there_is_the_extractive_model_alone(tmp_path: Path) -> None:
    assert catalog().endpoints() == []
    model, notice = services(tmp_path).language_model()
    assert (model.name, notice) == ("extractive", "")


def test_a_provider_of_its_own_needs_no_address_and_its_key_stays_in_the_environment() -> None:
    (endpoint,) = catalog({"OPENAI_API_KEY": "sk-secret"}, model="openai/gpt-4o-mini").endpoints()
    assert (endpoint.model, endpoint.provider, endpoint.base_url, endpoint.key) == ("openai/gpt-4o-mini", "openai", "", "")
    assert endpoint.key_variable == "OPENAI_API_KEY"
    (other,) = catalog(model="anthropic/claude-x").endpoints()
    assert (other.provider, other.key_variable) == ("anthropic", "ANTHROPIC_API_KEY")


def test_ollama_is_asked_by_its_chat_api_at_its_host() -> None:
    (endpoint,) = catalog(model="ollama/gemma2", ollama_url="box:11434", llm_base_url="http://proxy/v1").endpoints()
    assert (endpoint.model, endpoint.base_url, endpoint.key) == ("ollama_chat/gemma2", "http://box:11434", "")


@pytest.mark.parametrize(
    ("name", "sent"), [("gemma2", "openai/gemma2"), ("openai/gemma2", "openai/gemma2"), ("a/b", "openai/a/b")]
)
def test_a_server_of_ones_own_is_asked_for_all_others(name: str, sent: str) -> None:
    (endpoint,) = catalog(model=name, llm_base_url="http://localhost:1234/v1/").endpoints()
    assert (endpoint.model, endpoint.base_url, endpoint.host) == (sent, "http://localhost:1234/v1", "localhost:1234")


def test_the_key_of_openai_is_not_sent_to_another_server() -> None:
    (endpoint,) = catalog({"OPENAI_API_KEY": "sk-secret"}, model="m", llm_base_url="http://localhost:1/v1").endpoints()
    assert endpoint.key == "no-key"
    (with_key,) = catalog({"CHATSEARCH_LLM_API_KEY": "mine"}, model="m", llm_base_url="http://localhost:1/v1").endpoints()
    assert (with_key.key, with_key.key_variable) == ("mine", "CHATSEARCH_LLM_API_KEY")
    assert "mine" not in repr(with_key)


def test_mosaic_rags_environment_means_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_URL", "http://proxy.example/")
    monkeypatch.setenv("LITELLM_MODELS", '["gemma2", "llama3"]')
    monkeypatch.setenv("LITELLM_CHAT_MODEL", "gemma2")
    monkeypatch.setenv("OLLAMA_HOST", "0.0.0.0")
    settings = load_settings()
    assert (settings.model, settings.models, settings.llm_base_url) == ("gemma2", ("gemma2", "llama3"), "http://proxy.example")
    assert settings.ollama_url == "http://127.0.0.1:11434"
    first, second = Catalog(settings, {"LITELLM_APIKEY": "theirs"}).endpoints()
    assert (first.name, first.where, first.key, first.key_variable) == ("gemma2", "model", "theirs", "LITELLM_APIKEY")
    assert (second.name, second.where) == ("llama3", "models")


def test_our_own_names_win_over_mosaic_rags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_CHAT_MODEL", "theirs")
    monkeypatch.setenv("CHATSEARCH_MODEL", "ours")
    assert load_settings().model == "ours"


@pytest.mark.parametrize("given", ["a, b", "a b", '["a", "b"]', " a,b "])
def test_a_list_of_models_may_be_written_in_three_ways(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("CHATSEARCH_MODELS", given)
    assert load_settings().models == ("a", "b")


@pytest.mark.parametrize("given", ["[1, 2]", "[a", '["a"'])
def test_a_list_that_is_none_is_said_to_be_none(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("LITELLM_MODELS", given)
    with pytest.raises(InputError, match="models"):
        load_settings()


def test_a_url_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(InputError, match="llm_base_url") as caught:
        load_settings(llm_base_url="http://user:hunter2@proxy/v1")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("wanted", ["ollama/gemma2", "gemma2", "GEMMA2", "gemma2:latest", " gemma2 "])
def test_a_spec_may_name_a_model_by_its_full_or_bare_name(tmp_path: Path, wanted: str) -> None:
    model, notice = services(tmp_path, model="openai/gpt-4o-mini", models=["ollama/gemma2"]).language_model(wanted)
    assert (model.name, notice) == ("ollama/gemma2", "")


def test_a_model_the_administrator_did_not_allow_is_replaced_by_the_default_with_a_notice(tmp_path: Path) -> None:
    mine = services(tmp_path, model="openai/gpt-4o-mini")
    model, notice = mine.language_model("openai/gpt-5-pro")
    assert model.name == "openai/gpt-4o-mini"
    assert notice == "The model “openai/gpt-5-pro” cannot be had here; “openai/gpt-4o-mini” is used."
    assert mine.language_model("extractive")[0].name == "extractive"


def test_without_an_llm_the_extractive_model_stands_in_and_says_so(tmp_path: Path) -> None:
    model, notice = services(tmp_path).language_model("gemma2")
    assert model.name == "extractive"
    assert notice == "The model “gemma2” cannot be had here; the built-in extractive model quotes instead."


def test_all_models_of_a_provider_share_one_limit(tmp_path: Path) -> None:
    mine = services(tmp_path, models=["openai/a", "openai/b"])
    first, second = (mine.gateway_model(one) for one in mine.catalog.endpoints())
    assert first.gate is second.gate
    assert first.endpoint.limited_with == second.endpoint.limited_with


def test_the_cache_is_in_the_data_directory_and_can_be_switched_off(tmp_path: Path) -> None:
    cache = services(tmp_path).answer_cache
    assert cache is not None
    assert cache.path == tmp_path / "cache" / "answers.sqlite"
    assert services(tmp_path, llm_cache_mb=0).answer_cache is None
