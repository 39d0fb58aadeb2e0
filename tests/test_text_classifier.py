"""Emotion classifiers loaded by name or path."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.emotions import EMOTIONS
from chatsearch.errors import ModelError
from chatsearch.text_classifier import _emotion, emotion_classifier


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A classifier with random weights and the labels of the data set MOSAIC-RAG's comes from."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("classifier")
    words = {"[PAD]": 0, "[UNK]": 1, "happy": 2, "sad": 3}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    labels = dict(enumerate(EMOTIONS))
    config = BertConfig(
        vocab_size=len(words), hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8,
        max_position_embeddings=32, id2label=labels, label2id={label: n for n, label in labels.items()},
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", model_max_length=32
    ).save_pretrained(folder)
    return folder


def test_a_classifier_of_a_folder_names_one_of_the_six_for_every_text(tiny: Path) -> None:
    classify = emotion_classifier(str(tiny))
    found = classify(["happy", "sad " * 5_000, "…"])
    assert len(found) == 3
    assert set(found) <= set(EMOTIONS)
    assert emotion_classifier(str(tiny)) is classify


def test_one_that_cannot_be_had_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=f"The classifier “{tmp_path / 'none'}” cannot be loaded: "):
        emotion_classifier(str(tmp_path / "none"))


@pytest.mark.parametrize(
    ("labels", "emotion"),
    [
        ({"joy": 0.9, "fear": 0.1}, "joy"),
        ({"JOY": 0.1, "Fear": 0.9}, "fear"),
        ({"neutral": 0.8, "annoyance": 0.15, "joy": 0.05}, "anger"),
        ({"LABEL_0": 0.2, "LABEL_2": 0.8}, "love"),
        ({"neutral": 1.0}, None),
        ({}, None),
    ],
)
def test_the_labels_of_other_data_sets_are_read_as_ours(labels: dict[str, float], emotion: str | None) -> None:
    assert _emotion([{"label": label, "score": score} for label, score in labels.items()]) == emotion
