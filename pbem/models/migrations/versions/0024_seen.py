"""Up to which entry the owner of a seat has seen what happened.

A seat of an earlier match has no value: it counts as having seen everything up to its own last move, as before.

Revision ID: 0024
Revises: 0023
Create Date: 2026-11-28 12:50:00
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None
LIVES_WITH_OLDER = True


def upgrade() -> None:
    op.add_column("seats", sa.Column("seen", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("seats", "seen")
