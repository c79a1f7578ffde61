"""Folds of every viewer beside the log, what an answer drew and told, and a number for what no version counts.

Revision ID: 0026
Revises: 0025
Create Date: 2026-11-30 10:40:00
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None
LIVES_WITH_OLDER = True


def upgrade() -> None:
    op.create_table(
        "folds",
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "n"),
    )
    op.add_column("asks", sa.Column("drew", sa.Boolean(), nullable=True))
    op.add_column("asks", sa.Column("told", sa.Boolean(), nullable=True))
    op.add_column("matches", sa.Column("touched", sa.Integer(), server_default=sa.text("0"), nullable=False))


def downgrade() -> None:
    op.drop_column("matches", "touched")
    op.drop_column("asks", "told")
    op.drop_column("asks", "drew")
    op.drop_table("folds")
