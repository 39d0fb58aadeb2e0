"""Engines are opened and compared; models and settings are shown with where they come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chatsearch.commands.engines import load_text
from chatsearch.commands.json_lines import LocatedProblem
from chatsearch.commands.registry import respond
from chatsearch.commands.reply import Upload
from chatsearch.engines import built_in_engines
from chatsearch.errors import SpecError
from chatsearch.spec import Spec
from tests.commands.sessions import ENGINE, changes, locked_session, modules_of, refusal, said, session_of
from tests.commands.test_editing import WRONG

LOCKED = json.dumps({**ENGINE, "permissions": {"edit": False}})


async def test_a_built_in_engine_is_opened_by_name(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    reply = await respond(session, "/load Arts")
    assert reply.spec_changed
    assert (session.engine, session.opened.title) == ("arts", "Arts Search")
    assert "Did you mean “arts”?" in await refusal(session, "/load atrs")
    assert Upload("Choose a file", "/load") in (await respond(session, "/load")).blocks


async def test_no_file_of_the_server_is_read(tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    file.write_text(json.dumps(ENGINE), encoding="utf-8")
    told = await refusal(session_of(tmp_path), f"/load {file}")
    assert "There is no engine" in told
    assert "no such file" not in told


async def test_a_json_text_is_opened_and_an_uploaded_one_too(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    await respond(session, '/load {"title": "Pasted",\n "pipeline": {"1": {"id": "memory"}}}')
    assert session.spec.title == "Pasted"
    await load_text(session, json.dumps(ENGINE), "uploaded")
    assert (session.spec.title, session.engine) == ("Small engine", "")


async def test_every_error_of_an_uploaded_engine_is_shown_with_its_line(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    with pytest.raises(SpecError) as refused:
        await load_text(session, WRONG, "upload")
    assert [one.line for one in refused.value.problems if isinstance(one, LocatedProblem)] == [3, 7, 8]
    assert session.spec.title == "Small engine"


async def test_a_surface_finds_engines_in_its_own_way(tmp_path: Path) -> None:
    session = session_of(tmp_path)

    async def find(reference: str) -> Spec:
        return Spec.load({**ENGINE, "title": reference}, session.services.registry, "stored")

    session.find = find
    await respond(session, "/load 'an id'")
    assert (session.spec.title, session.engine) == ("an id", "stored")


async def test_a_locked_engine_opened_in_an_open_chat_can_be_left_again(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert "locked" in await said(session, f"/load {LOCKED}")
    assert "locked" in await refusal(session, "/title X")
    await respond(session, "/undo")
    await respond(session, "/redo")
    await respond(session, "/load arts")
    await respond(session, "/title X")
    assert session.spec.title == "X"


@pytest.mark.parametrize("typed", ["/load arts", "/undo", "/redo", "/reset", "/edit"])
async def test_the_chat_of_a_locked_engine_stays_with_it(tmp_path: Path, typed: str) -> None:
    assert "locked" in await refusal(locked_session(tmp_path), typed)


async def test_what_differs_between_engines_step_by_step(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    other = {**ENGINE, "title": "Other", "pipeline": {**ENGINE["pipeline"], "1": {"id": "memory"}, "4": {"id": "word_counter"}}}
    del other["pipeline"]["2"]
    assert await changes(session, f"/diff {json.dumps(other)}") == [
        "title: Small engine → Other",
        "1.comment: kept (removed)",
        "step 2 (tf_idf_reranker): TF-IDF re-ranker (removed)",
        "step 4 (word_counter): Word counter (new)",
    ]
    assert "are the same" in await said(session, f"/diff {json.dumps(ENGINE)}")
    assert session.spec.data == ENGINE


async def test_the_arts_engine_is_built_with_commands_only(tmp_path: Path) -> None:
    """From the demo to specs/arts.json: the same steps, words and look."""
    session = session_of(tmp_path, json.loads(built_in_engines()["demo"].read_text("utf-8")))
    arts = json.loads(built_in_engines()["arts"].read_text("utf-8"))
    starters = [f"/starters add {one}" for one in arts["starters"]]
    for typed in (
        "/add mosaic_datasource search_index=arts limit=20",
        "/remove 1",
        "/add embedding_reranker",
        f"/title {arts['title']}",
        f"/set subtitle {arts['subtitle']}",
        f"/set description {arts['description']}",
        "/theme orange dark",
        "/starters clear",
        *starters,
    ):
        assert (await respond(session, typed)).spec_changed, typed
    assert "are the same" in await said(session, "/diff arts")
    assert modules_of(session) == ["mosaic_datasource", "embedding_reranker", "all_results_summarizer"]


async def test_an_engine_of_more_steps_than_any_is_refused_soon(tmp_path: Path) -> None:
    many = {"pipeline": {"1": {"id": "memory"}, **{str(n): {"id": "word_counter"} for n in range(2, 5002)}}}
    session = session_of(tmp_path)
    for typed in (f"/load {json.dumps(many)}", f"/diff {json.dumps(many)}"):
        with pytest.raises(SpecError, match="it has 5,001 steps; at most 200"):
            await respond(session, typed)


# --- models and settings ----------------------------------------------------------------------------------------------------


async def test_models_are_listed_and_chosen(tmp_path: Path) -> None:
    session = session_of(tmp_path, models=["ollama/llama3.2", "openai/gpt-4o-mini"], model="ollama/llama3.2")
    assert "ollama/llama3.2     in use, the server's default" in await said(session, "/model")
    assert await changes(session, "/model gpt-4o-mini") == ["conversation.model: (empty) → openai/gpt-4o-mini"]
    assert "a command in this chat" in await said(session, "/config conversation.model")
    await respond(session, "/model Default")
    assert session.spec.engine.conversation.model == ""
    assert "Did you mean “openai/gpt-4o-mini”?" in await refusal(session, "/model openai/gpt4o-mni")


async def test_where_each_setting_comes_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chatsearch.toml").write_text("llm_retries = 7\n", encoding="utf-8")
    monkeypatch.setenv("CHATSEARCH_VECTOR_CACHE", "11")
    monkeypatch.setenv("LITELLM_CHAT_MODEL", "gemma2")
    session = session_of(tmp_path, {**ENGINE, "language": "de"}, llm_concurrency=3, searched=True)
    await respond(session, "/rank original_ranking")
    rows = [line.split() for line in (await said(session, "/config")).splitlines()]
    lines = {row[0]: " ".join(row[1:]) for row in rows}
    assert lines["llm_retries"] == "7 chatsearch.toml"
    assert lines["vector_cache"] == "11 environment, CHATSEARCH_VECTOR_CACHE"
    assert lines["model"] == "gemma2 environment, LITELLM_CHAT_MODEL"
    assert lines["llm_concurrency"] == "3 command line"
    assert lines["llm_window"] == "0 default"
    assert lines["language"] == "de the engine"
    assert lines["conversation.model"] == "gemma2 the setting model"
    assert lines["display.rank_column"] == "_original_ranking_ this chat"
    assert "Did you mean “language”?" in await refusal(session, "/config langage")


async def test_secrets_are_never_shown_and_paths_only_to_the_administrator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATSEARCH_LLM_API_KEY", "hidden-key-1")
    session = session_of(tmp_path)
    text = await said(session, "/config")
    assert "hidden-key-1" not in text
    assert "set (not shown)" in text
    assert str(tmp_path) not in text
    monkeypatch.setenv("CHATSEARCH_DEFAULT_ENGINE", "/home/somebody/own.json")
    assert "somebody" not in await said(session_of(tmp_path), "/config")
    session.administrator = True
    assert str(tmp_path) in await said(session, "/config data_dir")
