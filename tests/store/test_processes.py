"""Several processes share a store: they may open it at once, write at once, and be killed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from chatsearch.settings import Settings
from chatsearch.store import Store

ROOT = Path(__file__).resolve().parents[2]

WRITER = """
import asyncio, sys
import pandas as pd
from chatsearch.results import Answer, ResultSet
from chatsearch.settings import load_settings
from chatsearch.store import Store

async def main(shared, count):
    store = await Store.open(load_settings())
    for n in range(count):
        frame = pd.DataFrame({"id": [f"{n}-{row}" for row in range(20)], "full-text": ["word " * 200] * 20})
        made = await store.save_results(ResultSet(str(n), "", frame), chat="chat", engine="e")
        if shared:
            await store.add_answer(shared, Answer(made, "", "", False, "m"))
        print(made, flush=True)
    await store.close()

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


@asynccontextmanager
async def writer(settings: Settings, shared: str = "", count: int = 10) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that saves `count` result sets, adds an answer to `shared` after each, and prints their ids."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "CHATSEARCH_DATA_DIR": str(settings.data_dir),
        "CHATSEARCH_DATABASE_URL": settings.database_url.get_secret_value(),
    }
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, shared, str(count), env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


async def ids_written(process: asyncio.subprocess.Process) -> list[str]:
    written, failed = await process.communicate()
    assert process.returncode == 0, failed.decode()
    return written.decode().split()


async def test_processes_that_open_a_new_store_at_once_and_write_lose_nothing(settings: Settings) -> None:
    async with writer(settings) as one, writer(settings) as two, writer(settings) as three:
        written = [*await ids_written(one), *await ids_written(two), *await ids_written(three)]
    store = await Store.open(settings)
    assert sorted(written) == sorted(line.id for line in await store.sets_of("chat"))
    await store.close()


async def test_processes_that_answer_about_one_set_at_once_lose_no_answer(store: Store, settings: Settings) -> None:
    async with writer(settings, count=1) as first:
        (shared,) = await ids_written(first)
    async with writer(settings, shared) as one, writer(settings, shared) as two:
        written = {*await ids_written(one), *await ids_written(two)}
    stored = await store.load_results(shared)
    assert stored
    assert {answer.question for answer in stored.answers} == written
    assert len(stored.answers) == 20


async def test_a_store_whose_writer_was_killed_opens_and_has_all_that_was_saved(settings: Settings) -> None:
    async with writer(settings, count=100_000) as process:
        assert process.stdout
        written = [(await process.stdout.readline()).decode().strip() for _ in range(5)]
        process.kill()
    store = await Store.open(settings)
    lines = await store.sets_of("chat")
    assert [line.id for line in lines[:5]] == written
    for line in lines:
        stored = await store.load_results(line.id)
        assert stored
        assert len(stored.results) == line.documents == 20
        assert await store.find_document("e", f"{stored.results.asked}-19")
    await store.close()
