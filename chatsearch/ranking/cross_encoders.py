"""Cross-encoders by name or path: sentence-transformers reads query and passage together; loaded once, when first needed."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from chatsearch.errors import ModelError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

TRY_AGAIN = 600.0
"""Seconds after which a model that could not be loaded is tried again: without a network each try takes many."""

_loaded: dict[str, CrossEncoder] = {}
_failed: dict[str, tuple[float, str]] = {}
_lock = threading.Lock()


def load(name: str) -> CrossEncoder:
    """The cross-encoder, from a hub or a folder; blocking. Raises ModelError, also for one that gives several numbers a pair."""
    with _lock:
        since, reason = _failed.get(name, (0.0, ""))
        if name not in _loaded and (not reason or time.monotonic() - since > TRY_AGAIN):
            reason = _try(name)
        if name in _loaded:
            return _loaded[name]
    raise ModelError(f"The cross-encoder “{name}” cannot be loaded: {reason}.")


def predict(name: str, query: str, texts: Sequence[str]) -> list[float]:
    """The relevance of each text, higher is better; blocking. Raises ModelError."""
    model = load(name)
    try:
        with _lock:
            scores = np.asarray(model.predict([(query, text) for text in texts], show_progress_bar=False), dtype=float)
    except Exception as error:  # as above
        raise ModelError(f"The cross-encoder “{name}” failed: {error}") from error
    if scores.shape != (len(texts),) or not np.isfinite(scores).all():
        raise ModelError(f"The cross-encoder “{name}” gave no number for each text.")
    return [float(score) for score in scores]


def _try(name: str) -> str:
    """Why the model could not be loaded; empty when it was."""
    try:
        _loaded[name] = _read(name)
    except Exception as error:  # noqa: BLE001  what a model's library raises is its own affair; the reason is shown
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        _failed[name] = (time.monotonic(), reason)
        return reason
    return ""


def _read(name: str) -> CrossEncoder:
    from sentence_transformers import CrossEncoder

    model: CrossEncoder = CrossEncoder(name)
    if model.num_labels != 1:
        raise ModelError(f"it gives {model.num_labels} numbers for a text, not one relevance")
    return model
