"""The greedy bot: legal everywhere, from its own fold alone, and clearly better than random play."""

import pytest

from pbem.games.niigata import GAME
from pbem.games.niigata.facts import Claim, Pass, Take
from pbem.games.niigata.facts_state import NiigataOptions, Picking, State
from pbem.games.niigata.rules_ponds import worth_of_pond
from pbem.kit.chance import Chance, SeedChance
from pbem.kit.choices import draw_random_move
from pbem.kit.contract import Move, PlayerView
from pbem.kit.play import Table
from pbem.kit.replay import By
from tests.games.niigata.tables import ALICE, BOB, Played, match_with_hands, spend_breeders
from tests.harness.cases import cases
from tests.transcripts import seed_of


def share_of_wins(seats: int, picking: Picking, matches: int) -> float:
    """The share of matches that one greedy seat wins among random ones; each seat is greedy in turn."""
    won = 0.0
    for number in range(matches):
        table = Table(GAME, seats, NiigataOptions(picking), seed_of("bots", seats, number))
        greedy = number % seats
        while asks := GAME.pending(table.state):
            luck = SeedChance(table.seed, table.next_entry_number, "bot")
            ask = luck.pick(asks)
            legal = GAME.legal(table.state, ask.seat)
            if ask.seat == greedy:
                move = GAME.bots["greedy"](PlayerView(table.folds[ask.seat], seats), ask.seat, luck)
                assert move in legal
            else:
                move = draw_random_move(legal, GAME.meta.weights, luck)
            table.play(ask, move, By(bot=ask.seat))
        outcome = GAME.outcome(table.state)
        assert outcome is not None
        won += (greedy in outcome.winners) / len(outcome.winners)
    return won / matches


@pytest.mark.long
@pytest.mark.parametrize("picking", ["turns", "grab"])
@pytest.mark.parametrize(
    "seats", [2, *(pytest.param(seats, marks=pytest.mark.long) for seats in GAME.meta.seats if seats > 2)]
)
def test_greedy_against_random_bots_wins_far_more_than_its_share(seats: int, picking: Picking) -> None:
    assert share_of_wins(seats, picking, 12) >= max(0.75 if seats == 2 else 0, 2 / seats)


def move_of_greedy(fold: State, seat: int, luck: Chance) -> Move:
    """What the bot plays."""
    move: Move = GAME.bots["greedy"](PlayerView(fold, fold.seats), seat, luck)
    return move


def test_greedy_never_wastes_a_tile() -> None:
    played = Played(2, ALICE, ["N10", "N11", "N31", "N13"], ("Y", 3), "grab")
    assert move_of_greedy(played.fold_of(BOB), BOB, SeedChance(bytes(32), 1, "bot")) == Take("N11")


def five_points(stock: int) -> Played:
    """A match in which Alice is asked about a pond of five points, with this many tiles left."""
    played = match_with_hands(["N28", "N10"], ["N04", "N29"], stock=stock)
    played.play("place N28 1N")  # four yellow carps in the start tile's pond, open to the north and the east
    played.play("place N04 1E r3")
    played.play("place N10 2N r0")
    assert played.asks == [(ALICE, "claim")]
    assert worth_of_pond(played.pond("0.N").animals).points == 5
    return played


@cases(
    "stock, breeders, move",
    [
        (60, 4, Pass()),  # fifteen rounds for four breeders: six points and more will come
        (28, 4, Claim("0.N")),
        (28, 1, Pass()),  # seven rounds for the last one
        (12, 1, Claim("0.N")),
    ],
)
def test_greedy_claims_better_ponds_while_more_tiles_per_breeder_are_left(
    stock: int, breeders: int, move: Move
) -> None:
    played = spend_breeders(five_points(stock), breeders, 4)
    assert move_of_greedy(played.fold_of(ALICE), ALICE, SeedChance(bytes(32), 1, "bot")) == move


def test_greedy_keeps_its_breeders_for_better_ponds_early_on() -> None:
    played = match_with_hands(["N03"], ["N02"])
    played.all_play("place N03 1E r3", "place N02 1N")
    luck = SeedChance(bytes(32), 1, "bot")
    assert move_of_greedy(played.fold_of(BOB), BOB, luck) == Pass()
    late = match_with_hands(["N03"], ["N02"], stock=0)
    late.all_play("place N03 1E r3", "place N02 1N")
    assert move_of_greedy(late.fold_of(BOB), BOB, luck) == Claim("0.N")


def test_greedy_raises_if_it_is_asked_nothing() -> None:
    played = match_with_hands(["N03"], ["N02"], stock=0)
    played.all_play("place N03 1E r3", "place N02 1N", "claim 0 N")
    with pytest.raises(ValueError, match="asked nothing"):
        move_of_greedy(played.state, BOB, SeedChance(bytes(32), 1, "bot"))
