"""Around the table: messages, notes, rematches, one mail a day

Revision ID: 0002
Revises: 0001
Create Date: 2026-11-21 06:00:00
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.tables

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "messages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("at", pbem.models.tables.Utc(timezone=True), nullable=False),
        sa.Column("text", sqlmodel.sql.sqltypes.AutoString(length=500), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("messages", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_messages_match_id"), ["match_id"], unique=False)
    op.create_table(
        "notes",
        sa.Column("match_id", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", pbem.models.tables.Utc(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "seat"),
    )
    # Columns are added one by one: a batch would make the tables anew, which SQLite refuses while others refer to them.
    op.add_column("players", sa.Column("digest_hour", sa.Integer(), nullable=True))
    former: sa.Column[str | None] = sa.Column(
        "rematch_of", sqlmodel.sql.sqltypes.AutoString(length=32), sa.ForeignKey("matches.id")
    )
    op.add_column("matches", former, inline_references=True)
    op.create_index("ix_matches_rematch_of", "matches", ["rematch_of"], unique=True)


def downgrade() -> None:
    op.drop_index("ix_matches_rematch_of", table_name="matches")
    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.drop_column("rematch_of")
    with op.batch_alter_table("players", schema=None) as batch_op:
        batch_op.drop_column("digest_hour")
    op.drop_table("notes")
    with op.batch_alter_table("messages", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_messages_match_id"))
    op.drop_table("messages")
