"""One mail a day: who wants it, when it is due, and what it makes unnecessary.

A player's digest is due at his hour of his own day, once a local day whatever the clocks of his zone do: the day's
date is part of the outbox row's unique key. While he has one, his turn mails, reminders and end mails are closed as
"digest" without being sent, but for a question whose time would be up before the next digest. Two things bring a
closed one back: the player wants a mail a turn again, or a digest that should have told of it never left.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import false, or_, update
from sqlmodel import Session, col, select

from pbem.errors import N_, Invalid
from pbem.models.tables import AskRow, Match, OutboxRow, Player, SeatRow, table
from pbem.services import days, store
from pbem.services.players import checked_language, checked_zone, locked
from pbem.services.shifting import move_deadlines
from pbem.services.site import Site
from pbem.services.tokens import unknown_link

LATE = timedelta(hours=12)
"""A digest that could not be made for so long is left out: the next one is nearer."""
DAY = timedelta(days=1)


# --- when ----------------------------------------------------------------------------------------------------


def slot(player: Player, day: date) -> datetime:
    """When the player's digest of that day of his is due.

    An hour that the clocks leave out stands for the moment when they are put forward, one that comes twice for its
    first time.
    """
    assert player.digest_hour is not None, "the player has a digest"
    return datetime.combine(day, time(player.digest_hour), ZoneInfo(player.zone)).astimezone(UTC)


def latest_day(player: Player, now: datetime) -> date:
    """The player's day whose digest was due last."""
    day = now.astimezone(ZoneInfo(player.zone)).date()
    while slot(player, day) > now:
        day -= DAY
    return day


def next_at(session: Session, player: Player, now: datetime) -> datetime:
    """When the player's next digest is due: a day that has had one gets no second one."""
    assert player.id is not None, "a stored player has an id"
    day = latest_day(player, now) + DAY
    while store.queued(session, _dedupe(player.id, day)):
        day += DAY
    return slot(player, day)


def tells(session: Session, player: Player, deadline: datetime, now: datetime) -> bool:
    """Whether the player has a digest, and it will tell him before the deadline."""
    return player.digest_hour is not None and next_at(session, player, now) < deadline


def _dedupe(player_id: int, day: date) -> str:
    return f"digest:{player_id}:{day.isoformat()}"


# --- the sweep -----------------------------------------------------------------------------------------------


def sweep_digests(site: Site) -> int:
    """Queues the digests that are due and brings back what none can tell in time; gives how many rows."""
    return _queue(site) + _bring_back(site)


def _queue(site: Site) -> int:
    now = site.now()
    with site.reading() as session:
        players = session.exec(select(Player).where(col(Player.digest_hour).is_not(None))).all()
        days = [(player.id, day) for player in players if slot(player, day := latest_day(player, now)) > now - LATE]
        due = [(player, day) for player, day in days if player and not store.queued(session, _dedupe(player, day))]
    queued = 0
    for player, day in due:
        if site.stopping():
            break
        with site.writing() as session:
            store.enqueue(session, _dedupe(player, day), "digest", now, player_id=player, key=day.isoformat())
        queued += 1
    return queued


def _bring_back(site: Site) -> int:
    """Opens turn mails that were left to a digest, where none has told of the question and the next comes too late."""
    now = site.now()
    held = (
        select(OutboxRow, Player, AskRow.deadline)
        .where(
            col(AskRow.closed_at).is_(None),
            col(OutboxRow.match_id) == col(AskRow.match_id),
            col(OutboxRow.seat) == col(AskRow.seat),
            col(OutboxRow.key) == col(AskRow.origin),
            col(OutboxRow.kind) == "turn",
            col(OutboxRow.result) == "digest",
            col(SeatRow.match_id) == col(AskRow.match_id),
            col(SeatRow.seat) == col(AskRow.seat),
            col(Player.id) == col(SeatRow.player_id),
        )
    )  # fmt: skip
    with site.reading() as session:
        rows = [
            row.id
            for row, player, deadline in session.exec(held).all()
            if not tells(session, player, deadline, now) and not _told(session, player, row)
        ]
    opened = 0
    for row in rows:
        if site.stopping():
            break
        with site.writing() as session:
            opened += _open(session, [row], now)
    return opened


def _told(session: Session, player: Player, held: OutboxRow) -> bool:
    """Whether a digest has told of what the row stands for, or is about to."""
    assert held.done_at is not None, "a row that is left to a digest is closed"
    sent = (col(OutboxRow.result) == "sent") & (col(OutboxRow.done_at) >= held.done_at)
    found = select(OutboxRow.id).where(
        col(OutboxRow.player_id) == player.id,
        col(OutboxRow.kind) == "digest",
        or_(col(OutboxRow.done_at).is_(None), sent if not _waits(session, held) else false()),
    )
    return session.exec(found.limit(1)).first() is not None


def _waits(session: Session, held: OutboxRow) -> bool:
    """Whether the clock of the question still waits: a digest that was written before it was left to it is none."""
    asked = select(AskRow.key).where(
        col(AskRow.match_id) == held.match_id,
        col(AskRow.seat) == held.seat,
        col(AskRow.origin) == held.key,
        col(AskRow.closed_at).is_(None),
        col(AskRow.mailed_at).is_(None),
    )
    return held.kind == "turn" and session.exec(asked.limit(1)).first() is not None


def _open(session: Session, rows: list[int | None], now: datetime) -> int:
    """Makes rows that were left to a digest due; gives how many still were."""
    t = table(OutboxRow)
    back = update(t).where(t.c.id.in_(rows), t.c.result == "digest").values(done_at=None, result=None, due_at=now)
    opened = session.connection().execute(back).rowcount
    session.info[store.RING] = bool(opened) or session.info.get(store.RING, False)
    return int(opened)


# --- the player's choice -------------------------------------------------------------------------------------


def checked_hour(typed: str) -> int | None:
    """The hour of the day that a form names, None for a mail a turn. Raises Invalid."""
    if not typed:
        return None
    if not (typed.isascii() and typed.isdigit() and len(typed) < 3 and int(typed) < 24):
        raise Invalid(N_("The hour of the day’s mail must be between 0 and 23."))
    return int(typed)


def prefer(site: Site, player_id: int, language: str, zone: str, hour: int | None) -> None:
    """Sets the player's language and time zone, and the hour of his one mail a day, None for a mail a turn.

    Raises Invalid, and Unauthorized where he has gone.
    """
    language, zone = checked_language(language), checked_zone(zone)
    now = site.now()
    with site.writing() as session:
        player = locked(session, player_id)
        before, days_before = (player.digest_hour, player.zone), days.of_player(session, player)
        player.language, player.zone, player.digest_hour = language, zone, hour
        session.add(player)
        session.flush()
        if hour is None and before[0] is not None:
            _open(session, _untold(session, player), now)
        elif hour is not None and before != (hour, zone):
            skip_past(session, player, now)
        move_deadlines(session, player, days_before, now)


def skip_past(session: Session, player: Player, now: datetime) -> None:
    """The hour that has just passed is not meant: the first digest comes when it strikes again."""
    if player.digest_hour is None or player.id is None:
        return
    day = latest_day(player, now)
    row = {"dedupe": _dedupe(player.id, day), "kind": "digest", "player_id": player.id, "key": day.isoformat()}
    done = {"created_at": now, "due_at": now, "attempts": 0, "done_at": now, "result": "stale"}
    store.insert_once(session, OutboxRow, {**row, **done})


def _untold(session: Session, player: Player) -> list[int | None]:
    """The rows that were left to a digest and that none has told of."""
    held = select(OutboxRow).where(
        col(OutboxRow.match_id) == col(SeatRow.match_id),
        col(OutboxRow.seat) == col(SeatRow.seat),
        col(SeatRow.player_id) == player.id,
        col(OutboxRow.kind).in_(("turn", "over")),
        col(OutboxRow.result) == "digest",
    )
    return [row.id for row in session.exec(held) if not _told(session, player, row)]


# --- its unsubscribe button ----------------------------------------------------------------------------------


def read_stop(site: Site, token: str) -> tuple[Player, bool]:
    """The player of a digest's stop link, and whether all his matches are muted. Raises Unauthorized."""
    with site.reading() as session:
        player = _stopped(site, session, token)
        session.expunge(player)
        mine = session.exec(select(SeatRow).where(*_unfinished(player.id))).all()
        return player, bool(mine) and all(seat.muted for seat in mine)


def mute_all(site: Site, token: str, muted: bool) -> None:
    """Stops the mails of all the player's unfinished matches, or lets them come again. Raises Unauthorized."""
    with site.writing() as session:
        mine = _unfinished(_stopped(site, session, token).id)
        order = (col(SeatRow.match_id), col(SeatRow.seat))  # in which everybody locks them
        session.exec(select(SeatRow.seat).where(*mine).order_by(*order).with_for_update()).all()
        # Somebody may have taken one over meanwhile: that is not his any more.
        session.connection().execute(update(table(SeatRow)).where(*mine).values(muted=muted))


def _stopped(site: Site, session: Session, token: str) -> Player:
    """The player of a stop link. Raises Unauthorized, also where the mail went to an address that is not his now."""
    claim = site.tokens.read_stop(token)
    player = session.get(Player, claim.player_id)
    if player is None or site.tokens.address_digest(player.canonical) != claim.digest:
        raise unknown_link()
    return player


def _unfinished(player_id: int | None) -> tuple[Any, ...]:
    running = select(col(Match.id)).where(col(Match.status).not_in(("over", "cancelled")))
    return (col(SeatRow.player_id) == player_id, col(SeatRow.status) == "accepted", col(SeatRow.match_id).in_(running))
