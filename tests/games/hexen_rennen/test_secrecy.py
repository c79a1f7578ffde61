"""The secrecy law: a viewer receives the same in every world that they cannot distinguish from the true one."""

import hashlib
from itertools import islice
from typing import Any

import pytest

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import DIVISIONS, Divided, HexenOptions, Laid, Opened
from pbem.kit.chance import SeedChance
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import full_fold
from tests.games.hexen_rennen.tables import ALICE, BOB, Dice
from tests.games.hexen_rennen.worlds import worlds
from tests.harness.cases import cases


def table_of(seats: int, number: int, **options: bool) -> Table:
    """A match at its beginning."""
    seed = hashlib.sha256(f"worlds {seats} {number}".encode()).digest()
    return Table(GAME, seats, HexenOptions(**options), seed)


@pytest.mark.long
@cases("seats", [2, 3, 4])
def test_other_worlds_are_worlds_the_rules_could_produce(seats: int) -> None:
    table = table_of(seats, 9)
    for _ in islice(random_decisions(table), 30):
        pass
    for viewer in table.viewers:
        for other in worlds(table.entries, viewer, 5):
            state = full_fold(GAME, other)
            for entry in other:
                if isinstance(entry.event, Divided):
                    assert any(entry.event.stages == m.stages for m in DIVISIONS)  # type: ignore[attr-defined]
            course = next(e.event.tiles for e in other if isinstance(e.event, Laid))
            assert all(state.shown[i] in (None, course[i]) for i in range(48))
            for stage in range(3):
                here = sorted((t or "?")[0] for t in course[stage * 16 : stage * 16 + 16])
                assert here == sorted("ABCD" * 4)


def test_compared_worlds_differ_in_divisions_tiles_and_piles() -> None:
    table = table_of(3, 0)
    for _ in islice(random_decisions(table), 12):
        pass
    seen: dict[str, set[Any]] = {"divisions": set(), "tiles": set(), "piles": set(), "own": set()}
    for other in worlds(table.entries, ALICE, 40):
        for entry in other:
            match entry.event:
                case Divided(seat, stages):
                    seen["own" if seat == ALICE else "divisions"].add(stages)
                case Laid(tiles):
                    seen["tiles"].add(tiles)
                case Opened(piles=piles):
                    seen["piles"].add(piles)
    assert len(seen["own"]) == 1
    assert min(len(seen[what]) for what in ("divisions", "tiles", "piles")) > 10


def test_a_division_that_is_not_the_last_tells_the_others_nothing() -> None:
    table = table_of(3, 1)
    told = {GAME.decide(table.state, BOB, move, Dice())[0] for move in (DIVISIONS[0], DIVISIONS[700])}
    assert len(told) == 2
    assert all(len(GAME.decide(table.state, BOB, move, Dice())) == 1 for move in (DIVISIONS[0], DIVISIONS[700]))


@pytest.mark.long
def test_the_automatic_events_rest_on_what_everybody_sees() -> None:
    """In two worlds the same answer leads to the same events as long as no tile is turned up and no card is drawn."""
    compared = 0
    for number in range(3):
        table = table_of(4, number)
        for at, (ask, move) in enumerate(random_decisions(table)):
            if at < 20 or at % 5:
                continue
            for other in worlds(table.entries, ask.seat, 1):
                luck = [SeedChance(table.seed, table.position, "decide", ask.seat) for _ in range(2)]
                here = list(GAME.decide(table.state, ask.seat, move, luck[0]))
                there = list(GAME.decide(full_fold(GAME, other), ask.seat, move, luck[1]))
                for a, b in zip(here, there, strict=False):
                    if a != b:
                        assert type(a).__name__ == type(b).__name__ == "Turned"
                        break
                compared += 1
    assert compared > 20
