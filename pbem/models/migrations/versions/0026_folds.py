"""Folds of every viewer beside the log, what an answer drew and told, and a number for what no version counts.

Triggers raise that number, not the program: so no statement can forget it, nor a program that does not know it.

And an index for each statement that comes often and would read the whole of a large table.

Revision ID: 0026
Revises: 0025
Create Date: 2026-11-30 10:40:00
"""

import sqlalchemy as sa
from alembic import op

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
OF_MATCH = (
    "game", "options", "status", "seed", "commitment", "words", "turn_s", "window_s", "bank_s", "increment_s",
    "untimed", "deal_id", "silent", "undone", "takebacks", "undoing", "archived_at",
)  # fmt: skip
OF_SEAT = ("player_id", "bot", "status", "absent", "resigned")
OF_PLAYER = ("zone", "weekends_off", "quiet_from", "quiet_to")
PLAYED = "status IN ('running', 'paused')"
UNCOUNTED = f"OLD.{PLAYED} AND OLD.version = NEW.version AND OLD.touched = NEW.touched"
ON_POSTGRESQL = ("touched", "touched_at_seat", "touched_by_hours", "touched_by_holidays")


def _differ(columns: tuple[str, ...], unlike: str) -> str:
    return " OR ".join(f"OLD.{one} {unlike} NEW.{one}" for one in columns)


def _create_on_postgresql() -> None:
    these = "id IN (SELECT match_id FROM seats WHERE player_id = {player})"
    theirs = f"""
        PERFORM id FROM matches WHERE {PLAYED} AND {these} ORDER BY id FOR NO KEY UPDATE;
        UPDATE matches SET touched = touched + 1 WHERE {PLAYED} AND {these};
        RETURN NULL;
    """
    bodies = (
        "NEW.touched = OLD.touched + 1; RETURN NEW;",
        f"UPDATE matches SET touched = touched + 1 WHERE id = NEW.match_id AND {PLAYED}; RETURN NULL;",
        theirs.format(player="NEW.id"),
        theirs.format(player="COALESCE(NEW.player_id, OLD.player_id)"),
    )
    whens = (
        f"BEFORE UPDATE ON matches FOR EACH ROW WHEN ({UNCOUNTED} AND ({_differ(OF_MATCH, 'IS DISTINCT FROM')}))",
        f"AFTER UPDATE ON seats FOR EACH ROW WHEN ({_differ(OF_SEAT, 'IS DISTINCT FROM')})",
        f"AFTER UPDATE ON players FOR EACH ROW WHEN ({_differ(OF_PLAYER, 'IS DISTINCT FROM')})",
        "AFTER INSERT OR UPDATE OR DELETE ON vacations FOR EACH ROW",
    )
    for name, body, when in zip(ON_POSTGRESQL, bodies, whens, strict=True):
        op.execute(f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$")
        op.execute(f"CREATE TRIGGER {name} {when} EXECUTE FUNCTION {name}()")


def _create_on_sqlite() -> None:
    theirs = (
        f"UPDATE matches SET touched = touched + 1 WHERE {PLAYED} "
        "AND id IN (SELECT match_id FROM seats WHERE player_id = {player})"
    )
    own = "UPDATE matches SET touched = touched + 1 WHERE id = {match}"
    whens = {
        f"UPDATE ON matches WHEN {UNCOUNTED} AND ({_differ(OF_MATCH, 'IS NOT')})": own.format(match="NEW.id"),
        f"UPDATE ON seats WHEN {_differ(OF_SEAT, 'IS NOT')}": f"{own.format(match='NEW.match_id')} AND {PLAYED}",
        f"UPDATE ON players WHEN {_differ(OF_PLAYER, 'IS NOT')}": theirs.format(player="NEW.id"),
        "INSERT ON vacations": theirs.format(player="NEW.player_id"),
        "UPDATE ON vacations": theirs.format(player="NEW.player_id"),
        "DELETE ON vacations": theirs.format(player="OLD.player_id"),
    }
    for name, (when, do) in zip(ON_SQLITE, whens.items(), strict=True):
        op.execute(f"CREATE TRIGGER {name} AFTER {when} BEGIN {do}; END")


ON_SQLITE = (*ON_POSTGRESQL, "touched_by_other_holidays", "touched_by_holidays_gone")


def upgrade() -> None:
    for name, table, columns, which in INDEXES:
        where = None if which is None else sa.text(which)
        op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
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
    if op.get_context().dialect.name == "postgresql":
        _create_on_postgresql()
    else:
        _create_on_sqlite()


def downgrade() -> None:
    if op.get_context().dialect.name == "postgresql":
        for name in ON_POSTGRESQL:
            op.execute(f"DROP FUNCTION {name} CASCADE")
    else:
        for name in ON_SQLITE:
            op.execute(f"DROP TRIGGER {name}")
    for name, table, _columns, _which in reversed(INDEXES):
        op.drop_index(name, table_name=table)
    op.drop_column("matches", "touched")
    op.drop_column("asks", "told")
    op.drop_column("asks", "drew")
    op.drop_table("folds")
