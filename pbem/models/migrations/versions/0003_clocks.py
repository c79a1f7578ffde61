"""Clocks: grace, absence, pauses

Revision ID: 0003
Revises: 0002
Create Date: 2026-11-21 07:00:00
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.tables

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

OPEN = sa.text("closed_at IS NULL")


# Columns are added one by one: a batch would make the tables anew, which SQLite refuses while others refer to them.


def upgrade() -> None:
    _clock_columns()
    op.execute("UPDATE asks SET acts_at = deadline, mailed_at = opened_at")
    op.execute("UPDATE asks SET allowed_s = (SELECT turn_s FROM matches WHERE matches.id = asks.match_id)")
    op.add_column("seats", sa.Column("misses", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.add_column("seats", sa.Column("absent", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("seats", sa.Column("resigned", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("seats", sa.Column("bank_s", sa.Integer(), nullable=True))
    op.add_column("matches", sa.Column("shifted_for", sa.Integer(), server_default=sa.text("0"), nullable=False))
    late = sqlmodel.sql.sqltypes.AutoString(length=10)
    op.add_column("matches", sa.Column("late", late, server_default="fallback", nullable=False))
    op.add_column("matches", sa.Column("bank_s", sa.Integer(), nullable=True))
    op.add_column("matches", sa.Column("increment_s", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.create_table(
        "votes",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("key", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("voter", sa.Integer(), nullable=False),
        sa.Column("at", pbem.models.tables.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "key", "seat", "voter"),
    )
    op.add_column("players", sa.Column("weekends_off", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("players", sa.Column("quiet_from", sa.Integer(), nullable=True))
    op.add_column("players", sa.Column("quiet_to", sa.Integer(), nullable=True))
    op.create_table(
        "vacations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("first", sa.Date(), nullable=False),
        sa.Column("last", sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("vacations", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_vacations_player_id"), ["player_id"], unique=False)
    op.create_table(
        "pulse",
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=10), nullable=False),
        sa.Column("at", pbem.models.tables.Utc(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "outages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("since", pbem.models.tables.Utc(timezone=True), nullable=False),
        sa.Column("until", pbem.models.tables.Utc(timezone=True), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def _clock_columns() -> None:
    """Asks get their clock's columns, and are found by when the clock acts."""
    op.drop_index("ix_asks_due", table_name="asks")
    op.add_column("asks", sa.Column("allowed_s", sa.Integer(), server_default=sa.text("0"), nullable=False))
    op.add_column("asks", sa.Column("mailed_at", pbem.models.tables.Utc(timezone=True), nullable=True))
    op.add_column("asks", sa.Column("acts_at", pbem.models.tables.Utc(timezone=True), nullable=True))
    op.add_column("asks", sa.Column("vote_since", pbem.models.tables.Utc(timezone=True), nullable=True))
    op.create_index("ix_asks_due", "asks", ["acts_at"], sqlite_where=OPEN, postgresql_where=OPEN)


def downgrade() -> None:
    op.drop_table("vacations")
    for column in ("quiet_to", "quiet_from", "weekends_off"):
        op.drop_column("players", column)
    op.drop_table("outages")
    op.drop_table("pulse")
    op.drop_table("votes")
    for column in ("increment_s", "bank_s", "late", "shifted_for"):
        op.drop_column("matches", column)
    for column in ("bank_s", "resigned", "absent", "misses"):
        op.drop_column("seats", column)
    op.drop_index("ix_asks_due", table_name="asks")
    for column in ("vote_since", "acts_at", "mailed_at", "allowed_s"):
        op.drop_column("asks", column)
    op.create_index("ix_asks_due", "asks", ["deadline"], sqlite_where=OPEN, postgresql_where=OPEN)
