"""What the gateway itself costs, against a server of our own that answers after 300 ms: `python -m benchmarks.gateway`."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.server_code import server_code
from chatsearch.llm.gateway import GatewayModel
from chatsearch.llm.library import litellm
from chatsearch.llm.model import Piece
from chatsearch.prompts import Prompt, PromptDocument, Task, render
from chatsearch.results import ResultSet
from chatsearch.services import Services
from chatsearch.settings import load_settings
from chatsearch.step import StepRun

ROWS = 20
SECONDS = 0.3


def main() -> None:
    logging.basicConfig(level=logging.CRITICAL)
    began = time.perf_counter()
    litellm()
    print(f"import of litellm: {time.perf_counter() - began:.1f} s (once, in a thread)")
    scripted = server_code()
    with scripted.openai_server() as server, tempfile.TemporaryDirectory() as folder:
        server.usual = scripted.Reply("It says something [1].", before=SECONDS)
        asyncio.run(_measure(server, Path(folder)))
    _rendering()


async def _measure(server: Any, folder: Path) -> None:
    services = _services(server.url, folder, concurrency=ROWS)
    await _summaries(services)  # opens the connections
    for concurrency in (ROWS, 8):
        services = _services(server.url, folder / str(concurrency), concurrency)
        seconds = [await _timed(services, run) for run in range(3)]
        print(f"{ROWS} summaries, {concurrency} at once, model {SECONDS:.1f} s: {min(seconds):.2f} to {max(seconds):.2f} s")
    print(f"the same again, from the cache: {await _timed(services, 0):.3f} s")
    await _first_token(services)


async def _timed(services: Services, run: int) -> float:
    began = time.perf_counter()
    await _summaries(services, run)
    return time.perf_counter() - began


async def _summaries(services: Services, run: int = -1) -> None:
    rows = [{"id": str(n), "title": f"T{n}", "url": "", "full-text": f"Run {run}, text {n}. " * 60} for n in range(ROWS)]
    frame = pd.DataFrame(rows).assign(_source_index_="x", _original_ranking_=range(1, ROWS + 1))
    step = StepRun(services, 1, "llm_summarizer", lambda event: None)
    after = await services.registry.get("llm_summarizer")().transform(ResultSet("q", "q", frame), step)
    assert all(after.documents["summary"]), step.warnings


async def _first_token(services: Services) -> None:
    model, _ = services.language_model()
    assert isinstance(model, GatewayModel)
    waits = []
    for n in range(5):
        prompt = Prompt(Task.ANSWER, f"What is said, {n}?", (PromptDocument(1, "a", "T", "It says something. " * 40, "en"),))
        began, first = time.perf_counter(), 0.0
        async for piece in model.stream(prompt):
            first = first or (time.perf_counter() - began if isinstance(piece, Piece) else 0.0)
        waits.append(first - SECONDS)
    print(f"first token: the model's time and {1000 * sorted(waits)[2]:.0f} ms (median of 5)")


def _rendering() -> None:
    text = "Tesla built a tower near the river in 1901 and sold it again to the owner of the hotel. " * 118
    documents = tuple(PromptDocument(n, str(n), f"T{n}", text, "en") for n in range(1, 51))
    began = time.perf_counter()
    made = render(Prompt(Task.ANSWER, "Who built the tower?", documents), 7000)
    print(f"rendering 50 documents of 2,000 words to 7,000 tokens: {time.perf_counter() - began:.2f} s ({len(made.used)} used)")


def _services(url: str, folder: Path, concurrency: int) -> Services:
    return Services(load_settings(data_dir=folder, model="test", llm_base_url=url, llm_concurrency=concurrency))


if __name__ == "__main__":
    main()
