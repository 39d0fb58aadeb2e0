"""What `chatsearch models` prints: the models that are configured, and whether each answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from chatsearch.errors import ModelError
from chatsearch.services import EXTRACTIVE, Services
from chatsearch.terminal import write_json


@dataclass(frozen=True)
class ModelLine:
    """A model: what it is for (`text` or `embedding`), who runs it, which setting named it, whether a spec may name it.

    `answers` is None when it was not tried; else `seconds` says how long that took, or `reason` why it does not.
    """

    name: str
    kind: str
    provider: str
    where: str
    allowed: bool = True
    default: bool = False
    answers: bool | None = None
    seconds: float | None = None
    reason: str = ""

    def to_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "kind": self.kind,
            "provider": self.provider,
            "from": self.where,
            "allowed": self.allowed,
            "default": self.default,
            "answers": self.answers,
            "seconds": self.seconds,
            "reason": self.reason,
        }


Trial = Callable[[], Awaitable[object]]


def show_models(services: Services, console: Console, output: str, try_them: bool) -> None:
    """All models, as a table or JSON; tried at the same time where they run elsewhere."""
    lines = asyncio.run(model_lines(services, try_them))
    if output == "json":
        write_json([line.to_json() for line in lines])
        return
    table = Table("model", "for", "provider", "named by", *(["answers"] if try_them else []), box=box.SIMPLE_HEAD)
    for line in lines:
        name = Text(line.name + (" (default)" if line.default else ""))
        table.add_row(name, line.kind, line.provider, line.where, *([_answer(line)] if try_them else []))
    console.print(table)
    for line in lines:
        if line.reason:
            console.print(f"! {line.reason}", style="yellow", markup=False, soft_wrap=True)


async def model_lines(services: Services, try_them: bool) -> list[ModelLine]:
    """A line for each model, the default first within its kind."""
    pairs = [*_text_models(services), *_embedding_models(services)]
    if not try_them:
        return [line for line, _ in pairs]
    remote = [_tried(line, trial) for line, trial in pairs if line.provider != "built in"]
    tried = iter(await asyncio.gather(*remote))
    return [await _tried(line, trial) if line.provider == "built in" else next(tried) for line, trial in pairs]


def _text_models(services: Services) -> list[tuple[ModelLine, Trial]]:
    default = services.catalog.default
    found: list[tuple[ModelLine, Trial]] = []
    for endpoint in services.catalog.endpoints():
        line = ModelLine(
            endpoint.name, "text", endpoint.provider, f"the setting {endpoint.where}", default=endpoint.name == default
        )
        found.append((line, services.gateway_model(endpoint).ping))
    built_in = ModelLine(EXTRACTIVE, "text", "built in", "always there", default=default == EXTRACTIVE)
    return [*found, (built_in, lambda: _quote(services))]


def _embedding_models(services: Services) -> list[tuple[ModelLine, Trial]]:
    def trial(name: str) -> Trial:
        return lambda: services.embeddings.encode(name, ["A sentence to try a model with."], "query")

    return [(ModelLine(name, "embedding", "built in", "packaged"), trial(name)) for name in services.embeddings.names()]


async def _quote(services: Services) -> None:
    from chatsearch.prompts import Prompt, PromptDocument, Task

    model, _ = services.language_model(EXTRACTIVE)
    document = PromptDocument(1, "a", "", "A sentence to try a model with.", "en")
    async for _ in model.stream(Prompt(Task.SUMMARIZE_DOCUMENT, "", (document,))):
        pass


async def _tried(line: ModelLine, trial: Trial) -> ModelLine:
    began = time.monotonic()
    try:
        answered = await trial()
    except ModelError as error:
        return replace(line, answers=False, reason=str(error))
    seconds = answered if isinstance(answered, float) else time.monotonic() - began
    return replace(line, answers=True, seconds=round(seconds, 2))


def _answer(line: ModelLine) -> Text:
    return Text(f"yes, in {line.seconds:.1f} s") if line.answers else Text("no", "yellow")
