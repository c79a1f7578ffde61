"""The daily digest: who gets it, when it is due, and which mails it replaces.

A player's digest is due at their chosen hour, once per day in their time zone whatever its clocks do: the date is part
of the outbox row's unique key. For players with a digest, turn mails, reminders and end mails are closed as "digest"
without being sent, except for asks whose time would be up before the next digest. Two things reopen a closed row: the
player switches back to a mail each turn, or a digest that should have covered it was never sent.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import exists, func, tuple_, update
from sqlmodel import Session, col, select

from pbem.errors import N_, Invalid
from pbem.models.tables import AskRow, Match, OutboxRow, Player, SeatRow, table
from pbem.services import versions
from pbem.services.calendar import calendar
from pbem.services.clock.holidays import have_reminders_rechecked, ids_of_matches_with_asks, move_deadlines
from pbem.services.log import locks, outbox
from pbem.services.players.digest_day import (
    DAY,
    digest_due_at,
    digest_key,
    digest_key_expression,
    latest_digest_day,
    skip_past_digest,
)
from pbem.services.players.players import Account, check_language, check_zone, player_at_address
from pbem.services.shards import ALL, Shard
from pbem.services.site import Site, Work
from pbem.services.tokens import StopClaim

LATE = timedelta(hours=12)
"""A digest that is this late is skipped, because the next one is nearer."""
MANY = 500
"""How many players one statement covers."""

_p, _o = table(Player), table(OutboxRow)


# --- times ---------------------------------------------------------------------------------------------------


def next_digest_at(session: Session, player: Player, now: datetime) -> datetime:
    """Returns when the player's next digest is due; a day that has had one does not get a second."""
    return _next_free_digest_time(player, now, outbox.keys_in_outbox(session, _next_digest_keys(player, now)))


def _next_digest_keys(player: Player, now: datetime) -> list[str]:
    """Returns the keys of the next days' digests; after travelling west a player may already have had some."""
    day = latest_digest_day(player, now)
    return [digest_key(player.id, day + n * DAY) for n in range(1, 4)]


def _next_free_digest_time(player: Player, now: datetime, known: set[str]) -> datetime:
    day = latest_digest_day(player, now) + DAY
    while digest_key(player.id, day) in known:
        day += DAY
    return digest_due_at(player, day)


def time_of_digest_before_deadline(
    session: Session, player: Player, deadline: datetime, now: datetime
) -> datetime | None:
    """Returns when the player's next digest is due, if they have one and it comes before the deadline; else None."""
    if player.digest_hour is None or digest_due_at(player, latest_digest_day(player, now) + DAY) >= deadline:
        return None
    at = next_digest_at(session, player, now)
    return at if at < deadline and not _players_with_unrendered_digest(session, [player.id]) else None


def _players_with_unrendered_digest(session: Session, players: Sequence[int | None]) -> set[int]:
    """Returns those players whose digest waits because it cannot be rendered; their asks are mailed one by one."""
    found = set[int]()
    for some in range(0, len(players), MANY):
        waiting = select(col(OutboxRow.player_id)).where(
            col(OutboxRow.player_id).in_(players[some : some + MANY]),
            col(OutboxRow.kind) == "digest",
            col(OutboxRow.done_at).is_(None),
            col(OutboxRow.unrendered_since).is_not(None),
        )
        found.update(number for number in session.exec(waiting) if number is not None)
    return found


# --- the sweep -----------------------------------------------------------------------------------------------


def queue_digests_and_reopen_mails(site: Site, shard: Shard = ALL) -> int:
    """Queues digests that are due and reopens turn mails that none can cover in time; returns the number of rows."""
    return _queue_due_digests(site, shard) + _reopen_mails_left_to_late_digest(site, shard)


def _queue_due_digests(site: Site, shard: Shard) -> int:
    now, queued = site.now(), 0
    mine = (_p.c.digest_hour.is_not(None), _p.c.address.is_not(None), *shard.player_conditions(_p.c.id))
    with site.reading() as session:
        due = []
        for day, hours in _days_with_due_digest(session, mine, now).items():
            has = exists(select(_o.c.id).where(_o.c.dedupe == digest_key_expression(_p.c.id, day)))
            lacks = select(_p.c.id).where(*mine, tuple_(_p.c.zone, _p.c.digest_hour).in_(hours), ~has)
            due += [(player, day) for player in session.execute(lacks.order_by(_p.c.id)).scalars()]
    for some in range(0, len(due), MANY):
        if site.stopping():
            break
        with site.writing() as work:
            here = locks.hold_players_by_one_statement(work, [player for player, _ in due[some : some + MANY]])
            mails = [
                {"dedupe": digest_key(player, day), "kind": "digest", "player_id": player, "key": day.isoformat()}
                for player, day in due[some : some + MANY]
                if player in here
            ]
            outbox.enqueue_many(work, mails, now)
        queued += len(mails)
    return queued


def _days_with_due_digest(session: Session, mine: Sequence[Any], now: datetime) -> dict[date, list[tuple[str, int]]]:
    """Returns the days whose digest is due to some of these players, in order, each with their zones and hours."""
    found = defaultdict[date, list[tuple[str, int]]](list)
    for hours in session.execute(select(_p.c.zone, _p.c.digest_hour).where(*mine).distinct()):
        if digest_due_at(hours, day := latest_digest_day(hours, now)) > now - LATE:
            found[day].append((hours.zone, hours.digest_hour))
    return dict(sorted(found.items()))  # two sweeps at once write their rows in the same order


OF_QUESTION = (
    col(OutboxRow.match_id) == col(AskRow.match_id),
    col(OutboxRow.seat) == col(AskRow.seat),
    col(OutboxRow.key) == col(AskRow.origin),
    col(OutboxRow.kind) == "turn",
)
"""Joins a turn mail with the ask that it is about."""


def _reopen_mails_left_to_late_digest(site: Site, shard: Shard) -> int:
    """Reopens turn mails left to a digest if none has covered the ask and the next one comes too late.

    Returns the number reopened.
    """
    now = site.now()
    found = (
        select(OutboxRow, Player, AskRow.deadline, AskRow.mailed_at)
        .where(
            col(AskRow.closed_at).is_(None),
            col(AskRow.sealed_at).is_(None),
            *shard.match_conditions(col(AskRow.match_id)),
            *OF_QUESTION,
            col(OutboxRow.result) == "digest",
            col(SeatRow.match_id) == col(AskRow.match_id),
            col(SeatRow.seat) == col(AskRow.seat),
            col(Player.id) == col(SeatRow.player_id),
        )
    )  # fmt: skip
    with site.reading() as session:
        held = session.exec(found).all()
        with_one = {player.id: player for _, player, _, _ in held if player.digest_hour is not None}
        known = outbox.keys_in_outbox(
            session, [key for player in with_one.values() for key in _next_digest_keys(player, now)]
        )
        broken = _players_with_unrendered_digest(session, [*with_one])
        soon = {
            number: _next_free_digest_time(one, now, known) for number, one in with_one.items() if number not in broken
        }
        late = [
            (player.id, row, mailed_at is None)
            for row, player, deadline, mailed_at in held
            if player.id not in soon or (deadline is not None and soon[player.id] >= deadline)
        ]
        told = _rows_covered_by_digest(session, late)
        rows = [row.id for _, row, _ in late if row.id not in told]
    opened = 0
    for row in rows:
        if site.stopping():
            break
        with site.writing() as work:
            opened += _reopen_rows_left_to_digest(work, [row], now)
    return opened


def _rows_covered_by_digest(session: Session, held: Sequence[tuple[int | None, OutboxRow, bool]]) -> set[int | None]:
    """Returns the rows of these players that a digest has covered or is about to cover.

    Each row comes with whether the clock of its ask still waits: a digest that was sent nevertheless was written before
    the row was left to it.
    """
    about, last = set[int | None](), dict[int | None, datetime]()
    players = sorted({player for player, _, _ in held if player is not None})
    for some in range(0, len(players), MANY):
        of_these = (col(OutboxRow.player_id).in_(players[some : some + MANY]), col(OutboxRow.kind) == "digest")
        waiting = (col(OutboxRow.done_at).is_(None), col(OutboxRow.unrendered_since).is_(None))
        about.update(session.exec(select(col(OutboxRow.player_id)).where(*of_these, *waiting)))
        sent = select(OutboxRow.player_id, func.max(col(OutboxRow.done_at))).where(
            *of_these, col(OutboxRow.result) == "sent"
        )
        last.update(session.exec(sent.group_by(col(OutboxRow.player_id))).all())  # type: ignore[arg-type]
    return {
        row.id
        for player, row, waits in held
        if player in about or (not waits and row.done_at is not None and player in last and last[player] >= row.done_at)
    }


def _reopen_rows_left_to_digest(work: Work, rows: list[int | None], now: datetime) -> int:
    """Makes rows due again that were left to a digest; returns the number that still were."""
    t = table(OutboxRow)
    back = update(t).where(t.c.id.in_(rows), t.c.result == "digest").values(done_at=None, result=None, due_at=now)
    opened = work.connection().execute(back).rowcount
    if opened:
        work.wakes = True
    return int(opened)


# --- the player's choice -------------------------------------------------------------------------------------


def check_digest_hour(typed: str) -> int | None:
    """Returns the hour of the day entered in a form, None for a mail each turn. Raises Invalid."""
    if not typed:
        return None
    if not (typed.isascii() and typed.isdigit() and len(typed) < 3 and int(typed) < 24):
        raise Invalid(N_("The hour of the daily email must be between 0 and 23."))
    return int(typed)


def set_preferences(
    site: Site,
    player_id: int,
    language: str,
    zone: str,
    hour: int | None,
    *,
    pictures: bool | None = None,
    version: str | None = None,
) -> str:
    """Sets the player's language and time zone, and the hour of their daily digest, None for a mail each turn.

    `pictures` says whether their mails show the board as a picture; None leaves it as it is. `version` is that of a
    form of `mail_settings_of`. Returns the language as stored. Raises Invalid, Changed, and Unauthorized if they have
    been erased.
    """
    language, zone = check_language(language), check_zone(zone)
    now = site.now()
    with site.writing() as work:
        player = locks.lock_player(work, player_id, or_guest=True)
        hour = hour if player.address is not None else None
        before, days_before = (player.digest_hour, player.zone), calendar.calendar_of_player(work, player)
        entered = (language, zone, hour, player.pictures if pictures is None else pictures)
        language, zone, hour, player.pictures = versions.merge_or_raise_changed(
            version, mail_settings_of(player), entered
        )
        player.language, player.zone, player.digest_hour = language, zone, hour
        work.flush()
        if (hour, zone) == before:
            return language
        asked = ids_of_matches_with_asks(work, player)
        locks.lock_matches(work, asked)
        if hour is not None:
            skip_past_digest(work, player, now)
        elif before[0] is not None:
            _reopen_rows_left_to_digest(work, _rows_not_covered(work, player), now)
        if asked:
            have_reminders_rechecked(work, now, _seats_of_player_condition(player.id, asked))
        move_deadlines(work, player, asked, days_before, now)
        return language


def mail_settings_of(player: Player | Account) -> tuple[str, str, int | None, bool]:
    """Returns what is entered in one form: language, zone, the hour of the digest, and whether mails have pictures."""
    return player.language, player.zone, player.digest_hour, player.pictures


def _seats_of_player_condition(player_id: int | None, match_ids: Collection[str]) -> Any:
    """Returns the SQL condition for the player's seats in these matches."""
    return (col(SeatRow.player_id) == player_id) & col(SeatRow.match_id).in_(match_ids)


def _rows_not_covered(session: Session, player: Player) -> list[int | None]:
    """Returns the rows that were left to a digest and that no digest has covered."""
    waits = select(AskRow.key).where(
        *OF_QUESTION,
        col(AskRow.closed_at).is_(None),
        col(AskRow.mailed_at).is_(None),
    )
    held = select(OutboxRow, waits.correlate(table(OutboxRow)).exists()).where(
        col(OutboxRow.match_id) == col(SeatRow.match_id),
        col(OutboxRow.seat) == col(SeatRow.seat),
        col(SeatRow.player_id) == player.id,
        col(OutboxRow.kind).in_(("turn", "over")),
        col(OutboxRow.result) == "digest",
    )
    rows = [(player.id, row, waiting) for row, waiting in session.exec(held)]
    covered = _rows_covered_by_digest(session, rows)
    return [row.id for _, row, _ in rows if row.id not in covered]


# --- the unsubscribe button ----------------------------------------------------------------------------------


def read_language_and_mute_of_stop_link(site: Site, claim: StopClaim) -> tuple[str, bool]:
    """Returns the language of a stop link's player, and whether all their matches are muted. Raises Unauthorized."""
    with site.reading() as session:
        player = player_at_address(site, session, claim.player_id, claim.digest)
        mine = session.exec(select(SeatRow).where(*_conditions_of_unfinished_seats(player.id))).all()
        return player.language, bool(mine) and all(seat.muted for seat in mine)


def mute_all_matches(site: Site, claim: StopClaim, muted: bool) -> None:
    """Mutes or unmutes the mails of all the player's unfinished matches. Raises Unauthorized."""
    with site.writing() as work:
        player = player_at_address(site, work, claim.player_id, claim.digest)
        mine = _conditions_of_unfinished_seats(player.id)
        matches = locks.lock_matches(work, work.exec(select(SeatRow.match_id).where(*mine)).all())
        # A substitute may have taken over a seat meanwhile, which is then no longer theirs.
        these = (*mine, col(SeatRow.match_id).in_(matches))
        work.connection().execute(update(table(SeatRow)).where(*these).values(muted=muted))
        if not muted:
            have_reminders_rechecked(work, site.now(), _seats_of_player_condition(player.id, matches))


def _conditions_of_unfinished_seats(player_id: int | None) -> tuple[Any, ...]:
    running = select(col(Match.id)).where(col(Match.status).not_in(("over", "cancelled")))
    return (col(SeatRow.player_id) == player_id, col(SeatRow.status) == "accepted", col(SeatRow.match_id).in_(running))
