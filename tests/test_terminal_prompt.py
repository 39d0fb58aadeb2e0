"""The line that is typed into the terminal chat: unfinished JSON, the history, the toolbar; and the files it writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.commands.reply import File
from chatsearch.errors import InputError
from chatsearch.terminal_chat import session_of
from chatsearch.terminal_prompt import history_in, toolbar, unfinished_json
from chatsearch.terminal_reply import write_file
from tests.sources import memory_source, services_with, spec_of


class TestFiles:
    def test_a_file_is_never_written_over_another(self, tmp_path: Path) -> None:
        paths = [write_file(File("a.csv", "text/csv", bytes([n])), tmp_path) for n in range(3)]
        assert [path.name for path in paths] == ["a.csv", "a-2.csv", "a-3.csv"]
        assert [path.read_bytes() for path in paths] == [b"\x00", b"\x01", b"\x02"]

    def test_a_name_leads_to_no_other_folder(self, tmp_path: Path) -> None:
        assert write_file(File("../../a.csv", "text/csv", b""), tmp_path) == tmp_path / "a.csv"

    def test_a_folder_that_cannot_be_written_to_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="nowhere.*cannot be written"):
            write_file(File("a.csv", "text/csv", b""), tmp_path / "nowhere")


class TestTheLine:
    @pytest.mark.parametrize("text", ["{", '/load {"a": [1,', ' {"a":', '/load  {"pipeline": {}\n', "["])
    def test_unfinished_json_goes_on(self, text: str) -> None:
        assert unfinished_json(text.rstrip("\n"))

    @pytest.mark.parametrize("text", ["", "Tesla", "/load demo", '{"a": 1}', '{"a": }', "{\n\n", "what is {", "/loaded {"])
    def test_anything_else_is_sent(self, text: str) -> None:
        assert not unfinished_json(text)

    @given(st.text())
    def test_any_text_is_one_or_the_other(self, text: str) -> None:
        assert unfinished_json(text) in (True, False)
        assert not unfinished_json(f"{text}\n")

    def test_the_toolbar_obeys_no_title(self, tmp_path: Path) -> None:
        services = services_with(tmp_path, memory_source("memory_datasource", []))
        session = session_of(services, spec_of(services, "memory_datasource", title="Two\x1b[2J\n documents"))
        assert toolbar(session) == "Two[2J documents · no results yet"

    def test_the_history_keeps_neither_secrets_nor_pasted_engines(self, tmp_path: Path) -> None:
        history = history_in(tmp_path)
        for line in ("Tesla", "my key is sk-abcdef1234567890abcd", "/save token=Mn53sJ2v24K1f3Y6mt0q", "x" * 20_000):
            history.append_string(line)
        assert list(history_in(tmp_path).load_history_strings()) == ["Tesla"]

    def test_a_data_directory_that_cannot_be_written_costs_the_history_alone(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        history_in(tmp_path / "file" / "data").append_string("Tesla")
