"""Silent windows in the database: when they open, the answers sealed on their asks, and when they close.

`pbem.kit.windows` says what they are. The asks of a window open together and have the same `floor_at`. An ask that was
answered stays open, with its answer sealed, until `play.moves` closes the window.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import select
from sqlmodel import Session

from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask, Move
from pbem.kit.replay import By
from pbem.kit.windows import floor_s
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


def seal(session: Session, ask: AskRow, move: Move, by: By, now: datetime) -> None:
    """Seals this answer on its ask, in place of the one that was sealed there. The match must be locked."""
    ask.sealed, ask.sealed_by, ask.sealed_at = encode(move).decode(), encode(by).decode(), now
    ask.remind_at = ask.claimed_until = None  # whoever claimed it to answer it is done
    session.add(ask)
    set_closing(session, asks_of(session, ask.match_id))


def unseal(session: Session, ask: AskRow) -> None:
    """Takes the sealed answer back, so that the ask waits for one again. The match must be locked."""
    ask.sealed = ask.sealed_by = ask.sealed_at = None
    session.add(ask)
    set_closing(session, asks_of(session, ask.match_id))


def answer_of(game: AnyGame, ask: AskRow) -> tuple[Move, By]:
    """Returns the sealed answer, and who gave it."""
    assert ask.sealed is not None
    return codec_for(game).move(ask.sealed), by_of(ask)


def by_of(ask: AskRow) -> By:
    """Returns who gave the sealed answer."""
    assert ask.sealed_by is not None
    return msgspec.json.decode(ask.sealed_by, type=By)


def closes_at(floor_at: datetime, answered: Iterable[datetime | None]) -> datetime | None:
    """Returns when a window closes if those asked have answered at these times; None while somebody has not."""
    latest = floor_at
    for at in answered:
        if at is None:
            return None
        latest = max(latest, at)
    return latest


def set_closing(session: Session, asks: Sequence[AskRow]) -> datetime | None:
    """Stores when the window of these asks closes, where the sweep finds it, and returns it; None if it is not known.

    The match must be locked.
    """
    if not asks:
        return None
    first = asks[0]
    at = closes_at(max(ask.floor_at for ask in asks if ask.floor_at is not None), [ask.sealed_at for ask in asks])
    for ask in asks:
        ask.closes_at = at if ask is first else None
        session.add(ask)
    return at


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
        session.add(ask)
    set_closing(session, asks)


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
