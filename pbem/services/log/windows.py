"""Silent windows in the database: when they open, the answers sealed on their asks, and when they close.

`pbem.kit.windows` says what they are, and decides how long one stays open. The asks of a window open together and have
the same `floor_at`. An ask that was answered stays open, with its answer sealed, until the sweep closes the window
(`play.timeouts`).

Each answer sets when the sweep looks next, by the same statements no matter who has answered so far: a request that
asked whether it was the last one would tell it by its time.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import select
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session

from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Move
from pbem.kit.replay import By
from pbem.kit.windows import closing_step_s
from pbem.models.tables import AskRow, Match, table
from pbem.services import statements
from pbem.services.calendar import deadlines
from pbem.services.log import deals
from pbem.services.log.consent import is_active_person
from pbem.services.log.table import LockedTable

_asks = table(AskRow).c

# --- while it is open ----------------------------------------------------------------------------------------


def asks_of_window(table: LockedTable) -> list[AskRow]:
    """Returns the asks of the match's open silent window in seat order; none if there is none."""
    return [ask for ask in table.asks if ask.floor_at is not None]


def seal_answer(table: LockedTable, ask: AskRow, move: Move, by: By) -> None:
    """Seals this answer on its ask, in place of the one that was sealed there."""
    ask.sealed, ask.sealed_by, ask.sealed_at = encode(move).decode(), encode(by).decode(), table.now
    ask.remind_at = ask.claimed_until = ask.follow_at = None  # the one who claimed it is done
    schedule_next_look(table)


def withdraw_sealed_answer(ask: AskRow) -> None:
    """Takes the sealed answer back, so that the ask waits for one again."""
    ask.sealed = ask.sealed_by = ask.sealed_at = None


def answer_in_seal_and_giver(game: AnyGame, ask: AskRow) -> tuple[Move, By]:
    """Returns the sealed answer, and who gave it."""
    assert ask.sealed is not None
    return codec_for(game).move(ask.sealed), giver_of_sealed_answer(ask)


def answer_if_readable(game: AnyGame, sealed: str) -> Move | None:
    """Returns the answer in a seal; None if the game, since it was corrected, cannot read it."""
    try:
        return codec_for(game).move(sealed)
    except msgspec.ValidationError:
        return None


def giver_of_sealed_answer(ask: AskRow) -> By:
    """Returns who gave the sealed answer."""
    assert ask.sealed_by is not None
    return msgspec.json.decode(ask.sealed_by, type=By)


def schedule_next_look(table: LockedTable) -> None:
    """Has the sweep look at the open window at the next moment at which it may close; does nothing if none is open.

    It costs the same statements no matter who has answered.
    """
    asks = asks_of_window(table)
    if asks:
        at = _next_closing_moment(table.match, asks, table.now)
        statements.LOOK_AGAIN.flush_and_send(table.work, {"at_match": table.id, "at_seat": asks[0].seat, "at": at})
        set_committed_value(asks[0], "closes_at", at)


def _next_closing_moment(match: Match, asks: Iterable[AskRow], now: datetime) -> datetime:
    """Returns the first moment from now on at which the window of these asks may close."""
    floor = max(ask.floor_at for ask in asks if ask.floor_at is not None)
    step = closing_step_s(match.turn_s, match.window_s)
    late_s = max((now - floor).total_seconds(), 0)
    return floor + timedelta(seconds=math.ceil(late_s / step) * step)


def note_window_looked_at(table: LockedTable) -> None:
    """Notes that the sweep has looked, and the window does not close: the next answer has it look again."""
    for ask in asks_of_window(table):
        if ask.closes_at is not None:
            ask.closes_at, ask.claimed_until = ask.closes_at if ask.closes_at > table.now else None, None


def is_due_to_close(match: Match, asks: Sequence[AskRow], now: datetime) -> bool:
    """Returns whether the window of these asks closes by now: all have answered, and it may close since then."""
    answered = [ask.sealed_at for ask in asks if ask.sealed_at is not None]
    return bool(asks) and len(answered) == len(asks) and _next_closing_moment(match, asks, max(answered)) <= now


def restart_window_time(table: LockedTable) -> None:
    """Gives all who are asked in the open window the whole time from now on, because somebody is back or has left."""
    asks, seats, now = asks_of_window(table), table.seats, table.now
    if not asks:
        return
    there = [seat for ask in asks if is_active_person(seat := seats[ask.seat])]
    fresh = deadlines.common_time_of_silent_window(
        table.match.window_s, now, now, [table.calendar_of(seat) for seat in there]
    )
    for ask in asks:
        time = replace(fresh, deadline=max(fresh.deadline, ask.deadline or fresh.deadline), remind_at=ask.remind_at)
        if seats[ask.seat].absent or seats[ask.seat].resigned:
            time = replace(time, acts_at=now)
        elif time.acts_at is not None and ask.acts_at is not None:
            time = replace(time, acts_at=max(time.acts_at, ask.acts_at))
        deadlines.store_time_in_ask(ask, time)
    schedule_next_look(table)


# --- once it has closed --------------------------------------------------------------------------------------


def keys_of_silent_windows(session: Session, match_id: str) -> frozenset[str]:
    """Returns the keys of the questions of the match's silent windows.

    Until the match is over, only their owners learn who or what has answered them.
    """
    asked = select(_asks.key).where(_asks.match_id == match_id, _asks.floor_at.is_not(None))
    return frozenset(session.execute(asked).scalars())


def keys_to_hide(session: Session, match: Match, game: AnyGame) -> frozenset[str]:
    """Returns the keys of the questions of which only the owner may learn who or what has answered them."""
    hidden = match.silent and game.meta.has_windows and not deals.has_no_secrets_left(session, match)
    return keys_of_silent_windows(session, match.id) if hidden else frozenset()
