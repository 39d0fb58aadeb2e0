"""Answers of language models kept on disk, so that the same prompt is paid once: one SQLite file, bounded in size."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, text TEXT NOT NULL, bytes INTEGER NOT NULL, used REAL NOT NULL)
  WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_use ON answers (used);
"""
_OVERHEAD = 200  # bytes of a row beside its text
_FULL_AGAIN = 0.9


@dataclass
class AnswerCache:
    """Text answers by key, at most `limit` bytes of them; those not used for longest go first. Several processes may share it.

    It never stops a run: a file that cannot be read or written is logged, and the model is asked.
    """

    path: Path
    limit: int

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._broken = self.limit <= 0

    def get(self, key: str) -> str | None:
        """The answer kept under this key. Blocking."""
        row = self._run("SELECT text FROM answers WHERE key = ?", (key,))
        if not row:
            return None
        self._run("UPDATE answers SET used = ? WHERE key = ?", (time.time(), key))
        return str(row[0][0])

    def put(self, key: str, text: str) -> None:
        """Keep an answer, and let go of the oldest when there is no room. Blocking."""
        size = len(text.encode("utf-8", "replace")) + _OVERHEAD
        if size > self.limit:
            return
        values = (key, text.encode("utf-8", "replace").decode("utf-8"), size, time.time())
        self._run("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", values)
        self._make_room()

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _make_room(self) -> None:
        kept = self._run("SELECT COALESCE(SUM(bytes), 0) FROM answers")
        if not kept or kept[0][0] <= self.limit:
            return
        older = "SELECT key FROM (SELECT key, SUM(bytes) OVER (ORDER BY used DESC, key) AS newer FROM answers) WHERE newer > ?"
        self._run(f"DELETE FROM answers WHERE key IN ({older})", (int(self.limit * _FULL_AGAIN),))  # noqa: S608

    def _run(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        with self._lock:
            if self._broken:
                return []
            try:
                return self._open().execute(statement, values).fetchall()
            except (sqlite3.Error, OSError) as error:
                log.warning("the answers kept in %s cannot be used (%s); models are asked anew", self.path, error)
                self._broken = not isinstance(error, sqlite3.OperationalError) or "locked" not in str(error)
                return []

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600)  # it holds what people asked
            self._connection = sqlite3.connect(self.path, timeout=5, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.executescript(_SCHEMA)
        return self._connection


def cache_key(model: str, base_url: str, messages: Sequence[Mapping[str, str]], parameters: Mapping[str, object]) -> str:
    """One key per model, place, messages and parameters."""
    what = [model, base_url, [dict(one) for one in messages], dict(parameters)]
    return sha256(json.dumps(what, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
