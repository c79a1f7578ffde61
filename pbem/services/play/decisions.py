"""Decisions: a move becomes entries of the log, in the one way there is for seats, orders, the clock and bots.

    check or seal → decide → append

In a silent window a move is sealed first; when the window closes, all its answers become entries together. What orders
answer to what a decision has led to is a decision of its own, later.
"""

from collections.abc import Sequence
from datetime import datetime

import structlog
from sqlalchemy.exc import SQLAlchemyError

from pbem.kit.chance import NotedLuck
from pbem.kit.codec import encode
from pbem.kit.contract import Move, require_legal
from pbem.kit.replay import By, key_without_takebacks
from pbem.kit.takeback import Answered, kind_of_knowledge_told
from pbem.models.tables import AskRow
from pbem.services.log import proofs, windows
from pbem.services.log.proofs import Link
from pbem.services.log.table import LockedTable, Step
from pbem.services.play import orders, presence, stand_ins
from pbem.services.statements import Written

log = structlog.get_logger()


def apply_or_seal_move(table: LockedTable, ask: AskRow, move: Move, by: By, closed_by: str = "seat") -> None:
    """Answers the ask with this move. In a silent window the answer is sealed, and makes no entries yet.

    What the answer leads to is no part of it: orders answer later, and the sweep closes windows. Raises IllegalMove.
    """
    if ask.floor_at is not None:
        require_legal(table.game, table.fold_of_seat(ask.seat), ask.seat, move)  # as its own fold alone decides
        windows.seal_answer(table, ask, move, by)
    else:
        apply_move_without_sealing(table, ask, move, by, closed_by)


def apply_move_without_sealing(
    table: LockedTable, ask: AskRow, move: Move, by: By, closed_by: str, also: Sequence[Written] = ()
) -> Sequence[Link]:
    """Answers the ask with this move at once; returns its entries. Raises IllegalMove."""
    luck = NotedLuck(proofs.luck_of(table.match).rules(table.match.version + 1, ask.seat))
    events = table.game.decide(table.state, ask.seat, move, luck)
    told = None if luck.drew else kind_of_knowledge_told(table.game, table.folds, Answered(ask.seat, move, events))
    return table.append(Step(events, by, ask, encode(move).decode(), closed_by, luck.drew, told), also)


def follow_order(table: LockedTable, ask: AskRow, after: datetime | None = None) -> bool:
    """Answers the open question as its seat has ordered; returns whether an order has answered it.

    With `after`, an order that would answer waits until that moment.
    """
    found = orders.take_answer_from_orders(table, ask, after)
    if found is None:
        return False
    if ask.floor_at is None:
        return _apply_ordered(table, ask, *found)
    windows.seal_answer(table, ask, *found)
    return True


def follow_new_orders(table: LockedTable, seat: int) -> bool:
    """Answers the seat's open question as its owner orders at this moment, as if by hand; returns whether it did."""
    asked = table.ask_to(seat)
    return asked is not None and follow_order(table, asked)


def _apply_ordered(table: LockedTable, ask: AskRow, move: Move, by: By) -> bool:
    """Answers as an order says; False if the rules cannot take it, so that the question is left to the owner.

    A player who was absent is back then: their order speaks for them.
    """
    luck = proofs.luck_of(table.match).rules(table.match.version + 1, ask.seat)
    try:
        table.game.decide(table.state, ask.seat, move, luck)
    except SQLAlchemyError:
        raise
    except Exception:
        # The move was legal for its owner: a mistake in the rules must not hold up the move that has led here.
        log.exception("orders.failed", match=table.id, key=ask.key, seat=ask.seat)
        orders.stop_orders_that_raised_error(table, ask)
        return False
    presence.reset_misses_and_end_absence(table, table.seats[ask.seat])
    apply_move_without_sealing(table, ask, move, by, "seat")
    return True


def play_sealed_answers_if_due(table: LockedTable) -> Sequence[Link]:
    """Closes the open silent window if it closes by now; returns the entries of the answers.

    They become entries in the order in which the game asks, until one of them ends the window. Absent players who have
    answered return first; players for whom the clock answered get a missed turn afterwards.
    """
    game, asks = table.game, windows.asks_of_window(table)
    if table.match.status != "running" or not windows.is_due_to_close(table.match, asks, table.now):
        return ()
    answers = {ask.seat: windows.answer_in_seal_and_giver(game, ask) for ask in asks}
    presence.end_absences_after_window(table, [seat for seat, (_, by) in answers.items() if by.seat is not None])
    links: list[Link] = []
    by_seat = {ask.seat: ask for ask in asks}
    for asked in game.pending(table.state):
        if asked in game.pending(table.state) and asked.seat in by_seat:
            move, by = answers[asked.seat]
            way = "clock" if by.clock is not None else "bot" if by.bot is not None else "seat"
            links += apply_move_without_sealing(table, by_seat[asked.seat], move, by, way)
    for ask in asks:
        if answers[ask.seat][1].clock is not None:
            presence.record_miss(table, ask)
    orders.end_orders_of_closed_windows(table, closed=True)
    return links


def answer_as_clock_or_stand_in(table: LockedTable, ask: AskRow) -> None:
    """Answers the ask as the clock, and counts a miss; for an absent owner the bot that they have chosen answers.

    The clock answers from what the seat itself knows, with its own randomness. For what a bot answers no miss counts.
    """
    stood_in = stand_ins.answer_of_quick_stand_in(table, ask)
    if stood_in is not None:
        apply_or_seal_move(table, ask, *stood_in, "bot")
        return
    luck = proofs.luck_of(table.match).fallback(table.match.version + 1, key_without_takebacks(ask.key), ask.seat)
    move = table.game.fallback(table.fold_of_seat(ask.seat), ask.seat, luck)
    apply_or_seal_move(table, ask, move, By(clock=ask.seat), "clock")
    if ask.floor_at is None:  # in a silent window misses are counted when it closes
        presence.record_miss(table, ask)
