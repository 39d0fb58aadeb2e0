"""`chatsearch serve` as a process of its own, for tests that need the whole product."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def running_server(data_dir: Path, *, port: str = "0", kill: bool = False, **environment: str) -> Iterator[str]:
    """`chatsearch serve` on that port, 0 for a free one; its URL once it is ready. With `kill` it ends as in a power cut."""
    own = {"CHATSEARCH_DATA_DIR": str(data_dir), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **environment}
    command = [sys.executable, "-m", "chatsearch.cli", "serve", "--port", port]
    data_dir.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(command, cwd=data_dir, env={**os.environ, **own}, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        address = re.search(r"http://\S+", process.stdout.readline())
        assert address, "the server did not say where it is"
        _ready(address[0], process)
        yield address[0]
    finally:
        (process.kill if kill else process.terminate)()
        assert process.wait(20) in ((-9,) if kill else (0, -15))


def _ready(address: str, process: subprocess.Popen[str]) -> None:
    """Until the chat and its models are loaded; the server's end is a failure."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended"
        with urlopen(f"{address}/healthz") as answer:
            if b'"warm": true' in answer.read():
                return
        time.sleep(0.2)
    raise AssertionError("the chat was not ready in time")
