"""Decisions: a move becomes entries of the log, in the one way there is for seats, orders, the clock and bots.

    check or seal → decide → append

In a silent window a move is sealed first; when the window closes, all its answers become entries together. What orders
answer to what a decision has led to is a decision of its own, later. The match is locked by the caller.
"""

from collections.abc import Sequence
from datetime import datetime

import structlog

from pbem.kit.codec import encode
from pbem.kit.contract import AnyGame, Move, require_legal
from pbem.kit.replay import By, fold, question_of
from pbem.models.tables import AskRow, Match, SeatRow
from pbem.services.log import ask_projection, proofs, store, windows
from pbem.services.log.proofs import Link
from pbem.services.play import orders, presence, stand_ins
from pbem.services.site import Site, Work

log = structlog.get_logger()


def apply_move(
    site: Site,
    work: Work,
    match: Match,
    game: AnyGame,
    ask: AskRow,
    move: Move,
    by: By,
    now: datetime,
    closed_by: str = "seat",
) -> Sequence[Link]:
    """Answers the ask with this move; returns its entries. In a silent window it is sealed, and has none.

    What the answer leads to is no part of it: orders answer later, and the sweep closes windows. The match must be
    locked. Raises IllegalMove.
    """
    if ask.floor_at is not None:
        _check(work, match, game, ask, move)
        windows.seal(work, match, ask, move, by, now)
        return ()
    return apply_alone(site, work, match, game, ask, move, by, now, closed_by)


def follow_order(
    site: Site, work: Work, match: Match, game: AnyGame, ask: AskRow, now: datetime, after: datetime | None = None
) -> bool:  # fmt: skip
    """Answers the open question as its seat has ordered; returns whether an order has answered it.

    `after`: an order that would answer waits until then. The match must be locked.
    """
    found = orders.answer_to(work, match, game, ask, after)
    if found is None:
        return False
    if ask.floor_at is None:
        return _apply_ordered(site, work, match, game, found, now)
    windows.seal(work, match, ask, found.move, found.by, now)
    return True


def follow_new_orders(site: Site, work: Work, match: Match, game: AnyGame, seat: int, now: datetime) -> bool:
    """Answers the seat's open question as its owner orders at this moment, as if by hand; returns whether it did.

    The match must be locked.
    """
    asked = next((ask for ask in store.open_asks(work, match.id) if ask.seat == seat), None)
    return asked is not None and follow_order(site, work, match, game, asked, now)


def _apply_ordered(site: Site, work: Work, match: Match, game: AnyGame, found: orders.Answer, now: datetime) -> bool:
    """Answers as an order says; False if the rules cannot take it, so that the question is left to the owner.

    Whoever was absent is back: their order speaks for them.
    """
    ask, state = found.ask, store.load_state(work, match, game)
    try:
        game.decide(state, ask.seat, found.move, proofs.luck_of(match).rules(match.version + 1, ask.seat))
    except Exception:
        # The move was legal for its owner: a mistake in the rules must not hold up the move that has led here.
        log.exception("orders.failed", match=match.id, key=ask.key, seat=ask.seat)
        orders.leave_broken(work, match, ask)
        return False
    presence.end_absence(work, match, work.get_one(SeatRow, (match.id, ask.seat)), now)
    apply_alone(site, work, match, game, ask, found.move, found.by, now, "seat")
    return True


def _check(work: Work, match: Match, game: AnyGame, ask: AskRow, move: Move) -> None:
    """Raises IllegalMove unless the seat may answer with this move, as its own fold alone decides."""
    require_legal(game, fold(game, store.load_entries(work, match.id, game), ask.seat), ask.seat, move)


def close_window(site: Site, work: Work, match: Match, game: AnyGame, now: datetime) -> Sequence[Link]:
    """Closes the open silent window if it closes by now; returns the entries of the answers.

    They become entries in the order in which the game asks, until one of them ends the window. Absent players who have
    answered return first; players for whom the clock answered get a missed turn afterwards. The match must be locked.
    """
    asks = windows.asks_of(work, match.id)
    if match.status != "running" or not windows.closes(match, asks, now):
        return ()
    answers = {ask.seat: windows.answer_of(game, ask) for ask in asks}
    presence.record_returns(work, match, [seat for seat, (_, by) in answers.items() if by.seat is not None], now)
    links: list[Link] = []
    by_seat = {ask.seat: ask for ask in asks}
    for asked in game.pending(store.load_state(work, match, game)):
        if asked in game.pending(store.load_state(work, match, game)) and asked.seat in by_seat:
            move, by = answers[asked.seat]
            links += apply_alone(site, work, match, game, by_seat[asked.seat], move, by, now, _way(by))
    for ask in asks:
        if answers[ask.seat][1].clock is not None:
            presence.record_miss(work, match, ask, now)
    orders.end_sittings(work, match, game, closed=True)
    return links


def _way(by: By) -> str:
    return "clock" if by.clock is not None else "bot" if by.bot is not None else "seat"


def apply_alone(
    site: Site, work: Work, match: Match, game: AnyGame, ask: AskRow, move: Move, by: By, now: datetime, closed_by: str
) -> Sequence[Link]:  # fmt: skip
    """Answers the ask with this move at once; returns its entries. Raises IllegalMove."""
    state = store.load_state(work, match, game)
    events = game.decide(state, ask.seat, move, proofs.luck_of(match).rules(match.version + 1, ask.seat))
    step = ask_projection.Step(events, by, ask, encode(move).decode(), closed_by=closed_by)
    return store.append(work, match, game, state, step, now, site.config.mail_hold_s).links


def play_fallback(site: Site, work: Work, match: Match, game: AnyGame, ask: AskRow) -> None:
    """Answers the ask as the clock, and counts a miss: from the seat's own fold, with its own randomness.

    For an absent owner the bot that they have chosen answers instead. The match must be locked.
    """
    stood_in = stand_ins.answer(work, match, game, ask)
    if stood_in is not None:
        apply_move(site, work, match, game, ask, *stood_in, site.now(), "bot")
        return
    entries = store.load_entries(work, match.id, game)
    own = fold(game, entries, ask.seat)
    luck = proofs.luck_of(match).fallback(match.version + 1, question_of(ask.key), ask.seat)
    move = game.fallback(own, ask.seat, luck)
    apply_move(site, work, match, game, ask, move, By(clock=ask.seat), site.now(), "clock")
    if ask.floor_at is None:  # in a silent window misses are counted when it closes
        presence.record_miss(work, match, ask, site.now())
