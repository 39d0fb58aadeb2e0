"""The gateway, through litellm, against an OpenAI-compatible server: streams, limits, faults, the cache, cancelling."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from chatsearch.citations import Source
from chatsearch.cited_text import CitedText
from chatsearch.conversation import Conversation
from chatsearch.errors import ModelAnswerError, ModelError
from chatsearch.events import Answered
from chatsearch.llm.cache import AnswerCache
from chatsearch.llm.calls import Gate, Limits
from chatsearch.llm.catalog import Endpoint
from chatsearch.llm.gateway import GatewayModel
from chatsearch.llm.model import HasWindow, LanguageModel, Meter, Piece, Refusal
from chatsearch.prompts import NO_ANSWER, Prompt, PromptDocument, Task
from chatsearch.spec import Spec
from tests.openai_server import OpenAIServer, Reply, many
from tests.sources import document, result_set, services_with

SECRET = "sk-test-4711-never-shown"
DOCUMENTS = (
    PromptDocument(1, "a", "Tesla", "Tesla died in 1943. He lived in the New Yorker Hotel.", "en"),
    PromptDocument(2, "b", "Edison", "Edison was born in Milan, Ohio, in 1847.", "en"),
    PromptDocument(3, "c", "Bell", "Bell patented the telephone in 1876.", "en"),
)
ANSWER = Prompt(Task.ANSWER, "When did Tesla die?", DOCUMENTS)
ORDER = Prompt(Task.ORDER, "When did Tesla die?", DOCUMENTS)
QUICK = Limits(concurrency=8, connect=5, token=20, total=30, retries=3, max_wait=30, backoff=0)


def model_at(url: str, limits: Limits = QUICK, cache: AnswerCache | None = None, window: int = 8192) -> GatewayModel:
    endpoint = Endpoint("openai/gemma2", "openai/gemma2", "openai-compatible", url, "CHATSEARCH_LLM_API_KEY", SECRET)
    return GatewayModel(endpoint, limits, Gate(limits.concurrency), cache, window)


@pytest.fixture
def model(llm_server: OpenAIServer) -> GatewayModel:
    return model_at(llm_server.url)


@pytest.fixture
def cached(llm_server: OpenAIServer, tmp_path: Path) -> GatewayModel:
    return model_at(llm_server.url, cache=AnswerCache(tmp_path / "cache" / "answers.sqlite", 1_000_000))


async def pieces_of(model: GatewayModel, prompt: Prompt = ANSWER, meter: Meter | None = None) -> list[Piece | Refusal]:
    return [piece async for piece in model.stream(prompt, None, meter)]


async def cited(model: GatewayModel, prompt: Prompt = ANSWER) -> CitedText:
    text = CitedText(prompt.documents, {one.n: Source(one.id, one.title, "", "full-text") for one in prompt.documents})
    async for piece in model.stream(prompt):
        assert isinstance(piece, Piece)
        text.add(piece)
    return text


async def error_of(model: GatewayModel, prompt: Prompt = ANSWER) -> str:
    with pytest.raises(ModelError) as caught:
        await pieces_of(model, prompt)
    assert SECRET not in repr(caught.value)
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_it_is_a_remote_language_model_with_a_window(model: GatewayModel) -> None:
    as_any: LanguageModel = model
    assert (as_any.name, as_any.remote) == ("openai/gemma2", True)
    assert isinstance(model, HasWindow)
    assert SECRET not in repr(model)


# --- what comes out


async def test_an_answer_streams_with_checked_footnotes(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue("Tesla died in 1943 [1]. The hotel he lived in was the New Yorker [1, 3]. Edison was born in 1931 [2].")
    text = await cited(model)
    assert text.text == "Tesla died in 1943 [1]. The hotel he lived in was the New Yorker [1][3]. Edison was born in 1931 [2]."
    assert [(note.n, note.check.value) for note in text.footnotes] == [
        (1, "exact"),
        (1, "similar"),
        (3, "not found"),
        (2, "not found"),
    ]
    assert text.footnotes[0].quote == "Tesla died in 1943"
    assert text.footnotes[1].quote == "He lived in the New Yorker Hotel."


async def test_the_request_holds_key_model_rules_and_fenced_documents(llm_server: OpenAIServer, model: GatewayModel) -> None:
    await pieces_of(model)
    (request,) = llm_server.requests
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert (request.body["model"], request.body["stream"], request.body["temperature"]) == ("gemma2", True, 0)
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    assert NO_ANSWER in request.body["messages"][0]["content"]
    assert request.text.count("When did Tesla die?") == 1
    assert '<document n="1">\nTitle: Tesla\nTesla died' in request.text


async def test_the_first_piece_comes_before_the_answer_is_whole(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue(Reply(tokens=("Tesla ", "died."), never_ends=True))
    async with aclosing(model.stream(ANSWER)) as stream:
        first = await anext(stream)
    assert isinstance(first, Piece)
    assert first.text == "Tesla"


@pytest.mark.parametrize(
    "tokens", [(NO_ANSWER,), tuple(NO_ANSWER), ("**", NO_ANSWER[:5], NO_ANSWER[5:], "**."), ("I see none. ", NO_ANSWER)]
)
async def test_the_refusal_sign_is_a_refusal_also_when_split(
    llm_server: OpenAIServer, model: GatewayModel, tokens: tuple[str, ...]
) -> None:
    llm_server.enqueue(Reply(tokens=tokens))
    pieces = await pieces_of(model)
    assert isinstance(pieces[-1], Refusal)
    assert not any(NO_ANSWER in piece.text for piece in pieces if isinstance(piece, Piece))


async def test_without_documents_it_refuses_and_asks_nobody(llm_server: OpenAIServer, model: GatewayModel) -> None:
    assert isinstance((await pieces_of(model, replace(ANSWER, documents=())))[0], Refusal)
    assert llm_server.requests == []


@pytest.mark.parametrize("text", ["", "  \n", "<think>hm, 1943</think>", "<think>never closed"])
async def test_an_empty_answer_is_an_error(llm_server: OpenAIServer, model: GatewayModel, text: str) -> None:
    llm_server.enqueue(Reply(tokens=(text,)))
    with pytest.raises(ModelAnswerError, match="empty answer"):
        await pieces_of(model)


async def test_reasoning_is_not_shown(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue(Reply(tokens=("<th", "ink>Is it 1943 [2]?</thi", "nk>\n", "In 1943 [1]."), reasoning="let me see"))
    assert (await cited(model)).text == "In 1943 [1]."


async def test_a_cut_answer_is_an_error_that_names_the_setting(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue(Reply("Tesla died", finish="length"))
    assert "llm_max_tokens" in await error_of(model)


async def test_a_task_without_text_is_refused(model: GatewayModel) -> None:
    with pytest.raises(ValueError, match=r"judge\(\) or order\(\)"):
        await pieces_of(model, ORDER)


async def test_an_order_is_repaired_and_counted(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue("<think>1?</think>Sure! Here it is: [3] > [3] > [9] > [1]")
    meter = Meter()
    assert await model.order(ORDER, None, meter) == [2, 0, 1]
    assert (meter.repaired, meter.calls) == (3, 1)


async def test_an_order_calls_documents_one_two_three_whatever_their_numbers(
    llm_server: OpenAIServer, model: GatewayModel
) -> None:
    far = replace(ORDER, documents=tuple(replace(one, n=one.n + 40) for one in DOCUMENTS))
    llm_server.enqueue("[2] > [3] > [1]")
    assert await model.order(far) == [1, 2, 0]
    assert '<document n="41">' not in llm_server.requests[0].text


async def test_an_answer_that_orders_nothing_is_an_error(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue("I cannot help with that.")
    with pytest.raises(ModelAnswerError, match=r"“openai/gemma2” is of no use.*“I cannot help"):
        await model.order(ORDER)


async def test_an_order_of_one_needs_no_call(llm_server: OpenAIServer, model: GatewayModel) -> None:
    assert await model.order(replace(ORDER, documents=DOCUMENTS[:1])) == [0]
    assert llm_server.requests == []


async def test_judging_asks_in_groups_at_the_same_time(llm_server: OpenAIServer, model: GatewayModel) -> None:
    many_documents = tuple(replace(DOCUMENTS[0], n=n, id=str(n)) for n in range(1, 26))
    grades = "\n".join(f"{n}: {n % 10}" for n in range(1, 11))
    llm_server.enqueue(*many(Reply(grades, together=3), 3))
    meter, seen = Meter(), list[tuple[int, int]]()
    judged = await model.judge(replace(ORDER, documents=many_documents), lambda done, total: seen.append((done, total)), meter)
    assert len(judged) == 25
    assert judged[:3] == [0.1, 0.2, 0.3]
    assert (meter.calls, meter.repaired, llm_server.most_open, seen[-1]) == (3, 0, 3, (25, 25))


# --- limits


async def test_no_more_calls_at_once_than_the_limit(llm_server: OpenAIServer) -> None:
    model = model_at(llm_server.url, replace(QUICK, concurrency=3))
    llm_server.enqueue(*many(Reply("Good.", together=3), 9))
    await asyncio.gather(*(pieces_of(model) for _ in range(9)))
    assert (llm_server.most_open, len(llm_server.requests)) == (3, 9)


async def test_twenty_calls_are_open_at_once_when_the_limit_allows(llm_server: OpenAIServer) -> None:
    model = model_at(llm_server.url, replace(QUICK, concurrency=20))
    llm_server.enqueue(*many(Reply("Good.", together=20), 20))
    await asyncio.gather(*(pieces_of(model) for _ in range(20)))
    assert llm_server.most_open == 20


async def test_a_model_that_stays_silent_is_given_up(llm_server: OpenAIServer) -> None:
    model = model_at(llm_server.url, replace(QUICK, token=0.2, retries=0))
    llm_server.enqueue(Reply("late", before=20))
    assert "took too long" in await error_of(model)
    assert await asyncio.to_thread(llm_server.disconnected.wait, 10)


async def test_a_stream_that_stalls_is_given_up(llm_server: OpenAIServer) -> None:
    model = model_at(llm_server.url, replace(QUICK, token=0.2, retries=0))
    llm_server.enqueue(Reply("Tesla died", never_ends=True))
    assert "took too long" in await error_of(model)


async def test_a_whole_answer_has_its_limit(llm_server: OpenAIServer) -> None:
    model = model_at(llm_server.url, replace(QUICK, total=0.3, retries=0))
    llm_server.enqueue(Reply(tokens=["word "] * 200, per_token=0.05))
    assert "took too long" in await error_of(model)


async def test_cancelling_closes_the_stream_at_the_provider(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue(Reply("Tesla", never_ends=True))
    task = asyncio.create_task(pieces_of(model))
    assert await asyncio.to_thread(llm_server.asked.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(llm_server.disconnected.wait, 10)


async def test_closing_the_generator_closes_the_stream_and_gives_the_place_back(llm_server: OpenAIServer) -> None:
    model = model_at(llm_server.url, replace(QUICK, concurrency=1))
    llm_server.enqueue(Reply("Tesla died.", never_ends=True), "Next.")
    async with aclosing(model.stream(ANSWER)) as stream:
        await anext(stream)
    assert await asyncio.to_thread(llm_server.disconnected.wait, 10)
    assert await pieces_of(model) == [Piece("Next.")]


def test_it_works_in_one_event_loop_after_another(llm_server: OpenAIServer, model: GatewayModel) -> None:
    for _ in range(2):
        assert asyncio.run(pieces_of(model)) == [Piece("A"), Piece(" good"), Piece(" answer.")]


# --- trying again


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
async def test_a_passing_fault_is_tried_again(llm_server: OpenAIServer, model: GatewayModel, status: int) -> None:
    llm_server.enqueue(Reply(status=status), Reply(status=status), "Good.")
    meter = Meter()
    assert await pieces_of(model, meter=meter) == [Piece("Good.")]
    assert (len(llm_server.requests), meter.calls) == (3, 3)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_a_lasting_fault_is_not_tried_again(llm_server: OpenAIServer, model: GatewayModel, status: int) -> None:
    llm_server.enqueue(Reply(status=status))
    await error_of(model)
    assert len(llm_server.requests) == 1


async def test_trying_again_has_an_end(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue(*many(Reply(status=503), 9))
    await error_of(model)
    assert len(llm_server.requests) == 4


async def test_the_wait_that_a_provider_asks_for_is_kept(
    llm_server: OpenAIServer, model: GatewayModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def slept(seconds: float) -> None:
        waits.append(seconds)

    llm_server.enqueue(Reply(status=429, headers=[("Retry-After", "7")]), "Good.")
    monkeypatch.setattr("chatsearch.llm.calls.sleep", slept)
    await pieces_of(model)
    assert waits == [7.0]


async def test_a_wait_that_is_too_long_is_said_and_not_made(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue(Reply(status=429, headers=[("Retry-After", "90")]))
    assert "Try again in 90 s" in await error_of(model)
    assert len(llm_server.requests) == 1


async def test_a_stream_cut_before_its_first_token_is_tried_again(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue(Reply("lost", cut_after=0), "Good.")
    assert await pieces_of(model) == [Piece("Good.")]


@pytest.mark.parametrize("cut", [Reply("Tesla died in 1943", cut_after=2), Reply("Tesla died", finish=None)])
async def test_a_stream_cut_in_the_middle_is_an_error_and_nothing_is_said_twice(
    llm_server: OpenAIServer, model: GatewayModel, cut: Reply
) -> None:
    llm_server.enqueue(cut)
    assert "broke the connection off" in await error_of(model)
    assert len(llm_server.requests) == 1


async def test_a_list_cut_in_the_middle_is_asked_for_anew(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue(Reply("[1] > [2] > [3]", cut_after=2), "[3] > [2] > [1]")
    assert await model.order(ORDER) == [2, 1, 0]


# --- what is said of faults


async def test_a_refused_key_names_the_variable_and_never_the_key(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue(Reply(status=401, error=f"Incorrect API key provided: {SECRET}"))
    said = await error_of(model)
    assert "“openai/gemma2” (openai-compatible)" in said
    assert "CHATSEARCH_LLM_API_KEY" in said


async def test_a_server_that_is_not_there_is_named_by_its_host() -> None:
    said = await error_of(model_at("http://127.0.0.1:9/v1", replace(QUICK, retries=0)))
    assert "127.0.0.1:9 cannot be reached" in said


async def test_too_many_requests_say_when_to_try_again(llm_server: OpenAIServer) -> None:
    llm_server.enqueue(Reply(status=429, headers=[("Retry-After", "12")]))
    said = await error_of(model_at(llm_server.url, replace(QUICK, retries=0)))
    assert "too many requests" in said
    assert "Try again in 12 s" in said


@pytest.mark.parametrize(
    "reply",
    [
        *(Reply(status=status, error=f"bad Bearer {SECRET}") for status in (400, 401, 403, 404, 408, 429, 500, 503)),
        Reply("x y", cut_after=1),
        Reply("x", finish=None),
        Reply("x", finish="length"),
        Reply(""),
    ],
    ids=lambda reply: f"{reply.status}-{reply.cut_after}-{reply.finish}",
)
async def test_no_fault_puts_the_key_into_a_message_or_a_log(
    llm_server: OpenAIServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], reply: Reply
) -> None:
    caplog.set_level(logging.DEBUG)
    llm_server.enqueue(reply, reply)
    await error_of(model_at(llm_server.url, replace(QUICK, retries=1)))
    out, err = capfd.readouterr()
    assert SECRET not in caplog.text + out + err


# --- counted and kept


async def test_tokens_and_calls_go_to_the_meter(llm_server: OpenAIServer, model: GatewayModel) -> None:
    llm_server.enqueue(Reply("Good.", usage=(120, 7)))
    meter = Meter()
    await pieces_of(model, meter=meter)
    assert meter == Meter(calls=1, tokens_in=120, tokens_out=7)


async def test_a_model_with_a_price_costs(llm_server: OpenAIServer) -> None:
    model = model_at(llm_server.url)
    known = replace(model, endpoint=replace(model.endpoint, model="openai/gpt-4o-mini"))
    llm_server.enqueue(Reply("Good.", usage=(1_000_000, 0)))
    meter = Meter()
    await pieces_of(known, meter=meter)
    assert meter.cost_usd == pytest.approx(0.15, abs=1e-4)


async def test_the_same_prompt_is_paid_once_and_replayed_streamed(llm_server: OpenAIServer, cached: GatewayModel) -> None:
    answer = "Tesla died in 1943 [1]. He lived in the New Yorker Hotel for years, they say [1]."
    llm_server.enqueue(answer)
    first, meter = await cited(cached), Meter()
    again = [piece async for piece in cached.stream(ANSWER, None, meter)]
    assert len(llm_server.requests) == 1
    assert meter == Meter(cached=1)
    assert len(again) > 3
    assert first.text == answer
    assert (await cited(cached)).footnotes == first.footnotes


async def test_another_prompt_model_or_parameter_is_asked_anew(llm_server: OpenAIServer, cached: GatewayModel) -> None:
    await pieces_of(cached)
    await pieces_of(cached, replace(ANSWER, query="Where?"))
    await pieces_of(replace(cached, most=99))
    await pieces_of(replace(cached, endpoint=replace(cached.endpoint, model="openai/llama3")))
    assert len(llm_server.requests) == 4


@pytest.mark.parametrize("bad", [Reply(""), Reply("Tesla died", finish="length"), Reply("Tesla died", cut_after=1)])
async def test_only_whole_good_answers_are_kept(llm_server: OpenAIServer, cached: GatewayModel, bad: Reply) -> None:
    llm_server.enqueue(bad, "Good.")
    with pytest.raises(ModelError):
        await pieces_of(cached)
    assert await pieces_of(cached) == [Piece("Good.")]


async def test_a_list_of_no_use_is_not_kept(llm_server: OpenAIServer, cached: GatewayModel) -> None:
    llm_server.enqueue("no idea", "[2] > [1] > [3]")
    with pytest.raises(ModelAnswerError):
        await cached.order(ORDER)
    meter = Meter()
    assert await cached.order(ORDER, None, meter) == await cached.order(ORDER, None, meter) == [1, 0, 2]
    assert (meter.calls, meter.cached) == (1, 1)


async def test_long_documents_fit_the_window(llm_server: OpenAIServer) -> None:
    model = model_at(llm_server.url, window=3000)
    long = tuple(
        PromptDocument(n, str(n), f"T{n}", "Nothing of note here. " * 900 + f"Tesla died {n}.", "en") for n in range(1, 9)
    )
    rendered = await model.rendered(replace(ANSWER, documents=long))
    assert rendered.used == tuple(range(1, 9))
    assert rendered.cut == rendered.used
    assert all(f"Tesla died {n}." in rendered.messages[1]["content"] for n in range(1, 9))


async def test_a_ping_takes_one_call_and_no_cache(llm_server: OpenAIServer, cached: GatewayModel) -> None:
    assert await cached.ping() >= 0
    llm_server.enqueue(Reply(status=503))
    with pytest.raises(ModelError):
        await cached.ping()
    assert len(llm_server.requests) == 2


async def test_a_follow_up_is_answered_by_the_llm_from_the_result_set(llm_server: OpenAIServer, tmp_path: Path) -> None:
    services = services_with(tmp_path, model="gemma2", llm_base_url=llm_server.url)
    rows = [document(one.id, one.text) for one in DOCUMENTS]
    spec = Spec.load({"pipeline": {"1": {"id": "index_datasource", "parameters": {"index": "x"}}}}, services.registry)
    talk = Conversation(services, spec, result_set(rows, "inventors").numbered()[0])
    llm_server.enqueue(Reply(tokens=("Tesla died in ", "1943 [", "1].")), NO_ANSWER)
    first = [event async for event in talk.ask("When did Tesla die?")][-1]
    second = [event async for event in talk.ask("Who won the world cup?")][-1]
    assert isinstance(first, Answered)
    assert isinstance(second, Answered)
    assert (first.answer.text, first.answer.model) == ("Tesla died in 1943 [1].", "gemma2")
    assert [(note.id, note.check.value) for note in first.answer.footnotes] == [("a", "exact")]
    assert second.answer.refused
    assert NO_ANSWER not in second.answer.text
