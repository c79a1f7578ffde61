"""Changes of address

Revision ID: 0010
Revises: 0009
Create Date: 2026-11-21 14:00:00
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.types

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "address_changes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("address", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
        sa.Column("canonical", sqlmodel.sql.sqltypes.AutoString(length=254), nullable=False),
        sa.Column("at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("until", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("old_ok_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("new_ok_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("done_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("result", sqlmodel.sql.sqltypes.AutoString(length=12), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"]),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_address_changes_player_id"), "address_changes", ["player_id"])
    op.create_index(op.f("ix_address_changes_canonical"), "address_changes", ["canonical"])


def downgrade() -> None:
    op.drop_index(op.f("ix_address_changes_canonical"), table_name="address_changes")
    op.drop_index(op.f("ix_address_changes_player_id"), table_name="address_changes")
    op.drop_table("address_changes")
