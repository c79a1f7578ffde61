"""Closes the rows of mails, and starts the clocks that waited for them.

A mail that has left closes its row in one batch, whose statements change nothing unless all of them do (`Change`):

1. Hold the player to whom the row will point, and lock the match: see `locks`.
2. Start the clock of the question, if it is still the one that the letter was about, at the same seat, with the same
   deadline, and its player has still the calendar by which the new moments were computed.
3. Close the row, if nobody has, and if no bounce is noted that the mail may have proved wrong.

Whatever else is to be done when a row is closed is done with everything read again under the lock (`close_row`): that
is for a mail that has not left, a digest, a deadline that moves, a player with holidays, and a batch that failed.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, exists, select, update

from pbem.errors import Busy
from pbem.models.clocks import Vacation
from pbem.models.prepared import Change, Prepared, Unmet, load, pipeline
from pbem.models.schema.revisions import NEWEST_SCHEMA, may_write
from pbem.models.tables import AskRow, OutboxRow, Player, SeatRow, table
from pbem.services import statements
from pbem.services.calendar import deadlines
from pbem.services.clock.clock_start import start_clocks
from pbem.services.counters import Mark
from pbem.services.log import locks
from pbem.services.log.store import Table
from pbem.services.players import bounces
from pbem.services.site import Site

CLOSE_TRIES = 5

_t, _asks, _seats, _players, _days = (table(model) for model in (OutboxRow, AskRow, SeatRow, Player, Vacation))
_closed = {
    "answer": bindparam("said"), "done_at": bindparam("done"), "result": bindparam("became"), "claimed_until": None,
    "attempts": _t.c.attempts + 1, "unrendered_since": None,
}  # fmt: skip
_DONE = Prepared(update(_t).where(_t.c.id == bindparam("row")).values(_closed))
"""`row`, `said`, `done`, `became`: closes the row."""
_for_player = {**_closed, "player_id": bindparam("player")}
_DONE_FOR = Prepared(update(_t).where(_t.c.id == bindparam("row")).values(_for_player))
"""The same, with the `player` to whom it went, whose row the database locks."""
_bounced = exists(select(_players.c.id).where(_players.c.id == bindparam("player"), _players.c.bounced_at.is_not(None)))
_SENT = Change(
    update(_t).where(_t.c.id == bindparam("row"), _t.c.done_at.is_(None), ~_bounced, may_write()).values(_for_player)
)
_CALENDAR = ("zone", "weekends_off", "quiet_from", "quiet_to")
_same_calendar = exists(
    select(_seats.c.seat).where(
        _seats.c.match_id == bindparam("match"), _seats.c.seat == bindparam("seat"),
        _seats.c.player_id == _players.c.id, _players.c.id == bindparam("player"),
        *(_players.c[name].is_not_distinct_from(bindparam(name)) for name in _CALENDAR),
        ~exists(select(_days.c.id).where(_days.c.player_id == _players.c.id)),
    )
)  # fmt: skip
_START = Change(
    update(_asks)
    .where(
        _asks.c.match_id == bindparam("match"), _asks.c.key == bindparam("key"), _asks.c.seat == bindparam("seat"),
        _asks.c.closed_at.is_(None), _asks.c.mailed_at.is_(None), _asks.c.deadline == bindparam("deadline"),
        _asks.c.runs_out.is_not_distinct_from(bindparam("runs_out")), _same_calendar, may_write(),
    )
    .values(mailed_at=bindparam("mailed"), acts_at=bindparam("acts"), remind_at=bindparam("remind"))
)  # fmt: skip


@dataclass(frozen=True)
class Closing:
    """How the row of a mail is closed in one batch once it has left; `clock` has the values of the statement that
    starts the question's clock, None if no clock waits."""

    row: int
    kind: str
    player: int
    match: str | None
    clock: dict[str, Any] | None = None


def plan_closing(row: OutboxRow, player: Player, table: Table | None, at: datetime) -> Closing | None:
    """Returns how the row is closed once a mail written as of this moment has left; None if it takes `close_row`.

    `table` is the match of a turn mail, as the letter shows it.
    """
    assert row.id is not None
    assert player.id is not None
    if row.kind == "digest" or player.bounced_at is not None or row.player_id not in (None, player.id):
        return None
    closing = Closing(row.id, row.kind, player.id, row.match_id)
    if row.kind != "turn" or table is None:
        return closing if row.kind != "turn" else None
    asked = [ask for ask in table.asks if (ask.seat, ask.origin) == (row.seat, row.key)]
    if len(asked) != 1 or row.seat in table.holidays:
        return None
    (ask,) = asked
    if ask.mailed_at is not None:
        return closing
    time = deadlines.time_after_mail(ask, at, table.calendar_of(table.seats[ask.seat]))
    if time.deadline != ask.deadline or ask.bot is not None:
        return None  # the match's log says that it has moved
    clock = {
        "match": ask.match_id, "key": ask.key, "seat": ask.seat, "deadline": ask.deadline, "runs_out": ask.runs_out,
        "mailed": time.mailed_at, "acts": time.acts_at, "remind": time.remind_at, "player": player.id,
        "schema": NEWEST_SCHEMA, **{name: getattr(player, name) for name in _CALENDAR},
    }  # fmt: skip
    return Closing(row.id, row.kind, player.id, row.match_id, clock)


def close_sent(site: Site, closing: Closing) -> bool:
    """Closes the row of a mail that has left, as planned, in one batch; False if that cannot be: nothing is changed."""
    done = {
        "row": closing.row, "said": None, "done": site.now(), "became": "sent", "player": closing.player,
        "schema": NEWEST_SCHEMA,
    }  # fmt: skip
    try:
        opened = site.writing() if site.engine.dialect.name == "sqlite" else site.batches()
        with opened as session, pipeline(session) as connection:
            statements.HOLD.send(connection, {"player": closing.player})
            if closing.clock is not None:
                statements.LOCK.send(connection, {"match": closing.match})
                _START.send(connection, closing.clock)
            _SENT.send(connection, done)
    except (Unmet, Busy):
        return False
    site.counters.add([Mark("mail", (closing.kind, "sent"))])
    return True


@dataclass(frozen=True)
class End:
    """How a row ends: with this result, for this player, if they are known, as of the moment it was written at.

    `to` is where the mail went, and `answer` the code with which the relay refused it.
    """

    row: int
    result: str
    player: int | None
    at: datetime
    to: str | None = None
    answer: str | None = None


def close_row(site: Site, end: End) -> None:
    """Closes the row. Retries if the database is busy: the mail may have left and would otherwise be sent again."""
    for left in reversed(range(CLOSE_TRIES)):
        try:
            with site.writing() as work:
                # The session forgets the player, whom `settle` looks up, unless somebody keeps them.
                row, _kept = load(work, (OutboxRow, end.row), (Player, end.player))
                whose = row.player_id or end.player
                # Locks the player before the match: see `locks`.
                bounces.settle(work, row, end.result, site.now(), player_id=whose, to=end.to, answer=end.answer)
                if row.player_id != whose:
                    locks.hold_players(work, [whose])
                start_clocks(work, row, end.result, end.at)
                done = {"row": end.row, "said": end.answer, "done": site.now(), "became": end.result}
                if row.player_id == whose:
                    _DONE.ask(work, done)
                else:
                    _DONE_FOR.ask(work, done | {"player": whose})
                work.count("mail", row.kind, end.result)
            return
        except Busy:
            if not left:
                raise
