"""Substitutes: a seat that was left may be taken over

Revision ID: 0005
Revises: 0004
Create Date: 2026-11-21 09:30:00
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.tables

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seats", sa.Column("away_n", sa.Integer(), nullable=True))
    since = "SELECT version FROM matches WHERE matches.id = seats.match_id"
    op.execute(f"UPDATE seats SET away_n = ({since}) WHERE absent OR resigned")
    op.create_table(
        "substitutes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("away_n", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=24), nullable=False),
        sa.Column("at", pbem.models.tables.Utc(timezone=True), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=True),
        sa.Column("former_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"]),
        sa.ForeignKeyConstraint(["former_id"], ["players.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("match_id", "seat", "away_n", "player_id"),
    )


def downgrade() -> None:
    op.drop_table("substitutes")
    op.drop_column("seats", "away_n")
