"""Quiet hours: when the time of a question is used up, apart from its deadline

Revision ID: 0006
Revises: 0005
Create Date: 2026-11-21 10:00:00
"""

import sqlalchemy as sa
from alembic import op

import pbem.models.tables

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("asks", sa.Column("runs_out", pbem.models.tables.Utc(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("asks", "runs_out")
