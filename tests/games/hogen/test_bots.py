"""The greedy bot: it believes exactly what the log allows, and plays well with it."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest

from pbem.features.lab.plans import Chunk, Plan
from pbem.features.lab.simulations import play_chunk
from pbem.games.hogen import GAME
from pbem.games.hogen.bots import greedy
from pbem.games.hogen.bots_belief import Belief, cards_as_bits, possible_allies_as_bits
from pbem.games.hogen.facts import (
    Call,
    ChooseAlly,
    Declare,
    Exchange,
    State,
    answers_call,
    opponents_in_seat_order,
    unseen_cards,
)
from pbem.games.samurai import CARDS
from pbem.kit.chance import SeedChance
from pbem.kit.contract import PlayerView
from pbem.kit.laws.imagined import view_of
from pbem.kit.play import Table, random_decisions
from tests.games.hogen.bots import deals_allowed
from tests.games.hogen.tables import ALICE, BOB, CAROL, Played
from tests.transcripts import seed_of

LUCK = SeedChance(bytes(32), 1, "bot")


def cards_of(bits: int) -> set[str]:
    """The cards of a set."""
    return {card for card in CARDS if cards_as_bits([card]) & bits}


@pytest.mark.long
@pytest.mark.parametrize("seats", [3, pytest.param(4, marks=pytest.mark.long)])
def test_belief_weighs_exactly_the_deals_that_the_log_allows(seats: int) -> None:
    compared = wrong_declarations = 0
    for n in range(30):
        table = Table(GAME, seats, GAME.meta.options(), seed_of("hogen", seats, n))
        for ask, _ in random_decisions(table):
            if ask.kind != "act":
                continue
            belief = Belief(table.folds[ask.seat], ask.seat)
            if belief.total <= 40:
                assert belief.weights == deals_allowed(table, ask.seat), table.broken("believes something else")
                compared += 1
                wrong_declarations += any(table.state.out)
                break
    assert compared > 10
    assert wrong_declarations


@pytest.mark.long
@pytest.mark.parametrize("seats", [3, pytest.param(4, marks=pytest.mark.long)])
def test_the_count_of_possible_deals_equals_dealing_each_hand(seats: int) -> None:
    """Also where hands may hold any card, where all their cards are known, and for a seat that is out."""
    free = known = out = 0
    for n in range(6):
        table = Table(GAME, seats, GAME.meta.options(), seed_of("counted", seats, n))
        for _ in random_decisions(table):
            if not all(table.state.chosen):
                continue
            for seat in range(seats):
                fold = table.folds[seat]
                belief = Belief(fold, seat)
                others = opponents_in_seat_order(fold, seat)
                hidden = [fold.hands[other].count(None) for other in others]
                may_hold = [
                    {card for card in CARDS if not any(answers_call(card, call) for call in fold.lacked[other])}
                    - {guess.card for guess in fold.named[other]}
                    for other in others
                ]
                for allies, deals in [*belief.weights.items()][::11]:
                    assert deals == ways_to_deal(frozenset(unseen_cards(fold)) - {*allies}, hidden, may_hold)
                free += all(may_hold[at] >= {*unseen_cards(fold)} for at in range(len(others)))
                known += 0 in hidden
                out += fold.out[seat]
    assert free
    assert known
    assert out


def ways_to_deal(cards: frozenset[str], sizes: Sequence[int], may_hold: Sequence[set[str]]) -> int:
    """In how many ways these cards fill hands of these sizes, each with cards that it may hold."""
    if not sizes:
        return not cards
    hands = combinations(sorted(cards & may_hold[0]), sizes[0])
    return sum(ways_to_deal(cards - {*hand}, sizes[1:], may_hold[1:]) for hand in hands)


def test_numbering_the_possible_deals_gives_each_of_them_once() -> None:
    played = Played(3)
    played.play("call 4")
    belief = Belief(played.fold_of(BOB), BOB)
    every = list(belief.worlds_spread_evenly(belief.total, 0))
    assert len({(world.hands, world.allies) for world in every}) == len(every) == belief.total
    assert Counter(world.allies for world in every) == belief.weights
    some = list(belief.worlds_spread_evenly(48, 5))
    assert len(some) <= 48
    assert set(map(repr, some)) <= set(map(repr, every))
    for world in some:
        assert all(world.hands[seat].bit_count() == 3 for seat in range(3))


def test_a_call_narrows_the_callers_possible_allies_by_rule_5() -> None:
    played = Played()
    assert cards_of(possible_allies_as_bits(played.fold_of(BOB), ALICE)) == set(CARDS) - {"M1", "F4", "T3", "B2"}
    played.play("call 4")
    assert cards_of(possible_allies_as_bits(played.fold_of(BOB), ALICE)) == {
        card for card in CARDS if card[1] != "4"
    } - {*played.state.palace}
    assert cards_of(possible_allies_as_bits(played.fold_of(BOB), ALICE, Call("F", 1))) == {"F2", "F3", "B1", "T1"}


def test_all_folds_remember_calls_passes_shown_cards_and_declarations() -> None:
    played = Played()
    played.play("call 3")
    played.play("give F3 take M1")
    played.play("declare A=F1 B=M2 D=B3")
    for viewer in (None, ALICE, BOB, CAROL):
        seen = played.fold_of(viewer)
        assert seen.called == ((Call(rank=3),), (), (), ())
        assert seen.lacked == ((), (Call(rank=3),), (), ())
        assert seen.shown == ((), (), ("M1",), ())
        assert [guess.card for guess in seen.named[CAROL]] == ["F1", "M2", "B3"]


def test_greedy_chooses_an_ally_similar_to_its_other_cards() -> None:
    played = Played(3)
    dealt = played.state_after(played.events[:1])
    for seat, hand in enumerate(dealt.hands):
        move = greedy(PlayerView(dealt, 3), seat, LUCK)
        assert isinstance(move, ChooseAlly)
        assert count_mates(move.card, hand) == max(count_mates(card, hand) for card in hand)


def count_mates(card: str | None, hand: tuple[str | None, ...]) -> int:
    """How many cards of the hand share a clan or a rank with this one."""
    return sum(bool({*(card or "")} & {*(other or "")}) for other in hand)


def test_greedy_answers_with_a_card_already_seen_if_it_can() -> None:
    played = Played()
    played.play("call 4")  # Bob has B4 only
    played.play("give B4 take M1")
    played.play("call B")  # Carol and Dave: Dave has B3
    played.play("give B3 take F4")
    played.play("call 1")  # Alice has T1
    played.play("give T1 take T3")
    played.play("call M")  # Bob holds M1, which everybody saw, and M2
    ask = GAME.pending(played.state)[0]
    move = greedy(played.view(ask.seat), ask.seat, LUCK)
    assert (ask.seat, isinstance(move, Exchange) and move.give) == (BOB, "M1")


@pytest.mark.long
def test_greedy_declares_once_certain_and_wins() -> None:
    declared = 0
    for n in range(8):
        table = Table(GAME, 3, GAME.meta.options(), seed_of("hogen", 3, n))
        for ask, _ in random_decisions(table):
            own = table.folds[ask.seat]
            if ask.kind != "act" or len(Belief(own, ask.seat).weights) > 1:
                continue
            move = greedy(view_of(table, ask.seat), ask.seat, LUCK)
            assert isinstance(move, Declare)
            assert all(table.state.allies[guess.seat] == guess.card for guess in move.allies)
            declared += 1
    assert declared


def test_greedy_does_not_guess_while_it_can_learn_and_no_rival_is_close() -> None:
    played = Played(3)
    played.play("declare B=F3 C=B1")
    played.play("declare A=F2 C=T2")
    own: State = played.fold_of(CAROL)
    assert len(Belief(own, CAROL).weights) > 1
    assert isinstance(greedy(played.view(CAROL), CAROL, LUCK), Call)


@pytest.mark.long
@pytest.mark.parametrize("seats", [3, pytest.param(4, marks=pytest.mark.long)])
def test_greedy_against_random_bots_wins_well_over_twice_its_share(seats: int) -> None:
    """The full statistics: `pbem simulate hogen --bots greedy,random,random,random`."""
    for seat in (0, seats - 1):
        bots = tuple("greedy" if s == seat else "random" for s in range(seats))
        tally = play_chunk(Chunk(Plan("hogen", seats, "5e" * 32, bots), 0, 40))
        assert tally.wins_by_seat[seat] >= 40 * 2.3 / seats


@pytest.mark.long
def test_among_greedy_bots_every_seat_wins_sometimes_and_matches_end() -> None:
    tally = play_chunk(Chunk(Plan("hogen", 4, "5e" * 32, ("greedy",)), 0, 20))
    assert min(tally.wins_by_seat.get(seat, 0) for seat in range(4)) >= 1
    assert tally.endings == {"found": 20}
