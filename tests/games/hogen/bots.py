"""What a bot may know of a deal."""

from collections import Counter

from pbem.games.hogen.facts import AllyChosen, opponents_in_seat_order
from pbem.kit.play import Table
from tests.games.hogen.worlds import worlds


def deals_allowed(table: Table, seat: int) -> dict[tuple[str, ...], int]:
    """The number of deals, by the others' allies, that the whole log allows: the true one and every other world."""
    deals = set()
    for log in (table.entries, *worlds(table.entries, seat, 1000)):
        hands = tuple(frozenset(hand) for hand in log[0].event.hands)
        chosen = {e.event.seat: e.event.card for e in log if isinstance(e.event, AllyChosen)}
        deals.add((hands, tuple(chosen[other] or "" for other in opponents_in_seat_order(table.state, seat))))
    return dict(Counter(allies for _, allies in deals))
