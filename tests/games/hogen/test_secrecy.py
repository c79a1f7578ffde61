"""The secrecy law: a viewer receives the same in every world that they cannot distinguish from the true one."""

import hashlib
from itertools import islice

import pytest

from pbem.games.hogen import GAME
from pbem.games.hogen.facts import AllyChosen, Exchanged, Refuted
from pbem.kit.contract import IllegalMove
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import full_fold
from tests.games.hogen.tables import ALICE, Played
from tests.games.hogen.worlds import truth_of, worlds


def test_compared_worlds_differ_in_hands_and_allies() -> None:
    table = Table(GAME, 3, GAME.meta.options(), bytes(32))
    for _ in islice(random_decisions(table), 8):
        pass
    allies, hands = set(), set()
    for other in worlds(table.entries, ALICE, 200):
        allies.add(tuple(e.event.card for e in other if isinstance(e.event, AllyChosen)))
        hands.add(other[0].event.hands[1])
    assert len(allies) > 5
    assert len(hands) > 5


def refute_early(number: int) -> Table | None:
    """A match of random moves up to its first wrong declaration, if few cards have been seen by then; else None."""
    table = Table(GAME, 4, GAME.meta.options(), hashlib.sha256(f"refuted {number}".encode()).digest())
    for _ in random_decisions(table):
        if isinstance(table.entries[-1].event, Refuted):
            return table if sum(isinstance(e.event, Exchanged) for e in table.entries) < 3 else None
    return None


def test_after_a_wrong_declaration_only_the_declarer_knows_the_allies() -> None:
    table = next(filter(None, map(refute_early, range(100))))
    declarer = table.entries[-1].event.seat
    truth = truth_of(table.state, declarer)
    for other in worlds(table.entries, declarer, 20):
        assert truth_of(full_fold(GAME, other), declarer) == truth
    guesses = {truth_of(full_fold(GAME, other), declarer) for other in worlds(table.entries, None, 40)}
    assert len(guesses) > 5
    assert table.entries[-2].event.allies not in guesses


def test_a_refused_call_changes_no_seats_view() -> None:
    played = Played()
    before = [played.fold_of(viewer) for viewer in range(4)]
    with pytest.raises(IllegalMove):
        played.play("call F")
    assert [played.fold_of(viewer) for viewer in range(4)] == before
    assert not any(isinstance(e, Exchanged) for e in played.events)
