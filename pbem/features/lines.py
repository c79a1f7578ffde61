"""Lines that a seat has thought out (`pbem.kit.plans`): what is left of one as the match goes on, and its orders."""

from collections.abc import Sequence
from typing import Any

from pbem.kit.contract import Event
from pbem.kit.orders.following import events_as_public
from pbem.kit.orders.shapes import Line
from pbem.kit.plans import Ply

CERTAIN = "~0"
"""The ply of the only fact that may come."""
MOST_AFTER = 32
"""The most facts after which an order of the shape `Line` can stand."""


def plies_to_come(plies: Sequence[Ply], since: Sequence[Event]) -> tuple[Ply, ...] | None:
    """Returns the plies that have not happened yet; None if something else has. () once all of them have.

    `since` holds what has happened since the line was made. Both are compared as everybody sees them.
    """
    gone = events_as_public(since)
    foreseen = events_as_public([event for ply in plies for event in ply.events])
    if gone[: len(foreseen)] != foreseen[: len(gone)]:
        return None
    left: list[Ply] = []
    at = 0
    for ply in plies:
        rest = ply.events[max(0, len(gone) - at) :]
        at += len(ply.events)
        if rest:  # of a ply that has come in part, something certain is to come
            left.append(ply if rest == ply.events else Ply(CERTAIN, rest))
    return tuple(left)


def orders_from_line(plies: Sequence[Ply], viewer: int) -> tuple[Line[Any, Any], ...]:
    """Returns an order for each answer of the viewer in the line, after all the facts before it.

    The answer to a question that is open already is none: that is a move. Nor is one after more than 32 facts.
    """
    orders: list[Line[Any, Any]] = []
    before: tuple[Event, ...] = ()
    for ply in plies:
        if ply.ask is not None and ply.ask.seat == viewer and ply.move is not None and 0 < len(before) <= MOST_AFTER:
            orders.append(Line(after=events_as_public(before), kind=ply.ask.kind, move=ply.move))
        before += ply.events
    return tuple(orders)
