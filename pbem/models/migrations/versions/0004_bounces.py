"""Bounces: who takes no mail, and what the mail server said

Revision ID: 0004
Revises: 0003
Create Date: 2026-11-21 09:25:00
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.tables

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


# Columns are added one by one: a batch would make the tables anew, which SQLite refuses while others refer to them.


def upgrade() -> None:
    op.add_column("players", sa.Column("bounced_at", pbem.models.tables.Utc(timezone=True), nullable=True))
    op.add_column("players", sa.Column("bounced_why", sqlmodel.sql.sqltypes.AutoString(length=20), nullable=True))
    bounced = sa.text("bounced_at IS NOT NULL")
    op.create_index("ix_players_bounced", "players", ["bounced_at"], sqlite_where=bounced, postgresql_where=bounced)
    op.add_column("outbox", sa.Column("answer", sqlmodel.sql.sqltypes.AutoString(length=20), nullable=True))


def downgrade() -> None:
    op.drop_column("outbox", "answer")
    op.drop_index("ix_players_bounced", table_name="players")
    op.drop_column("players", "bounced_why")
    op.drop_column("players", "bounced_at")
