"""When a worker looks whether an order answers a question, and addresses that it has yet to look up.

Revision ID: 0025
Revises: 0024
Create Date: 2026-11-28 13:20:00
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.types

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None
LIVES_WITH_OLDER = True


def upgrade() -> None:
    op.add_column("asks", sa.Column("follow_at", pbem.models.types.Utc(timezone=True), nullable=True))
    followed = sa.text("closed_at IS NULL AND follow_at IS NOT NULL")
    op.create_index("ix_asks_follow", "asks", ["follow_at"], sqlite_where=followed, postgresql_where=followed)
    op.create_table(
        "link_requests",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
        sa.Column("language", sqlmodel.sql.sqltypes.AutoString(length=2), nullable=True),
        sa.Column("zone", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=True),
        sa.Column("browser", sa.Integer(), nullable=True),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def downgrade() -> None:
    op.drop_table("link_requests")
    op.drop_index("ix_asks_follow", "asks")
    op.drop_column("asks", "follow_at")
