"""The greedy bot: always legal, from its own fold only, and far better than chance."""

import hashlib

import pytest
from msgspec.structs import replace

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import Divide, HexenOptions
from pbem.games.hexen_rennen.facts_race import State
from pbem.kit.chance import SeedChance
from pbem.kit.choices import draw_random_move
from pbem.kit.contract import PlayerView
from pbem.kit.play import Table
from pbem.kit.replay import By
from tests.games.hexen_rennen.tables import ALICE, BOB, Dice, Turn, race
from tests.harness.cases import cases


def play_match(seats: int, seat: int, number: int) -> Table:
    """A match of the bot on one seat against random moves; `Table` checks that its moves are accepted."""
    seed = hashlib.sha256(f"greedy {seats} {number}".encode()).digest()
    table = Table(GAME, seats, HexenOptions(number % 4 == 0), seed)
    while asks := GAME.pending(table.state):
        luck = SeedChance(seed, table.next_entry_number, "bot")
        ask = luck.pick(asks)
        legal = GAME.legal(table.state, ask.seat)
        if ask.seat == seat:
            move = GAME.bots["greedy"](PlayerView(table.folds[seat], seats), seat, luck)
            assert move in legal
        else:
            move = draw_random_move(legal, GAME.meta.weights, luck)
        table.play(ask, move, By(bot=ask.seat))
    return table


@cases(
    "seats, share",
    [(2, 0.75), (3, 0.66), (4, 0.5)],
)
@pytest.mark.long
def test_greedy_wins_at_least_half_of_its_matches_against_random_bots(seats: int, share: float) -> None:
    matches = 60
    won = 0.0
    for n in range(matches):
        winners = play_match(seats, n % seats, n).state.winners
        won += (n % seats in winners) / len(winners)
    assert won / matches >= share


def move_of_greedy(state: State, seat: int) -> str:
    return GAME.format(GAME.bots["greedy"](PlayerView(state, state.seats), seat, Dice()))


def test_greedy_prefers_moves_carried_on_by_its_own_numbers() -> None:
    before = race(witches={"A": (10, 20, 30)}, tiles={12: "A2", 22: "A9", 31: "B4"}, up=[12, 22, 31])
    assert move_of_greedy(Turn(before, 2).state, ALICE) == "fly 20"


def test_greedy_plays_the_card_that_costs_the_others_most() -> None:
    before = race(witches={"A": (28, 50, 51)}, tiles={30: "BS", 5: "BS"}, up=[5], hands={"B": "2 9 S"})
    assert move_of_greedy(Turn(before, 2).state, BOB) == "play S"


def on_bobs_symbol(bob: tuple[int, int, int], carol: tuple[int, int, int], *, seats: int = 3) -> State:
    """Alice has come from tile 28 to Bob's symbol on tile 30, which could send her back to tile 5."""
    witches = {"A": (28, 50, 51), "B": bob, "C": carol}
    return Turn(race(seats, witches=witches, tiles={30: "BS", 5: "BS"}, up=[5], hands={"B": "2 9 S"}), 2).state


@cases(
    "bob, carol, move",
    [
        ((48, 51, 51), (48, 51, 51), "leave"),  # Alice is last, by more than two cards
        ((48, 51, 51), (0, 1, 2), "leave"),  # she is second, and still no rival
        ((47, 51, 51), (0, 1, 2), "play S"),  # she is within two cards
        ((0, 1, 2), (47, 51, 51), "play S"),  # she is ahead
    ],
)
def test_greedy_spares_a_player_far_behind_it(
    bob: tuple[int, int, int], carol: tuple[int, int, int], move: str
) -> None:
    assert move_of_greedy(on_bobs_symbol(bob, carol), BOB) == move


def test_greedy_spares_nobody_with_two_seats() -> None:
    assert move_of_greedy(on_bobs_symbol((48, 51, 51), (0, 0, 0), seats=2), BOB) == "play S"


def test_greedy_when_obliged_sets_a_player_far_behind_back_least() -> None:
    state = replace(on_bobs_symbol((48, 51, 51), (0, 1, 2)), obliged=True)
    assert move_of_greedy(state, BOB) == "play 2"


def test_greedy_keeps_a_card_that_gains_little() -> None:
    before = race(witches={"A": (28, 50, 51)}, tiles={30: "AS", 32: "B2"}, up=[32], hands={"A": "2"})
    assert move_of_greedy(Turn(before, 2).state, ALICE) == "leave"


def test_greedy_puts_its_smallest_numbers_in_the_last_stage() -> None:
    fold = Table(GAME, 2, HexenOptions(), bytes(32)).folds[ALICE]
    found = {GAME.bots["greedy"](PlayerView(fold, 2), ALICE, SeedChance(bytes(32), n, "bot")) for n in range(40)}
    assert len(found) > 10
    assert all(isinstance(move, Divide) and move.stages[2] == (2, 3, 4) for move in found)
