"""The scripted person who plans: the lines that they leave as orders, from what their seat sees. See docs/orders.md."""

import heapq
from collections.abc import Iterator
from typing import Any

from pbem.kit.chance import MatchLuck
from pbem.kit.contract import AnyGame, Bot, PlayerView
from pbem.kit.orders.refusals import refusal
from pbem.kit.orders.shapes import Line
from pbem.kit.plans.lines import orders_of
from pbem.kit.plans.walks import MOST_PLIES, Walk, begin, go_on

MOST_THOUGHTS = 12
"""Of so many positions they think at a time."""
MOST_LINES = 8
"""So many answers they leave at most, the likeliest first."""
MOST_FACES = 6
"""Of more facts, each of which may come, they do not think: a tile of forty, a card of twenty."""


def likely_lines(
    game: AnyGame, view: PlayerView, seat: int, bot: Bot, luck: MatchLuck, position: int
) -> tuple[Line[Any, Any], ...]:  # fmt: skip
    """Returns the orders in the likeliest lines of the seat, without those that would be refused.

    They answer what they are asked as their bot does, take the others for people who play as well, and all results of a
    die for equally likely. Where another's hidden cards decide, they think no further. `luck` gives
    that of the bot, at this position.
    """
    found: dict[Line[Any, Any], None] = {}
    for line in _thoughts(game, view, seat, bot, luck, position):
        found |= dict.fromkeys(orders_of(line.plies, seat))
        if len(found) >= MOST_LINES:
            break
    return tuple(order for order in list(found)[:MOST_LINES] if refusal(order, game, view.fold, seat) is None)


def _thoughts(
    game: AnyGame, view: PlayerView, seat: int, bot: Bot, luck: MatchLuck, position: int
) -> Iterator[Walk]:  # fmt: skip
    """Yields lines from the likeliest on; each but the first goes on from one before it."""
    open_lines = [(-1.0, 0, begin(game, view.fold, seat))]
    number = 0
    for thought in range(MOST_THOUGHTS):
        if not open_lines:
            return
        chance, _, line = heapq.heappop(open_lines)
        yield line
        said = _next(game, line, view, bot, luck, position, thought)
        for one in said:
            number += 1
            heapq.heappush(open_lines, (chance / len(said), number, go_on(game, line, one)))


def _next(
    game: AnyGame, line: Walk, view: PlayerView, bot: Bot, luck: MatchLuck, position: int, thought: int
) -> list[str]:  # fmt: skip
    """Returns the plies with which the line may go on, each as likely; none if it ends here."""
    coming = line.coming
    if len(line.plies) == MOST_PLIES:
        return []
    if coming.facts:
        chosen = any(ask.seat != line.viewer for ask in game.pending(line.fold))
        return [f"~{n}" for n in range(len(coming.facts))] if len(coming.facts) <= MOST_FACES and not chosen else []
    if coming.ask is None or not coming.moves:  # it would be played from a hand that its owner has not seen yet
        return []
    asked = coming.ask.seat
    supposed = PlayerView(line.fold, view.seats, (*view.seen, *line.events), view.memory)
    move = bot(supposed, asked, luck.bot(position, f"plan{thought}:{coming.ask.key}", asked))
    return [game.format(move)]
