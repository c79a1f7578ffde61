"""Folds of every viewer beside the log, what an answer drew and told, and a number for what no version counts.

Triggers raise that number, not the program: so no statement can forget it, nor a program that does not know it.

And an index for each statement that comes often and would read the whole of a large table.

On PostgreSQL all that is changed is locked at once, and let go if that takes half a second: a transaction that reads
these tables meanwhile, in whatever order, is held up that long at most, and waits in no circle.

Revision ID: 0026
Revises: 0025
Create Date: 2026-11-30 10:40:00
"""

import sqlalchemy as sa
from alembic import op

from pbem.models.schema import touching

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None
LIVES_WITH_OLDER = True

INDEXES = (
    ("ix_substitutes_match", "substitutes", ["match_id", "seat"], None),
    ("ix_substitutes_player_id", "substitutes", ["player_id"], None),
    ("ix_substitutes_former_id", "substitutes", ["former_id"], None),
    ("ix_matches_game", "matches", ["game"], "status IN ('unconfirmed', 'inviting', 'running', 'paused')"),
    ("ix_players_daily", "players", ["zone", "digest_hour"], "digest_hour IS NOT NULL"),
    ("ix_personal_tokens_revoked", "personal_tokens", ["revoked_at"], "revoked_at IS NOT NULL"),
    ("ix_personal_tokens_expires", "personal_tokens", ["expires_at"], "expires_at IS NOT NULL"),
    ("ix_deliveries_done", "deliveries", ["done_at"], None),
    ("ix_circle_members_by_id", "circle_members", ["by_id"], None),
)
"""Name, table, columns, and the condition of the rows."""


LOCK = """
DO $$ DECLARE usual text := current_setting('lock_timeout'); BEGIN
    SET LOCAL lock_timeout = '500ms';
    FOR attempt IN 1..60 LOOP
        BEGIN
            LOCK TABLE players, matches, seats, asks, vacations IN ACCESS EXCLUSIVE MODE;
            LOCK TABLE substitutes, personal_tokens, deliveries, circle_members IN SHARE MODE;
            PERFORM set_config('lock_timeout', usual, true);
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            PERFORM pg_sleep(0.2);
        END;
    END LOOP;
    RAISE lock_not_available USING MESSAGE = 'the tables were in use all the time';
END $$"""
"""What fails in the inner block lets go of its locks."""


def upgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        op.execute(LOCK)
    op.create_table(
        "folds",
        sa.Column("match_id", sa.String(length=32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"]),
        sa.PrimaryKeyConstraint("match_id", "n"),
    )
    op.add_column("asks", sa.Column("drew", sa.Boolean(), nullable=True))
    op.add_column("asks", sa.Column("told", sa.Integer(), nullable=True))
    op.add_column("matches", sa.Column("touched", sa.Integer(), server_default=sa.text("0"), nullable=False))
    for statement in touching.create(op.get_context().dialect.name):
        op.execute(statement)
    for name, table, columns, which in INDEXES:
        where = None if which is None else sa.text(which)
        op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    for statement in touching.drop(op.get_context().dialect.name):
        op.execute(statement)
    for name, table, _columns, _which in reversed(INDEXES):
        op.drop_index(name, table_name=table)
    op.drop_column("matches", "touched")
    op.drop_column("asks", "told")
    op.drop_column("asks", "drew")
    op.drop_table("folds")
