"""Clocks: grace, absence, pauses

Revision ID: 0003
Revises: 0002
Create Date: 2026-11-21 07:00:00
"""

from datetime import timedelta

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
    _start_clocks(op.get_bind())
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
    _pulse(op.get_bind())
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


# What the rows of a running service get. The tables as they are at this revision: the models go on.

_at = pbem.models.tables.Utc
_matches = sa.table("matches", sa.column("id"), sa.column("turn_s"), sa.column("window_s"))
_asks = sa.table(
    "asks", sa.column("match_id"), sa.column("key"), sa.column("seat"), sa.column("origin"), sa.column("allowed_s"),
    *(sa.column(name, _at) for name in ("opened_at", "deadline", "closed_at", "mailed_at", "acts_at")),
)  # fmt: skip
_outbox = sa.table(
    "outbox", *(sa.column(name) for name in ("kind", "match_id", "seat", "key", "result")), sa.column("done_at", _at)
)
_entries = sa.table("entries", sa.column("at", _at))


def _start_clocks(connection: sa.Connection) -> None:
    """Open questions have a grace after their deadline; the clock waits where the mail has not left."""
    first = _asks.alias("first")
    waits = sa.exists().where(
        _outbox.c.kind == "turn",
        _outbox.c.match_id == _asks.c.match_id,
        _outbox.c.seat == _asks.c.seat,
        _outbox.c.key == _asks.c.origin,
        sa.or_(_outbox.c.done_at.is_(None), _outbox.c.result == "digest"),
    )
    found = sa.select(
        _asks.c.match_id, _asks.c.key, _asks.c.seat, _asks.c.deadline, _matches.c.turn_s, _matches.c.window_s,
        sa.func.coalesce(first.c.opened_at, _asks.c.opened_at, type_=_at()).label("since"), waits.label("waits"),
    ).select_from(
        _asks.join(_matches, _matches.c.id == _asks.c.match_id).outerjoin(
            first,
            sa.and_(
                first.c.match_id == _asks.c.match_id, first.c.seat == _asks.c.seat, first.c.key == _asks.c.origin
            ),
        )
    ).where(_asks.c.closed_at.is_(None))  # fmt: skip
    for row in connection.execute(found).all():
        # Whether it is outside the player's own turn is not in the row, but how long he was given is.
        given = (row.deadline - row.since).total_seconds()
        allowed_s = min((row.turn_s, row.window_s), key=lambda seconds: abs(seconds - given))
        acts_at = row.deadline + timedelta(seconds=min(max(allowed_s / 10, 300), 21_600))
        values = {"allowed_s": allowed_s, "acts_at": acts_at}
        if row.waits:
            values |= {"acts_at": None, "mailed_at": None}
        this = (_asks.c.match_id == row.match_id, _asks.c.key == row.key, _asks.c.seat == row.seat)
        connection.execute(sa.update(_asks).where(*this).values(**values))


def _pulse(connection: sa.Connection) -> None:
    """The last sign of life there was, so that the time of the upgrade itself is given back."""
    last = [
        connection.execute(sa.select(sa.func.max(c, type_=_at()))).scalar() for c in (_outbox.c.done_at, _entries.c.at)
    ]
    if seen := [moment for moment in last if moment is not None]:
        pulse = sa.table("pulse", sa.column("name"), sa.column("at", _at))
        connection.execute(sa.insert(pulse).values(name="sweep", at=max(seen)))


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
