"""Makes an incomplete follow-up whole with a language model; what needs none is understood by rules, and so is what fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import regex

from chatsearch.answering import prompt_documents, text_column
from chatsearch.completion_guard import read_completion
from chatsearch.errors import ModelAnswerError, ModelError
from chatsearch.incomplete import may_be_incomplete as may_be_incomplete
from chatsearch.llm.model import LanguageModel, Meter, Piece
from chatsearch.prompts import Prompt, Task
from chatsearch.results import NO_LLM, ResultSet
from chatsearch.turns import Turn
from chatsearch.understanding import Kind, Understanding, understand

TURNS = 3
"""Earlier turns that a model is shown."""

SECONDS = 20.0
"""How long a model may take: the person sees nothing before the question is understood."""

_ANSWER = 300  # code points of an earlier answer
_MARKER = regex.compile(r"\s?\[\d+\]")


async def understand_with_model(
    question: str,
    turns: Sequence[Turn],
    language: str,
    results: ResultSet,
    model: LanguageModel,
    meter: Meter | None = None,
) -> Understanding:
    """`understand`, with `model` for a question to the documents that may be incomplete; a complete one costs no call.

    Where the model fails or writes no question the rules' understanding stands, and its `notice` is what to tell the person.
    """
    by_rules = await asyncio.to_thread(understand, question, turns, language, results)
    if by_rules.kind is not Kind.QUESTION or by_rules.numbers or not may_be_incomplete(question, turns, language):
        return by_rules
    sendable = await asyncio.to_thread(_may_be_sent, turns, results, model)
    try:
        whole = await complete_with_model(question, sendable, language, model, meter)
    except ModelError as error:
        taken = "was taken as it stands" if by_rules.reason == "complete" else "was completed by rules alone"
        return replace(by_rules, notice=f"The question {taken}. {error}")
    if whole == question.strip():  # small models like to leave it as it is; the rules only change what they are sure of
        return by_rules
    reason = "incomplete" if by_rules.reason == "complete" else by_rules.reason
    return replace(by_rules, understood_as=whole, query=whole, reason=reason)


async def complete_with_model(
    question: str, turns: Sequence[Turn], language: str, model: LanguageModel, meter: Meter | None = None
) -> str:
    """`question` made whole by `model` from the last `TURNS` turns (oldest first); itself when it may not be incomplete.

    Raises ModelError; ModelAnswerError when the answer is no such question, or takes over `SECONDS`.
    """
    if not may_be_incomplete(question, turns, language):
        return question.strip()
    shown = [replace(turn, answer=_short(turn.answer)) for turn in turns[-TURNS:]]
    said = tuple((turn.question, turn.answer) for turn in shown)
    prompt = Prompt(Task.COMPLETE, question, language=language, turns=said)
    try:
        async with asyncio.timeout(SECONDS):
            written = "".join([piece.text async for piece in model.stream(prompt, None, meter) if isinstance(piece, Piece)])
    except TimeoutError:
        raise ModelAnswerError(f"The model “{model.name}” took over {SECONDS:g} s to complete it.") from None
    try:
        return await asyncio.to_thread(read_completion, written, question, shown, language)
    except ModelAnswerError as error:
        raise ModelAnswerError(f"What the model “{model.name}” wrote is of no use. {error}") from None


def _short(answer: str) -> str:
    """The beginning of an answer, cut between words, without its footnotes."""
    text = _MARKER.sub("", answer).strip()
    return text if len(text) <= _ANSWER else f"{text[:_ANSWER].rsplit(maxsplit=1)[0]} …"


def _may_be_sent(turns: Sequence[Turn], results: ResultSet, model: LanguageModel) -> list[Turn]:
    """The turns without the answers that may quote a document no language model may get (`_no_llm_`)."""
    if not model.remote or NO_LLM not in results.documents.columns:
        return list(turns)
    numbers = set((results.numbers or results.ranks()).values())
    open_ones = {one.n for one in prompt_documents(results, text_column(results, ""), model, lambda code, message: None)}
    if numbers == open_ones:
        return list(turns)
    return [
        turn if turn.listed and open_ones.issuperset(turn.listed) else replace(turn, answer="", topic="", listed=())
        for turn in turns
    ]
