"""Two chats with one server process, over their websockets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tests.chat.conftest import ChatClient
from tests.serving import running_server


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_server(tmp_path_factory.mktemp("two")) as running:
        yield running


def is_element(name: str, event: str, data: Any) -> bool:
    return event == "element" and data["name"] == name


async def search(client: ChatClient, query: str) -> dict[str, Any]:
    """The first document of the list that a search shows, once the server has finished."""
    await client.send(query)
    props = (await client.until(lambda event, data: is_element("Results", event, data)))["props"]
    await client.done()
    return dict(props["documents"][0])


async def test_two_chats_at_once_are_both_answered_and_never_mixed(address: str) -> None:
    asked = {"What year did Tesla die?": "Nikola Tesla", "What is Internet2?": "Packet switching"}
    clients = [ChatClient(address) for _ in asked]
    try:
        await asyncio.gather(*(client.connect() for client in clients))
        for _ in range(3):
            found = await asyncio.gather(
                *(search(client, f"/search {query}") for client, query in zip(clients, asked, strict=True))
            )
            assert [document["title"] for document in found] == list(asked.values())
    finally:
        await asyncio.gather(*(client.close() for client in clients))
