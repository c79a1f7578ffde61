"""Analyses of finished matches.

Revision ID: 0020
Revises: 0019
Create Date: 2026-11-26 10:10:00.000000
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.types

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "analyses",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("total", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("turn_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("claimed_until", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("done_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("result", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=True),
        sa.Column("data", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id"],
            ["matches.id"],
        ),
        sa.PrimaryKeyConstraint("match_id"),
    )
    with op.batch_alter_table("analyses", schema=None) as batch_op:
        batch_op.create_index(
            "ix_analyses_due",
            ["turn_at"],
            unique=False,
            sqlite_where=sa.text("done_at IS NULL"),
            postgresql_where=sa.text("done_at IS NULL"),
        )


def downgrade() -> None:
    op.drop_table("analyses")
