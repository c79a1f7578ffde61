"""The sensible player: always legal, from its own fold, and better than chance."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from pbem.games.hagakure import GAME
from pbem.games.hagakure.bots import greedy
from pbem.games.hagakure.cards import NOBORI, Keep, Look, Nobori, Play, Raise, State, Swap, Terms
from pbem.rules.chance import SeedChance
from pbem.rules.choices import draw
from pbem.rules.contract import Move
from pbem.rules.play import Table
from pbem.rules.replay import By
from pbem.rules.secrecy import redact
from tests.games.hagakure.tables import ALICE, BOB, DAVE, F, Played

LUCK = SeedChance(bytes(32), 1, "bot")


def chosen(played: Played) -> Move:
    """What the bot does for whoever is asked."""
    return greedy(played.seen(played.asked), played.asked, LUCK)


def share_of_wins(seats: int, matches: int) -> float:
    """How many of these matches one bot wins against random players, a shared victory counted in parts."""
    won = 0.0
    for number in range(matches):
        bot = number % seats
        state = one_bot_among_random(seats, bot, number.to_bytes(32, "big"))
        won += (bot in state.winners) / len(state.winners)
    return won / matches


def one_bot_among_random(seats: int, bot: int, seed: bytes) -> State:
    """The end of a match in which all seats but the bot's play at random."""
    state: State | None = None
    own: State | None = None
    events = GAME.setup(seats, Terms(), SeedChance(seed, 1, "setup"))
    at = 1
    while True:
        for event in events:
            state, own = GAME.evolve(state, event), GAME.evolve(own, redact(event, bot))
        at += len(events)
        assert state is not None
        assert own is not None
        asks = GAME.pending(state)
        if not asks:
            return state
        seat = asks[0].seat
        luck = SeedChance(seed, at, "bot", seat)
        move = greedy(own, bot, luck) if seat == bot else draw(GAME.legal(state, seat), {}, luck)
        events = GAME.decide(state, seat, move, SeedChance(seed, at, "decide", seat))


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_alone_against_chance_it_wins_twice_its_share(seats: int) -> None:
    assert share_of_wins(seats, 250) >= 2 / seats


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_bots_among_themselves_play_to_the_end(seats: int) -> None:
    table = Table(GAME, seats, GAME.meta.options(), bytes(32))
    while asks := GAME.pending(table.state):
        (ask,) = asks
        table.play(ask, greedy(table.folds[ask.seat], ask.seat, LUCK), By(bot=ask.seat))
    assert table.state.over


def test_a_strong_hand_is_doubled_and_a_weak_one_swapped() -> None:
    strong = Played((22, 21, 20, 19), (6, 7, 8, 9), (10, 11, 12, 13), (14, 15, 16, 17), dealer=DAVE)
    assert chosen(strong) == Raise("double")
    weak = Played((6, 7, 8, 9), (10, 11, 12, 13), (14, 15, 16, 17), (18, 19, 20, 21), dealer=DAVE)
    assert chosen(weak) == Swap()


WEAK_TO_STRONG = ((6, 7, 8, 9), (10, 11, 12, 13), (14, 15, 16, 17), (18, 19, 20, 21))


def in_the_last_round(hands: Sequence[tuple[int, ...]], *used: Nobori) -> Move:
    """What the bot does with the first hand in the only round of a match, these Nobori being used."""
    played = Played(*hands, dealer=DAVE, terms=Terms(rounds=1))
    left = tuple(nobori for nobori in NOBORI if nobori not in used)
    return greedy(replace(played.seen(ALICE), nobori=(left,) * 4), ALICE, LUCK)


def test_a_weak_hand_is_not_doubled_because_the_round_is_the_last() -> None:
    assert in_the_last_round(WEAK_TO_STRONG) == Swap()
    assert in_the_last_round(WEAK_TO_STRONG, "swap") == Raise("zero")
    assert in_the_last_round(WEAK_TO_STRONG[::-1]) == Raise("double")


def test_a_strong_hand_is_not_swapped_because_the_round_is_the_last() -> None:
    assert in_the_last_round(WEAK_TO_STRONG[::-1], "double", "villagers") == Look(BOB)
    assert in_the_last_round(WEAK_TO_STRONG[::-1], "double", "villagers", "look") == Keep()


def test_an_ordinary_hand_looks_and_then_keeps_its_nobori() -> None:
    played = Played((12, 14, 16, 19), (6, 7, 8, 9), (10, 11, 13, 15), (17, 18, 20, 21), dealer=DAVE)
    assert chosen(played) == Look(BOB)
    state = played.seen(ALICE)
    looked = GAME.evolve(state, GAME.preview(state, ALICE, Look(None))[0])
    assert "look" not in looked.nobori[ALICE]
    assert greedy(looked, ALICE, LUCK) == Keep()


def test_the_last_to_play_takes_the_trick_with_the_lowest_card_that_does() -> None:
    played = Played((10, 6, 7, 8), (11, 9, 12, 13), (14, 15, 16, 17), (22, 21, 20, F), dealer=DAVE)
    played.no_nobori().play("10", "11", "14")
    assert chosen(played) == Play(20)


def test_a_fool_takes_a_trick_that_already_has_one() -> None:
    played = Played((F, 6, 7, 8), (F, 9, 12, 22), (14, 15, 16, 17), (21, 20, 19, F), dealer=DAVE)
    played.no_nobori().play("F", "F", "14")
    assert chosen(played) == Play(F)


def test_what_cannot_be_won_gets_the_lowest_card() -> None:
    played = Played((22, 6, 7, 8), (9, 10, 11, 12), (13, 14, 15, 16), (17, 18, 19, 20), dealer=DAVE)
    played.no_nobori().play("22")
    assert chosen(played) == Play(9)


@pytest.mark.parametrize(
    ("before", "tricks", "raised", "card"),
    [
        (9, 0, None, 22),
        (9, 1, None, 6),
        (18, 1, None, 22),
        (9, 1, "double", 22),
        (9, 0, "zero", 6),
        (18, 1, "zero", 6),
    ],
)
def test_a_trick_is_taken_for_what_it_is_worth_now(before: int, tricks: int, raised: Nobori | None, card: int) -> None:
    """The first trick saves from the malus, the 18 counts, and so does the Nobori of the round."""
    played = Played((10, 12, 13, 14), (9, 18, 15, 16), (11, 17, 19, 20), (22, 6, 7, 8), dealer=DAVE)
    played.no_nobori().play("10", str(before), "11")
    own = replace(played.seen(DAVE), tricks=(0, 0, 0, tricks), raised=(None, None, None, raised))
    assert greedy(own, DAVE, LUCK) == Play(card)
