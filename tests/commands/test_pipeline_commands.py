"""Commands that show and change the pipeline: what they change, what they say, what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest

from chatsearch.commands.registry import BY_NAME, respond
from chatsearch.commands.reply import Card, Cards, Offer
from chatsearch.errors import InputError, SpecError
from chatsearch.module import Category, Module, StepRun
from chatsearch.results import ResultSet
from tests.commands.sessions import ENGINE, changes, locked_session, modules_of, refusal, said, session_of


class Listed(Module):
    """Has parameters that are a list and an object."""

    id: ClassVar[str] = "listed"
    name: ClassVar[str] = "Listed"
    category: ClassVar[Category] = Category.PRE_PROCESSING

    names: tuple[str, ...] = ()
    limits: dict[str, int] = {}  # noqa: RUF012  pydantic copies it
    on: bool = False

    async def transform(self, results: ResultSet, run: StepRun) -> ResultSet:
        return results


# --- adding -----------------------------------------------------------------------------------------------------------------


async def test_a_step_goes_where_it_belongs(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert await changes(session, "/add embedding_reranker") == ["step 3 (embedding_reranker): Embedding re-ranker (new)"]
    await respond(session, "/ADD Mosaic-DataSource limit=3")
    assert modules_of(session) == [
        "memory",
        "mosaic_datasource",
        "tf_idf_reranker",
        "embedding_reranker",
        "all_results_summarizer",
    ]


async def test_a_step_goes_before_the_one_that_is_named(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    await respond(session, '/add field_filter at 2 column=language operator="starts with" value=en')
    assert modules_of(session)[1] == "field_filter"
    assert session.spec.data["pipeline"]["2"]["parameters"] == {"column": "language", "operator": "starts with", "value": "en"}
    await respond(session, "/add word_counter at 5")
    assert modules_of(session)[-1] == "word_counter"


async def test_what_cannot_run_yet_is_said_and_not_refused(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert "step 2 (word_counter) reads the column “nosuch”" in await said(session, "/add word_counter at 2 input_column=nosuch")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("/add", "The module is missing"),
        ("/add tf_idf_rerankr", "Did you mean “tf_idf_reranker”?"),
        ("/add tf_idf_reranker metric=BM25", "no parameter “metric”. It has: input_column, query, similarity_metric"),
        ("/add tf_idf_reranker quer=x", "Did you mean “query”?"),
        ("/add tf_idf_reranker query=x query=y", "given twice"),
        ("/add tf_idf_reranker BM25", "“BM25” is not PARAMETER=VALUE"),
        ("/add tf_idf_reranker at", "the number of a step is missing"),
        ("/add tf_idf_reranker at 9", "There is no step 9"),
        ("/add tf_idf_reranker at x", "“x” is not the number of a step"),
    ],
)
async def test_what_cannot_be_added_is_refused_with_the_usage(tmp_path: Path, typed: str, message: str) -> None:
    refused = await refusal(session_of(tmp_path), typed)
    assert message in refused
    assert BY_NAME["add"].usage in refused or "There is no step" in refused


# --- setting ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed", ["/set 1.limit 50", "/set 1.limit=50", "/set 1 limit=50", "/set 1 limit 50", "/SET 1.LIMIT '50'"]
)
async def test_a_parameter_is_set_however_it_is_written(tmp_path: Path, typed: str) -> None:
    session = session_of(tmp_path)
    assert await changes(session, typed) == ["1.limit: 10 → 50"]
    assert session.spec.data["pipeline"]["1"] == {"id": "memory", "parameters": {"limit": 50}, "comment": "kept"}


async def test_several_parameters_and_those_that_were_there(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert await changes(session, "/set 1 weight=2 output_column='full-text'") == ["1.weight: 1.0 → 2.0"]
    assert session.spec.data["pipeline"]["1"]["parameters"] == {"limit": "10", "weight": 2.0, "output_column": "full-text"}


async def test_lists_objects_and_booleans_by_the_parameters_type(tmp_path: Path) -> None:
    session = session_of(tmp_path, None, Listed)
    await respond(session, '/add listed names=a,b limits={"x": 1} on=Yes')
    assert session.spec.data["pipeline"]["3"]["parameters"] == {"names": ["a", "b"], "limits": {"x": 1}, "on": True}
    assert await changes(session, "/set 3.names b, c d") == ["3.names: a (removed)", "3.names: c d (new)"]
    assert await changes(session, "/set 3.on off") == ["3.on: true → false"]


async def test_a_text_is_taken_whole(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    await respond(session, "/set 2.query who was Tesla's wife = 1")
    assert session.spec.data["pipeline"]["2"]["parameters"]["query"] == "who was Tesla's wife = 1"
    assert await changes(session, '/set 2.query ""') == ["2.query: who was Tesla's wife = 1 → (empty)"]


async def test_the_same_value_again_changes_nothing(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    reply = await respond(session, "/set 1.limit 10")
    assert not reply.spec_changed
    assert "Nothing changed" in await said(session, "/set 1.limit 10")
    assert "nothing to undo" in await refusal(session, "/undo")


async def test_fields_of_the_engine(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert await changes(session, "/set subtitle Art = life") == ["subtitle: (empty) → Art = life"]
    assert await changes(session, "/set conversation.instructions=Be short") == ["conversation.instructions: (empty) → Be short"]
    assert await changes(session, "/set display.chip_columns language, words") == [
        "display.chip_columns: language (new)",
        "display.chip_columns: words (new)",
    ]
    assert "Did you mean “subtitle”?" in await refusal(session, "/set subtitel x")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("/set", "The number of a step is missing"),
        ("/set 1", "What to set is missing. memory (step 1) has: limit, weight, output_column"),
        ("/set 1.limit", "The value of “limit” is missing"),
        ("/set 1.limt 3", "memory (step 1) has no parameter “limt”. Did you mean “limit”?"),
        ("/set 7.limit 3", "There is no step 7. The steps are: 1 (memory), 2 (tf_idf_reranker), 3 (all_results_summarizer)"),
        ("/set 1 limit=3 x", "“x” is not PARAMETER=VALUE"),
    ],
)
async def test_what_cannot_be_set_is_refused(tmp_path: Path, typed: str, message: str) -> None:
    assert message in await refusal(session_of(tmp_path), typed)


async def test_all_wrong_values_are_said_at_once_and_nothing_changes(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    before = session.spec
    with pytest.raises(SpecError) as refused:
        await respond(session, "/set 1 limit=0 weight=heavy")
    assert [problem.where for problem in refused.value.problems] == [
        "pipeline.1.parameters.limit",
        "pipeline.1.parameters.weight",
    ]
    assert "a whole number from 1 to 1,000" in str(refused.value)
    assert str(refused.value).startswith("Nothing was changed.")
    assert session.spec is before


@pytest.mark.parametrize(
    "typed",
    ["/set 2.query Bearer abcdefgh123456", "/set subtitle sk-abc123def456ghi789", "/set 2.query https://u:hidden99@x.example/"],
)
async def test_a_secret_is_refused_and_not_repeated(tmp_path: Path, typed: str) -> None:
    session = session_of(tmp_path)
    before = session.spec
    with pytest.raises(SpecError, match="secret") as refused:
        await respond(session, typed)
    assert not [word for word in ("abc", "hidden99") if word in str(refused.value)]
    assert session.spec is before


async def test_a_secret_that_was_there_can_be_taken_out_and_is_never_shown(tmp_path: Path) -> None:
    session = session_of(tmp_path, {**ENGINE, "subtitle": "sk-abc123def456ghi789"})
    with pytest.raises(SpecError, match="secret"):
        await respond(session, "/set 1.limit 3")
    assert await changes(session, "/set subtitle none") == ["subtitle: (what looks like a secret) → none"]


# --- removing, moving, switching --------------------------------------------------------------------------------------------


async def test_removing_moving_and_switching(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert await changes(session, "/move 2 to 3") == ["all_results_summarizer, its place: step 3 → step 2"]
    assert modules_of(session) == ["memory", "all_results_summarizer", "tf_idf_reranker"]
    assert await changes(session, "/disable 3") == ["step 3 (tf_idf_reranker): on → off"]
    assert session.spec.data["pipeline"]["3"]["enabled"] is False
    assert await changes(session, "/enable 3") == ["step 3 (tf_idf_reranker): off → on"]
    assert await changes(session, "/remove 2") == ["step 2 (all_results_summarizer): Summary of all results (removed)"]
    assert modules_of(session) == ["memory", "tf_idf_reranker"]


@pytest.mark.parametrize("typed", ["/remove 1", "/disable 1"])
async def test_the_last_source_stays(tmp_path: Path, typed: str) -> None:
    session = session_of(tmp_path)
    with pytest.raises(SpecError, match="no step finds documents"):
        await respond(session, typed)
    assert modules_of(session)[0] == "memory"


async def test_keys_nobody_knows_stay_in_their_order(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    for typed in ("/add word_counter", "/move 1 to 2", "/remove 3", "/title New", "/set 2.limit 3", "/theme blue"):
        await respond(session, typed)
    assert list(session.spec.data) == list(ENGINE)
    assert list(session.spec.data["pipeline"]) == ["query", "1", "2", "3", "later"]
    assert session.spec.data["pipeline"]["2"]["comment"] == "kept"


async def test_gaps_in_the_numbers_are_kept_until_steps_move(tmp_path: Path) -> None:
    pipeline = {"10": {"id": "memory"}, "5": {"id": "word_counter"}}
    session = session_of(tmp_path, {"pipeline": pipeline})
    await respond(session, "/set 10.limit 3")
    assert list(session.spec.data["pipeline"]) == ["10", "5"]
    await respond(session, "/move 10 to 5")
    assert [step["id"] for step in session.spec.data["pipeline"].values()] == ["memory", "word_counter"]
    assert list(session.spec.data["pipeline"]) == ["1", "2"]


@pytest.mark.parametrize("typed", ["/move 2", "/move", "/move 2 to x", "/remove", "/remove x", "/enable", "/disable ²"])
async def test_a_missing_or_wrong_number_is_refused_with_the_usage(tmp_path: Path, typed: str) -> None:
    assert BY_NAME[typed[1:].split()[0]].usage in await refusal(session_of(tmp_path), typed)


# --- showing ----------------------------------------------------------------------------------------------------------------


async def test_the_pipeline_is_shown_as_cards_with_what_came_in_and_out(tmp_path: Path) -> None:
    session = session_of(tmp_path, searched=True)
    reply = await respond(session, "/spec")
    (cards,) = [block.cards for block in reply.blocks if isinstance(block, Cards)]
    assert cards[1] == Card(
        2, "tf_idf_reranker", "TF-IDF re-ranker", "Rerankers", (("similarity_metric", "BM25"),), True, 3, 3, 0.02
    )
    assert cards[2].rows_in is None
    await respond(session, "/set 1.limit 3")
    assert "The figures are of the last search" in await said(session, "/spec")


async def test_the_json_is_what_was_loaded(tmp_path: Path) -> None:
    assert json.loads(await said(session_of(tmp_path), "/spec json")) == ENGINE


async def test_modules_are_found_by_a_word(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    assert "cross_encoder_reranker" in await said(session, "/modules rerank")
    assert "word_counter" not in await said(session, "/modules RERANK")
    assert "/add word_counter" in await said(session, "/modules word counter")
    assert "Did you mean “tf_idf_reranker”?" in await refusal(session, "/modules tfidf_reranker")


# --- after a change ---------------------------------------------------------------------------------------------------------


async def test_the_last_query_is_offered_again(tmp_path: Path) -> None:
    session = session_of(tmp_path, searched=True)
    reply = await respond(session, "/set 1.limit 3")
    assert reply.run_again == "Tesla"
    assert Offer("Search “Tesla” again", "/search Tesla") in reply.blocks
    unsearched = await respond(session_of(tmp_path), "/set 1.limit 3")
    assert not unsearched.run_again


@pytest.mark.parametrize("name", [name for name, command in BY_NAME.items() if command.changes_spec])
async def test_a_locked_engine_refuses_what_changes_it(tmp_path: Path, name: str) -> None:
    session = locked_session(tmp_path)
    for example in BY_NAME[name].examples:
        if not BY_NAME[name].shows or len(example.split()) > 1:
            assert "locked" in await refusal(session, example)


@pytest.mark.parametrize(
    "typed", ["/spec", "/modules", "/title", "/theme", "/starters", "/model", "/diff demo", "/rank", "/help add"]
)
async def test_a_locked_engine_can_be_read(tmp_path: Path, typed: str) -> None:
    assert await said(locked_session(tmp_path), typed)


async def test_what_a_visitor_writes_locks_nobody_out(tmp_path: Path) -> None:
    session = session_of(tmp_path)
    session.change({**ENGINE, "permissions": {"edit": False}})
    await respond(session, "/undo")
    assert session.spec.engine.permissions.edit


async def test_one_session_changes_nothing_of_another(tmp_path: Path) -> None:
    one, other = session_of(tmp_path), session_of(tmp_path)
    other.spec = other.opened = one.spec
    await respond(one, "/set 1.limit 3")
    assert other.spec.data == ENGINE


async def test_a_spec_does_not_grow_beyond_what_is_read(tmp_path: Path) -> None:
    session = session_of(tmp_path, max_spec_bytes=2000)
    with pytest.raises(SpecError, match="at most 2,000"):
        await respond(session, f"/set subtitle {'x' * 1900}")
    with pytest.raises(InputError, match="at most 2,000 are read"):
        await respond(session, "x" * 2001)
