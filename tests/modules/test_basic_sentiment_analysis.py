"""Saying which of six emotions a text expresses, and by which classifier."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.emotions import EMOTIONS, PROTOTYPES
from chatsearch.errors import ModelAnswerError
from chatsearch.events import Event, StepProgress
from chatsearch.llm.model import Meter
from chatsearch.prompts import Prompt
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from chatsearch.settings import load_settings
from chatsearch.work import Progress
from tests.conformance import TEXTS
from tests.frames import collection, transformed
from tests.scripted import ScriptedModel, ScriptedServices
from tests.sources import document, result_set, services_with, step_run

SENTIMENT = Registry().get("basic_sentiment_analysis")
# not those the classifier is made of
SENTENCES = [
    ("I miss my grandmother every day.", "sadness"),
    ("The village mourned the children lost in the flood.", "sadness"),
    ("i feel so lonely and worthless today", "sadness"),
    ("The team won the cup and the whole town danced.", "joy"),
    ("What a beautiful sunny day, I feel great!", "joy"),
    ("She was delighted with her new job.", "joy"),
    ("I adore my little daughter more than anything.", "love"),
    ("i feel very affectionate towards my boyfriend", "love"),
    ("You mean the world to me, darling.", "love"),
    ("How dare they raise the rent again, those greedy liars!", "anger"),
    ("The fans were furious at the referee's decision.", "anger"),
    ("i feel so irritated and rude right now", "anger"),
    ("Residents fled in panic as the fire came closer.", "fear"),
    ("I'm scared to walk home alone in the dark.", "fear"),
    ("He hid under the bed, trembling.", "fear"),
    ("Scientists were astonished by the unexpected result.", "surprise"),
    ("I can't believe it, a parcel from a stranger!", "surprise"),
    ("Wow, I never thought this could happen!", "surprise"),
]


class Orders(ScriptedModel):
    """A language model that puts one emotion first, or answers prose."""

    async def order(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[int]:
        self.prompts.append(prompt)
        if "prose" in prompt.query:
            raise ModelAnswerError("prose")
        return [4, 0, 1, 2, 3, 5]


def column(results: ResultSet) -> list[object]:
    return [None if value != value else value for value in results.documents["sentiment"]]


async def test_the_built_in_classifier_tells_plain_sentences_apart(tmp_path: Path) -> None:
    rows = [document(str(n), text) for n, (text, _) in enumerate(SENTENCES)]
    after, warnings = await transformed(SENTIMENT, result_set(rows), services_with(tmp_path))
    right = sum(found == wanted for found, (_, wanted) in zip(column(after), SENTENCES, strict=True))
    assert right >= 16
    assert set(column(after)) <= set(EMOTIONS)
    assert after.roles["sentiment"] == ("chip",)
    assert not warnings


async def test_a_negated_word_does_not_count(tmp_path: Path) -> None:
    rows = [document("a", "I was not happy at all, I did not enjoy it and left in tears.")]
    after, _ = await transformed(SENTIMENT, result_set(rows), services_with(tmp_path))
    assert column(after) == ["sadness"]


async def test_other_languages_are_left_empty_and_that_is_said(tmp_path: Path) -> None:
    rows = [document("a", TEXTS["german"]), document("b", TEXTS["chinese"]), document("c", "I am so happy!", language="eng")]
    after, warnings = await transformed(SENTIMENT, result_set(rows), services_with(tmp_path))
    assert column(after) == [None, None, "joy"]
    message = (
        "2 texts of 3 have no emotion, since the built-in classifier reads English only: there are no tools here for de, zh."
    )
    assert warnings == {"language-unknown": message}


async def test_missing_texts_have_no_emotion(tmp_path: Path) -> None:
    rows = [{**document("a"), "full-text": None}, {**document("b"), "full-text": " "}]
    after, warnings = await transformed(SENTIMENT, result_set(rows), services_with(tmp_path))
    assert column(after) == [None, None]
    assert not warnings


async def test_a_language_model_orders_the_emotions(tmp_path: Path) -> None:
    model = Orders(name="some-llm")
    services = ScriptedServices(load_settings(data_dir=tmp_path), scripted=model)
    rows = [document("a", "Ein Text."), document("b", "prose"), {**document("c"), "full-text": None}]
    after, warnings = await transformed(SENTIMENT, result_set(rows), services)
    assert column(after) == ["fear", None, None]
    assert [one.id for one in model.prompts[0].documents] == list(EMOTIONS)
    assert warnings == {"not-classified": "1 of 2 texts have no emotion: the model’s answers were of no use."}


async def test_what_may_not_be_sent_is_classified_here(tmp_path: Path) -> None:
    model = Orders(name="some-llm", remote=True)
    services = ScriptedServices(load_settings(data_dir=tmp_path), scripted=model)
    rows = [document("a", "I am so happy today!", _no_llm_=True), document("b", "I am so happy today!", _no_llm_=False)]
    after, _ = await transformed(SENTIMENT, result_set(rows), services)
    assert column(after) == ["joy", "fear"]
    assert len(model.prompts) == 1


async def test_a_classifier_that_cannot_be_had_is_replaced_and_that_is_said(tmp_path: Path) -> None:
    after, warnings = await transformed(
        SENTIMENT, result_set([document("a", "I am so happy today!")]), services_with(tmp_path), classifier=str(tmp_path / "none")
    )
    assert column(after) == ["joy"]
    assert warnings["classifier-replaced"].startswith(f"The classifier “{tmp_path / 'none'}” cannot be loaded")


@pytest.mark.parametrize("name", ["built-in classifier", "some-llm"])
async def test_the_classifier_that_ran_is_stated(tmp_path: Path, name: str) -> None:
    events: list[Event] = []
    scripted = ScriptedServices(load_settings(data_dir=tmp_path), scripted=Orders(name=name))
    services = scripted if name == "some-llm" else services_with(tmp_path)
    await SENTIMENT().transform(result_set([document("a", "I am happy.")]), step_run(services, "s", events.append))
    assert name in [event.note for event in events if isinstance(event, StepProgress)]


async def test_every_english_text_of_a_real_collection_has_an_emotion(shared: Path, tmp_path: Path) -> None:
    after, _ = await transformed(SENTIMENT, collection(shared, "cranfield", 10), services_with(tmp_path))
    assert set(column(after)) <= set(EMOTIONS)


def test_every_emotion_has_as_many_prototypes() -> None:
    assert {len(PROTOTYPES[emotion]) for emotion in EMOTIONS} == {5}
