"""A seat could not tell the imagined state from the true one: the law, by random play of every game."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, cast

import pytest
from msgspec import Struct
from msgspec.structs import astuple, replace

from pbem.games import all_games
from pbem.kit.chance import Chance
from pbem.kit.contract import AnyGame, Ask, Outcome
from pbem.kit.laws.imagined import check_imagined
from pbem.kit.play import LawBroken, Table, random_decisions
from tests.harness.cases import cases
from tests.kit.toys import IMAGINING, Show, State
from tests.transcripts import seed_of

GAMES = [game for game in all_games().values() if game.imagine is not None]
SEATED = [pytest.param(game, seats, id=f"{game.meta.slug}-{seats}") for game in GAMES for seats in game.meta.seats]


@pytest.mark.long
@pytest.mark.parametrize("positions", [150, pytest.param(10_000, marks=pytest.mark.long)])
@pytest.mark.parametrize(("game", "seats"), SEATED)
def test_a_seat_cannot_distinguish_an_imagined_state_from_the_real_one(
    game: AnyGame, seats: int, positions: int
) -> None:
    """The long count is of each game: its numbers of seats share it."""
    wanted = positions // len(game.meta.seats) + 1
    options, checked = (game.meta.options(), *game.meta.samples), 0
    for number in count():
        table = Table(game, seats, options[number % len(options)], seed_of(f"imagined {game.meta.slug}", seats, number))
        for at, (_, _) in enumerate(random_decisions(table)):
            if at % 3 == number % 3:  # positions of one match are alike
                for asked in game.pending(table.state):
                    check_imagined(table, asked)
                    checked += 1
            if checked >= wanted:
                return


TIME: Iterator[int] = count()


class Bare(Struct, frozen=True):
    """The state of the toy without marks."""

    numbers: tuple[int | None, ...]
    at: int
    over: str | None
    winner: int | None
    seen: int | None


def broken_by(**faces: Any) -> str:
    """What the law says of a game that differs in these faces, at a table where the first seat has been asked."""
    table = Table(IMAGINING, 2, IMAGINING.meta.options(), bytes(32))
    asked = game_asks(table)[0]
    check_imagined(table, asked)
    table.game = cast("AnyGame", _Otherwise(faces))
    with pytest.raises(LawBroken) as caught:
        check_imagined(table, asked)
    return str(caught.value)


def game_asks(table: Table) -> Sequence[Ask]:
    return table.game.pending(table.state)


def imagination_with_change(change: Callable[[State, Chance], State]) -> dict[str, Any]:
    """The toy's own imagination, with something changed in what it imagines."""
    return {"imagine": lambda view, seat, chance: change(IMAGINING.imagine(view, seat, chance), chance)}


def with_own(state: State, number: int | None) -> State:
    return replace(state, numbers=(number, *state.numbers[1:]))


@cases(
    "faces, said",
    [
        (imagination_with_change(lambda state, chance: replace(state, numbers=(state.numbers[0], next(TIME)))),
        "imagines otherwise"),
        (imagination_with_change(lambda state, chance: with_own(state, 100)), "contradicts its fold"),
        (imagination_with_change(lambda state, chance: replace(state, numbers=(state.numbers[0], None))),
        "nothing at state.numbers"),
        ({"pending": lambda state: (Ask(0, f"t{state.numbers[1]}.show", "t", "show"),)}, "imagines asks (Ask"),
        ({"legal": lambda state, seat: [Show(1)] * (1 + (None in state.numbers))}, "allows it other moves"),
        ({"outcome": lambda state: Outcome("found", (0,))}, "imagines is over"),
    ],
)  # fmt: skip
def test_the_law_finds_each_distinguishable_imagined_state(faces: dict[str, Any], said: str) -> None:
    assert said in broken_by(**faces)


def test_the_law_finds_a_state_whose_marks_show_what_a_seat_cannot_know() -> None:
    table = Table(IMAGINING, 2, IMAGINING.meta.options(), bytes(32))
    table.state = Bare(*astuple(table.state))
    with pytest.raises(LawBroken, match="the marks of the state show"):
        check_imagined(table, game_asks(table)[0])


class _Otherwise:
    """The toy with other faces. What is asked of the true state stays as it is."""

    def __init__(self, faces: dict[str, Any]) -> None:
        self._faces = faces

    def __getattr__(self, name: str) -> object:
        return self._faces.get(name) or getattr(IMAGINING, name)
