"""docs/commands.md, made from what the commands declare; a test fails when it is stale."""

from __future__ import annotations

from collections.abc import Iterator

from chatsearch.commands.command import Command
from chatsearch.commands.registry import FAMILIES

_HEAD = """# Slash commands

Made from the declarations of the commands; a test fails when it is stale. They work in the chat, typed or picked, and in
`chatsearch chat`. Capitals do not matter. What a command changes is this chat's alone until it is saved; `/undo` takes any
change of the engine back. An engine that its owner locked can be searched and read, and refuses the commands marked *changes
the engine*.

A value with spaces stands in quotation marks (`value="two words"`); `""` is an empty value, which stands for a parameter's
default. Lists are values with commas between them, or JSON. Yes, true, on and 1 are the same; so are No, false, off and 0.
"""


def commands_markdown() -> str:
    """Every command by family: usage, what it does, examples."""
    return "\n".join([_HEAD, *_contents(), *(line for family in FAMILIES for line in _family(family))]) + "\n"


def _contents() -> Iterator[str]:
    yield "| command | what it does |\n| --- | --- |"
    for family in FAMILIES.values():
        for command in family:
            yield f"| [`/{command.name}`](#{command.name}) | {_cell(command.help)} |"


def _family(family: str) -> Iterator[str]:
    yield f"\n## {family}"
    for command in FAMILIES[family]:
        yield from _command(command)


def _command(command: Command) -> Iterator[str]:
    changes = " *Changes the engine.*" if command.changes_spec else ""
    yield f"\n### {command.name}\n\n`{command.usage}`\n\n{command.help}{changes}\n\n```text"
    yield from command.examples
    yield "```"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
