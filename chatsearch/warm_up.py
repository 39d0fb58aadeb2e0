"""Loads what the first question would wait for: embedding models, language data, the shipped index."""

from __future__ import annotations

import asyncio
import importlib
import logging

from chatsearch.services import EXTRACTIVE, Services
from chatsearch.spec import Spec

log = logging.getLogger(__name__)

_TEXT = "Tesla died in New York in 1943. He had lived in hotels of that city for years."


def warm_up(services: Services, spec: Spec) -> None:
    """Blocking, some seconds; asks nothing of any other machine. A failure is logged only: the question loads what it needs."""
    try:
        if any(getattr(step.module, "index", "") == "demo" for step in spec.enabled_steps):
            _open_demo(services)
        embeddings = services.embeddings
        for name in dict.fromkeys(embeddings.for_language(language) for language in (spec.engine.language, "")):
            embeddings.encode_now(name, ["warm"], "query")
        asyncio.run(_answer_once(services))
        importlib.import_module("chatsearch.store.database")
        if services.catalog.endpoints():
            from chatsearch.llm.library import litellm

            litellm()
    except Exception:
        log.exception("warming up failed; the first question loads what it needs")


async def _answer_once(services: Services) -> None:
    """A list, an answer and suggestions over one document of our own, as a search does them."""
    import pandas as pd

    from chatsearch.answering import prompt_documents
    from chatsearch.prompts import Prompt, Task
    from chatsearch.results import ORIGINAL_RANKING, SOURCE_INDEX, ResultSet
    from chatsearch.snippets import snippets
    from chatsearch.suggestions import suggested_questions

    row = {"id": "1", "title": "", "url": "", "full-text": _TEXT, SOURCE_INDEX: "", ORIGINAL_RANKING: 1}
    results = ResultSet("When did Tesla die?", "When did Tesla die?", pd.DataFrame([row]))
    model, _ = services.language_model(EXTRACTIVE)
    prompt = Prompt(Task.ANSWER, results.query, prompt_documents(results, "full-text", model, lambda code, message: None))
    _ = [piece async for piece in model.stream(prompt)]
    await snippets(results)
    await suggested_questions(results, services)


def _open_demo(services: Services) -> None:
    from chatsearch.demo import NAME, build_demo
    from chatsearch.errors import IndexNotFoundError

    try:
        index = services.index(NAME)
    except IndexNotFoundError:
        build_demo(services.writable(services.indexes_dir), services.embeddings)
        index = services.index(NAME)
    index.documents(index.search("warm", mode="lexical", limit=1).rows)
