"""The bot plays sensibly, by what it has seen only, and its moves are never refused."""

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from pbem.games.allegeance import GAME
from pbem.games.allegeance.bots import cards_known_to_have_left_door, cards_seen_and_not_forgotten
from pbem.games.allegeance.facts import (
    Announce,
    Caught,
    Challenge,
    Give,
    Hit,
    LetPass,
    Missed,
    RoundBegan,
    TurnBegan,
    Unchallenged,
)
from pbem.games.allegeance.facts_state import Table
from pbem.kit.chance import Chance, KeyLuck, SeedChance
from pbem.kit.choices import draw_random_move
from pbem.kit.contract import Bot, Move, PlayerView
from pbem.kit.laws.imagined import view_of
from pbem.kit.play import Table as Match
from pbem.kit.replay import By, view_after
from pbem.kit.secrecy import redact
from tests.games.allegeance.tables import ALICE, BOB, CAROL, DAVE, Played
from tests.harness.cases import cases

GREEDY = GAME.bots["greedy"]


def luck(n: int = 1) -> SeedChance:
    return SeedChance(bytes(32), n, "bot")


def at_random(view: PlayerView, seat: int, chance: Chance) -> Move:
    """A legal move by lot."""
    move: Move = draw_random_move(GAME.legal(view.fold, seat), GAME.meta.weights, chance)
    return move


def forgetting_half(view: PlayerView, seat: int, chance: Chance) -> Move:
    """What greedy plays that has seen only every second card come out; what lies open it sees."""
    begun = max(at for at, event in enumerate(view.seen) if isinstance(event, RoundBegan))
    kept, turn = [], 0
    for event in view.seen[begun:]:
        turn += isinstance(event, TurnBegan)
        shows = isinstance(event, Hit | Missed | Caught)
        if not shows or view.memory.named(f"half:r{view.fold.round}:t{turn}").below(2):
            kept.append(event)
    move: Move = GREEDY(replace(view, seen=tuple(kept)), seat, chance)
    return move


class Watched(NamedTuple):
    """What happened in a match: the winners, and each announcement with the cards that were out and still to come."""

    winners: tuple[int, ...]
    announced: list[tuple[str, set[str], set[str]]]
    missed: int
    """How many announcements of cards that were out nobody of those asked challenged."""


def watch_match(bots: Sequence[Bot], number: int, options: Table) -> Watched:
    """A match of these bots, one for each seat."""
    luck = KeyLuck(hashlib.sha256(f"watched {number}".encode()).digest())
    views = [PlayerView(None, len(bots), (), luck.memory(seat)) for seat in range(len(bots))]
    events, at = GAME.setup(len(bots), options, luck.rules(1)), 1
    state: Any = None
    announced: list[tuple[str, set[str], set[str]]] = []
    missed = 0
    while True:
        for event in events:
            at += 1
            state = GAME.evolve(state, event)
            missed += isinstance(event, Unchallenged) and state.announced in cards_known_to_have_left_door(state)
        views = [view_after(GAME, view, events, seat) for seat, view in enumerate(views)]
        asks = GAME.pending(state)
        if not asks:
            return Watched(state.winners, announced, missed)
        ask = asks[0]
        move = bots[ask.seat](views[ask.seat], ask.seat, luck.bot(at, ask.key, ask.seat))
        if isinstance(move, Announce):
            announced.append((move.card, cards_known_to_have_left_door(state), {*state.door} - {*state.banned}))
        events = GAME.decide(state, ask.seat, move, luck.rules(at, ask.seat))


def share_of_wins(one: Bot, others: Bot, seats: int, options: Table, matches: int) -> float:
    """The share of matches won by one bot, at each seat in turn; shared wins count in part."""
    share = 0.0
    for number in range(matches):
        mine = number % seats
        winners = watch_match([one if seat == mine else others for seat in range(seats)], number, options).winners
        share += (mine in winners) / len(winners)
    return share / matches


@pytest.mark.long
@cases(
    "seats, least",
    [(2, 0.75), (3, 2 / 3), (4, 0.5)],
)
def test_greedy_wins_at_least_half_of_its_matches_against_random_bots(seats: int, least: float) -> None:
    assert share_of_wins(GREEDY, at_random, seats, Table(), 120) >= least


@pytest.mark.long
@pytest.mark.apart
@cases("seats, least", [(2, 0.75), (3, 2 / 3), (4, 0.5)])
def test_greedy_wins_at_least_half_of_a_thousand_matches_with_random_bots(seats: int, least: float) -> None:
    assert share_of_wins(GREEDY, at_random, seats, Table(), 1000) >= least


@pytest.mark.long
@pytest.mark.parametrize("matches", [3, pytest.param(60, marks=pytest.mark.long)])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_greedy_with_closed_memory_rarely_overlooks_cards_that_came_out(seats: int, matches: int) -> None:
    """Counted where there was a card to announce that was not out: what was just announced is banned."""
    all_seen = [watch_match([GREEDY] * seats, number, Table()) for number in range(matches)]
    free = [(card, out) for one in all_seen for card, out, door in one.announced if door]
    assert sum(card in out for card, out in free) <= 0.05 * len(free)
    assert sum(one.missed for one in all_seen) <= matches


@pytest.mark.long
@pytest.mark.apart
@cases("seats", [2, 3, 4])
def test_a_bot_that_forgets_half_the_cards_wins_no_more_than_its_share(seats: int) -> None:
    assert share_of_wins(forgetting_half, GREEDY, seats, Table(), 120) <= 1 / seats


def test_greedy_forgets_few_cards_and_always_the_same_ones_in_a_position() -> None:
    played = Played(3, ()).until(1)
    forgotten = set()
    for n in range(40):
        view = played.view(ALICE, KeyLuck(bytes([n]) * 32).memory(ALICE))
        assert cards_seen_and_not_forgotten(view) == cards_seen_and_not_forgotten(view)
        assert cards_seen_and_not_forgotten(view) <= cards_known_to_have_left_door(played.state)
        forgotten |= {
            (n, card) for card in cards_known_to_have_left_door(played.state) - cards_seen_and_not_forgotten(view)
        }
    assert 2 <= len(forgotten) <= 30  # of 600


@pytest.mark.long
def test_with_open_memory_greedy_wins_nearly_always_against_random_bots() -> None:
    assert share_of_wins(GREEDY, at_random, 4, Table(memory="open"), 40) > 0.95


@pytest.mark.long
@cases("options", [Table(target=1), Table(target=1, memory="open")])
@cases("seats", [2, 3, 4])
def test_greedy_plays_whole_matches_without_an_illegal_move(seats: int, options: Table) -> None:
    table = Match(GAME, seats, options, bytes([seats]) * 32)
    for _ in range(GAME.meta.bound):
        asks = GAME.pending(table.state)
        if not asks:
            break
        move = GREEDY(view_of(table, asks[-1].seat), asks[-1].seat, luck(table.next_entry_number))
        assert move in GAME.legal(table.state, asks[-1].seat)
        table.play(asks[-1], move, By(bot=asks[-1].seat))
    assert GAME.outcome(table.state) is not None


def test_greedy_challenges_cards_it_saw_or_thinks_likely_to_be_out() -> None:
    played = Played(3, "F1 F2 F3 M1")
    played.play(ALICE, "F1")
    played.play(ALICE, "give C")
    played.miss(BOB, "T1")
    played.miss(CAROL, "T2")
    played.play(ALICE, "F1")
    assert GREEDY(played.view(CAROL), CAROL, luck()) == Challenge()
    assert GREEDY(played.view(BOB), BOB, luck()) == Challenge()
    assert GREEDY(PlayerView(played.fold_of(BOB), 3), BOB, luck()) == LetPass()
    late = Played(3, "T1 T2 T3 T4").until(3)
    late.play(late.state.active, "B4")
    assert {GREEDY(PlayerView(late.fold_of(s), 3), s, luck()) for s in range(3) if s != late.state.active} == {
        Challenge()
    }


def test_greedy_that_sees_behind_the_door_announces_a_card_from_there() -> None:
    played = Played(3, "F1 F2 F3").until(9)
    for state in (played.state, redact(played.state, played.state.active)):
        move = GREEDY(PlayerView(state, 3), state.active, luck())
        assert move in GAME.legal(state, state.active)
    whole = {GREEDY(PlayerView(played.state, 3), played.state.active, luck(n)).card for n in range(20)}
    assert whole <= {*played.state.door}


def test_greedy_announces_no_card_that_it_saw() -> None:
    played = Played(2, "F1 F2 F3")
    played.play(ALICE, "F1")
    played.miss(BOB, "T1")
    played.miss(ALICE, "T2")
    said = {GREEDY(played.view(BOB), BOB, luck(n)) for n in range(200)}
    assert said.isdisjoint({Announce(card) for card in ("F1", "F2", "F3", "T1", "T2")})
    assert len(said) == 11


def test_greedy_gives_to_any_of_those_who_hold_the_fewest_cards() -> None:
    played = Played(4, "F1 F2 F3")
    played.play(ALICE, "F1")
    played.play(ALICE, "give B")
    played.miss(BOB, "T1")
    played.play(CAROL, "F3")
    assert {GREEDY(played.view(CAROL), CAROL, luck(n)) for n in range(40)} == {Give(ALICE), Give(DAVE)}
