"""Keys of requests that are not done twice, and logs that were sent here

Revision ID: 0008
Revises: 0007
Create Date: 2026-11-21 12:00:00
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.tables

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "idempotency",
        sa.Column("owner", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("key", sqlmodel.sql.sqltypes.AutoString(length=128), nullable=False),
        sa.Column("digest", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("at", pbem.models.tables.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("owner", "key"),
    )
    op.create_index(op.f("ix_idempotency_at"), "idempotency", ["at"])
    op.create_table(
        "imported_logs",
        sa.Column("id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("game", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.Column("at", pbem.models.tables.Utc(timezone=True), nullable=False),
        sa.Column("until", pbem.models.tables.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_imported_logs_player_id"), "imported_logs", ["player_id"])
    op.create_index(op.f("ix_imported_logs_until"), "imported_logs", ["until"])


def downgrade() -> None:
    op.drop_table("imported_logs")
    op.drop_table("idempotency")
