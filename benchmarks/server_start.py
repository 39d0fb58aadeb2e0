"""How long a server takes from the start of its process: to /healthz, to the chat, to warm models, and to its end at Ctrl-C.

    python -m benchmarks.server_start [RUNS]

Prints seconds per run; each starts in a data directory of its own, so that the demo index is built too.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print("healthz  chat  index  end   load", "seconds; load: processes waiting for the CPU")
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as data:
            figures = measure(Path(data))
        print("{:7.2f} {:5.2f} {:6.2f} {:5.2f}".format(*figures), f"{os.getloadavg()[0]:5.1f}")


def measure(data: Path) -> tuple[float, float, float, float]:
    """Seconds until /healthz answers, the chat page is there, the demo index is built, and from Ctrl-C to the end."""
    environment = {**os.environ, "CHATSEARCH_DATA_DIR": str(data), "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-m", "chatsearch.cli", "serve", "--port", "0"]
    began = time.monotonic()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(re.findall(r":(\d+)", process.stdout.readline())[0])
        answered = began
        while (status := _status(port)) != "ok":
            if status and answered == began:
                answered = time.monotonic()
            time.sleep(0.02)
        ready = time.monotonic()
        while not (data / "indexes" / "demo" / "CURRENT").exists():
            time.sleep(0.02)
        built = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait()
        ended = time.monotonic()
    return answered - began, ready - began, built - began, ended - built


def _status(port: int) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/healthz")
        return str(json.loads(connection.getresponse().read())["status"])
    except OSError:
        return ""
    finally:
        connection.close()


if __name__ == "__main__":
    main()
