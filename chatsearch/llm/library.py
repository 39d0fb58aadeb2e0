"""litellm, imported when a model is first called and told to keep to itself: no look-ups, no callbacks, no secrets in logs."""

from __future__ import annotations

import logging
import os
import threading
from functools import cache
from types import ModuleType

_QUIET = {
    "LiteLLM": logging.CRITICAL, "LiteLLM Router": logging.CRITICAL, "LiteLLM Proxy": logging.CRITICAL,
    # at lower levels these write whole requests, and addresses that can hold a key
    "openai": logging.WARNING, "httpx": logging.WARNING, "httpcore": logging.WARNING,
}  # fmt: skip
_lock = threading.Lock()


def litellm() -> ModuleType:
    """The library; the first call takes seconds and belongs into a thread."""
    with _lock:
        return _load()


@cache
def _load() -> ModuleType:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it fetches a price list at import
    os.environ.setdefault("LITELLM_LOG", "CRITICAL")
    import litellm as library

    library.telemetry = False
    library.suppress_debug_info = True
    library.turn_off_message_logging = True
    library.drop_params = True
    library.success_callback = []
    library.failure_callback = []
    library.callbacks = []
    library._async_success_callback = []
    library._async_failure_callback = []
    for name, level in _QUIET.items():
        logging.getLogger(name).setLevel(level)
    return library
