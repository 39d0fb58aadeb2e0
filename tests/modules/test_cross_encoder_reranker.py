"""Re-ranking by a cross-encoder, and what happens where none can be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.errors import ModelError
from chatsearch.ranking import cross_encoders
from tests.ranking.judges import ran
from tests.sources import document, result_set

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "red", "bridge", "river", "north", "the", "a", "in"]
ROWS = [document("north", "A river in the north."), document("bridge", "The red bridge."), document("none", " ")]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder with one layer and random weights; one with two labels is beside it."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("models")
    torch.manual_seed(0)
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    tokenizer = transformers.BertTokenizerFast(vocab_file=str(folder / "vocab.txt"))
    for name, labels in (("one", 1), ("two", 2)):
        size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
        config = transformers.BertConfig(vocab_size=len(tokenizer), num_labels=labels, max_position_embeddings=512, **size)
        transformers.BertForSequenceClassification(config).save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    return folder


async def test_a_cross_encoder_is_loaded_by_its_path_and_orders_by_its_scores(tmp_path: Path, small: Path) -> None:
    done = await ran(tmp_path, "cross_encoder_reranker", result_set(ROWS, "red bridge"), model=str(small / "one"))
    assert not done.warnings
    scores = done.results.documents["_reranking_score_1_"].tolist()
    direct = cross_encoders.predict(str(small / "one"), "red bridge", ["A river in the north.", "The red bridge."])
    assert scores[:2] == pytest.approx(direct, abs=1e-5)
    assert done.ranks == ([1, 2, 3] if scores[0] >= scores[1] else [2, 1, 3])


async def test_a_long_text_is_read_in_passages(tmp_path: Path, small: Path) -> None:
    rows = [document("long", "The river in the north. " * 2000 + "The red bridge."), document("short", "A bridge.")]
    done = await ran(tmp_path, "cross_encoder_reranker", result_set(rows, "red bridge"), model=str(small / "one"))
    assert done.progress[-1] == (4, 4)


@pytest.mark.parametrize("name", ["missing", "two"])
async def test_where_it_cannot_be_loaded_the_words_decide_and_it_is_said(tmp_path: Path, small: Path, name: str) -> None:
    done = await ran(tmp_path, "cross_encoder_reranker", result_set(ROWS, "red bridge"), model=str(small / name))
    lexical = await ran(tmp_path, "lexical_reranker", result_set(ROWS, "red bridge"))
    assert done.results.documents["_reranking_score_1_"].equals(lexical.results.documents["_reranking_score_1_"])
    message = done.warnings["model-replaced"]
    assert str(small / name) in message
    assert "as lexical_reranker does" in message


async def test_the_default_has_no_weights_in_a_package_and_says_so(tmp_path: Path) -> None:
    done = await ran(tmp_path, "cross_encoder_reranker", result_set(ROWS, "red bridge"))
    assert "cannot be loaded" in done.warnings["model-replaced"]
    assert done.ranks[2] == 3


def test_a_failed_load_is_remembered_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []

    def fail(name: str) -> None:
        tries.append(name)
        raise OSError("no such model\nsecond line")

    monkeypatch.setattr(cross_encoders, "_read", fail)
    for _ in range(2):
        with pytest.raises(ModelError, match=r"“x/y” cannot be loaded: no such model\.$"):
            cross_encoders.load("x/y")
    assert tries == ["x/y"]
    monkeypatch.setattr(cross_encoders, "TRY_AGAIN", -1.0)
    with pytest.raises(ModelError):
        cross_encoders.load("x/y")
    assert len(tries) == 2
