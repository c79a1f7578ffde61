"""Lines that a player thinks through on a board of their own."""

from __future__ import annotations

from pbem.features.planning import plans
from pbem.kit.plans import Walk
from tests.table import House, claim_of


def version_of(house: House, match_id: str) -> int:
    return house.view(match_id, 0).sheet.version


def board_of_seat(house: House, match_id: str, seat: int, *said: str, at: int | None = None) -> plans.Board:
    return plans.read_board(house.site, claim_of(house.site, match_id, seat), at, said)


def think_line(house: House, match_id: str, seat: int, plies: int, at: int = 0) -> Walk:
    """A line of this many plies: each time the at-th, or the last, of what could come next."""
    line = board_of_seat(house, match_id, seat).line
    for _ in range(plies):
        coming = line.coming
        number = min(at, max(len(coming.moves), len(coming.facts)) - 1)
        assert number >= 0, f"after {line.in_short} nothing can be supposed"
        one = f"~{number}" if coming.facts else house.view(match_id, seat).game.format(coming.moves[number])
        line = board_of_seat(house, match_id, seat, *line.in_short, one).line
    return line


def own_in(line: Walk) -> list[str]:
    """The moves of the planner in the line."""
    return [ply.said for ply in line.plies if ply.ask is not None and ply.ask.seat == line.viewer]


def think_until(house: House, match_id: str, seat: int, own: int) -> Walk:
    """A line that ends with the own-th move of its planner."""
    return next(line for n in range(2, 20) if len(own_in(line := think_line(house, match_id, seat, n))) == own)


def begin_niigata(house: House, seats: int = 3) -> tuple[str, int, int]:
    """A match of Niigata: its id, the seat that takes the first tile, and the one that takes the second."""
    match_id = house.begin(seats, "niigata")
    first = house.asks(match_id)[0].seat
    return match_id, first, (first + 1) % seats
