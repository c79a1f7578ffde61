"""Games that break a law, and many matches of a game."""

from collections.abc import Sequence
from typing import Any

import pytest

from pbem.games import all_games
from pbem.kit.chance import Luck
from pbem.kit.contract import (
    AnyGame,
    Ask,
    Candidate,
    Event,
    Move,
)
from pbem.kit.laws.matches import check_match
from pbem.kit.texts import Lang
from tests.kit.toys import GLIMPSE, Glimpse, Show, State
from tests.transcripts import seed_of

GAMES = [*all_games().values(), GLIMPSE]
SEATED = [
    pytest.param(
        game, seats, id=f"{game.meta.slug}-{seats}",
        marks=() if seats in (game.meta.seats[0], game.meta.seats[-1]) else pytest.mark.long,
    )
    for game in GAMES
    for seats in game.meta.seats
]  # fmt: skip
"""In the long run with the fewest and the most seats; with others in `make test-apart`."""


def options_of(game: AnyGame, n: int) -> Any:
    """The default options and the game's samples in turn."""
    varied = (game.meta.options(), *game.meta.samples)
    return varied[n % len(varied)]


class NamingCandidates(Glimpse):
    """Its candidates are these moves, legal or not."""

    def __init__(self, *moves: Move) -> None:
        self.moves = moves

    def candidates(self, ask: Ask, fold: State, lang: Lang) -> tuple[Candidate, ...]:
        return tuple(Candidate(str(at), move) for at, move in enumerate(self.moves))


class AcceptingAnyTone(Glimpse):
    def decide(self, state: State, seat: int, move: Move, luck: Luck) -> Sequence[Event]:
        return super().decide(state, seat, Show(1) if isinstance(move, Show) else move, luck)


def many_matches(game: AnyGame) -> None:
    """Enough matches for everything in the toy to occur."""
    for n in range(60):
        check_match(game, 2 + n % 2, None, seed_of("broken", 2, n))
