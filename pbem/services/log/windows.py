"""Silent windows in the database: when they open, the answers sealed on their asks, and when they close.

`pbem.kit.windows` says what they are. The asks of a window open together and have the same `floor_at`. An ask that was
answered stays open, with its answer sealed, until the sweep closes the window (`play.timeouts`).

Each answer sets when the sweep looks next, by the same statements whoever has answered so far: a request that asked
whether it was the last one would tell it by its time.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import select
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session

from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask, Move
from pbem.kit.replay import By
from pbem.kit.windows import floor_s, step_s
from pbem.models.prepared import objects
from pbem.models.tables import AskRow, Match, SeatRow, table
from pbem.services import statements
from pbem.services.calendar import deadlines, player_calendars, reminder_times
from pbem.services.calendar.deadlines import Time
from pbem.services.log import deals, proofs

PEOPLE = 2
"""At a table with fewer people nobody is there who could draw conclusions from the time of an answer."""


# --- opening -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Opening:
    """A silent window that opens: before which moment it does not close, and the time of all who are asked."""

    floor_at: datetime
    time: Time

    def time_of(self, session: Session, seat: SeatRow, now: datetime) -> Time:
        """Returns the time of the ask to this seat. Only when its clock acts and when it is reminded is its own."""
        if seat.absent or seat.resigned:
            return replace(self.time, acts_at=now)
        if seat.bot is not None:
            return self.time
        days, end = player_calendars.calendar_of(session, seat), self.time.deadline
        return replace(self.time, remind_at=reminder_times.first(now, end, end, days))


def opening(
    session: Session, match: Match, game: AnyGame, asks: Sequence[Ask], now: datetime, due: datetime
) -> Opening | None:
    """Returns how the silent window of these asks opens, which open together; None if they belong to none.

    `due`: when their mails leave.
    """
    if not asks or not match.silent or not game.meta.asks[asks[0].kind].window:
        return None
    seats = [session.get_one(SeatRow, (match.id, seat)) for seat in range(len(proofs.words_of(match)))]
    people = [seat for seat in seats if seat.bot is None and not seat.resigned]
    options = codec_for(game).options(msgspec.json.decode(match.options))
    if len(people) < PEOPLE or not game.meta.hides_in_windows(options):
        return None
    chance = proofs.window_luck_of(match).window(asks[0].key, asks[0].seat)
    asked = {ask.seat for ask in asks}
    days = [player_calendars.calendar_of(session, one) for one in people if one.seat in asked and not one.absent]
    time = deadlines.time_of_window(match.window_s, due, now, days)
    return Opening(now + timedelta(seconds=floor_s(chance, match.turn_s, match.window_s)), time)


# --- while it is open ----------------------------------------------------------------------------------------


def asks_of(session: Session, match_id: str) -> list[AskRow]:
    """Returns the asks of the match's open silent window in seat order; none if there is none."""
    found = objects(session, AskRow, statements.OPEN_ASKS.ask(session, {"match": match_id}).rows())
    return [ask for ask in found if ask.floor_at is not None]


def seal(session: Session, match: Match, ask: AskRow, move: Move, by: By, now: datetime) -> None:
    """Seals this answer on its ask, in place of the one that was sealed there. The match must be locked."""
    ask.sealed, ask.sealed_by, ask.sealed_at = encode(move).decode(), encode(by).decode(), now
    ask.remind_at = ask.claimed_until = ask.follow_at = None  # whoever claimed it to answer it is done
    look_again(session, match, now)


def unseal(session: Session, ask: AskRow) -> None:
    """Takes the sealed answer back, so that the ask waits for one again. The match must be locked."""
    ask.sealed = ask.sealed_by = ask.sealed_at = None


def answer_of(game: AnyGame, ask: AskRow) -> tuple[Move, By]:
    """Returns the sealed answer, and who gave it."""
    assert ask.sealed is not None
    return codec_for(game).move(ask.sealed), by_of(ask)


def by_of(ask: AskRow) -> By:
    """Returns who gave the sealed answer."""
    assert ask.sealed_by is not None
    return msgspec.json.decode(ask.sealed_by, type=By)


def look_again(session: Session, match: Match, now: datetime) -> None:
    """Has the sweep look at the next moment of the open window whether it closes; at none, if none is open.

    It costs the same statements whoever has answered. The match must be locked.
    """
    session.flush()
    asks = asks_of(session, match.id)
    if asks:
        at = _next_moment(match, asks, now)
        statements.LOOK_AGAIN.ask(session, {"at_match": match.id, "at_seat": asks[0].seat, "at": at})
        set_committed_value(asks[0], "closes_at", at)


def _next_moment(match: Match, asks: Iterable[AskRow], now: datetime) -> datetime:
    """Returns the first moment from now on at which the window of these asks may close."""
    floor = max(ask.floor_at for ask in asks if ask.floor_at is not None)
    step = step_s(match.turn_s, match.window_s)
    late_s = max((now - floor).total_seconds(), 0)
    return floor + timedelta(seconds=math.ceil(late_s / step) * step)


def note_looked(session: Session, match: Match, now: datetime) -> None:
    """Notes that the sweep has looked, and the window does not close: the next answer has it look again.

    The match must be locked.
    """
    for ask in asks_of(session, match.id):
        if ask.closes_at is not None:
            ask.closes_at, ask.claimed_until = ask.closes_at if ask.closes_at > now else None, None


def closes(match: Match, asks: Sequence[AskRow], now: datetime) -> bool:
    """Returns whether the window of these asks closes by now: all have answered, and it may close since then."""
    answered = [ask.sealed_at for ask in asks if ask.sealed_at is not None]
    return bool(asks) and len(answered) == len(asks) and _next_moment(match, asks, max(answered)) <= now


def begin_anew(session: Session, match: Match, now: datetime) -> None:
    """Gives all who are asked in the open window the whole time from now on, because somebody is back or has left.

    The match must be locked.
    """
    asks = asks_of(session, match.id)
    if not asks:
        return
    seats = {ask.seat: session.get_one(SeatRow, (match.id, ask.seat)) for ask in asks}
    there = [seat for seat in seats.values() if seat.bot is None and not seat.absent and not seat.resigned]
    days = [player_calendars.calendar_of(session, seat) for seat in there]
    fresh = deadlines.time_of_window(match.window_s, now, now, days)
    for ask in asks:
        time = replace(fresh, deadline=max(fresh.deadline, ask.deadline or fresh.deadline), remind_at=ask.remind_at)
        if seats[ask.seat].absent or seats[ask.seat].resigned:
            time = replace(time, acts_at=now)
        elif time.acts_at is not None and ask.acts_at is not None:
            time = replace(time, acts_at=max(time.acts_at, ask.acts_at))
        deadlines.set_time(ask, time)
    look_again(session, match, now)


# --- once it has closed --------------------------------------------------------------------------------------


def keys_of(session: Session, match_ids: Collection[str]) -> dict[str, frozenset[str]]:
    """Returns the keys of the questions of silent windows in each of these matches, in one query; in none without any.

    Until the match is over, only their owners learn who or what has answered them.
    """
    if not match_ids:
        return {}
    t, found = table(AskRow), defaultdict[str, set[str]](set)
    asked = select(t.c.match_id, t.c.key).where(t.c.match_id.in_(match_ids), t.c.floor_at.is_not(None))
    for match_id, key in session.execute(asked):
        found[match_id].add(key)
    return {match_id: frozenset(found[match_id]) for match_id in match_ids}


def hidden_keys(session: Session, match: Match, game: AnyGame) -> frozenset[str]:
    """Returns the keys of the questions of which only the owner may learn who or what has answered them."""
    hidden = hides(game, match.silent, opened=deals.is_open(session, match))
    return keys_of(session, [match.id])[match.id] if hidden else frozenset()


def hides(game: AnyGame, silent: bool, *, opened: bool) -> bool:
    """True if a match may have such questions; `silent`: its table has silent windows, `opened`: it has no secrets."""
    return silent and not opened and any(kind.window for kind in game.meta.asks.values())
