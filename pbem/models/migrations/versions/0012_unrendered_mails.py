"""Since when a mail has failed to render, apart from the attempts to hand it over

Revision ID: 0012
Revises: 0011
Create Date: 2026-11-22 09:00:00
"""

import sqlalchemy as sa
from alembic import op

import pbem.models.types

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("outbox", sa.Column("unrendered_since", pbem.models.types.Utc(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("outbox", "unrendered_since")
