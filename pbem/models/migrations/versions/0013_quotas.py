"""Quotas of mail that strangers can cause, and whether a mail has been counted

Revision ID: 0013
Revises: 0012
Create Date: 2026-11-22 09:00:00
"""

import sqlalchemy as sa
from alembic import op

import pbem.models.types

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "quotas",
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("until", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_index("ix_quotas_until", "quotas", ["until"])
    op.add_column("outbox", sa.Column("counted_at", pbem.models.types.Utc(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("outbox", "counted_at")
    op.drop_index("ix_quotas_until", table_name="quotas")
    op.drop_table("quotas")
