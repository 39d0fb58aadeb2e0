"""Every setting once: its default, its environment name, its meaning. Imported late, since pydantic-settings takes 0.3 s.

Order: command line > environment (`CHATSEARCH_…`) > `chatsearch.toml` (in the current folder, else in the data directory) >
default. docs/settings.md lists them; a test fails when it does not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from chatsearch.errors import InputError, did_you_mean

TOML = "chatsearch.toml"


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
    source_timeout: float = Field(5.0, gt=0, le=600, description="Seconds a data source may take before it is left out.")
    max_query_characters: int = Field(4000, ge=1, description="The longest query or question that is accepted, in characters.")
    max_spec_bytes: int = Field(1_000_000, ge=1, description="The largest spec that is read, in bytes.")
    vector_cache: int = Field(50_000, ge=0, description="How many embedded texts a process remembers.")
    default_engine: str = Field(
        "demo", min_length=1, description="The engine that the server shows at `/`: a spec's file or a built-in name."
    )
    allowed_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="The addresses people reach the chat under, such as `https://search.example.org`; "
        "empty: only the one it is served from.",
    )

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
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=toml_file(given))


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
