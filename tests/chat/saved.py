"""Engines saved in the store of the test's server, as another process would save them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from chatsearch.services import Services
from chatsearch.spec import Spec
from chatsearch.store import Store
from chatsearch.store.engines import Engines, Saved

T = TypeVar("T")

GERMAN: dict[str, Any] = {
    "title": "Zweite <Suche>",
    "subtitle": "Aus <b>Wien</b>",
    "language": "de",
    "theme": {"color": "dark-orange"},
    "starters": ["Was ist Internet2?"],
    "pipeline": {"1": {"id": "index_datasource", "parameters": {"index": "demo", "mode": "lexical"}}},
}


def in_store(services: Services, work: Callable[[Engines], Awaitable[T]]) -> T:
    """Something done to the saved engines as another process would do it."""

    async def done() -> T:
        store = await Store.open(services.settings)
        try:
            return await work(store.engines)
        finally:
            await store.close()

    return asyncio.run(done())


def spec(services: Services, **changed: Any) -> Spec:
    return Spec.load({**GERMAN, **changed}, services.registry)


def saved(services: Services, **changed: Any) -> Saved:
    return in_store(services, lambda engines: engines.save(spec(services, **changed)))
