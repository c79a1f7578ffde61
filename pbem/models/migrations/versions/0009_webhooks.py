"""Webhooks

Revision ID: 0009
Revises: 0008
Create Date: 2026-11-21 13:00:00
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

from pbem.models.types import Utc

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

UNDONE = sa.text("done_at IS NULL")


def _text(name: str, length: int, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sqlmodel.sql.sqltypes.AutoString(length=length), nullable=nullable)


def _at(name: str, *, nullable: bool = False) -> sa.Column[sa.DateTime]:
    return sa.Column(name, Utc(timezone=True), nullable=nullable)


def _count(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), server_default=sa.text("0"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        _text("match_id", 32, nullable=True),
        _text("url", 500),
        _text("kinds", 40),
        _text("preset", 10),
        _text("language", 2),
        sa.Column("salt", sqlmodel.sql.sqltypes.AutoString(length=32), server_default="", nullable=False),
        _count("epoch"),
        _at("created_at"),
        _at("failing_since", nullable=True),
        _at("wait_until", nullable=True),
        _at("busy_until", nullable=True),
        _at("disabled_at", nullable=True),
        _text("why", 20, nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"]),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhooks_player_id", "webhooks", ["player_id"])
    op.create_table(
        "webhook_marks",
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        _text("match_id", 32),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("over", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"]),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("webhook_id", "match_id"),
    )
    _deliveries()


def _deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("webhook_id", sa.Integer(), nullable=False),
        _text("dedupe", 160),
        _text("kind", 10),
        _text("match_id", 32, nullable=True),
        sa.Column("seat", sa.Integer(), nullable=True),
        _text("key", 64, nullable=True),
        _count("after_n"),
        _count("n"),
        _at("created_at"),
        _at("due_at"),
        _count("attempts"),
        _at("done_at", nullable=True),
        _text("result", 12, nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        _text("error", 12, nullable=True),
        sa.ForeignKeyConstraint(["webhook_id"], ["webhooks.id"]),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("dedupe"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_deliveries_webhook_id", "deliveries", ["webhook_id"])
    op.create_index("ix_deliveries_due", "deliveries", ["due_at"], sqlite_where=UNDONE, postgresql_where=UNDONE)


def downgrade() -> None:
    for table in ("deliveries", "webhook_marks", "webhooks"):
        op.drop_table(table)
