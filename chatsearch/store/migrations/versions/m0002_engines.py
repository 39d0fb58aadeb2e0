"""Saved engines and their versions, and what people thought of results and answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "m0002"
down_revision = "m0001"


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "engines",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("public", sa.Boolean, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("token_salt", sa.LargeBinary, nullable=False),
        sa.Column("token_hash", sa.LargeBinary, nullable=False),
        sa.Column("created", moment, nullable=False),
        sa.Column("updated", moment, nullable=False),
        sa.Column("revoked", moment),
    )
    op.create_index("engines_by_update", "engines", ["updated"])
    op.create_table(
        "engine_versions",
        sa.Column("engine", sa.Text, sa.ForeignKey("engines.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("spec", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("subtitle", sa.Text, nullable=False),
        sa.Column("created", moment, nullable=False),
    )
    op.create_table(
        "feedback",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True),
        sa.Column("result_set", sa.Text, nullable=False),
        sa.Column("target", sa.LargeBinary, nullable=False),
        sa.Column("engine", sa.Text, nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("document", sa.Text),
        sa.Column("answer", sa.Integer),
        sa.Column("value", sa.Integer, nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("created", moment, nullable=False),
    )
    op.create_index("feedback_by_target", "feedback", ["result_set", "target"], unique=True)
    op.create_index("feedback_by_engine", "feedback", ["engine", "number"])
