"""Personal tokens

Revision ID: 0007
Revises: 0006
Create Date: 2026-11-21 11:00:00
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.types

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "personal_tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=60), nullable=False),
        sa.Column("digest", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("hint", sqlmodel.sql.sqltypes.AutoString(length=4), nullable=False),
        sa.Column("scopes", sqlmodel.sql.sqltypes.AutoString(length=40), nullable=False),
        sa.Column("created_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("expires_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("used_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.Column("revoked_at", pbem.models.types.Utc(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_index(op.f("ix_personal_tokens_player_id"), "personal_tokens", ["player_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_personal_tokens_player_id"), "personal_tokens")
    op.drop_table("personal_tokens")
