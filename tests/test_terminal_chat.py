"""`chatsearch chat`: on a pseudo-terminal, where a person types, and line by line."""

from __future__ import annotations

import asyncio
import json
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from chatsearch import terminal_chat
from chatsearch.errors import InputError, ModelError, StoreError
from chatsearch.llm.model import LanguageModel, Piece
from chatsearch.services import Services
from chatsearch.settings import load_settings
from chatsearch.spec import Spec
from chatsearch.terminal_prompt import HISTORY, Interrupted
from tests.scripted import ScriptedServices
from tests.sources import OwnRegistry, document, failing_source, memory_source, services_with, spec_of
from tests.terminals import CTRL_C, CTRL_D, ENTER, TAB, Terminal, shown

DOCUMENTS = [
    document("a", "Tesla died in New York on 7 January 1943.", title="Nikola Tesla", language="en"),
    document("b", "Warsaw lies on the Vistula.", title="Warsaw\x1b[2J", language="de"),
]


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Services:
    """Two documents in memory; the folder of the test is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EDITOR", raising=False)
    return services_with(tmp_path / "data", memory_source("memory_datasource", DOCUMENTS))


@pytest.fixture
def spec(services: Services) -> Spec:
    return spec_of(services, "memory_datasource", title="Two documents")


class TestOnATerminal:
    def test_a_whole_talk(self, tmp_path: Path) -> None:
        with Terminal(tmp_path) as chat:
            assert "Two documents" in chat.until("no results yet")
            assert "died in New York" in chat.say("Where did Tesla die?", "2 results")
            assert "Understood as: When did Tesla die?" in chat.say("When did he die?", "✓ exact")
            chat.until("2 results")

            chat.type("/add lexical_rer")
            chat.until("lexical_reranker")  # in the menu
            chat.type(TAB + ENTER)
            assert "Lexical re-ranker (new)" in chat.until("Enter alone searches again.")
            assert "2 lexical_reranker" in chat.say("", "2 shown")
            assert "2 → 2 documents" in chat.say("/spec", '"pipeline"')
            assert "Lexical re-ranker (removed)" in chat.say("/undo", "Enter alone")

            chat.say("/search slow things", "0/?")
            chat.type(CTRL_C)
            chat.until("Stopped.")
            chat.until("2 results")  # those of before are still there
            assert "2 documents" in chat.say("/export csv", "Written:")
            chat.until("where-did-tesla-die.csv")
            chat.until("2 results")
            chat.type("/results" + CTRL_C + CTRL_D)  # the line is given up, the chat is left
            assert chat.ended() == 0
        assert "Tesla" in (tmp_path / "where-did-tesla-die.csv").read_text("utf-8")
        kept = tmp_path / "data" / HISTORY
        assert "+/undo" in kept.read_text("utf-8")
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600

    def test_json_over_several_lines_is_one_message_and_a_second_ctrl_c_leaves(self, tmp_path: Path) -> None:
        lines = json.dumps({"title": "Pasted", "pipeline": {"1": {"id": "patient_datasource"}}}, indent=1).splitlines()
        with Terminal(tmp_path) as chat:
            chat.until("no results yet")
            chat.type("".join(line + ENTER for line in lines))
            chat.until("“Pasted” is open.")
            chat.until("Pasted · no results yet")
            chat.type(CTRL_C)
            chat.until("Ctrl-C again, or Ctrl-D, leaves.")
            chat.until("no results yet")
            chat.type(CTRL_C)
            assert chat.ended() == 0

    def test_a_second_ctrl_c_leaves_a_search_that_was_stopped(self, tmp_path: Path) -> None:
        with Terminal(tmp_path) as chat:
            chat.until("no results yet")
            chat.say("/search slow things", "0/?")
            chat.type(CTRL_C)
            chat.until("no results yet")
            chat.type(CTRL_C)
            assert chat.ended() == 0

    @pytest.mark.parametrize("editor", ["sed -i s/Two/Three/", "false", ""])
    def test_the_engine_is_edited_in_the_persons_editor(self, tmp_path: Path, editor: str) -> None:
        said = {"false": "status 1", "": "set EDITOR"}.get(editor, "Two documents → Three documents")
        with Terminal(tmp_path, EDITOR=editor, VISUAL="") as chat:
            chat.until("no results yet")
            chat.say("/edit", said)
            chat.until("no results yet")
            chat.type(CTRL_D)
            assert chat.ended() == 0


class TestCommands:
    async def test_a_number_does_what_is_offered_and_only_right_after_it(self, services: Services, spec: Spec) -> None:
        said = await shown(services, spec, "Tesla", "/title Other", "1", "/help title", "9")
        assert "title: Two documents → Other" in said
        assert "title: Other → Two documents" in said
        assert said.count("2 found") == 1  # 9 was no offer, so it was a question

    async def test_an_empty_line_searches_again_only_after_a_change(self, services: Services, spec: Spec) -> None:
        assert (await shown(services, spec, "", "Tesla", "", "/title Other", "", "")).count("2 found") == 2

    async def test_a_pipe_has_no_numbers_and_no_empty_lines(self, services: Services, spec: Spec) -> None:
        said = await shown(services, spec, "Tesla", "/title Other", "", "/quit", "Warsaw", typed=False)
        assert "  > Undo: /undo" in said
        assert said.count("2 found") == 1

    async def test_the_list_follows_the_commands_for_it(self, services: Services, spec: Spec) -> None:
        said = (await shown(services, spec, "Tesla", "/filter language=de")).split("Only documents where")[1]
        assert "Warsaw" in said
        assert "Nikola" not in said
        assert "1 document is filtered out" in said

    async def test_results_go_back_with_their_answers(self, services: Services, spec: Spec, tmp_path: Path) -> None:
        lines = ("Where did Tesla die?", "When did he die?", "/search Warsaw", "/results", "/results 1", "/export markdown")
        said = await shown(services, spec, *lines)
        assert "Back to the results of “Where did Tesla die?”: 2 documents." in said
        assert "When did he die?" in (tmp_path / "where-did-tesla-die.md").read_text("utf-8")

    async def test_a_store_that_fails_is_told_once_and_not_in_the_way(
        self, services: Services, spec: Spec, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def no_store(self: Services) -> None:
            raise StoreError("The store cannot be opened.")

        monkeypatch.setattr(Services, "store", no_store)
        said = await shown(services, spec, "Tesla", "/search Warsaw", "/results")
        assert said.count("2 found") == 2
        assert said.count("cannot be kept") == 1
        assert "The store cannot be opened." in said

    async def test_errors_are_shown_and_the_chat_goes_on(self, tmp_path: Path) -> None:
        services = services_with(tmp_path, failing_source("memory_datasource", InputError("out of order")))
        said = await shown(services, spec_of(services, "memory_datasource"), "Tesla", "/nosuch", "/set 1.limit many", "/spec")
        assert "out of order" in said
        assert "There is no command “/nosuch”" in said
        assert "“many” is not allowed here" in said
        assert '"pipeline"' in said

    async def test_a_fault_of_ours_is_shown_and_the_chat_goes_on(
        self, services: Services, spec: Spec, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def broken(*args: object) -> None:
            raise KeyError("lost")

        monkeypatch.setattr(terminal_chat, "respond", broken)
        assert (await shown(services, spec, "Tesla", "Warsaw")).count("Something unexpected went wrong (KeyError: 'lost')") == 2

    async def test_a_refusal_offers_to_search(self, services: Services, spec: Spec) -> None:
        said = await shown(services, spec, "Tesla", "How is lasagne made?", "1")
        assert "Search “How is lasagne made?”" in said
        assert said.count("2 found") == 2

    async def test_json_alone_is_an_engine_and_so_is_a_file(self, services: Services, spec: Spec, tmp_path: Path) -> None:
        engine = json.dumps({"title": "Third", "pipeline": {"1": {"id": "memory_datasource"}}})
        (tmp_path / "fourth.json").write_text(engine.replace("Third", "Fourth"), encoding="utf-8")
        said = await shown(services, spec, engine, "/load fourth.json", typed=False)
        assert "“Third” is open." in said
        assert "“Fourth” is open." in said


class TestEditing:
    async def edited(self, services: Services, spec: Spec, monkeypatch: pytest.MonkeyPatch, *texts: str, **lines: str) -> str:
        """What /edit shows when the editor leaves one text after the other; `again` is typed at the question."""
        left = list(texts)

        async def one_of_them(text: str, command: Sequence[str]) -> str:
            return left.pop(0) if left else text

        monkeypatch.setattr(terminal_chat, "edited", one_of_them)
        monkeypatch.setenv("VISUAL", "any")
        return await shown(services, spec, "/edit", *lines.values())

    async def test_what_is_wrong_is_edited_on_until_it_is_right(
        self, services: Services, spec: Spec, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        wrong, right = (
            '{\n"pipeline": {"1": {"id": "nosuch"}}}',
            '{"title": "Right", "pipeline": {"1": {"id": "memory_datasource"}}}',
        )
        said = await self.edited(services, spec, monkeypatch, wrong, right, again="")
        assert "line 2, pipeline.1" in said
        assert "title: Two documents → Right" in said

    async def test_it_can_be_given_up(self, services: Services, spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "Nothing was changed." in await self.edited(services, spec, monkeypatch, "{", again="n")
        assert "Nothing was changed." in await self.edited(services, spec, monkeypatch)


class TestAnswers:
    async def test_another_models_answer_takes_the_place_of_what_was_streamed(self, tmp_path: Path) -> None:
        class Failing(ScriptedServices):
            def language_model(self, wanted: str = "") -> tuple[LanguageModel, str]:
                return Services.language_model(self, wanted) if wanted else (self.scripted, "")

        modules = OwnRegistry(memory_source("memory_datasource", DOCUMENTS))
        services = Failing(load_settings(data_dir=tmp_path), modules)
        services.scripted.enqueue(Piece("He died in Paris. "), ModelError("the connection broke"))
        said = await shown(services, spec_of(services, "memory_datasource"), "Tesla", "Where did Tesla die?")
        assert "the connection broke" in said
        assert "Paris" not in said
        assert "Tesla died in New York on 7 January 1943. [1]" in said


class TestLeaving:
    async def test_ctrl_c_at_the_prompt_leaves_the_second_time(self, services: Services, spec: Spec) -> None:
        said = await shown(services, spec, Interrupted(), "/spec", Interrupted(), Interrupted(), "/help")
        assert said.count("Ctrl-C again") == 2
        assert "/search QUERY" not in said


def test_help_and_pipes_do_not_load_the_prompt() -> None:
    code = "import sys, chatsearch.cli, chatsearch.terminal_chat; sys.exit('prompt_toolkit' in sys.modules)"
    assert asyncio.run(_status(code)) == 0


async def _status(code: str) -> int:
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    return await ended.wait()
