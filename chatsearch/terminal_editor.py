"""Editing an engine as JSON in the person's own editor."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from chatsearch.errors import InputError


def editor() -> list[str]:
    """The command of VISUAL or EDITOR; empty when neither is set. Raises InputError when it cannot be read as a command."""
    command = os.environ.get("VISUAL", "").strip() or os.environ.get("EDITOR", "").strip()
    try:
        return shlex.split(command)
    except ValueError as error:
        raise InputError(f"EDITOR is {command!r}, which is no command ({error}).") from None


async def edited(text: str, command: list[str]) -> str:
    """The text after the person has closed the editor. Raises InputError when the editor cannot be run or fails."""
    return await asyncio.to_thread(_edited, text, command)


def _edited(text: str, command: list[str]) -> str:
    with tempfile.TemporaryDirectory(prefix="chatsearch-") as folder:  # readable by its owner alone
        file = Path(folder) / "engine.json"
        file.write_text(text + "\n", encoding="utf-8")
        try:
            ended = subprocess.run([*command, str(file)], check=False)  # noqa: S603 - the person's own editor
            changed = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"The editor “{command[0]}” could not be used ({error}). Nothing was changed.") from error
    if ended.returncode:
        raise InputError(f"The editor “{command[0]}” ended with status {ended.returncode}. Nothing was changed.")
    return changed.removesuffix("\n")
