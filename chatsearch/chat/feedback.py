"""What people think of answers and results, sent by the page's thumbs: kept with the result set, as judgements of its query."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from chatsearch.errors import InputError, StoreError

if TYPE_CHECKING:
    from chatsearch.services import Services

log = logging.getLogger(__name__)

LONGEST = 10_000  # bytes


class Vote(BaseModel, extra="forbid", strict=True):
    """A judgement: 1, -1, or 0 to take it back, about a document of a result set or the answer at a place (0: the summary)."""

    set: str
    value: int
    document: str | None = None
    answer: int | None = None
    comment: str = ""


async def take_vote(request: Request, services: Services) -> Response:
    """Keeps `{"set", "value", "document" or "answer", "comment"}`; whoever was shown a result set knows its id."""
    try:
        vote = _read(await request.body())
        store = await services.store()
        await store.add_feedback(vote.set, vote.document, vote.answer, vote.value, vote.comment)
    except InputError as error:
        return JSONResponse({"detail": error.message}, 422)
    except StoreError as error:
        log.warning("a judgement was not kept: %s", error)
        return JSONResponse({"detail": "This could not be kept just now."}, 503)
    return JSONResponse({})


def _read(body: bytes) -> Vote:
    """What was sent, its types checked. Raises InputError."""
    if len(body) > LONGEST:
        raise InputError(f"A judgement has at most {LONGEST:,} bytes.")
    try:
        return Vote.model_validate_json(body)
    except ValidationError as error:
        wrong = error.errors()[0]
        raise InputError(f"The judgement is not right: {'.'.join(map(str, wrong['loc'])) or 'JSON'}: {wrong['msg']}.") from None
