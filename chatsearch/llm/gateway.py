"""A chat model behind the interface that all models have: prompts rendered, answers streamed, checked, repaired and kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from chatsearch.errors import ModelAnswerError
from chatsearch.llm.answers import Judgements, parse_judgements, parse_order
from chatsearch.llm.cache import AnswerCache, cache_key
from chatsearch.llm.calls import Call, Gate, Limits
from chatsearch.llm.catalog import Endpoint
from chatsearch.llm.library import litellm
from chatsearch.llm.model import Meter, Piece, Refusal
from chatsearch.llm.reader import AnswerReader
from chatsearch.prompts import CITING, NUMBERED_ANEW, Message, Prompt, PromptDocument, Rendered, Task, render
from chatsearch.work import Progress

USUAL_WINDOW = 8192
JUDGED_AT_ONCE = 10
"""Documents of one call that judges: grades of longer lists lean on each other, and texts have to be cut."""

_SPARE = 200  # tokens for what chat templates add
_REPLAYED = 40  # characters of a kept answer at a time
_NEEDS_DOCUMENTS = CITING | {Task.SUMMARIZE_DOCUMENT}

T = TypeVar("T")


@dataclass
class GatewayModel:
    """A `LanguageModel` that asks an LLM through litellm. It counts as remote wherever it runs: what may not go to one does not.

    `window` is the tokens of a prompt and its answer; 0 takes litellm's, else 8192. `most` bounds the answer.
    """

    endpoint: Endpoint
    limits: Limits = field(default_factory=Limits)
    gate: Gate = field(default_factory=lambda: Gate(Limits().concurrency))
    cache: AnswerCache | None = None
    window: int = 0
    most: int = 1024
    name: str = field(init=False)
    remote: bool = field(init=False, default=True)
    _rendered: tuple[Prompt, Rendered] | None = field(init=False, default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.name = self.endpoint.name

    async def stream(
        self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None
    ) -> AsyncGenerator[Piece | Refusal, None]:
        """Pieces of text, and one with `cites` per footnote; at the end a `Refusal` when the documents have no answer.

        Raises ModelError; ModelAnswerError for an answer that is empty or was cut.
        """
        if prompt.task in NUMBERED_ANEW:
            raise ValueError(f"{prompt.task} has no text: use judge() or order()")
        if prompt.task in _NEEDS_DOCUMENTS and not prompt.documents:
            yield Refusal("no documents")
            return
        rendered = await self.rendered(prompt)
        messages = rendered.messages
        kept = await self._kept(messages, meter)
        # a document that did not fit into the prompt cannot be what a statement rests on
        reader = AnswerReader(prompt.numbers() if prompt.citable else prompt.numbers().intersection(rendered.used))
        async with aclosing(_replayed(kept) if kept else self._call(messages, meter).tokens()) as tokens:
            async for token in tokens:
                for piece in reader.feed(token):
                    yield piece
        for piece in reader.end():
            yield piece
        if reader.empty and not reader.refused:
            raise ModelAnswerError(f"The model “{self.name}” gave an empty answer. Try again, or choose another model.")
        if not kept:
            await self._keep(messages, reader.raw)
        if reader.refused:
            yield Refusal("the model says that the documents do not contain it")

    async def judge(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[float]:
        """The relevance of each document from 0 to 1, in their order; 0.5 for one the model leaves out, counted as repaired.

        Asked in groups of ten at the same time. Raises ModelError; ModelAnswerError when the answer for a group judges none.
        """
        documents, judged_by_now = prompt.documents, 0

        async def judged(group: tuple[PromptDocument, ...]) -> Judgements:
            nonlocal judged_by_now
            found = await self._list(replace(prompt, task=Task.JUDGE, documents=group), parse_judgements, meter)
            judged_by_now += len(group)
            if progress:
                progress(judged_by_now, len(documents))
            return found

        starts = range(0, len(documents), JUDGED_AT_ONCE)
        each = await together(judged(documents[start : start + JUDGED_AT_ONCE]) for start in starts)
        _repaired(meter, sum(one.repaired for one in each))
        return [relevance for one in each for relevance in one.relevance]

    async def order(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[int]:
        """The places of the documents, from 0, the best first, each once; what had to be repaired is counted.

        Raises ModelError; ModelAnswerError when the answer orders nothing.
        """
        if len(prompt.documents) < 2:
            return list(range(len(prompt.documents)))
        found = await self._list(replace(prompt, task=Task.ORDER), parse_order, meter)
        _repaired(meter, found.repaired)
        if progress:
            progress(1, 1)
        return list(found.places)

    async def rendered(self, prompt: Prompt) -> Rendered:
        """The messages of a prompt as this model gets them, and which documents are in them; the last prompt's are remembered."""
        if self._rendered is None or self._rendered[0] is not prompt:
            self._rendered = prompt, await asyncio.to_thread(lambda: render(prompt, self.room()))
        return self._rendered[1]

    def room(self) -> int:
        """Tokens a rendered prompt may have. Blocking: the first call may load litellm."""
        window = self.window or _known_window(self.endpoint) or USUAL_WINDOW
        return max(window // 2, window - self.most - _SPARE)

    async def ping(self) -> float:
        """Seconds that one shortest call takes, not from the cache and not tried again. Raises ModelError."""
        await asyncio.to_thread(litellm)
        began = time.monotonic()
        call = self._call(({"role": "user", "content": "Say OK."},), None)
        with suppress(ModelAnswerError):  # 16 tokens are not enough for a model that thinks first: it is there all the same
            await replace(call, limits=replace(self.limits, retries=0), parameters={"max_tokens": 16}).text()
        return time.monotonic() - began

    async def _list(self, prompt: Prompt, parse: Callable[[str, int], T], meter: Meter | None) -> T:
        """What `parse` reads in the answer; only an answer it can read is kept."""
        messages = (await self.rendered(prompt)).messages
        kept = await self._kept(messages, meter)
        answer = kept or await self._call(messages, meter).text()
        try:
            found = parse(answer, len(prompt.documents))
        except ModelAnswerError as error:
            raise ModelAnswerError(f"The answer of the model “{self.name}” is of no use. {error}") from None
        if not kept:
            await self._keep(messages, answer)
        return found

    def _call(self, messages: tuple[Message, ...], meter: Meter | None) -> Call:
        return Call(self.endpoint, messages, self._parameters(), self.limits, self.gate, meter or Meter())

    def _parameters(self) -> dict[str, object]:
        return {"max_tokens": self.most, "temperature": 0}

    def _key(self, messages: tuple[Message, ...]) -> str:
        plain = [{"role": str(one["role"]), "content": one["content"]} for one in messages]
        return cache_key(self.endpoint.model, self.endpoint.base_url, plain, self._parameters())

    async def _kept(self, messages: tuple[Message, ...], meter: Meter | None) -> str:
        if self.cache is None:
            return ""
        kept = await asyncio.to_thread(self.cache.get, self._key(messages))
        if kept and meter is not None:
            meter.cached += 1
        return kept or ""

    async def _keep(self, messages: tuple[Message, ...], answer: str) -> None:
        if self.cache is not None and answer.strip():
            await asyncio.to_thread(self.cache.put, self._key(messages), answer)


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all, at the same time; the first error ends the others and is raised itself."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in work]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


async def _replayed(text: str) -> AsyncGenerator[str, None]:
    for start in range(0, len(text), _REPLAYED):
        yield text[start : start + _REPLAYED]
        await asyncio.sleep(0)


def _known_window(endpoint: Endpoint) -> int:
    """What litellm's list says a model reads at once; 0 when it does not know it."""
    known = litellm().model_cost
    for name in (endpoint.model, endpoint.model.partition("/")[2]):
        window = known.get(name, {}).get("max_input_tokens")
        if isinstance(window, int | float) and window > 0:
            return int(window)
    return 0


def _repaired(meter: Meter | None, count: int) -> None:
    if meter is not None:
        meter.repaired += count
