"""Every setting once: its default, its environment name, its meaning. Imported late, since pydantic-settings takes 0.3 s.

Order: command line > environment (`CHATSEARCH_…`, then MOSAIC-RAG's own names) > `chatsearch.toml` (in the current folder,
else in the data directory) > default. docs/settings.md lists them; a test fails when it does not.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from chatsearch.errors import InputError, did_you_mean
from chatsearch.hosts import DEFAULT_HOSTS, HostRule

TOML = "chatsearch.toml"

MOSAIC_RAG_NAMES = {
    "model": "LITELLM_CHAT_MODEL",
    "models": "LITELLM_MODELS",
    "llm_base_url": "LITELLM_URL",
    "ollama_url": "OLLAMA_HOST",
}
"""MOSAIC-RAG's environment names of our settings."""


def default_data_dir() -> Path:
    """The platform's folder for a user's data, such as ~/.local/share/chatsearch."""
    return user_data_path("chatsearch", appauthor=False)


class Settings(BaseSettings):
    """The settings of one process. Secrets are never among the keys of a spec, and never written to a log."""

    model_config = SettingsConfigDict(env_prefix="CHATSEARCH_", extra="forbid", frozen=True)

    data_dir: Path = Field(default_factory=default_data_dir, description="Where indexes, caches and the store live.")
    model: str = Field(
        "extractive", description="The language model that summarises and answers; `extractive` quotes and needs no LLM."
    )
    models: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="The language models a spec may name, such as `openai/gpt-4o-mini`; empty: only that of `model`.",
    )
    llm_base_url: str = Field(
        "",
        description="An OpenAI-compatible server that is asked for all models but `ollama/…`, such as `http://localhost:1234/v1`.",
    )
    ollama_url: str = Field("http://127.0.0.1:11434", description="The Ollama server for models named `ollama/…`.")
    llm_concurrency: int = Field(8, ge=1, le=256, description="Simultaneous calls of one provider.")
    llm_connect_timeout: float = Field(10.0, gt=0, le=600, description="Seconds to reach a language model's server.")
    llm_token_timeout: float = Field(60.0, gt=0, le=3600, description="Seconds to wait for the first and for each further token.")
    llm_timeout: float = Field(300.0, gt=0, le=3600, description="Seconds a whole answer of a language model may take.")
    llm_retries: int = Field(3, ge=0, le=10, description="How often a call that failed for a passing reason is tried again.")
    llm_max_wait: float = Field(30.0, ge=0, le=600, description="The longest wait, in seconds, that a provider may ask of us.")
    llm_window: int = Field(
        0, ge=0, description="Tokens a language model reads at once; 0: what litellm knows of the model, else 8192."
    )
    llm_max_tokens: int = Field(1024, ge=16, description="Tokens a language model may write in one answer.")
    llm_cache_mb: int = Field(200, ge=0, description="Megabytes of answers of language models that are kept; 0: none.")
    source_timeout: float = Field(5.0, gt=0, le=600, description="Seconds a data source may take before it is left out.")
    max_query_characters: int = Field(4000, ge=1, description="The longest query or question that is accepted, in characters.")
    max_spec_bytes: int = Field(1_000_000, ge=1, description="The largest spec that is read, in bytes.")
    vector_cache: int = Field(50_000, ge=0, description="How many embedded texts a process remembers.")
    step_cache_mb: int = Field(
        200, ge=0, description="Megabytes of steps' results that a process keeps, to run only what changed; 0: none."
    )
    default_engine: str = Field(
        "demo", min_length=1, description="The engine that the server shows at `/`: a spec's file or a built-in name."
    )
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="The addresses people reach the chat under, such as `https://search.example.org`; "
        "empty: only the one it is served from.",
    )

    embedding_models: Annotated[tuple[str, ...], NoDecode] = Field(
        ("ollama/*",),
        description="The embedding models of services that a spec or a collection may name, such as "
        "`openai/text-embedding-3-small`; `ollama/*` stands for all of Ollama's.",
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        DEFAULT_HOSTS,
        description="The hosts that data sources may ask, such as `search.example.org` or `localhost:8000`; "
        "`*` allows every public one.",
    )
    allowed_paths: Annotated[tuple[Path, ...], NoDecode] = Field(
        (), description="Folders outside the data directory that a data source may open."
    )
    max_answer_bytes: int = Field(20_000_000, ge=1000, description="The largest answer of a server that is read, in bytes.")
    database_url: SecretStr = Field(
        SecretStr(""),
        description="The PostgreSQL database of the store, such as `postgresql://user:password@host/name`; "
        "empty: the file `store.sqlite` in the data directory.",
    )
    results_keep_days: int = Field(
        30, ge=1, le=36_500, description="Days after its last use that a result set is kept, with its answers."
    )
    results_keep_most: int = Field(
        10_000, ge=1, description="How many result sets are kept; those not used for longest go first."
    )

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _hosts(cls, given: object) -> object:
        """From the environment a text: hosts separated by commas or spaces."""
        hosts = given.replace(",", " ").split() if isinstance(given, str) else given
        for host in hosts if isinstance(hosts, list | tuple) else ():
            HostRule.parse(str(host))
        return hosts

    @field_validator("allowed_paths", mode="before")
    @classmethod
    def _paths(cls, given: object) -> object:
        """From the environment a text: folders separated as in PATH."""
        return tuple(one for one in given.split(os.pathsep) if one.strip()) if isinstance(given, str) else given

    @field_validator("models", "embedding_models", mode="before")
    @classmethod
    def _model_names(cls, given: object) -> object:
        """From the environment a text: names separated by commas or spaces, or a JSON list."""
        return model_names(given) if isinstance(given, str) else given

    @field_validator("llm_base_url", "ollama_url", mode="after")
    @classmethod
    def _server(cls, given: str) -> str:
        return server_url(given) if given.strip() else ""

    @field_validator("allowed_origins", mode="before")
    @classmethod
    def _origins(cls, given: object) -> object:
        """From the environment a text: origins separated by commas or spaces."""
        origins = given.replace(",", " ").split() if isinstance(given, str) else given
        return tuple(map(_origin, origins)) if isinstance(origins, list | tuple) else given

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        given = init_settings().get("data_dir") or env_settings().get("data_dir")
        toml = TomlConfigSettingsSource(settings_cls, toml_file=toml_file(given))
        return init_settings, env_settings, InitSettingsSource(settings_cls, mosaic_rag_environment()), toml


def toml_file(data_dir: object = None) -> Path:
    """The file of settings that is read: in the current folder, else in the data directory."""
    here = Path.cwd() / TOML
    return here if here.is_file() else Path(str(data_dir or default_data_dir())) / TOML


def load_settings(**given: object) -> Settings:
    """The settings, with what the command line gave; None counts as not given. Raises InputError naming what is wrong."""
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    except ValidationError as error:
        raise InputError(
            "\n".join(_explain(problem["loc"], problem["type"], problem["msg"]) for problem in error.errors())
        ) from None
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read: {error.strerror}.") from None
    except ValueError as error:  # tomllib: not TOML
        raise InputError(f"{toml_file(given.get('data_dir'))} is not valid TOML: {error}.") from None


def mosaic_rag_environment() -> dict[str, object]:
    """What MOSAIC-RAG's environment says, under our names; its key, LITELLM_APIKEY, is read where it is used."""
    found = {name: os.environ.get(theirs, "").strip() for name, theirs in MOSAIC_RAG_NAMES.items()}
    return {name: value for name, value in found.items() if value}


def model_names(text: str) -> tuple[str, ...]:
    """Names from a JSON list, or separated by commas or spaces. Raises ValueError for JSON that is no list of texts."""
    if not text.lstrip().startswith("["):
        return tuple(text.replace(",", " ").split())
    try:
        names = json.loads(text)
    except ValueError:
        raise ValueError('the list of models is not valid JSON; an example is ["gemma2", "llama3"]') from None
    if not all(isinstance(name, str) for name in names):
        raise ValueError('a list of models holds names only, such as ["gemma2", "llama3"]')
    return tuple(name.strip() for name in names if name.strip())


def server_url(text: str) -> str:
    """The URL of a server from a URL, `host:port` or a host (Ollama's port then). Raises ValueError.

    0.0.0.0 is where a server listens and not where it is reached: it becomes 127.0.0.1. A URL with a password is refused.
    """
    given = text.strip().rstrip("/")
    parts = urlsplit(given if "://" in given else f"http://{given if ':' in given else f'{given}:11434'}")
    if parts.username or parts.password or parts.query:
        raise ValueError("a key or password belongs into the environment variable for the key, not into a URL")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("it is not a URL such as http://localhost:11434")
    return parts._replace(netloc=parts.netloc.replace("0.0.0.0", "127.0.0.1")).geturl()  # noqa: S104


def environment_name(field: str) -> str:
    return f"CHATSEARCH_{field.upper()}"


def _origin(text: object) -> str:
    """An origin as browsers send it: lower case, no path, no default port. Raises ValueError."""
    parts = urlsplit(str(text).strip().lower())
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.path not in ("", "/")
        or parts.query
        or "@" in parts.netloc
    ):
        raise ValueError(f"“{text}” is not an origin such as https://search.example.org or http://localhost:8000")
    default = {"http": 80, "https": 443}[parts.scheme]
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port not in (None, default) else "")


def _explain(where: tuple[int | str, ...], kind: str, message: str) -> str:
    name = str(where[0]) if where else ""
    if kind == "extra_forbidden":
        return f"There is no setting {name} (in {TOML}).{did_you_mean(name, Settings.model_fields)}"
    return f"The setting {name} ({environment_name(name)}) is wrong: {message}."
