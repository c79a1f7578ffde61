"""The secrecy law: a viewer receives the same in every world that they cannot distinguish from the true one."""

import hashlib
from itertools import islice
from typing import Any

import pytest

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import DIVISIONS, Divided, Laid, Opened
from pbem.games.hexen_rennen.facts_race import letter_of_clan
from pbem.kit.chance import SeedChance
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import ask_of
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import By, fold_for_viewer, full_fold, redact_entries
from tests.games.hexen_rennen.tables import ALICE, BOB, Dice
from tests.games.hexen_rennen.worlds import worlds
from tests.harness.cases import cases

CLANS = ("seats", "chosen")


def table_of(seats: int, number: int, clans: str = "seats") -> Table:
    """A match at its beginning."""
    seed = hashlib.sha256(f"worlds {seats} {number}".encode()).digest()
    return Table(GAME, seats, codec_for(GAME).options({"clans": clans}), seed)


@pytest.mark.long
@cases("clans", CLANS)
@cases("seats", [2, 3, 4])
def test_compared_worlds_are_worlds_the_rules_could_produce(seats: int, clans: str) -> None:
    table = table_of(seats, 9, clans)
    for _ in islice(random_decisions(table), 30):
        pass
    for viewer in table.viewers:
        for other in worlds(table.entries, viewer, 5):
            state = full_fold(GAME, other)
            course = next(e.event.tiles for e in other if isinstance(e.event, Laid))
            for entry in other:
                if isinstance(entry.event, Divided):
                    seat, stages = entry.event.seat, entry.event.stages
                    assert any(stages == m.stages for m in DIVISIONS)  # type: ignore[attr-defined]
                    for stage, numbers in enumerate(stages):
                        own = {f"{letter_of_clan(state, seat)}{n}" for n in numbers}
                        assert own <= {*course[stage * 16 : stage * 16 + 16]}
            assert all(state.shown[i] in (None, course[i]) for i in range(48))
            for stage in range(3):
                here = sorted((t or "?")[0] for t in course[stage * 16 : stage * 16 + 16])
                assert here == sorted("ABCD" * 4)


@cases("clans", CLANS)
def test_compared_worlds_differ_in_divisions_tiles_and_piles(clans: str) -> None:
    table = table_of(3, 0, clans)
    for _ in islice(random_decisions(table), 15):
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


def test_a_division_reveals_nothing_to_seats_still_choosing_a_clan() -> None:
    table = table_of(3, 1, "chosen")
    for text in ("choose D", "234 567 8910"):
        ask = ask_of(GAME, table.state, BOB)
        assert ask is not None
        table.play(ask, GAME.parse(text), By(seat=BOB))
    for viewer in (ALICE, None):
        others = [*worlds(table.entries, viewer, 10)]
        assert len({entry.event.stages for other in others for entry in other if isinstance(entry.event, Divided)}) > 5
        assert len({encode(redact_entries(other, viewer)) for other in (table.entries, *others)}) == 1
        assert {fold_for_viewer(GAME, other, viewer) for other in (table.entries, *others)} == {table.folds[viewer]}


def test_a_division_causes_no_other_event_while_others_still_divide() -> None:
    table = table_of(3, 1)
    told = {GAME.decide(table.state, BOB, move, Dice())[0] for move in (DIVISIONS[0], DIVISIONS[700])}
    assert len(told) == 2
    assert all(len(GAME.decide(table.state, BOB, move, Dice())) == 1 for move in (DIVISIONS[0], DIVISIONS[700]))


@pytest.mark.long
def test_automatic_events_depend_only_on_tiles_lying_face_up() -> None:
    """In two worlds the same answer leads to the same events as long as no tile is turned up and no card is drawn."""
    compared = 0
    for number in range(3):
        table = table_of(4, number)
        for at, (ask, move) in enumerate(random_decisions(table)):
            if at < 20 or at % 5:
                continue
            for other in worlds(table.entries, ask.seat, 1):
                luck = [SeedChance(table.seed, table.next_entry_number, "decide", ask.seat) for _ in range(2)]
                here = list(GAME.decide(table.state, ask.seat, move, luck[0]))
                there = list(GAME.decide(full_fold(GAME, other), ask.seat, move, luck[1]))
                for a, b in zip(here, there, strict=False):
                    if a != b:
                        assert type(a).__name__ == type(b).__name__ == "Turned"
                        break
                compared += 1
    assert compared > 20
