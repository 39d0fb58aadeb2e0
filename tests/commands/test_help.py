"""`/help` and docs/commands.md are made from the declarations, and every example in them runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.commands.command import Command
from chatsearch.commands.docs import commands_markdown
from chatsearch.commands.plain import plain
from chatsearch.commands.registry import BY_NAME, FAMILIES, USAGES, respond
from chatsearch.commands.reply import Changed, Code, Heading, Note, Offer, Paragraph, Reply, table
from chatsearch.commands.session import Session
from tests.commands.sessions import ENGINE, Kept, refusal, results, said, session_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"

EXAMPLES = [(name, example) for name, command in BY_NAME.items() for example in command.examples]


async def session_for_examples(directory: Path) -> Session:
    """A session on a saved engine, with results, and changes to undo and to redo."""
    session = session_of(directory, searched=True)
    await respond(session, "/save Small engine")
    session.result_sets = Kept(results())
    for typed in ("/title One", "/title Two", "/undo"):
        await respond(session, typed)
    return session


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
async def test_every_example_runs(tmp_path: Path, name: str, example: str) -> None:
    session = await session_for_examples(tmp_path)
    before = session.spec
    reply = await respond(session, example.replace("THE-TOKEN", session.tokens[session.engine]))
    assert reply.blocks or reply.search
    assert (session.spec is not before) == reply.spec_changed
    if reply.spec_changed:
        assert BY_NAME[name].changes_spec
    await session.services.close()


@pytest.mark.parametrize("command", BY_NAME.values(), ids=lambda command: command.name)
async def test_help_explains_every_command_with_its_examples(tmp_path: Path, command: Command) -> None:
    session = session_of(tmp_path)
    explained = await respond(session, f"/help /{command.name.upper()}")
    assert Code(command.usage) in explained.blocks
    assert [block.command for block in explained.blocks if isinstance(block, Offer)] == list(command.examples)
    assert command.examples
    assert all(example.startswith(f"/{command.name}") for example in command.examples)
    assert command.usage in await said(session, "/help")


async def test_help_for_a_mistyped_command_names_the_nearest(tmp_path: Path) -> None:
    assert "Did you mean “/export”?" in await refusal(session_of(tmp_path), "/help exprt")


def test_the_commands_have_names_of_their_own_and_one_sentence() -> None:
    assert len(BY_NAME) == sum(map(len, FAMILIES.values())) == len(USAGES)
    for name, command in BY_NAME.items():
        assert command.usage.startswith(f"/{name}")
        assert command.help.endswith(".")
        assert len(command.help) < 130


def test_the_page_of_commands_is_what_they_declare() -> None:
    stale = (
        "stale: python -c 'from chatsearch.commands.docs import commands_markdown as m; print(m(), end=\"\")' > docs/commands.md"
    )
    assert PAGE.read_text("utf-8") == commands_markdown(), stale


def test_a_reply_as_plain_text() -> None:
    blocks = (
        Heading("Head"),
        Paragraph("a \x1b[31mred\u202e text"),
        Note("beware"),
        Changed("1.k", "", "5"),
        Changed("step 2", None, "new one"),
        table(("a", "long name"), [("x", None), ("wide cell", "y\nz")]),
        Offer("Undo", "/undo"),
    )
    assert plain(Reply(blocks)).split("\n") == [
        "",
        "Head",
        "a [31mred text",
        "! beware",
        "  1.k: (empty) → 5",
        "  step 2: new one (new)",
        "a          long name",
        "x",
        "wide cell  y z",
        "  > Undo: /undo",
    ]


async def test_text_of_a_spec_reaches_no_terminal_as_commands(tmp_path: Path) -> None:
    session = session_of(tmp_path, {**ENGINE, "title": "\x1b]0;owned\x07"})
    assert "\x1b" not in await said(session, "/title")
    assert "\x1b" not in await said(session, "/spec")
