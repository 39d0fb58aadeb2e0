"""What people think of answers and results, sent by the page's thumbs: kept with the result set, as judgements of its query."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from chatsearch.errors import InputError, StoreError

if TYPE_CHECKING:
    from chatsearch.services import Services

log = logging.getLogger(__name__)

LONGEST = 10_000  # bytes


async def take_vote(request: Request, services: Services) -> Response:
    """Keeps `{"set", "value", "document" or "answer", "comment"}`; whoever was shown a result set knows its id."""
    try:
        given = _read(await request.body())
        store = await services.store()
        comment = str(given.get("comment", ""))
        await store.add_feedback(given["set"], given.get("document"), given.get("answer"), given["value"], comment)
    except InputError as error:
        return JSONResponse({"detail": error.message}, 422)
    except StoreError as error:
        log.warning("a judgement was not kept: %s", error)
        return JSONResponse({"detail": "This could not be kept just now."}, 503)
    return JSONResponse({})


def _read(body: bytes) -> dict[str, object]:
    """What was sent, its types checked. Raises InputError."""
    if len(body) > LONGEST:
        raise InputError(f"A judgement has at most {LONGEST:,} bytes.")
    try:
        given = json.loads(body)
    except ValueError:
        raise InputError("A judgement is a JSON object.") from None
    kinds: dict[str, type | tuple[type, ...]] = {"set": str, "value": int, "document": str, "answer": int, "comment": str}
    if not isinstance(given, dict) or not {"set", "value"} <= given.keys() or given.keys() - kinds.keys():
        raise InputError(f"A judgement has “set” and “value”, and may have: {', '.join(list(kinds)[2:])}.")
    wrong = [name for name, value in given.items() if not isinstance(value, kinds[name]) or isinstance(value, bool)]
    if wrong:
        raise InputError(f"“{wrong[0]}” of a judgement is of the wrong type.")
    return given
