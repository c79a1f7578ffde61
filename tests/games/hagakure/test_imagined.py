"""What a seat imagines: it agrees with what the seat has seen, and every deal that does is equally likely."""

from collections import Counter
from itertools import permutations

import pytest

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts_cards import is_warrior
from pbem.games.hagakure.facts_state import State
from pbem.games.hagakure.imagined import imagine
from pbem.kit.bots import QuickChance
from pbem.kit.chance import SeedChance
from pbem.kit.secrecy import agrees, redact
from tests.games.hagakure.tables import ALICE, BOB, CAROL, DAVE, F, Played, view_of
from tests.harness.cases import cases

Deal = tuple[tuple[int, ...], ...]


def luck() -> QuickChance:
    """Luck that every test begins with."""
    return QuickChance(SeedChance(bytes(32), 1, "bot", 0))


def piles_of(state: State) -> Deal:
    """The cards held and the Yomi, each in order."""
    return tuple(tuple(sorted(card for card in pile if card is not None)) for pile in (*state.hands, state.yomi))


def count_deals(fold: State) -> Counter[Deal]:
    """In how many ways the cards that the fold does not know, each a card of its own, can lie in each deal."""
    piles = [*fold.hands, fold.yomi]
    places = [at for at, pile in enumerate(piles) for card in pile if card is None]
    seen = Counter(card for pile in (*piles, *fold.won, fold.trick) for card in pile if card is not None)
    unknown = [*(Counter((*range(6, 23), F, F, F)) - seen).elements()]
    found = Counter[Deal]()
    for order in permutations(unknown):
        held = [[card for card in pile if card is not None] for pile in piles]
        for at, card in zip(places, order, strict=True):
            held[at].append(card)
        if not any(bare and any(map(is_warrior, held[seat])) for seat, bare in enumerate(fold.bare)):
            found[tuple(tuple(sorted(pile)) for pile in held)] += 1
    return found


def chi_square(counts: Counter[Deal], weights: Counter[Deal]) -> tuple[float, int]:
    """How far the counts are from these weights, and the degrees of freedom."""
    assert not counts.keys() - weights.keys(), "a deal that cannot be"
    scale = counts.total() / weights.total()
    far = sum((counts[deal] - weight * scale) ** 2 / (weight * scale) for deal, weight in weights.items())
    return far, len(weights) - 1


def late() -> Played:
    """Bob has led the third trick. Alice has looked at Carol's hand, Bob at the Yomi; Dave could not follow."""
    played = Played((22, 6, 7, 8), (19, F, 9, 10), (F, 18, 11, 12), (13, 14, 15, 16), dealer=DAVE)
    played.play("look C", "look yomi", "none", "none", "22", "F", "F", "13", "18", "14", "6", "19", "9")
    assert played.state.bare == (True, False, False, True)
    return played


@pytest.mark.long
@cases("seat, deals", [(ALICE, 30), (BOB, 90)])
def test_every_deal_that_fits_what_a_seat_has_seen_is_equally_likely(seat: int, deals: int) -> None:
    """Alice knows Carol's two cards. Of the other seven, Dave's two are villagers, and the fool may be Bob's."""
    view, chance = view_of(late(), seat), luck()
    weights = count_deals(view.fold)
    assert len(weights) == deals
    far, freedom = chi_square(Counter(piles_of(imagine(view, seat, chance)) for _ in range(3000)), weights)
    assert far < freedom + 4 * (2 * freedom) ** 0.5


def test_in_imagined_deals_a_seat_that_could_not_follow_has_only_villagers() -> None:
    played, chance = late(), luck()
    for _ in range(100):
        state = imagine(view_of(played, CAROL), CAROL, chance)
        assert not any(map(is_warrior, (*state.hands[ALICE], *state.hands[DAVE])))  # type: ignore[arg-type]  # whole
        assert agrees(state, played.fold_of(CAROL))


@cases("taker", [BOB, CAROL])
def test_what_a_seat_knows_of_a_hand_moves_with_the_swapped_cards(taker: int) -> None:
    """Alice gives her hand to the Yomi; the seat that takes it holds what she knows."""
    played = Played((6, 7, 8, 9), (10, 11, 12, 13), (14, 15, 16, 17), (18, 19, 20, 21), dealer=DAVE)
    played.play("swap", *(["none"] * (taker - 1)), "swap")
    state = imagine(view_of(played, ALICE), ALICE, luck())
    assert piles_of(state)[taker] == (6, 7, 8, 9)
    assert piles_of(state)[ALICE] == (F, F, F, 22)


def test_redacting_a_state_shows_a_seat_only_its_own_hand() -> None:
    played = late()
    shown = redact(played.state, ALICE)
    assert shown.hands[ALICE] == played.state.hands[ALICE]
    assert [set(hand) for hand in (*shown.hands[1:], shown.yomi)] == [{None}] * 4


def test_an_imagined_state_has_no_unknown_card_and_asks_the_same_question() -> None:
    state = imagine(view_of(late(), BOB), BOB, luck())
    assert None not in (*state.yomi, *(card for hand in state.hands for card in hand))
    assert GAME.pending(state) == GAME.pending(late().state)
