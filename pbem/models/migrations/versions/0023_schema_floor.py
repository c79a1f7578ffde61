"""The oldest revision whose programs may write, tasks that fail, longer names, since when matches stand still, and what
earlier webhooks lack.

The program of b70c00fe made 0019 without `webhooks.busy_run`. On SQLite, 0022 made the table again and lost that its
ids are never reused.

Revision ID: 0023
Revises: 0022
Create Date: 2026-11-28 08:40:00
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

import pbem.models.types

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None
LIVES_WITH_OLDER = True


def upgrade() -> None:
    op.create_table(
        "schema_floor",
        sa.Column("revision", sqlmodel.sql.sqltypes.AutoString(length=32), nullable=False),
        sa.PrimaryKeyConstraint("revision"),
    )
    op.create_table(
        "task_failures",
        sa.Column("task", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("error", sqlmodel.sql.sqltypes.AutoString(length=80), nullable=False),
        sa.Column("since", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("last_at", pbem.models.types.Utc(timezone=True), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("task"),
    )
    with op.batch_alter_table("pulse") as batch_op:
        batch_op.alter_column(
            "name",
            existing_type=sqlmodel.sql.sqltypes.AutoString(length=10),
            type_=sqlmodel.sql.sqltypes.AutoString(length=64),
            existing_nullable=False,
        )
    op.add_column("matches", sa.Column("held_since", pbem.models.types.Utc(timezone=True), nullable=True))
    held = sa.text("held_since IS NOT NULL")
    op.create_index("ix_matches_held", "matches", ["held_since", "id"], sqlite_where=held, postgresql_where=held)
    connection = op.get_bind()
    there = {column["name"] for column in sa.inspect(connection).get_columns("webhooks")}
    with op.batch_alter_table(
        "webhooks",
        recreate="always" if connection.dialect.name == "sqlite" else "never",
        table_kwargs={"sqlite_autoincrement": True},
    ) as batch_op:
        if "busy_run" not in there:
            batch_op.add_column(sa.Column("busy_run", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_index("ix_matches_held", "matches")
    op.drop_column("matches", "held_since")
    op.drop_table("task_failures")
    op.drop_table("schema_floor")
