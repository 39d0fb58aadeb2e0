"""Result sets, the documents in them, and the answers about them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "m0001"
down_revision = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "result_sets",
        sa.Column("number", number, primary_key=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        sa.Column("chat", sa.Text, nullable=False),
        sa.Column("engine", sa.Text, nullable=False),
        sa.Column("asked", sa.Text, nullable=False),
        sa.Column("document_count", sa.Integer, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.DateTime(timezone=True), nullable=False),
        sa.Column("turn", sa.BigInteger, nullable=False),
        sa.Column("spec", sa.LargeBinary),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.Column("frame", sa.LargeBinary, nullable=False),
    )
    op.create_index("result_sets_by_chat", "result_sets", ["chat", "turn"])
    op.create_index("result_sets_by_use", "result_sets", ["used"])
    of_set = sa.ForeignKey("result_sets.number", ondelete="CASCADE")
    op.create_table(
        "result_documents",
        sa.Column("key", sa.LargeBinary, primary_key=True),
        sa.Column("result_set", number, of_set, primary_key=True),
    )
    op.create_index("result_documents_by_set", "result_documents", ["result_set"])
    of_set = sa.ForeignKey("result_sets.number", ondelete="CASCADE")
    op.create_table(
        "answers",
        sa.Column("number", number, primary_key=True),
        sa.Column("result_set", number, of_set, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("answer", sa.LargeBinary, nullable=False),
    )
    op.create_index("answers_by_set", "answers", ["result_set"])
