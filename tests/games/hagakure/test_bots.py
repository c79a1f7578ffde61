"""The greedy bot: always legal, from its own fold, and better than chance."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from pbem.games.hagakure import GAME, bots
from pbem.games.hagakure.facts import Keep, Look, Play, Raise, Swap
from pbem.games.hagakure.facts_cards import NOBORI, Nobori
from pbem.games.hagakure.facts_state import State, Terms
from pbem.kit.chance import Chance, SeedChance
from pbem.kit.choices import draw_random_move
from pbem.kit.contract import Move, PlayerView
from pbem.kit.play import Table
from pbem.kit.replay import By
from pbem.kit.secrecy import redact
from tests.games.hagakure.tables import ALICE, BOB, CAROL, DAVE, F, Played, cards_in_no_hand
from tests.harness.cases import cases

LUCK = SeedChance(bytes(32), 1, "bot")


def move_of_greedy(fold: State, seat: int, chance: Chance) -> Move:
    """What the bot plays for the seat, by the seat's own fold."""
    return bots.greedy(PlayerView(fold, fold.seats), seat, chance)


def bot_move(played: Played) -> Move:
    """The bot's move for the seat that is asked."""
    return move_of_greedy(played.fold_of(played.to_move), played.to_move, LUCK)


def share_of_wins(seats: int, matches: int) -> float:
    """How many of these matches one bot wins against random players; a shared victory counts in part."""
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
        move = move_of_greedy(own, bot, luck) if seat == bot else draw_random_move(GAME.legal(state, seat), {}, luck)
        events = GAME.decide(state, seat, move, SeedChance(seed, at, "decide", seat))


@pytest.mark.long
@cases("seats", [3, 4, 5])
def test_greedy_against_random_bots_wins_twice_its_share(seats: int) -> None:
    assert share_of_wins(seats, 250) >= 2 / seats


@pytest.mark.long
@cases("seats", [3, 4, 5])
def test_bots_among_themselves_play_to_the_end(seats: int) -> None:
    table = Table(GAME, seats, GAME.meta.options(), bytes(32))
    while asks := GAME.pending(table.state):
        (ask,) = asks
        table.play(ask, move_of_greedy(table.folds[ask.seat], ask.seat, LUCK), By(bot=ask.seat))
    assert table.state.over


def test_greedy_doubles_a_strong_hand_and_swaps_a_weak_one() -> None:
    strong = Played((22, 21, 20, 19), (6, 7, 8, 9), (10, 11, 12, 13), (14, 15, 16, 17), dealer=DAVE)
    assert bot_move(strong) == Raise("double")
    weak = Played((6, 7, 8, 9), (10, 11, 12, 13), (14, 15, 16, 17), (18, 19, 20, 21), dealer=DAVE)
    assert bot_move(weak) == Swap()


WEAK_TO_STRONG = ((6, 7, 8, 9), (10, 11, 12, 13), (14, 15, 16, 17), (18, 19, 20, 21))


def in_the_last_round(hands: Sequence[tuple[int, ...]], *used: Nobori) -> Move:
    """The bot's move with the first hand in the only round of a match, when these Nobori have been used."""
    played = Played(*hands, dealer=DAVE, terms=Terms(rounds=1))
    left = tuple(nobori for nobori in NOBORI if nobori not in used)
    return move_of_greedy(replace(played.fold_of(ALICE), nobori=(left,) * 4), ALICE, LUCK)


def test_in_the_last_round_greedy_doubles_a_strong_hand_but_no_weak_one() -> None:
    assert in_the_last_round(WEAK_TO_STRONG) == Swap()
    assert in_the_last_round(WEAK_TO_STRONG, "swap") == Raise("zero")
    assert in_the_last_round(WEAK_TO_STRONG[::-1]) == Raise("double")


def test_in_the_last_round_greedy_swaps_no_strong_hand() -> None:
    assert in_the_last_round(WEAK_TO_STRONG[::-1], "double", "villagers") in {Look(BOB), Look(CAROL), Look(DAVE)}
    assert in_the_last_round(WEAK_TO_STRONG[::-1], "double", "villagers", "look") == Keep()


def hands_beside(hand: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Three more hands, of the remaining cards in order."""
    left = cards_in_no_hand(4, hand)
    return [tuple(left[at : at + 4]) for at in (0, 4, 8)]


ORDINARY = ((12, 14, 16, 19), (6, 7, 8, 9), (10, 11, 13, 15), (17, 18, 20, 21))


def bot_move_in_round(
    hands: Sequence[tuple[int, ...]], number: int, totals: tuple[int, ...] = (0, 0, 0, 0), luck: Chance = LUCK
) -> Move:
    """The bot's move with the first hand in this round of eight, when everybody has this many points."""
    played = Played(*hands, dealer=DAVE)
    return move_of_greedy(replace(played.fold_of(ALICE), number=number, totals=totals), ALICE, luck)


def test_greedy_plays_no_nobori_with_an_ordinary_hand_in_the_first_half() -> None:
    assert bot_move_in_round(ORDINARY, 1) == Keep()
    assert bot_move_in_round(ORDINARY, 4) == Keep()


def test_greedy_looks_at_the_leaders_hand_in_the_second_half() -> None:
    assert bot_move_in_round(ORDINARY, 5, (9, 3, 7, 5)) == Look(CAROL)
    assert bot_move_in_round(ORDINARY, 5, (2, 3, 3, 6)) == Look(DAVE)


def test_greedy_looks_at_a_random_one_of_several_leaders() -> None:
    seen = {bot_move_in_round(ORDINARY, 5, (2, 6, 3, 6), SeedChance(bytes(32), n, "bot")) for n in range(20)}
    assert seen == {Look(BOB), Look(DAVE)}


def test_greedy_plays_no_second_nobori_after_looking_with_an_ordinary_hand() -> None:
    played = Played(*ORDINARY, dealer=DAVE)
    state = replace(played.fold_of(ALICE), number=5)
    looked = GAME.evolve(state, GAME.preview(state, ALICE, Look(None))[0])
    assert "look" not in looked.nobori[ALICE]
    assert move_of_greedy(looked, ALICE, LUCK) == Keep()


REST_OF_STRONG = ((6, 7, 8, 9), (10, 11, 12, 13), (15, 18, 22, F))


def test_strong_villagers_get_that_banner_and_strong_samurai_get_double() -> None:
    assert bot_move_in_round(((14, 16, 17, 19), *REST_OF_STRONG), 6) == Raise("villagers")
    assert bot_move_in_round(((20, 21, 6, 7), (8, 9, 10, 11), (12, 13, 14, 15), (16, 17, 18, 19)), 6) == Raise("double")


# Hands in the last round, from the weakest up; the others hold the remaining cards.
WEAK, MIDDLING, FAIR = (6, 7, 8, 20), (F, 10, 14, 16), (12, 14, 16, 19)


@cases(
    "hand, totals, raises",
    [
        (FAIR, (5, 5, 5, 5), True),
        (FAIR, (7, 5, 5, 5), False),  # ahead: the loss in a doubled round would matter more than the gain
        (MIDDLING, (5, 5, 5, 5), False),
        (MIDDLING, (5, 7, 5, 5), True),  # behind: only a risk can still help
    ],
)
def test_greedy_raises_less_in_the_last_round_when_it_is_ahead(
    hand: tuple[int, ...], totals: tuple[int, ...], raises: bool
) -> None:
    assert (
        bot_move_in_round((hand, *hands_beside(hand)), 8, totals) in (Raise("double"), Raise("villagers"))
    ) == raises


def test_early_in_a_match_greedy_plays_the_same_at_any_totals() -> None:
    chosen_with = {bot_move_in_round((FAIR, *hands_beside(FAIR)), 3, totals) for totals in ((9, 0, 0, 0), (0, 9, 0, 0))}
    assert chosen_with == {Keep()}


@cases("hand, totals, cancels", [(WEAK, (5, 5, 5, 5), False), (WEAK, (7, 5, 5, 5), True)])
def test_greedy_plays_zero_in_a_weak_last_round_only_when_it_is_ahead(
    hand: tuple[int, ...], totals: tuple[int, ...], cancels: bool
) -> None:
    played = Played(hand, *hands_beside(hand), dealer=DAVE)
    state = replace(played.fold_of(ALICE), number=8, totals=totals, nobori=(("zero", "look"),) * 4)
    assert (move_of_greedy(state, ALICE, LUCK) == Raise("zero")) == cancels


@cases(
    "totals, card",
    [
        ((0, 0, 0, 0), 6),
        ((0, 0, 3, 0), 21),  # Carol leads the match
        ((3, 0, 2, 0), 6),  # Alice does
        ((0, 0, 3, 3), 6),  # Dave has as many points
    ],
)
def test_greedy_takes_a_trick_from_the_player_who_leads_the_match(totals: tuple[int, ...], card: int) -> None:
    played = Played((10, 12, 13, 14), (9, 15, 16, 17), (11, 18, 19, 20), (21, 6, 7, 8), dealer=DAVE)
    played.no_nobori().play("10", "9", "11")
    assert move_of_greedy(replace(played.fold_of(DAVE), tricks=(0, 0, 0, 1), totals=totals), DAVE, LUCK) == Play(card)


def test_greedy_playing_last_takes_the_trick_with_its_lowest_winning_card() -> None:
    played = Played((10, 6, 7, 8), (11, 9, 12, 13), (14, 15, 16, 17), (22, 21, 20, F), dealer=DAVE)
    played.no_nobori().play("10", "11", "14")
    assert bot_move(played) == Play(20)


def test_greedy_wins_a_trick_of_fools_by_adding_its_own_fool() -> None:
    played = Played((F, 6, 7, 8), (F, 9, 12, 22), (14, 15, 16, 17), (21, 20, 19, F), dealer=DAVE)
    played.no_nobori().play("F", "F", "14")
    assert bot_move(played) == Play(F)


def test_greedy_plays_its_lowest_card_to_a_trick_it_cannot_win() -> None:
    played = Played((22, 6, 7, 8), (9, 10, 11, 12), (13, 14, 15, 16), (17, 18, 19, 20), dealer=DAVE)
    played.no_nobori().play("22")
    assert bot_move(played) == Play(9)


@cases(
    "before, tricks, raised, card",
    [
        (9, 0, None, 22),
        (9, 1, None, 6),
        (18, 1, None, 22),
        (9, 1, "double", 22),
        (9, 0, "zero", 6),
        (18, 1, "zero", 6),
    ],
)
def test_greedy_values_a_trick_by_the_points_it_gives_now(
    before: int, tricks: int, raised: Nobori | None, card: int
) -> None:
    """The first trick avoids the malus; the 18 counts, and so does the Nobori of the round."""
    played = Played((10, 12, 13, 14), (9, 18, 15, 16), (11, 17, 19, 20), (22, 6, 7, 8), dealer=DAVE)
    played.no_nobori().play("10", str(before), "11")
    own = replace(played.fold_of(DAVE), tricks=(0, 0, 0, tricks), raised=(None, None, None, raised))
    assert move_of_greedy(own, DAVE, LUCK) == Play(card)
