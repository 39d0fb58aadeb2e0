"""How long a person waits in the chat of a warm server: until it shows that it works, the list, the summary, an answer.

    python -m benchmarks.chat_latency [SEARCHES]

Starts `chatsearch serve`, speaks the browser's websocket, prints the median and the slowest in seconds.
"""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

QUERIES = (
    "What year did Tesla die?",
    "Who was Genghis Khan's successor?",
    "What is Internet2?",
    "When was Warsaw's first stock exchange established?",
    "Who is the chair of the IPCC?",
)


def main() -> None:
    searches = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "CHATSEARCH_DATA_DIR": data, "PYTHONPATH": str(Path(__file__).parents[1])}
        command = [sys.executable, "-m", "chatsearch.cli", "serve", "--port", "0"]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout
            address = re.findall(r"http://\S+", server.stdout.readline())[0]
            try:
                times = asyncio.run(_measure(address, searches))
            finally:
                server.terminate()
    print("seconds from the message                    median  slowest")
    for name, values in times.items():
        print(f"{name:42} {statistics.median(values):7.3f} {max(values):8.3f}")


async def _measure(address: str, searches: int) -> dict[str, list[float]]:
    import aiohttp
    import socketio

    times: dict[str, list[float]] = {}
    async with aiohttp.ClientSession(headers={"Origin": address}) as http:
        await _ready(http, address)
        events: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        client = socketio.AsyncClient(http_session=http)
        client.on("*", lambda event, data=None: events.put_nowait((event, data)))
        auth = {"sessionId": str(uuid.uuid4()), "clientType": "webapp", "threadId": "", "userEnv": "{}", "chatProfile": ""}
        await client.connect(address, auth=auth, transports=["websocket"], socketio_path="/ws/socket.io")
        await client.emit("connection_successful")
        for number in range(searches + 1):
            query = QUERIES[number % len(QUERIES)]
            for text, wanted in ((f"/search {query}", SEARCH), (query, ANSWER)):
                measured = await _send(client, events, text, wanted)
                if number:  # the first one still loads
                    for name, seconds in measured.items():
                        times.setdefault(name, []).append(seconds)
        await client.disconnect()
    return times


SEARCH = {"acknowledged: the steps are shown": "Steps", "the list is shown": "Results"}
ANSWER = {"a follow-up's text begins": "Citations"}


async def _send(client: Any, events: asyncio.Queue[tuple[str, Any]], text: str, wanted: dict[str, str]) -> dict[str, float]:
    message = {"id": str(uuid.uuid4()), "name": "User", "type": "user_message", "output": text}
    began = time.perf_counter()
    await client.emit("client_message", {"message": message, "fileReferences": []})
    seen: dict[str, float] = {}
    while True:
        event, data = await events.get()
        for name, element in wanted.items():
            if event == "element" and data["name"] == element:
                seen.setdefault(name, time.perf_counter() - began)
        if event == "task_end":
            kind = "search" if wanted is SEARCH else "follow-up"
            return {**seen, f"all done ({kind}, with suggestions)": time.perf_counter() - began}


async def _ready(http: Any, address: str) -> None:
    while True:
        async with http.get(f"{address}/healthz") as answer:
            if '"warm": true' in await answer.text():
                return
        await asyncio.sleep(0.1)


if __name__ == "__main__":
    main()
