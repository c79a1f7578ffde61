"""How many bytes each log that was sent here takes

Revision ID: 0014
Revises: 0013
Create Date: 2026-11-22 10:00:00
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("imported_logs", sa.Column("size", sa.Integer(), nullable=False, server_default="0"))
    op.execute("UPDATE imported_logs SET size = length(document)")
    # All bytes together, and those of strangers, are added up from this index alone.
    op.create_index("ix_imported_logs_size", "imported_logs", ["player_id", "size"])


def downgrade() -> None:
    op.drop_index("ix_imported_logs_size", table_name="imported_logs")
    op.drop_column("imported_logs", "size")
