"""Changes are taken back exactly, and the form and the JSON are applied whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.commands.form import apply_edit, apply_form
from chatsearch.commands.json_lines import LocatedProblem, lines_of
from chatsearch.commands.registry import respond
from chatsearch.commands.reply import Changed, Form, Offer
from chatsearch.errors import InputError, SpecError
from tests.commands.sessions import ENGINE, changes, locked_session, modules_of, refusal, session_of

CHANGING = [
    "/add word_counter",
    "/set 1.limit 3",
    "/move 2 to 3",
    "/disable 2",
    "/title Another",
    "/theme blue light",
    "/starters add Why?",
    "/model extractive",
    "/load demo",
    "/add word_counter",
    "/reset",
]


async def test_everything_is_undone_and_done_again(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    digests = [session.spec.digest]
    for typed in CHANGING:
        await respond(session, typed)
        digests.append(session.spec.digest)
    for digest in reversed(digests[:-1]):
        await respond(session, "/undo")
        assert session.spec.digest == digest
    assert session.spec.data == ENGINE
    for digest in digests[1:]:
        await respond(session, "/redo")
        assert session.spec.digest == digest


async def test_undo_says_what_it_changes_and_offers_redo(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    await respond(session, "/set 1.limit 3")
    reply = await respond(session, "/undo")
    assert Changed("1.limit", "3", "10") in reply.blocks
    assert Offer("Redo", "/redo") in reply.blocks
    assert "nothing to undo" in await refusal(session, "/undo")


async def test_a_change_after_undoing_leaves_nothing_to_redo(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    for typed in ("/title A", "/undo", "/title B"):
        await respond(session, typed)
    assert "nothing to redo" in await refusal(session, "/redo")


async def test_reset_goes_back_to_what_was_opened_and_can_be_undone(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    for typed in ("/load arts", "/remove 2", "/title X"):
        await respond(session, typed)
    await respond(session, "/reset")
    assert modules_of(session) == ["mosaic_datasource", "embedding_reranker", "all_results_summarizer"]
    await respond(session, "/undo")
    assert session.spec.title == "X"


async def test_undoing_a_load_brings_the_engine_back_that_reset_goes_to(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    for typed in ("/load arts", "/undo", "/title X", "/reset"):
        await respond(session, typed)
    assert session.spec.title == "Small engine"
    assert session.engine == "small"


async def test_what_can_be_undone_is_limited(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    for n in range(110):
        session.change({**ENGINE, "title": f"Title {n}"})
    for _ in range(100):
        session.undo()
    with pytest.raises(InputError, match="nothing to undo"):
        session.undo()


# --- the form ---------------------------------------------------------------------------------------------------------------


async def test_the_form_has_every_step_with_what_its_parameters_take(tmp_path: Path) -> None:
    reply = await respond(session_of(tmp_path), "/edit")
    (form,) = [block for block in reply.blocks if isinstance(block, Form)]
    assert [step.module for step in form.steps] == ["memory", "tf_idf_reranker", "all_results_summarizer"]
    fields = {field.name: field for field in form.steps[1].fields}
    metric = fields["similarity_metric"]
    assert (metric.kind, metric.value, metric.choices) == ("choice", "BM25", ("Cosine", "Euclidean", "Manhattan", "BM25"))
    limit = form.steps[0].fields[0]
    assert (limit.kind, limit.value, limit.default, limit.allowed) == ("integer", 10, 10, "a whole number from 1 to 1,000")
    assert json.loads(form.json) == ENGINE


async def test_the_form_is_applied_whole(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    reply = await apply_form(session, {1: {"limit": "5"}, 2: {"similarity_metric": "Cosine", "query": ""}})
    assert [str(one) for one in reply.blocks if isinstance(one, Changed)] == [
        "1.limit: 10 → 5",
        "2.similarity_metric: BM25 → Cosine",
    ]
    with pytest.raises(SpecError) as refused:
        await apply_form(session, {1: {"limit": "none"}, 2: {"similarity_metric": "Cosin"}})
    assert len(refused.value.problems) == 2
    with pytest.raises(InputError, match="Did you mean “limit”"):
        await apply_form(session, {1: {"limt": "5"}})
    with pytest.raises(InputError, match="There is no step 8"):
        await apply_form(session, {8: {"limit": "5"}})
    assert session.spec.steps[0].module.model_dump()["limit"] == 5


async def test_a_locked_engine_takes_no_form_and_no_json(tmp_path: Path) -> None:
    session = locked_session(tmp_path)
    with pytest.raises(InputError, match="locked"):
        await apply_form(session, {1: {"limit": "5"}})
    with pytest.raises(InputError, match="locked"):
        await apply_edit(session, "{}")


# --- the JSON ---------------------------------------------------------------------------------------------------------------

WRONG = """{
  "title": "Three errors",
  "theme": {"mode": "dim"},
  "pipeline": {
    "1": {"id": "memory",
          "parameters": {
            "limit": "many"}},
    "2": {"id": "tf_idf_rerankr"},
    "3": {"id": "word_counter", "parameters": {"input_colum": "full-text"}}
  }
}"""


async def test_all_errors_are_said_with_their_lines(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    before = session.spec
    with pytest.raises(SpecError) as refused:
        await apply_edit(session, WRONG)
    located = [(one.line, one.where) for one in refused.value.problems if isinstance(one, LocatedProblem)]
    assert located == [(3, "theme.mode"), (7, "pipeline.1.parameters.limit"), (8, "pipeline.2.id")]
    assert "line 7, pipeline.1.parameters.limit: “many” is not allowed" in str(refused.value)
    assert "input_colum" in str(refused.value)
    assert session.spec is before


@pytest.mark.parametrize(
    ("text", "line"), [('{"a": 1,\n"b": }', 2), ("", 1), ("[1,\n2]", 1), ("7", 1), ('{"pipeline":\n\n 7}', 1)]
)
async def test_what_is_no_spec_is_said_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    with pytest.raises(SpecError) as refused:
        await apply_edit(session_of(tmp_path), text)
    assert [one.line for one in refused.value.problems if isinstance(one, LocatedProblem)] == [line]


async def test_an_edited_json_is_the_spec_and_can_be_undone(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    reply = await apply_edit(session, json.dumps({**ENGINE, "title": "Edited", "unknown": 1}))
    assert reply.spec_changed
    assert await changes(session, "/undo") == ["title: Edited → Small engine", "unknown: 1 (removed)"]


def paths(value: Any, where: str = "") -> list[str]:
    """Every path in a JSON value, in the order of its text."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    each = [(f"{where}.{key}" if where else str(key), one) for key, one in inner]
    return [path for key, one in each for path in (key, *paths(one, key))]


KEYS = st.text(st.characters(codec="utf-8", exclude_characters="."))


@given(st.recursive(st.none() | st.integers() | st.text(), lambda one: st.lists(one) | st.dictionaries(KEYS.filter(bool), one)))
def test_every_value_of_any_json_has_the_line_it_is_in(value: object) -> None:
    lines = lines_of(json.dumps(value, indent=1))
    # with an indent every value begins a line of its own
    begins = [line for line in json.dumps(value, indent=1).split("\n")[1:] if line.strip(" ,") not in ("]", "}")]
    found = [lines[path] for path in paths(value)]
    assert len(found) == len(begins)
    assert found == sorted(found)
    assert len(set(found)) == len(found)


@given(st.text())
def test_any_text_has_lines(text: str) -> None:
    assert lines_of(text)[""] == 1
