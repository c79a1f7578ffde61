"""Lines: what has come is taken off them, and each answer that comes later in one becomes an order."""

from __future__ import annotations

from collections import Counter

from pbem.features.lines import orders_from_line, plies_to_come
from pbem.games import find_game
from pbem.kit.plans import MOST_PLIES, Walk, empty_line, go_on
from pbem.kit.play import Table
from pbem.kit.replay import Absent
from pbem.kit.secrecy import redact
from tests.transcripts import seed_of


def longest_line(viewer: int) -> Walk:
    """The line in a match of Niigata of two that always goes on with the first thing that could come."""
    game = find_game("niigata")
    assert game is not None
    table = Table(game, 2, game.meta.options(), seed_of("lines", 2, 0))
    line = empty_line(game, table.folds[viewer], viewer)
    while line.coming.kind not in ("unknown", "over") and len(line.plies) < MOST_PLIES:
        line = go_on(game, line, game.format(line.coming.moves[0]) if line.coming.ask else "~0")
    return line


def test_events_that_a_line_foresaw_are_removed_from_it_and_others_end_it() -> None:
    line = longest_line(0)
    events = line.events
    assert plies_to_come(line.plies, ()) == line.plies
    for gone in range(len(events) + 1):
        left = plies_to_come(line.plies, events[:gone])
        assert left is not None
        assert tuple(event for ply in left for event in ply.events) == events[gone:]
    assert plies_to_come(line.plies, [Absent(1), events[0]]) == plies_to_come(line.plies, events[:1])
    assert plies_to_come(line.plies, [events[0], events[0]]) is None
    assert plies_to_come(line.plies, [*events, events[-1]]) == ()


def test_each_later_answer_of_a_line_becomes_a_conditional_order() -> None:
    for viewer in range(2):
        line = longest_line(viewer)
        own = [ply for ply in line.plies if ply.ask is not None and ply.ask.seat == viewer]
        orders = orders_from_line(line.plies, viewer)
        open_already = line.plies[0].ask is not None and line.plies[0].ask.seat == viewer
        assert len(orders) == len(own) - open_already
        for order in orders:
            assert list(order.after) == [redact(event, None) for event in line.events[: len(order.after)]]
    assert Counter(len(orders_from_line(longest_line(v).plies, v)) > 1 for v in range(2))[True]
