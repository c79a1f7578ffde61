"""The bot plays sensibly, from its own fold only, and its moves are never refused."""

import hashlib
from typing import Any

import pytest

from pbem.games.allegeance import GAME
from pbem.games.allegeance.facts import Announce, Challenge, Give, LetPass, State, Table
from pbem.kit.chance import SeedChance
from pbem.kit.choices import draw
from pbem.kit.contract import Move
from pbem.kit.play import Table as Match
from pbem.kit.replay import By
from pbem.kit.secrecy import redact
from tests.games.allegeance.tables import ALICE, BOB, CAROL, DAVE, Played

GREEDY = GAME.bots["greedy"]


def luck(n: int = 1) -> SeedChance:
    return SeedChance(bytes(32), n, "bot")


def wins(seats: int, options: Table, matches: int) -> float:
    """The share of matches won by one greedy seat, each in turn, against random ones; shared wins count in part."""
    share = 0.0
    for number in range(matches):
        bot = number % seats
        seed = hashlib.sha256(f"greedy {seats} {number}".encode()).digest()
        events, at = GAME.setup(seats, options, SeedChance(seed, 1, "setup")), 1
        state: Any = None
        own: Any = None
        while True:
            for event in events:
                at += 1
                state, own = GAME.evolve(state, event), GAME.evolve(own, redact(event, bot))
            asks = GAME.pending(state)
            if not asks:
                break
            chance = SeedChance(seed, at, "bot")
            seat = chance.pick(asks).seat
            move = GREEDY(own, seat, chance) if seat == bot else _random(state, seat, chance)
            events = GAME.decide(state, seat, move, SeedChance(seed, at, "decide", seat))
        share += (bot in state.winners) / len(state.winners)
    return share / matches


def _random(state: State, seat: int, chance: SeedChance) -> Move:
    move: Move = draw(GAME.legal(state, seat), GAME.meta.weights, chance)
    return move


@pytest.mark.long
@pytest.mark.parametrize(
    ("seats", "least"),
    [(2, 0.75), (3, 2 / 3), (4, 0.5)],
)
def test_alone_against_random_seats_it_wins_twice_its_share(seats: int, least: float) -> None:
    assert wins(seats, Table(), 120) >= least


@pytest.mark.long
@pytest.mark.parametrize(("seats", "least"), [(2, 0.75), (3, 2 / 3), (4, 0.5)])
def test_over_a_thousand_matches_too(seats: int, least: float) -> None:
    assert wins(seats, Table(), 1000) >= least


def test_with_open_memory_it_knows_all_that_is_out() -> None:
    assert wins(4, Table(memory="open"), 40) > 0.95


@pytest.mark.parametrize("options", [Table(target=1), Table(target=1, memory="open")])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_plays_whole_matches_alone_and_is_never_refused(seats: int, options: Table) -> None:
    table = Match(GAME, seats, options, bytes([seats]) * 32)
    for _ in range(GAME.meta.bound):
        asks = GAME.pending(table.state)
        if not asks:
            break
        move = GREEDY(table.folds[asks[-1].seat], asks[-1].seat, luck(table.position))
        assert move in GAME.legal(table.state, asks[-1].seat)
        table.play(asks[-1], move, By(bot=asks[-1].seat))
    assert GAME.outcome(table.state) is not None


def test_it_challenges_what_it_holds_and_what_is_likely_to_be_out() -> None:
    played = Played(3, "F1 F2 F3 M1")
    played.play(ALICE, "F1")
    played.play(ALICE, "give C")
    played.miss(BOB, "T1")
    played.miss(CAROL, "T2")
    played.play(ALICE, "F1")
    assert GREEDY(played.seen(CAROL), CAROL, luck()) == Challenge()
    assert GREEDY(played.seen(BOB), BOB, luck()) == LetPass()
    late = Played(3, "T1 T2 T3 T4").until(3)
    late.play(late.state.active, "B4")
    assert {GREEDY(late.seen(s), s, luck()) for s in range(3) if s != late.state.active} == {Challenge()}


def test_it_announces_no_card_that_it_sees() -> None:
    played = Played(2, "F1 F2 F3")
    played.play(ALICE, "F1")
    played.miss(BOB, "T1")
    played.miss(ALICE, "T2")
    said = {GREEDY(played.seen(BOB), BOB, luck(n)) for n in range(200)}
    assert said.isdisjoint({Announce("F1"), Announce("F3"), Announce("T1"), Announce("T2")})
    assert len(said) == 12


def test_it_gives_to_the_poorest_and_of_those_to_the_strongest() -> None:
    played = Played(4, "F1 F2 F3")
    played.play(ALICE, "F1")
    played.play(ALICE, "give B")
    played.miss(BOB, "T1")
    played.play(CAROL, "F3")
    assert {GREEDY(played.seen(CAROL), CAROL, luck(n)) for n in range(40)} == {Give(ALICE), Give(DAVE)}
