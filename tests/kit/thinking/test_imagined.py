"""Whoever sits there could not tell the imagined state from the true one: the law, by random play of every game."""

from itertools import count
from typing import cast

import pytest

from pbem.games import all_games
from pbem.kit.contract import AnyGame
from pbem.kit.laws.imagined import check_imagined, check_marks
from pbem.kit.play import LawBroken, Table, random_decisions
from tests.transcripts import seed_of

IMAGINING = [game for game in all_games().values() if game.imagine is not None]
SEATED = [pytest.param(game, seats, id=f"{game.meta.slug}-{seats}") for game in IMAGINING for seats in game.meta.seats]


@pytest.mark.parametrize("positions", [150, pytest.param(10_000, marks=pytest.mark.long)])
@pytest.mark.parametrize(("game", "seats"), SEATED)
def test_nobody_can_tell_what_they_imagine_from_the_truth(game: AnyGame, seats: int, positions: int) -> None:
    """The long count is of each game: its numbers of seats share it."""
    wanted = positions // len(game.meta.seats) + 1
    options, checked = (game.meta.options(), *game.meta.samples), 0
    for number in count():
        table = Table(game, seats, options[number % len(options)], seed_of(f"imagined {game.meta.slug}", seats, number))
        for at, (_, _) in enumerate(random_decisions(table)):
            if at % 3 == number % 3:  # positions of one match are alike
                check_marks(table)
                for asked in game.pending(table.state):
                    check_imagined(table, asked)
                    checked += 1
            if checked >= wanted:
                return


def test_the_law_finds_what_a_seat_could_tell() -> None:
    """A game whose imagined states are those of another match, in which the seat holds other cards."""
    for game in IMAGINING:
        table = Table(game, game.meta.seats[0], game.meta.options(), bytes(32))
        other = Table(game, game.meta.seats[0], game.meta.options(), bytes([1] * 32))
        if "hidden" in game.meta.traits and table.folds[0] != other.folds[0]:
            table.game = cast("AnyGame", _Elsewhere(game, other))
            with pytest.raises(LawBroken):
                check_imagined(table, game.pending(table.state)[0])


class _Elsewhere:
    """A game that imagines what happened at another table."""

    def __init__(self, game: AnyGame, other: Table) -> None:
        self._game = game
        self.imagine = lambda view, seat, chance: other.state

    def __getattr__(self, name: str) -> object:
        return getattr(self._game, name)
