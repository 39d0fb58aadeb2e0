"""The pages of the ready engines: their commands make the engine from nothing, and every change they propose is taken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chatsearch.commands.registry import BY_NAME, respond
from chatsearch.commands.session import Session
from chatsearch.registry import Registry
from chatsearch.spec import Spec
from tests.commands.sessions import said
from tests.ready import READY, file_of
from tests.sources import services_with

PAGES = Path(__file__).resolve().parents[1] / "docs" / "engines"
EMPTY = {"pipeline": {"1": {"id": "index_datasource"}}}
CHANGING = {name for name, command in BY_NAME.items() if command.changes_spec}


def section(name: str, heading: str) -> str:
    page = (PAGES / f"{name}.md").read_text("utf-8")
    return page.split(f"\n## {heading}\n", 1)[1].split("\n## ")[0]


def session_of(tmp_path: Path, data: object) -> Session:
    services = services_with(tmp_path)
    return Session(services, Spec.load(data, services.registry))


@pytest.mark.parametrize("name", READY)
async def test_the_commands_of_a_page_make_its_engine(tmp_path: Path, name: str) -> None:
    commands = re.search(r"```text\n(.*?)```", section(name, "From nothing, by commands"), re.DOTALL)
    assert commands
    session = session_of(tmp_path, EMPTY)
    for command in commands[1].splitlines():
        reply = await respond(session, command)
        assert reply.spec_changed, command
    assert session.spec.digest == Spec.loads(file_of(name).read_bytes(), session.services.registry).digest
    assert "are the same" in await said(session, f"/diff {name}")


@pytest.mark.parametrize("name", READY)
async def test_every_change_a_page_proposes_is_taken(tmp_path: Path, name: str) -> None:
    proposals = re.split(r"^- ", section(name, "Change it"), flags=re.MULTILINE)[1:]
    assert len(proposals) >= 3
    for proposal in proposals:
        session = session_of(tmp_path, Spec.loads(file_of(name).read_bytes(), Registry()).dump())
        for command in re.findall(r"`(/[^`]+)`", proposal):
            if command[1:].split()[0] in CHANGING:
                reply = await respond(session, command)
                assert reply.spec_changed, command
                assert "cannot run yet" not in str(reply.blocks), command


@pytest.mark.parametrize("name", READY)
def test_a_page_explains_every_step_in_its_order(name: str) -> None:
    steps = Spec.loads(file_of(name).read_bytes(), Registry()).steps
    explained = re.findall(r"^(\d+)\. \*\*`(\w+)`\*\*", section(name, "Step by step"), flags=re.MULTILINE)
    assert explained == [(str(step.number), step.module.id) for step in steps]
