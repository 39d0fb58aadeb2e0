"""Marking the sentences that are relevant, without changing the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.errors import ModelAnswerError
from chatsearch.llm.model import Meter
from chatsearch.marks import unmarked
from chatsearch.prompts import Prompt
from chatsearch.registry import Registry
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.settings import load_settings
from chatsearch.work import Progress
from tests.conformance import LONG, TEXTS
from tests.frames import collection, quick_services, transformed
from tests.scripted import ScriptedModel, ScriptedServices
from tests.sources import document, result_set, services_with

MARKING = Registry().get("relevance_marking_step")
TESLA = "Nikola Tesla was born in Smiljan. Tesla died on 7 January 1943 in New York. He liked to feed the pigeons."
COLUMN = "highlight-full-text"


def scripted(tmp_path: Path, *judgements: list[float], remote: bool = False) -> tuple[Services, ScriptedModel]:
    model = ScriptedModel(remote=remote)
    for one in judgements:
        model.enqueue_judgement(*one)
    return ScriptedServices(load_settings(data_dir=tmp_path), scripted=model), model


def texts(results: ResultSet, column: str = COLUMN) -> list[object]:
    return list(results.documents[column])


async def test_the_sentence_that_answers_is_marked(tmp_path: Path) -> None:
    rows = result_set([document("a", TESLA, title="Tesla"), document("b", "Bread is baked from flour.")], "When did Tesla die?")
    after, _ = await transformed(MARKING, rows, services_with(tmp_path), most=1)
    assert texts(after) == [
        "Nikola Tesla was born in Smiljan. **Tesla died on 7 January 1943 in New York.** He liked to feed the pigeons.",
        "Bread is baked from flour.",
    ]
    assert after.roles[COLUMN] == ("text",)


async def test_a_model_only_judges_sentences(tmp_path: Path) -> None:
    services, model = scripted(tmp_path, [0.9, 0.2, 0.5])
    after, _ = await transformed(MARKING, result_set([document("a", TESLA)]), services, query="another question")
    assert texts(after) == [
        "**Nikola Tesla was born in Smiljan.** Tesla died on 7 January 1943 in New York. **He liked to feed the pigeons.**"
    ]
    assert model.prompts[0].query == "another question"
    assert [one.text for one in model.prompts[0].documents][1] == "Tesla died on 7 January 1943 in New York."


async def test_minimum_and_number_of_marks(tmp_path: Path) -> None:
    services, _ = scripted(tmp_path, [0.9, 0.95, 0.5], [0.9, 0.95, 0.5])
    after, _ = await transformed(MARKING, result_set([document("a", TESLA)]), services, most=1)
    assert str(texts(after)[0]).count("**") == 2
    after, _ = await transformed(MARKING, result_set([document("a", TESLA)]), services, minimum=0.96)
    assert texts(after) == [TESLA]


@pytest.mark.parametrize("text", [*TEXTS.values(), LONG, "2**3 is **eight**. And * this \\* too.\n\n- one\n- two", "*", "no end"])
async def test_taking_the_marks_out_gives_the_text_back_to_the_letter(tmp_path: Path, text: str) -> None:
    after, _ = await transformed(MARKING, result_set([document("a", text)]), quick_services(tmp_path))
    (found,) = texts(after)
    assert unmarked(str(found)) == text
    assert str(found) != text
    if "**" not in text:
        assert str(found).replace("**", "") == text


async def test_real_texts_come_back_to_the_letter(shared: Path, tmp_path: Path) -> None:
    for name in ("xquad-en", "xquad-de", "xquad-ru", "xquad-zh", "cranfield"):
        after, _ = await transformed(MARKING, collection(shared, name), quick_services(tmp_path))
        assert [unmarked(str(one)) for one in texts(after)] == texts(after, "full-text")


async def test_missing_texts_stay_missing(tmp_path: Path) -> None:
    rows = [{**document("a"), "full-text": None}, {**document("b"), "full-text": ""}, document("c", "…")]
    after, _ = await transformed(MARKING, result_set(rows), quick_services(tmp_path))
    assert after.documents[COLUMN].isna().tolist() == [True, True, False]


async def test_an_answer_of_no_use_leaves_that_text_unmarked_and_is_counted(tmp_path: Path) -> None:
    class Rambling(ScriptedModel):
        async def judge(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[float]:
            if "pigeons" in prompt.documents[-1].text:
                raise ModelAnswerError("prose")
            return [1.0] * len(prompt.documents)

    services = ScriptedServices(load_settings(data_dir=tmp_path), scripted=Rambling())
    after, warnings = await transformed(
        MARKING, result_set([document("a", TESLA), document("b", "One sentence here.")]), services
    )
    assert texts(after) == [TESLA, "**One sentence here.**"]
    assert warnings == {"not-marked": "1 of 2 documents are not marked: the model’s answers were of no use."}


async def test_what_may_not_be_sent_is_judged_here(tmp_path: Path) -> None:
    class Local(ScriptedServices):
        def language_model(self, wanted: str = "") -> tuple[ScriptedModel, str]:
            return (here if wanted == "extractive" else remote), ""

    remote, here = ScriptedModel(remote=True), ScriptedModel(name="extractive")
    remote.enqueue_judgement(1.0)
    here.enqueue_judgement(1.0)
    rows = result_set([document("a", "Kept here.", _no_llm_=True), document("b", "Sent away.", _no_llm_=False)])
    after, _ = await transformed(MARKING, rows, Local(load_settings(data_dir=tmp_path)))
    assert texts(after) == ["**Kept here.**", "**Sent away.**"]
    assert [one.text for prompt in remote.prompts for one in prompt.documents] == ["Sent away."]
    assert [one.text for prompt in here.prompts for one in prompt.documents] == ["Kept here."]
