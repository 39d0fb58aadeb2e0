"""Which language models are configured, by what name they are called, and where each is reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from chatsearch.settings import Settings

EXTRACTIVE = "extractive"
OWN_KEY = "CHATSEARCH_LLM_API_KEY"
MOSAIC_RAG_KEY = "LITELLM_APIKEY"

_NO_KEY = "no-key"  # OpenAI's client wants one even where the server does not; without it, it would take OPENAI_API_KEY
_KEYS = {
    "huggingface": "HF_TOKEN", "bedrock": "AWS_ACCESS_KEY_ID", "vertex_ai": "GOOGLE_APPLICATION_CREDENTIALS",
    "together_ai": "TOGETHERAI_API_KEY", "nvidia_nim": "NVIDIA_NIM_API_KEY",
}  # fmt: skip


@dataclass(frozen=True)
class Endpoint:
    """A model at a provider: `name` as people write it, `model` as litellm takes it, `base_url` where it is not its own.

    `key_variable` is the environment variable that holds the key, `key` its value where we pass it on ourselves; `where` says
    which setting named the model.
    """

    name: str
    model: str
    provider: str
    base_url: str = ""
    key_variable: str = ""
    key: str = field(default="", repr=False)
    where: str = ""

    @property
    def host(self) -> str:
        """The host that is asked, without anything secret; the provider's name when it is its own."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname or self.provider

    @property
    def limited_with(self) -> str:
        """Endpoints with the same value share one limit on simultaneous calls."""
        return self.base_url or self.provider


class Catalog:
    """The language models of one configuration; `environment` is where keys are."""

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        self._settings = settings
        self._environment = environment

    @property
    def default(self) -> str:
        """The name of the model that is taken when none is named."""
        return self._settings.model.strip() or EXTRACTIVE

    def endpoints(self) -> list[Endpoint]:
        """Every model that may be named, but the extractive one: the default first."""
        named = dict.fromkeys(self._settings.models, "models")
        if self.default != EXTRACTIVE:
            named = {self.default: "model"} | {name: where for name, where in named.items() if name != self.default}
        return [self._endpoint(name, where) for name, where in named.items() if name != EXTRACTIVE]

    def find(self, wanted: str) -> Endpoint | None:
        """The model of that full name, else the one whose name without its provider is that; None when it may not be named."""
        endpoints, name = self.endpoints(), wanted.strip().casefold()
        exact = [one for one in endpoints if one.name.casefold() == name]
        names = [(one, _whole_name(one.name)) for one in endpoints]
        bare = [one for one, whole in names if _whole_name(wanted) in _short_names(whole) or whole in _short_names(wanted)]
        return next(iter([*exact, *bare]), None)

    def _endpoint(self, name: str, where: str) -> Endpoint:
        provider, slash, rest = name.partition("/")
        if slash and provider in ("ollama", "ollama_chat"):
            # ollama_chat is litellm's name for Ollama's chat API, which takes roles; `ollama` would paste them into one text
            return Endpoint(name, f"ollama_chat/{rest}", "ollama", self._settings.ollama_url, where=where)
        if self._settings.llm_base_url:
            model = rest if provider == "openai" and slash else name
            variable = next((one for one in (OWN_KEY, MOSAIC_RAG_KEY) if self._environment.get(one)), OWN_KEY)
            key = self._environment.get(variable, "").strip() or _NO_KEY
            return Endpoint(name, f"openai/{model}", "openai-compatible", self._settings.llm_base_url, variable, key, where)
        owner = provider if slash else "openai"
        model = name if slash else f"openai/{name}"
        variable = _KEYS.get(owner, f"{owner.upper().replace('-', '_')}_API_KEY")
        return Endpoint(name, model, owner, key_variable=variable, where=where)


def _whole_name(name: str) -> str:
    return name.strip().casefold().removesuffix(":latest")


def _short_names(name: str) -> set[str]:
    """What a model may be called: its whole name, without its provider, and without its maker either."""
    whole = _whole_name(name)
    return {whole, whole.partition("/")[2] or whole, whole.rpartition("/")[2]}
