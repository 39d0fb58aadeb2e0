"""How relevant each document is to a query, from 0 to 1: by the likeness of vectors, or as a language model judges."""

from __future__ import annotations

import asyncio

import numpy as np

from chatsearch.answering import prompt_documents
from chatsearch.cells import cell_text
from chatsearch.module import StepRun
from chatsearch.prompts import Prompt, Task
from chatsearch.ranking.candidates import Candidates
from chatsearch.ranking.similarity import chosen_model, model_for, similarities
from chatsearch.results import ResultSet
from chatsearch.services import EXTRACTIVE


async def likeness(results: ResultSet, query: str, column: str, wanted: str, run: StepRun) -> np.ndarray:
    """The cosine of the query to the best passage of each row, shape (rows,), on a scale where unrelated texts have about 0.

    NaN for a row without text. Documents that may not go to a remote embedding are compared by a packaged one.
    """
    texts = cell_text(results.documents, column)
    rows = tuple(row for row, text in enumerate(texts) if text.strip())
    candidates = Candidates(results, query, rows, tuple(texts[row] for row in rows))
    documents = await candidates.documents()
    embeddings = run.services.embeddings
    name, notice = await chosen_model(embeddings, wanted, query, documents)
    if notice:
        run.warn("model-replaced", notice)
    remote = (await asyncio.to_thread(embeddings.get, name)).remote
    found = np.full(len(texts), np.nan)
    for model, here in ((name, False), (model_for(embeddings, query, documents), True)):
        places = [place for place, leaves in enumerate(candidates.may_leave(remote)) if leaves is not here]
        if places:
            run.meter.calls += 1
            cosines = await similarities(embeddings, model, query, [documents[place] for place in places], run.progress)
            found[[rows[place] for place in places]] = _scaled(cosines, model)
    return found


async def judgements(results: ResultSet, query: str, column: str, wanted: str, run: StepRun) -> np.ndarray:
    """What the model says of each row, shape (rows,); NaN for a row without text.

    Documents that may not be sent to a language model are judged by the built-in one.
    """
    model, notice = run.services.language_model(wanted)
    if notice:
        run.warn("model-replaced", notice)
    rows = {str(one): row for row, one in enumerate(results.documents["id"])}
    found = np.full(len(rows), np.nan)
    builtin, _ = run.services.language_model(EXTRACTIVE)
    for judge in (model, builtin):
        documents = prompt_documents(results, column, judge, _silent)
        left = tuple(one for one in documents if np.isnan(found[rows[one.id]]))
        if left:
            relevance = await judge.judge(Prompt(Task.JUDGE, query, left), run.progress, run.meter)
            found[[rows[one.id] for one in left]] = relevance
    return found


def _silent(code: str, message: str) -> None:
    """What a remote model may not see is judged here, so there is nothing to tell."""


def _scaled(cosines: np.ndarray, model: str) -> np.ndarray:
    """Cosines as they are, but of a model that is known to give unrelated texts high ones."""
    from chatsearch.llm.extractive import SCALES

    floor = SCALES[model].floor if model in SCALES else 0.0
    return (cosines - floor) / (1 - floor)
