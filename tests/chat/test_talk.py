"""What a person's messages do, through a real Chainlit session whose events are recorded."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from chatsearch.chat.document_page import RecentDocuments
from chatsearch.chat.talk import Talk
from chatsearch.errors import ModelError
from chatsearch.settings import load_settings
from tests.chat.conftest import Recorded, recorded_session
from tests.scripted import ScriptedServices
from tests.sources import OwnRegistry, document, memory_source, services_with, spec_of, waiting_source

pytestmark = pytest.mark.usefixtures("chat_session")


def elements(recorded: Recorded, name: str) -> list[dict[str, Any]]:
    """The props that elements of that name were sent with, in order."""
    return [data["props"] for event, data in recorded if event == "element" and data["name"] == name]


@pytest.fixture
def talk(front: Any) -> Talk:
    return Talk(front.services, front.spec, front.engine, RecentDocuments())


async def test_a_first_message_searches_and_the_summary_stands_above_the_list(talk: Talk, chat_session: Recorded) -> None:
    await talk.hear("What year did Tesla die?")
    names = list(dict.fromkeys(data["name"] for event, data in chat_session if event == "element"))
    assert names == ["Steps", "Citations", "Results"]
    assert (
        "Tesla died on 7 January 1943\\." in chat_session.texts()[1] or "Tesla died on 7 January 1943." in chat_session.texts()[1]
    )


async def test_every_step_is_shown_live_and_the_line_of_figures_last(talk: Talk, chat_session: Recorded) -> None:
    await talk.hear("What year did Tesla die?")
    shown = elements(chat_session, "Steps")
    assert shown[0]["state"] == "running"
    assert shown[-1]["state"] == "done"
    assert "10 found · 10 shown" in shown[-1]["line"]
    assert [step["module"] for step in shown[-1]["steps"]] == ["index_datasource", "all_results_summarizer"]
    assert all(step["seconds"] >= 0 for step in shown[-1]["steps"])


async def test_the_list_has_number_title_link_host_and_a_snippet_with_its_hits(talk: Talk, chat_session: Recorded) -> None:
    await talk.hear("What year did Tesla die?")
    first = elements(chat_session, "Results")[-1]["documents"][0]
    assert (first["n"], first["title"], first["host"]) == (1, "Nikola Tesla", "en.wikipedia.org")
    assert first["href"].startswith("https://en.wikipedia.org/wiki/Nikola_Tesla")
    assert ["Tesla", 1] in first["snippet"]
    assert first["page"].startswith("/e/demo/documents/")


async def test_footnotes_carry_their_passage_with_the_message(talk: Talk, chat_session: Recorded) -> None:
    await talk.hear("What year did Tesla die?")
    last = [props for props in elements(chat_session, "Citations") if props["footnotes"]][-1]
    note = last["footnotes"][0]
    assert note["quote"] == "Tesla died on 7 January 1943."
    assert note["check"] == "exact"
    assert note["before"].endswith("retirement. ")
    assert last["line"].endswith("statements found in their sources")


async def test_a_later_message_is_answered_from_the_results_and_says_how_it_was_understood(
    talk: Talk, chat_session: Recorded
) -> None:
    await talk.hear("What year did Tesla die?")
    await talk.hear("Where did he live?")
    text = chat_session.texts()[-1]
    assert text.startswith("*Understood as: Where did Tesla live?*")
    assert "New York hotels" in text
    assert "(#cite-0)" in text


async def test_a_refusal_offers_the_search(talk: Talk, chat_session: Recorded) -> None:
    await talk.hear("What year did Tesla die?")
    await talk.hear("Who designed the palace in Warsaw?")
    assert "do not answer this" in chat_session.texts()[-1]
    assert elements(chat_session, "Citations")[-1]["search"] == "Who designed the palace in Warsaw?"


@pytest.mark.parametrize(("content", "picked"), [("/search What is Internet2?", None), ("What is Internet2?", "search")])
async def test_search_typed_or_picked_starts_a_new_set_and_the_old_message_keeps_its_own(
    talk: Talk, chat_session: Recorded, content: str, picked: str | None
) -> None:
    await talk.hear("What year did Tesla die?")
    before = [props for props in elements(chat_session, "Citations") if props["footnotes"]][-1]
    await talk.hear(content, picked)
    assert talk.conversation
    assert talk.conversation.results.asked == "What is Internet2?"
    assert before["footnotes"][0]["title"] == "Nikola Tesla"


async def test_suggested_questions_are_answered_by_the_set(talk: Talk, chat_session: Recorded) -> None:
    await talk.hear("What year did Tesla die?")
    questions = elements(chat_session, "Citations")[-1]["suggestions"]
    assert questions
    for question in questions:
        await talk.hear(question)
        assert talk.conversation
        assert not talk.conversation.answers[-1].refused


async def test_an_unknown_command_is_told_with_those_there_are(talk: Talk, chat_session: Recorded) -> None:
    await talk.hear("/serch Tesla")
    error = chat_session.texts()[-1]
    assert "There is no command" in error
    assert "Did you mean “/search”?" in error


async def test_an_empty_search_is_told(talk: Talk, chat_session: Recorded) -> None:
    await talk.hear("/search")
    assert "What to look for is missing" in chat_session.texts()[-1]


async def test_an_unexpected_error_reaches_the_person_with_an_id_that_the_log_has(
    tmp_path: Path, chat_session: Recorded, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = memory_source("memory", [document("a")])
    services = services_with(tmp_path, source)
    talk = Talk(services, spec_of(services, source.id), "own", RecentDocuments())

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(talk.documents, "remember", broken)
    await talk.hear("anything")
    told = chat_session.texts()[-1]
    assert "secret detail" not in told
    identifier = told.rsplit("**", 2)[1]
    assert f"error {identifier}" in caplog.text
    assert "ZeroDivisionError" in caplog.text


async def test_a_follow_up_that_fails_leaves_nothing_looking_as_if_it_went_on(tmp_path: Path, chat_session: Recorded) -> None:
    source = memory_source("memory", [document("a")])
    services = ScriptedServices(load_settings(data_dir=tmp_path), OwnRegistry(source))
    talk = Talk(services, spec_of(services, "memory"), "own", RecentDocuments())
    await talk.hear("anything")
    services.scripted.enqueue(ModelError("the model is gone"))
    await talk.hear("Which year does the document name?")
    assert elements(chat_session, "Citations")[-1]["state"] == "failed"
    assert "the model is gone" in chat_session.texts()[-1]


async def test_suggestions_that_fail_do_not_take_the_answer_back(
    talk: Talk, chat_session: Recorded, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> list[str]:
        raise ZeroDivisionError

    monkeypatch.setattr("chatsearch.chat.talk.suggested_questions", broken)
    await talk.hear("What year did Tesla die?")
    assert not any("Something went wrong" in text for text in chat_session.texts())
    assert "no questions could be suggested" in caplog.text


async def test_stop_ends_the_run_and_says_so(tmp_path: Path, chat_session: Recorded) -> None:
    started, release = asyncio.Event(), asyncio.Event()
    source = waiting_source("waiting", started, release)
    services = services_with(tmp_path, source)
    talk = Talk(services, spec_of(services, source.id), "own", RecentDocuments())
    task = asyncio.create_task(talk.hear("anything"))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert elements(chat_session, "Steps")[-1]["state"] == "stopped"


async def test_a_chat_is_answered_while_another_one_waits(tmp_path: Path, chat_session: Recorded) -> None:
    """The second chat is done before the first one's source has answered: nothing blocks the event loop."""
    started, release = asyncio.Event(), asyncio.Event()
    slow, quick = waiting_source("slow", started, release), memory_source("quick", [document("a")])
    services = services_with(tmp_path, slow, quick)
    first = asyncio.create_task(Talk(services, spec_of(services, "slow"), "own", RecentDocuments()).hear("anything"))
    await started.wait()

    async def another() -> Recorded:
        async with recorded_session() as recorded:
            await Talk(services, spec_of(services, "quick"), "own", RecentDocuments()).hear("anything")
            return recorded

    other = await asyncio.create_task(another())
    assert elements(other, "Results")[-1]["documents"][0]["n"] == 1
    assert elements(chat_session, "Steps")[-1]["state"] == "running"
    assert not elements(chat_session, "Results")
    release.set()
    await first
    assert elements(chat_session, "Results")


async def test_hostile_document_text_is_shown_as_text(tmp_path: Path, chat_session: Recorded) -> None:
    links = "[1](http://evil.example) ![x](http://evil.example/x.png) javascript:alert(1)"
    evil = f"<script>alert(1)</script> {links} is the secret word."
    source = memory_source("memory", [document("a", evil)])
    services = services_with(tmp_path, source)
    talk = Talk(services, spec_of(services, source.id, "all_results_summarizer"), "own", RecentDocuments())
    await talk.hear("what is the secret word?")
    (text,) = [one for one in chat_session.texts() if "secret" in one]
    assert "\\<script\\>" in text
    assert "`http://evil.example)" in text
    assert "](http" not in text.replace("\\]", "")
