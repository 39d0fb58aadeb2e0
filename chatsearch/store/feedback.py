"""What people thought of single results and of answers: judgements of an engine's queries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, and_, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from chatsearch.errors import InputError, StoreError
from chatsearch.store.exact_json import loads
from chatsearch.store.packing import document_key
from chatsearch.store.rows import storable
from chatsearch.store.tables import answers, feedback, result_documents, result_sets

if TYPE_CHECKING:
    from chatsearch.store.database import Database

LONGEST_COMMENT = 2000
"""Characters of a comment."""

VALUES = (-1, 0, 1)


@dataclass(frozen=True)
class Judgement:
    """What a person thought of a document, or of the answer at a place (0: the summary), that a query led to.

    `value` is 1 (good) or -1 (bad); `query` is the search's as typed, or the question of the answer. `created` is in UTC.
    """

    query: str
    document: str | None
    answer: int | None
    value: int
    comment: str
    created: datetime


class Feedback:
    """The judgements of one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, result_set: str, document: str | None, answer: int | None, value: int, comment: str) -> None:
        """See `Store.add_feedback`."""
        if value not in VALUES or isinstance(value, bool):
            raise InputError(f"{value!r} is no judgement. It is 1 for good, -1 for bad, or 0 to take it back.")
        if (document is None) == (answer is None):
            raise InputError("A judgement is about a document or about an answer: name one of the two.")
        if len(comment) > LONGEST_COMMENT:
            raise InputError(f"The comment has {len(comment):,} characters; at most {LONGEST_COMMENT:,} are kept. Shorten it.")
        await self._database.finish(self._add(result_set, document, answer, value, comment))

    async def of(self, engine: str) -> list[Judgement]:
        """See `Store.feedback_of`."""
        return await self._database.finish(self._of(engine))

    async def _add(self, result_set: str, document: str | None, answer: int | None, value: int, comment: str) -> None:
        now, target = datetime.now(UTC), _target(document, answer)
        judged = {"document": None if document is None else storable(document), "answer": answer}
        async with self._database.writing() as connection:
            found = await _result_set(connection, result_set)
            query = await _query(connection, found, document, answer)
            same = and_(feedback.c.result_set == found.id, feedback.c.target == target)
            await connection.execute(delete(feedback).where(same))
            if value:
                given = {"value": value, "comment": storable(comment.strip()), "created": now}
                place = {"result_set": found.id, "target": target, "engine": found.engine, "query": storable(query)}
                await connection.execute(insert(feedback).values(**place, **judged, **given))

    async def _of(self, engine: str) -> list[Judgement]:
        columns = (feedback.c[name] for name in ("query", "document", "answer", "value", "comment", "created"))
        wanted = select(*columns).where(feedback.c.engine == storable(engine)).order_by(feedback.c.number)
        async with self._database.reading() as connection:
            return [Judgement(*row) for row in await connection.execute(wanted)]


def _target(document: str | None, answer: int | None) -> bytes:
    """What tells one judged thing of a result set from another."""
    return document_key(document) if document is not None else sha256(b"\0answer %d" % (answer or 0)).digest()


async def _result_set(connection: AsyncConnection, identifier: str) -> Row[Any, Any, Any, Any]:
    """Its row, which two judgements do not change at once. Raises StoreError when it is not there."""
    columns = (result_sets.c.id, result_sets.c.number, result_sets.c.engine, result_sets.c.asked)
    statement = select(*columns).where(result_sets.c.id == storable(identifier)).with_for_update()
    found = (await connection.execute(statement)).first()
    if found is None:
        raise StoreError("The result set that was judged is no longer kept (docs/store.md, retention). Search again.")
    return found


async def _query(connection: AsyncConnection, found: Row[Any, Any, Any, Any], document: str | None, answer: int | None) -> str:
    """What the judged thing was asked with. Raises StoreError when the result set has no such document or answer."""
    if document is not None:
        its_own = and_(result_documents.c.result_set == found.number, result_documents.c.key == document_key(document))
        if (await connection.execute(select(result_documents.c.key).where(its_own))).first() is None:
            raise InputError(f"The result set has no document {document[:60]!r}, so it cannot be judged.")
        return str(found.asked)
    if answer == 0:
        return str(found.asked)
    of_it = select(answers.c.answer).where(answers.c.result_set == found.number).order_by(answers.c.number)
    packed = (await connection.execute(of_it)).scalars().all()
    if answer is None or not 1 <= answer <= len(packed):
        raise InputError(f"The result set has {len(packed)} answers and no answer {answer}, so it cannot be judged.")
    return str(loads(packed[answer - 1])["question"])
