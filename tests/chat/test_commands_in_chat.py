"""Slash commands in a chat: what they change, what they show, and the result sets of a chat that the store keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chatsearch.chat.document_page import RecentDocuments
from chatsearch.chat.memory import Memory, chat_name
from chatsearch.chat.talk import Talk
from chatsearch.services import Services
from tests.chat.conftest import Recorded
from tests.chat.test_talk import elements
from tests.sources import document, memory_source, services_with, spec_of

pytestmark = pytest.mark.usefixtures("chat_session")

RHINE = document("r", "The Rhine is about 1,230 km long. It flows to the North Sea.", title="Rhine")
TESLA = document("t", "Tesla died on 7 January 1943 in New York.", title="Tesla")


def talk_of(services: Services, chat: str = "one") -> Talk:
    memory = Memory(services, chat_name(chat), "own")
    return Talk(services, spec_of(services, "memory", "all_results_summarizer"), "own", RecentDocuments(), memory)


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return services_with(tmp_path, memory_source("memory", [RHINE, TESLA]))


def blocks(recorded: Recorded) -> list[dict[str, Any]]:
    return list(elements(recorded, "Reply")[-1]["blocks"])


async def test_results_lists_the_sets_of_a_chat_and_goes_back_to_one(services: Services, chat_session: Recorded) -> None:
    talk = talk_of(services)
    await talk.hear("How long is the Rhine?")
    await talk.hear("/search When did Tesla die?")
    await talk.hear("/results")
    (table,) = [block for block in blocks(chat_session) if block["kind"] == "table"]
    assert [list(row[1:]) for row in table["rows"]] == [["How long is the Rhine?", "2", ""], ["When did Tesla die?", "2", "now"]]
    await talk.hear("/results 1")
    assert talk.session.results
    assert talk.session.results.asked == "How long is the Rhine?"
    assert elements(chat_session, "Results")[-1]["total"] == 2
    await talk.hear("and where does it flow?")
    assert "North Sea" in chat_session.texts()[-1]
    await services.close()


async def test_a_chat_goes_on_after_a_restart_with_its_answers(services: Services, chat_session: Recorded) -> None:
    talk = talk_of(services)
    await talk.hear("When did Tesla die?")
    await talk.hear("How long is the Rhine?")
    await services.close()
    again = talk_of(services_with(services.settings.data_dir, memory_source("memory", [])))
    await again.hear("Where does it flow?")
    assert again.conversation
    assert [answer.question for answer in again.conversation.answers] == ["How long is the Rhine?", "Where does it flow?"]
    assert again.conversation.answers[1].understood_as == "Where does the Rhine flow?"
    assert again.conversation.answers[0].footnotes[0].quote == "The Rhine is about 1,230 km long."
    await again.services.close()


async def test_the_chat_of_another_session_is_another_chat(services: Services, chat_session: Recorded) -> None:
    await talk_of(services, "one").hear("How long is the Rhine?")
    other = talk_of(services, "two")
    await other.hear("/results")
    assert "There are no results yet" in blocks(chat_session)[0]["text"]
    assert other.conversation is None
    await services.close()


async def test_a_store_that_fails_is_told_once_and_in_the_way_of_nothing(tmp_path: Path, chat_session: Recorded) -> None:
    (tmp_path / "store.sqlite").write_bytes(b"this is no database" * 100)
    talk = talk_of(services_with(tmp_path, memory_source("memory", [RHINE])))
    await talk.hear("How long is the Rhine?")
    await talk.hear("Where does it flow?")
    assert [text for text in chat_session.texts() if "cannot be kept just now" in text] == [
        "This chat cannot be kept just now; it is lost when the server restarts."
    ]
    assert "North Sea" in chat_session.texts()[-1]


async def test_a_command_changes_the_pipeline_of_this_chat_and_the_next_search_uses_it(
    services: Services, chat_session: Recorded
) -> None:
    talk, other = talk_of(services), talk_of(services, "two")
    await talk.hear("How long is the Rhine?")
    await talk.hear("/add tf_idf_reranker at 2")
    assert any(block["kind"] == "changed" for block in blocks(chat_session))
    (again,) = [block for block in blocks(chat_session) if block["kind"] == "offer" and block["command"].startswith("/search")]
    await talk.hear(again["command"])
    assert talk.session.results
    assert "_reranking_rank_1_" in talk.session.results.documents.columns
    assert len(other.session.spec.steps) == 2


async def test_a_command_that_is_wrong_is_told_and_changes_nothing(services: Services, chat_session: Recorded) -> None:
    talk = talk_of(services)
    before = talk.session.spec.digest
    await talk.hear("/add tf_idf_rerankr")
    assert "Did you mean “tf_idf_reranker”?" in chat_session.texts()[-1].replace("\\", "")
    assert talk.session.spec.digest == before


async def test_a_form_and_what_it_sends(services: Services, chat_session: Recorded) -> None:
    talk = talk_of(services)
    await talk.hear("/edit")
    (form,) = [block for block in blocks(chat_session) if block["kind"] == "form"]
    assert [step["module"] for step in form["steps"]] == ["memory", "all_results_summarizer"]
    await talk.hear('/edit steps {"2": {"output_column": "In short"}}')
    assert talk.session.spec.steps[1].module.model_dump()["output_column"] == "In short"
    await talk.hear('/edit steps {"2": {"nonsense": "1"}}')
    assert "no parameter" in chat_session.texts()[-1]


async def test_a_sorted_list_is_shown_again_with_its_numbers(services: Services, chat_session: Recorded) -> None:
    talk = talk_of(services)
    await talk.hear("How long is the Rhine?")
    lists = len(elements(chat_session, "Results"))
    await talk.hear("/sort title desc")
    assert len(elements(chat_session, "Results")) == lists + 1


async def test_an_exported_file_goes_to_the_page(services: Services, chat_session: Recorded) -> None:
    talk = talk_of(services)
    await talk.hear("How long is the Rhine?")
    await talk.hear("/export json")
    (file,) = [block for block in blocks(chat_session) if block["kind"] == "file"]
    assert file["name"].endswith(".json")
    assert file["content"]


async def test_what_a_changed_pipeline_made_of_documents_is_no_page_of_the_engine(
    services: Services, chat_session: Recorded
) -> None:
    talk = talk_of(services)
    await talk.hear("How long is the Rhine?")
    changed = Talk(services, talk.spec, "own", talk.documents, Memory(services, chat_name("two"), "own"))
    await changed.hear("/add stopword_removal input_column=full-text output_column=full-text")
    await changed.hear("/search How long is the Rhine?")
    own = talk.documents.find("own", "r")
    assert own
    assert own.text("full-text").startswith("The Rhine is about")
    page = elements(chat_session, "Results")[-1]["documents"][0]["page"]
    theirs = talk.documents.find("own", "r", page.split("?set=")[1])
    assert theirs
    assert not theirs.text("full-text").startswith("The Rhine is about")
    stored = await (await services.store()).find_document("own", "r")
    assert stored
    assert str(stored[0].results.documents["full-text"].iloc[stored[1]]).startswith("The Rhine is about")
    await services.close()


async def test_a_filter_is_of_one_list(services: Services, chat_session: Recorded) -> None:
    talk = talk_of(services)
    await talk.hear("How long is the Rhine?")
    await talk.hear("/filter title contains rhine")
    await talk.hear("/search When did Tesla die?")
    assert talk.session.view.conditions == ()
    await services.close()


async def test_a_changed_pipeline_and_put_away_results_outlive_a_restart(services: Services, chat_session: Recorded) -> None:
    source = memory_source("memory", [RHINE, TESLA])
    talk = talk_of(services)
    await talk.hear("/add tf_idf_reranker")
    await talk.hear("/search How long is the Rhine?")
    await services.close()
    again = talk_of(services_with(services.settings.data_dir, source))
    await again.hear("Where does it flow?")
    assert [step.module.id for step in again.session.spec.steps] == ["memory", "tf_idf_reranker", "all_results_summarizer"]
    await again.hear("/undo")
    assert len(again.session.spec.steps) == 2
    await again.hear("/clear")
    await again.services.close()
    third = talk_of(services_with(services.settings.data_dir, source))
    await third.hear("When did Tesla die?")
    assert third.session.results
    assert third.session.results.asked == "When did Tesla die?"
    await third.services.close()
