"""One call of a provider through litellm: streamed, limited in number and time, tried again where that helps, stopped at once."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

from chatsearch.errors import ModelAnswerError
from chatsearch.fitting import tokens
from chatsearch.llm.catalog import Endpoint
from chatsearch.llm.faults import Fault, SilentModelError, fault_of
from chatsearch.llm.library import litellm
from chatsearch.llm.model import Meter
from chatsearch.prompts import Message

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limits:
    """Simultaneous calls of a provider; seconds to connect, between tokens, in all; tries again; seconds between them.

    `backoff` doubles with every try; a provider's Retry-After comes before it, and is an error beyond `max_wait`.
    """

    concurrency: int = 8
    connect: float = 10.0
    token: float = 60.0
    total: float = 300.0
    retries: int = 3
    max_wait: float = 30.0
    backoff: float = 0.5


async def sleep(seconds: float) -> None:
    """The wait before the next try; a function of its own, so that tests need not wait."""
    await asyncio.sleep(seconds)


class Gate:
    """One semaphore for each provider, in each event loop."""

    def __init__(self, concurrency: int) -> None:
        self._concurrency = concurrency
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Semaphore]] = WeakKeyDictionary()

    def of(self, endpoint: Endpoint) -> asyncio.Semaphore:
        here = self._loops.setdefault(asyncio.get_running_loop(), {})
        return here.setdefault(endpoint.limited_with, asyncio.Semaphore(self._concurrency))


@dataclass
class Call:
    """A call to be made: `tokens()` streams the text. `parameters` are litellm's, such as max_tokens."""

    endpoint: Endpoint
    messages: Sequence[Message]
    parameters: Mapping[str, object]
    limits: Limits
    gate: Gate
    meter: Meter
    _usage: Any = None
    _finish: str = ""
    _written: list[str] = field(default_factory=list)
    _shown: bool = True

    async def tokens(self) -> AsyncGenerator[str, None]:
        """The answer's tokens. Raises ModelError; ModelAnswerError when the answer was cut.

        Tried again only while nothing was given out: what a person has seen is not said twice.
        """
        await asyncio.to_thread(litellm)
        async with self.gate.of(self.endpoint):
            for attempt in range(self.limits.retries + 1):
                try:
                    async with aclosing(self._attempt()) as stream:
                        async for token in stream:
                            yield token
                except Exception as error:  # noqa: BLE001  # litellm raises what it likes; none of it may reach a person or a log
                    fault = fault_of(error, self.endpoint)
                else:
                    self._whole()
                    return
                await self._before_next(fault, attempt)

    async def text(self) -> str:
        """The whole answer, begun anew also when it broke off in the middle. Raises as `tokens` does."""
        self._shown = False
        async with aclosing(self.tokens()) as stream:
            async for _ in stream:
                pass
        return "".join(self._written)

    async def _before_next(self, fault: Fault, attempt: int) -> None:
        """Waits for the next try. Raises the fault's error when there is none."""
        wait = fault.wait if fault.wait is not None else self.limits.backoff * 2**attempt * random.uniform(0.5, 1.0)
        last = attempt >= self.limits.retries or wait > self.limits.max_wait
        if not fault.passing or (self._written and self._shown) or last:
            raise fault.error()
        log.info("%s failed (%d), next try in %.1f s", self.endpoint.name, fault.status, wait)
        await sleep(wait)

    async def _attempt(self) -> AsyncGenerator[str, None]:
        ends = time.monotonic() + self.limits.total
        self.meter.calls += 1
        self._usage, self._finish, self._written = None, "", []
        response = await self._in_time(litellm().acompletion(**self._arguments()), ends)
        try:
            while (chunk := await self._in_time(anext(response, None), ends)) is not None:
                token = self._read(chunk)
                if token:
                    self._written.append(token)
                    yield token
        finally:
            await response.aclose()  # closes the connection, so that the provider stops
            self._count()

    def _arguments(self) -> dict[str, object]:
        import httpx

        place: dict[str, object] = {}
        if self.endpoint.base_url:
            place["api_base"] = self.endpoint.base_url
        if self.endpoint.key:
            place["api_key"] = self.endpoint.key
        seconds = httpx.Timeout(self.limits.total, connect=self.limits.connect)
        return {
            **self.parameters, **place, "model": self.endpoint.model, "messages": [dict(one) for one in self.messages],
            "stream": True, "stream_options": {"include_usage": True}, "timeout": seconds, "max_retries": 0, "num_retries": 0,
            "drop_params": True, "no-log": True,
        }  # fmt: skip

    async def _in_time(self, awaitable: Any, ends: float) -> Any:
        seconds = min(self.limits.token, ends - time.monotonic())
        late = SilentModelError(self.limits.token if seconds == self.limits.token else self.limits.total)
        try:
            async with asyncio.timeout(max(0.0, seconds)):  # not wait_for, which in 3.11 may swallow a cancellation
                return await awaitable
        except TimeoutError:
            raise late from None

    def _read(self, chunk: Any) -> str:
        usage = getattr(chunk, "usage", None)
        self._usage = usage if usage is not None else self._usage
        if not chunk.choices:
            return ""
        self._finish = chunk.choices[0].finish_reason or self._finish
        return chunk.choices[0].delta.content or ""

    def _whole(self) -> None:
        if self._finish == "length":
            limit = self.parameters.get("max_tokens")
            raise ModelAnswerError(
                f"The answer of the model “{self.endpoint.name}” was cut off after {limit} tokens. "
                "Raise the setting llm_max_tokens."
            )
        if self._finish == "content_filter":
            raise ModelAnswerError(f"The provider of the model “{self.endpoint.name}” held its answer back (content filter).")

    def _count(self) -> None:
        """Adds tokens and cost, as the provider counts them; about, where it does not."""
        said = "".join(self._written)
        tokens_in = int(getattr(self._usage, "prompt_tokens", 0) or sum(tokens(one["content"]) for one in self.messages))
        tokens_out = int(getattr(self._usage, "completion_tokens", 0) or tokens(said))
        self.meter.tokens_in += tokens_in
        self.meter.tokens_out += tokens_out
        self.meter.cost_usd += _cost(self.endpoint.model, tokens_in, tokens_out)


def _cost(model: str, tokens_in: int, tokens_out: int) -> float:
    """USD by litellm's price list; 0 for a model that is not in it."""
    try:
        costs = litellm().cost_per_token(model=model, prompt_tokens=tokens_in, completion_tokens=tokens_out)
    except Exception:  # noqa: BLE001  # it raises a bare Exception for a model it does not know
        return 0.0
    return float(sum(costs))
