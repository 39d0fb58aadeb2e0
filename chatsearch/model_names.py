"""What the name of an embedding model says: whether a service runs it, and what this program calls it."""

from __future__ import annotations

import re
from typing import NoReturn

from chatsearch.errors import ModelError

ENGLISH_MODEL = "all-MiniLM-L6-v2"
MULTILINGUAL_MODEL = "multilingual-e5-small"

_PROVIDERS = frozenset(
    "azure bedrock cohere databricks fireworks_ai gemini hosted_vllm jina_ai litellm_proxy lm_studio mistral nvidia_nim ollama "
    "openai openrouter together_ai vertex_ai voyage watsonx xinference".split()
)
_OPENAI = re.compile(r"text-embedding-(3-(small|large)|ada-002)")
_PACKAGED_NAMES = {
    "all-minilm-l6-v2": ENGLISH_MODEL,
    "multilingual-e5-small": MULTILINGUAL_MODEL,
    "intfloat/multilingual-e5-small": MULTILINGUAL_MODEL,
}


def is_remote(name: str) -> bool:
    """Whether a model's name says that a service embeds: it begins with a provider of litellm, as in `ollama/…`."""
    return name.partition("/")[0] in _PROVIDERS and "/" in name


def canonical_name(name: str) -> str:
    """A model's name as this program calls it: the packaged ones by their own, OpenAI's with their provider."""
    given = name.strip()
    plain = given.removeprefix("sentence-transformers/")
    if plain.lower() in _PACKAGED_NAMES:
        return _PACKAGED_NAMES[plain.lower()]
    return f"openai/{plain}" if _OPENAI.fullmatch(plain) else plain


def no_remote(name: str) -> NoReturn:
    """Refuses a model of a service (`ollama/…`); chatsearch.remote_embedding has the loader that asks one."""
    raise ModelError(f"The embedding model “{name}” is a service's, and none may be asked here.")
