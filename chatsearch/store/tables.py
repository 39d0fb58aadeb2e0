"""The tables as the newest migration leaves them; what changes here needs a file in migrations/versions (a test compares)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)

SCHEMA = "m0002"
"""The newest migration: the revision a store must have."""

VERSION_TABLE = "chatsearch_schema"
"""Where Alembic keeps the revision; a name of our own, since a database may be shared."""


class Moment(TypeDecorator[datetime]):
    """A point in time in UTC; SQLite, which knows no zones, gets it without one."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        utc = value.astimezone(UTC) if value else None
        return utc.replace(tzinfo=None) if utc and dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        return (value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)) if value else None


_Number = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER counts up by itself there

metadata = MetaData()

result_sets = Table(
    "result_sets",
    metadata,
    Column("number", _Number, primary_key=True),  # in the order they were made, whatever the clock says
    Column("id", Text, nullable=False, unique=True),  # what others know it by
    Column("chat", Text, nullable=False),
    Column("engine", Text, nullable=False),
    Column("asked", Text, nullable=False),
    Column("document_count", Integer, nullable=False),
    Column("created", Moment, nullable=False),
    Column("used", Moment, nullable=False),  # retention counts from here
    Column("turn", BigInteger, nullable=False),  # the highest of a chat is its current one
    Column("spec", LargeBinary),
    Column("state", LargeBinary, nullable=False),
    Column("frame", LargeBinary, nullable=False),
    Index("result_sets_by_chat", "chat", "turn"),
    Index("result_sets_by_use", "used"),
)

result_documents = Table(
    "result_documents",
    metadata,
    Column("key", LargeBinary, primary_key=True),
    Column("result_set", _Number, ForeignKey("result_sets.number", ondelete="CASCADE"), primary_key=True),
    Index("result_documents_by_set", "result_set"),
)

answers = Table(
    "answers",
    metadata,
    Column("number", _Number, primary_key=True),  # in the order they were given
    Column("result_set", _Number, ForeignKey("result_sets.number", ondelete="CASCADE"), nullable=False),
    Column("created", Moment, nullable=False),
    Column("answer", LargeBinary, nullable=False),
    Index("answers_by_set", "result_set"),
)

engines = Table(
    "engines",
    metadata,
    Column("id", Text, primary_key=True),  # what its URL has
    Column("public", Boolean, nullable=False),  # whether the gallery shows it
    Column("version", Integer, nullable=False),  # the newest, which its URL shows
    Column("token_salt", LargeBinary, nullable=False),
    Column("token_hash", LargeBinary, nullable=False),  # of the owner's edit token, which is kept nowhere
    Column("created", Moment, nullable=False),
    Column("updated", Moment, nullable=False),
    Column("revoked", Moment),
    Index("engines_by_update", "updated"),
)

engine_versions = Table(
    "engine_versions",
    metadata,
    Column("engine", Text, ForeignKey("engines.id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True),  # from 1
    Column("spec", Text, nullable=False),  # JSON, its keys in the owner's order
    Column("digest", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("subtitle", Text, nullable=False),
    Column("created", Moment, nullable=False),
)

feedback = Table(
    "feedback",
    metadata,
    Column("number", _Number, primary_key=True),  # in the order it was given
    Column("result_set", Text, nullable=False),  # its id; no foreign key, since a judgement outlives the result set
    Column("target", LargeBinary, nullable=False),  # a hash of what is judged: one judgement of each
    Column("engine", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("document", Text),
    Column("answer", Integer),
    Column("value", Integer, nullable=False),
    Column("comment", Text, nullable=False),
    Column("created", Moment, nullable=False),
    Index("feedback_by_target", "result_set", "target", unique=True),
    Index("feedback_by_engine", "engine", "number"),
)
