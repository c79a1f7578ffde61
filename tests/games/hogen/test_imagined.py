"""Imagined states: each deal that agrees with all calls, passes, exchanges and declarations is as likely as another."""

from collections import Counter
from math import sqrt

import pytest

from pbem.games.hogen import GAME
from pbem.games.hogen.bots_belief import Belief, cards_as_bits
from pbem.games.hogen.facts import Declare, State, opponents_in_seat_order
from pbem.kit.bots import QuickChance, apply, view_for
from pbem.kit.chance import SeedChance
from pbem.kit.contract import PlayerView
from pbem.kit.laws.imagined import view_of
from pbem.kit.play import Table, random_decisions
from pbem.kit.secrecy import redact
from tests.games.hogen.bots import deals_allowed
from tests.games.hogen.tables import ALICE, BOB, Played
from tests.harness.cases import cases
from tests.transcripts import seed_of

assert GAME.imagine is not None
assert GAME.playout is not None
IMAGINE, QUICK = GAME.imagine, GAME.playout


def luck(n: int = 1) -> QuickChance:
    return QuickChance(SeedChance(bytes(32), n, "bot"))


def imagine_states(view: PlayerView, seat: int, times: int) -> list[State]:
    """This many states that the seat imagines."""
    chance = luck()
    return [IMAGINE(view, seat, chance) for _ in range(times)]


def allies_of(state: State, seat: int) -> tuple[str | None, ...]:
    """The others' allies."""
    return tuple(state.allies[other] for other in opponents_in_seat_order(state, seat))


def chi_square_limit(deals: int) -> float:
    """What chi-square exceeds about once in a thousand times, for this many deals (Wilson and Hilferty)."""
    freedom = deals - 1
    return freedom * (1 - 2 / (9 * freedom) + 3.1 * sqrt(2 / (9 * freedom))) ** 3


@pytest.mark.long
@pytest.mark.parametrize("seats", [3, 4])
def test_each_deal_consistent_with_the_log_is_imagined_equally_often(seats: int) -> None:
    """The deals are counted by writing the whole log again; those with the same allies are one case."""
    compared = 0
    for n in range(40):
        table = Table(GAME, seats, GAME.meta.options(), seed_of("hogen imagined", seats, n))
        for ask, _ in random_decisions(table):
            if ask.kind == "ally" or not 2 <= Belief(table.folds[ask.seat], ask.seat).total <= 24:
                continue
            deals = deals_allowed(table, ask.seat)
            times = 60 * sum(deals.values())
            found = Counter(
                allies_of(state, ask.seat) for state in imagine_states(view_of(table, ask.seat), ask.seat, times)
            )
            assert {*found} <= {*deals}
            if len(deals) > 1:
                off = sum((found[allies] - 60 * n) ** 2 / (60 * n) for allies, n in deals.items())
                assert off < chi_square_limit(len(deals)), table.broken("imagines some deals too often")
                compared += 1
            break
    assert compared >= 5


@pytest.mark.long
def test_each_deal_of_hands_and_allies_is_imagined_equally_often() -> None:
    played = Played(3)
    played.play("call 4")
    belief = Belief(played.fold_of(BOB), BOB)
    times = 4 * belief.total
    states = imagine_states(played.view(BOB), BOB, times)
    deals = Counter((tuple(map(cards_as_bits, state.hands)), state.allies) for state in states)
    off = sum((n - 4) ** 2 / 4 for n in deals.values()) + 4 * (belief.total - len(deals))
    assert off < chi_square_limit(belief.total)


def test_a_refuted_seat_imagines_the_allies_it_has_seen() -> None:
    played = Played(3)
    played.play("declare B=F3 C=B1")
    played.play("call T")
    assert {allies_of(state, ALICE) for state in imagine_states(played.view(ALICE), ALICE, 20)} == {("F1", "B1")}
    assert len({state.hands for state in imagine_states(played.view(ALICE), ALICE, 20)}) > 5


def test_redacting_a_state_shows_a_seat_only_its_own_hand_and_ally() -> None:
    played = Played(3)
    seen = redact(played.state, ALICE)
    assert seen.hands[ALICE] == played.state.hands[ALICE]
    assert seen.allies == (played.state.allies[ALICE], None, None)
    assert not any(seen.hands[BOB])


@pytest.mark.long
@cases("seats", [3, 4])
def test_the_quick_bot_finishes_imagined_matches_and_mostly_finds_allies(seats: int) -> None:
    found = declared = 0
    for n in range(20):
        table = Table(GAME, seats, GAME.meta.options(), seed_of("hogen quick", seats, n))
        state, chance = table.state, luck(n + 1)
        while asks := GAME.pending(state):
            move = QUICK(view_for(state, seats, asks[0].seat), asks[0].seat, chance)
            assert move in GAME.legal(state, asks[0].seat)
            declared += isinstance(move, Declare)
            state = apply(GAME, state, asks[0].seat, move, chance)
        found += state.over == "found"
    assert found >= 16
    assert declared <= 3 * found
