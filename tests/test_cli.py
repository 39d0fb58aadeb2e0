"""The command line as a person uses it: real processes, real files, one data directory for the module."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

DEMO = "specs/demo.json"
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data directory for all tests here: the demo index is built by whichever comes first."""
    return tmp_path_factory.mktemp("home")


def run(home: Path, *arguments: str, cwd: Path = ROOT, status: int = 0, stdin: str = "") -> subprocess.CompletedProcess[str]:
    own = {"CHATSEARCH_DATA_DIR": str(home / "data"), "PYTHONPATH": str(ROOT), "COLUMNS": "120", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "chatsearch.cli", *arguments],
        cwd=cwd,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        input=stdin,
        timeout=300,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def written(path: Path, value: object) -> str:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(path)


def pipeline(*steps: Mapping[str, object]) -> dict[str, object]:
    return {"pipeline": {str(n): step for n, step in enumerate(steps, start=1)}}


def source(index: str, **parameters: object) -> dict[str, object]:
    return {"id": "index_datasource", "parameters": {"index": index, **parameters}}


@pytest.fixture(scope="module")
def answer(home: Path) -> dict[str, object]:
    """The JSON of the issue's own example."""
    arguments = ("--format", "json", "--ask", "Where did he live?", "--ask", "Who designed the palace in Warsaw?")
    return dict(json.loads(run(home, "search", DEMO, "What year did Tesla die?", *arguments).stdout))


class TestTheMainJob:
    def test_json_has_the_keys_of_the_contract(self, answer: dict[str, object]) -> None:
        assert list(answer) == ["query", "asked", "documents", "roles", "summaries", "answers", "ledger", "warnings"]
        assert list(answer["documents"][0])[:4] == ["n", "id", "title", "url"]  # type: ignore[index]
        assert list(answer["answers"][0]) == ["question", "understood_as", "text", "refused", "model", "footnotes"]  # type: ignore[index]

    def test_the_summary_answers_the_query(self, answer: dict[str, object]) -> None:
        assert "1943" in answer["summaries"][0]["text"]  # type: ignore[index]
        assert answer["warnings"] == []

    def test_a_pronoun_is_read_as_what_the_talk_was_about(self, answer: dict[str, object]) -> None:
        second = answer["answers"][0]  # type: ignore[index]
        assert second["understood_as"] == "Where did Tesla live?"
        assert not second["refused"]
        assert second["footnotes"]

    def test_a_question_the_results_do_not_answer_is_refused(self, answer: dict[str, object]) -> None:
        third = answer["answers"][1]  # type: ignore[index]
        assert third["refused"]
        assert third["footnotes"] == []
        assert "Nikola Tesla" in third["text"]

    def test_every_quote_is_literally_in_its_document_and_at_its_marker(self, answer: dict[str, object]) -> None:
        documents = {document["n"]: document for document in answer["documents"]}  # type: ignore[attr-defined]
        texts = [*answer["summaries"], *answer["answers"]]  # type: ignore[misc]
        notes = [(text["text"], note) for text in texts for note in text["footnotes"]]
        assert notes
        for text, note in notes:
            assert note["check"] == "exact"
            assert documents[note["n"]]["id"] == note["id"]
            assert documents[note["n"]][note["column"]][note["start"] : note["end"]] == note["quote"]
            assert note["quote"] in text
            marker = f"[{note['n']}]"
            assert text[note["at"] : note["at"] + len(marker)] == marker

    def test_the_table_is_for_people(self, home: Path) -> None:
        shown = run(home, "search", "demo", "What year did Tesla die?", "--ask", "Where did he live?", "--explain").stdout
        assert "1943" in shown
        assert "Understood as: Where did Tesla live?" in shown
        assert "✓ exact Nikola Tesla" in shown
        assert "10 found" in shown
        assert "rows in" in shown

    def test_built_in_engines_work_from_any_folder(self, home: Path, tmp_path: Path) -> None:
        assert "1943" in run(home, "search", DEMO, "What year did Tesla die?", cwd=tmp_path).stdout

    def test_a_query_nothing_answers_still_shows_the_list(self, home: Path) -> None:
        found = json.loads(run(home, "search", "demo", "best recipe for lasagne bolognese", "--format", "json").stdout)
        assert found["documents"]
        assert found["summaries"][0]["footnotes"] == []
        assert "do not answer" in found["summaries"][0]["text"]

    def test_csv_and_jsonl_hold_the_documents_and_say_what_they_leave_out(self, home: Path) -> None:
        as_csv = run(home, "search", "demo", "Tesla", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(as_csv.stdout)))
        as_jsonl = run(home, "search", "demo", "Tesla", "--format", "jsonl")
        lines = [json.loads(line) for line in as_jsonl.stdout.splitlines()]
        assert [row["id"] for row in rows] == [line["id"] for line in lines]
        assert len(rows) == 10
        assert not as_csv.stderr
        told = run(home, "search", "demo", "Tesla", "--format", "csv", "--ask", "Where did he live?")
        assert "--format json has the summary" in told.stderr

    def test_the_terminal_chat_searches_asks_and_searches_anew(self, home: Path) -> None:
        anew = "/search When was Warsaw's first stock exchange established?"
        lines = f"What year did Tesla die?\nWhere did he live?\n/nosuch\n{anew}\n/quit\n"
        shown = run(home, "chat", "demo", stdin=lines).stdout
        assert "Understood as: Where did Tesla live?" in shown
        assert "There is no command “/nosuch”" in shown
        assert "1817" in shown


class TestLists:
    def test_modules_lists_every_module_and_shows_one(self, home: Path) -> None:
        listed = json.loads(run(home, "modules", "--format", "json").stdout)
        expected = {"index_datasource", "tf_idf_reranker", "reduction_step", "all_results_summarizer", "word_counter"}
        assert expected <= {one["id"] for one in listed}
        one = run(home, "modules", "tf_idf_reranker").stdout
        assert "similarity_metric" in one
        assert "Cosine" in one

    def test_an_unknown_module_names_the_nearest(self, home: Path) -> None:
        assert "Did you mean “word_counter”?" in run(home, "modules", "word_count", status=1).stderr

    def test_spec_show_gives_the_spec_back_unchanged(self, home: Path) -> None:
        shown = json.loads(run(home, "spec", "show", "demo", "--format", "json").stdout)
        assert shown == json.loads((ROOT / DEMO).read_text("utf-8"))
        assert "index_datasource" in run(home, "spec", "show", "demo").stdout

    def test_spec_check_says_that_the_demo_is_right(self, home: Path) -> None:
        assert "is right: 2 steps, digest" in run(home, "spec", "check", "demo").stdout

    def test_spec_schema_is_json(self, home: Path) -> None:
        assert "pipeline" in json.loads(run(home, "spec", "schema").stdout)["properties"]


class TestBadInputGetsAClearErrorAndExitOne:
    def test_an_empty_query(self, home: Path) -> None:
        assert "The query is empty" in run(home, "search", "demo", "  ", status=1).stderr

    def test_a_query_of_100_kilobytes(self, home: Path) -> None:
        error = run(home, "search", "demo", "tesla " * 17_000, status=1).stderr
        assert "102,000 characters" in error or "101,999 characters" in error
        assert "4,000" in error

    def test_a_spec_that_is_not_json(self, home: Path, tmp_path: Path) -> None:
        error = run(home, "search", written(tmp_path / "a.json", '{"pipeline": }'), "x", status=1).stderr
        assert "not JSON" in error
        assert "line 1, column 14" in error

    def test_a_spec_with_an_unknown_module_and_a_wrong_value_reports_both(self, home: Path, tmp_path: Path) -> None:
        spec = written(tmp_path / "a.json", pipeline(source("demo", limit="many"), {"id": "tf_idf_rerank"}))
        error = run(home, "spec", "check", spec, status=1).stderr
        assert "Did you mean “tf_idf_reranker”?" in error
        assert "“many” is not allowed here; it takes a whole number from 1 to 1,000" in " ".join(error.split())

    def test_a_misspelt_parameter_is_a_warning_with_the_nearest(self, home: Path, tmp_path: Path) -> None:
        spec = written(tmp_path / "a.json", pipeline(source("demo", limitt=3)))
        done = run(home, "search", spec, "Tesla", "--format", "json")
        warning = json.loads(done.stdout)["warnings"][0]
        assert warning["code"] == "unknown-parameter"
        assert "Did you mean “limit”?" in warning["message"]

    def test_a_spec_without_a_source(self, home: Path, tmp_path: Path) -> None:
        error = run(home, "search", written(tmp_path / "a.json", pipeline({"id": "word_counter"})), "x", status=1).stderr
        assert "no step finds documents" in error
        assert "index_datasource" in error

    def test_a_spec_that_is_nowhere_names_the_built_in_ones(self, home: Path) -> None:
        assert "Did you mean “demo”?" in run(home, "search", "dem", "x", status=1).stderr

    def test_an_index_that_is_not_there(self, home: Path, tmp_path: Path) -> None:
        error = run(home, "search", written(tmp_path / "a.json", pipeline(source("nowhere"))), "x", status=1).stderr
        assert "no index “nowhere”" in error
        assert "chatsearch index build nowhere" in error

    def test_a_missing_column_names_the_step_and_what_is_there(self, home: Path, tmp_path: Path) -> None:
        counter = {"id": "word_counter", "parameters": {"input_column": "fulltext"}}
        spec = written(tmp_path / "a.json", pipeline(source("demo"), counter))
        error = run(home, "search", spec, "Tesla", status=1).stderr
        assert "Step 2 (word_counter)" in error
        assert "Did you mean “full-text”?" in error

    def test_wrong_usage_is_exit_two(self, home: Path) -> None:
        run(home, "search", status=2)
        run(home, "nosuch", status=2)

    def test_a_setting_that_is_wrong_is_named(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CHATSEARCH_SOURCE_TIMEOUT", "soon")
        assert "CHATSEARCH_SOURCE_TIMEOUT" in run(home, "search", "demo", "x", status=1).stderr


class TestIndexCommands:
    def test_an_index_is_built_listed_searched_and_removed(self, home: Path, tmp_path: Path) -> None:
        file = tmp_path / "books.jsonl"
        coffee = {"id": "1", "title": "Caf&eacute; &amp;amp; bar", "text": "Coffee is roasted in the\x00 morning.\u200f"}
        good = [coffee, {"id": "2", "text": "Tea is green."}]
        file.write_text("\n".join([json.dumps(good[0]), "{broken", json.dumps(good[1])]), encoding="utf-8")
        built = run(home, "index", "build", "books", str(file), "--no-dense", "--language", "en")
        assert "2 documents" in built.stdout
        assert "books.jsonl" in built.stderr
        assert "2" in built.stderr
        assert "books" in {one["name"] for one in json.loads(run(home, "index", "list", "--format", "json").stdout)}
        spec = written(tmp_path / "books.json", pipeline(source("books", mode="lexical")))
        found = json.loads(run(home, "search", spec, "when is coffee roasted", "--format", "json").stdout)
        assert found["documents"][0]["title"] == "Café & bar"
        assert "\x00" not in found["documents"][0]["full-text"]
        assert "documents" in run(home, "index", "info", "books").stdout
        run(home, "index", "remove", "books", "--yes")
        assert "no index “books”" in run(home, "index", "info", "books", status=1).stderr

    def test_hybrid_on_an_index_without_vectors_goes_on_by_words_and_says_so(self, home: Path, tmp_path: Path) -> None:
        file = tmp_path / "a.csv"
        file.write_text("id,title,text\n1,Sea,The sea is blue\n", encoding="utf-8")
        run(home, "index", "build", "sea", str(file), "--no-dense")
        spec = written(tmp_path / "s.json", pipeline(source("sea")))
        found = json.loads(run(home, "search", spec, "blue sea", "--format", "json").stdout)
        assert len(found["documents"]) == 1
        assert found["warnings"][0]["code"] == "lexical-only"

    def test_an_empty_file_and_a_missing_one_are_named(self, home: Path, tmp_path: Path) -> None:
        empty = tmp_path / "empty.jsonl"
        empty.touch()
        assert "0 bytes" in run(home, "index", "build", "x", str(empty), status=1).stderr
        assert "is not there" in run(home, "index", "build", "x", str(tmp_path / "none.jsonl"), status=1).stderr

    def test_a_damaged_demo_index_is_built_anew_and_that_is_said(self, home: Path) -> None:
        run(home, "search", "demo", "Tesla", "--format", "json")
        (manifest,) = (home / "data" / "indexes" / "demo").glob("*/manifest.json")
        manifest.write_text("{", encoding="utf-8")
        found = json.loads(run(home, "search", "demo", "Tesla", "--format", "json").stdout)
        assert len(found["documents"]) == 10
        assert [warning["code"] for warning in found["warnings"]] == ["index-rebuilt"]

    def test_a_data_directory_that_cannot_be_made_is_named(self, home: Path, tmp_path: Path) -> None:
        blocked = tmp_path / "file"
        blocked.write_text("not a folder", encoding="utf-8")
        error = run(home, "search", "demo", "x", "--data-dir", str(blocked / "data"), status=1).stderr
        assert str(blocked) in error
        assert "--data-dir" in error


class TestHostileInputInATerminal:
    """What a spec or a document says is never obeyed by the terminal it is shown in."""

    ESCAPE = "\x1b]0;owned\x07\x1b[2J"

    def test_an_error_that_repeats_a_spec(self, home: Path, tmp_path: Path) -> None:
        for step in ({"id": f"{self.ESCAPE}index"}, source("demo", mode=f"{self.ESCAPE}x"), source(self.ESCAPE)):
            done = run(home, "search", written(tmp_path / "a.json", pipeline(step)), "x", status=1)
            assert "\x1b" not in done.stdout + done.stderr

    def test_a_document_with_a_malformed_url_is_shown_without_a_link(self, home: Path, tmp_path: Path) -> None:
        file = tmp_path / "a.jsonl"
        odd = {"id": "1", "title": "Odd", "text": "An odd address.", "url": "http://[::1"}
        file.write_text(json.dumps(odd), encoding="utf-8")
        run(home, "index", "build", "odd", str(file), "--no-dense", "--language", "en")
        shown = run(home, "search", written(tmp_path / "a.json", pipeline(source("odd", mode="lexical"))), "odd address").stdout
        assert "An odd address." in shown


def test_spec_check_says_all_of_it_at_once(home: Path, tmp_path: Path) -> None:
    spec = written(tmp_path / "a.json", pipeline(source("demo", limitt=3), {"id": "tf_idf_rerank"}))
    error = run(home, "spec", "check", spec, status=1).stderr
    assert "Did you mean “tf_idf_reranker”?" in error
    assert "Did you mean “limit”?" in error


def test_an_english_index_is_embedded_by_the_faster_model(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"id": "1", "text": "The sea is blue and the ships on it are white."}), encoding="utf-8")
    assert "embedded by all-MiniLM-L6-v2" in run(home, "index", "build", "fast", str(file)).stdout
