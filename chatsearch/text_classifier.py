"""Emotion classifiers from a model hub, loaded by name with transformers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import cast

from chatsearch.emotions import EMOTIONS, READ
from chatsearch.errors import ModelError

Classifier = Callable[[Sequence[str]], list[str | None]]
"""The emotion of each text; None where the model's labels are none of ours. Blocking."""

# other data sets' names for the six (GoEmotions, Ekman)
_SAME: Mapping[str, str] = MappingProxyType({
    "happiness": "joy", "happy": "joy", "amusement": "joy", "excitement": "joy", "gratitude": "joy", "optimism": "joy",
    "pride": "joy", "relief": "joy", "approval": "joy", "admiration": "love", "caring": "love", "desire": "love",
    "sad": "sadness", "grief": "sadness", "disappointment": "sadness", "remorse": "sadness", "embarrassment": "sadness",
    "angry": "anger", "annoyance": "anger", "disgust": "anger", "disapproval": "anger", "nervousness": "fear",
    "realization": "surprise", "confusion": "surprise", "curiosity": "surprise",
    **{f"label_{place}": emotion for place, emotion in enumerate(EMOTIONS)},
})  # fmt: skip

_Label = Mapping[str, object]  # `label` and `score`
_lock = threading.Lock()


def emotion_classifier(name: str) -> Classifier:
    """The classifier of that name or path, loaded once; blocking. Raises ModelError when it cannot be had."""
    with _lock:
        return _load(name)


@lru_cache(maxsize=2)
def _load(name: str) -> Classifier:
    try:
        from transformers import pipeline

        classify = pipeline("text-classification", model=name, top_k=None, truncation=True)
    except Exception as error:  # what a model's library raises is its own affair
        first = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
        raise ModelError(f"The classifier “{name}” cannot be loaded: {first}") from error
    return lambda texts: [_emotion(cast("list[_Label]", labels)) for labels in classify([text[:READ] for text in texts])]


def _emotion(labels: Sequence[_Label]) -> str | None:
    best = sorted(labels, key=lambda one: -float(str(one["score"])))
    named = (str(one["label"]).lower() for one in best)
    return next((_SAME.get(label, label) for label in named if _SAME.get(label, label) in EMOTIONS), None)
