"""What a seat imagines is any world that agrees with what it sees, each as often as any other."""

from collections import Counter
from itertools import permutations

import pytest
from msgspec.structs import replace

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts_race import CLANS, COURSE, STAGES, SYMBOL, State
from pbem.kit.bots import QuickChance
from pbem.kit.chance import SeedChance
from pbem.kit.contract import PlayerView
from pbem.kit.secrecy import redact
from tests.games.hexen_rennen.tables import ALICE, BOB, Turn, race

DIVIDED = ((2, 3, 4), (5, 6, 7), (8, 9, 10))
COURSE_BY_CLAN = [f"{clan}{card}" for stage in DIVIDED for clan in CLANS for card in (*stage, SYMBOL)]
# The other symbols of Bob lie face up.
HIDDEN = ("A2", "B4", "C2", "A5", "C5", "BS", "D10")


def position() -> State:
    """The course of two players in which only these tiles lie face down; three cards are left to a neutral clan."""
    tiles = dict(enumerate(COURSE_BY_CLAN, 1))
    up = [place for place, tile in tiles.items() if tile not in HIDDEN or (tile == "BS" and place > 16)]
    state = race(2, witches={}, tiles=tiles, up=up, pile="S S 5")
    gone = ("2", "3", "4", "6", "7", "8", "9", "10", "S")
    return replace(state, stages=(DIVIDED, DIVIDED), discards=((), (), gone, gone), turn=9, active=ALICE, die=1)


def is_possible_course(course: tuple[str, ...], own: int) -> bool:
    """Whether the course could have been laid: three numbers and a symbol of each clan in each stage, the seat's own
    as it has divided them."""
    for stage in range(STAGES):
        here = course[stage * 16 : stage * 16 + 16]
        if any(len([tile for tile in here if tile[0] == clan]) != 4 or f"{clan}S" not in here for clan in CLANS):
            return False
        if not {f"{CLANS[own]}{n}" for n in DIVIDED[stage]} <= {*here}:
            return False
    return True


def all_courses(state: State, own: int) -> set[tuple[str, ...]]:
    """Every course that agrees with what the seat sees."""
    places = [at for at in range(COURSE) if state.shown[at] is None]
    found = set()
    for order in permutations(HIDDEN):
        course = [tile or "" for tile in state.shown]
        for at, tile in zip(places, order, strict=True):
            course[at] = tile
        if is_possible_course(tuple(course), own):
            found.add(tuple(course))
    return found


def chi_square(counts: Counter[object], worlds: int) -> float:
    """How far the counts are from even, by Pearson."""
    even = counts.total() / worlds
    return sum((count - even) ** 2 for count in counts.values()) / even + even * (worlds - len(counts))


def imagine_states(seat: int, times: int) -> list[State]:
    """What the seat imagines, this many times."""
    view = PlayerView(redact(position(), seat), 2)
    chance = QuickChance(SeedChance(bytes(32), 1, "bot"))
    assert GAME.imagine is not None
    return [GAME.imagine(view, seat, chance) for _ in range(times)]


@pytest.mark.long
def test_each_course_consistent_with_the_view_is_imagined_equally_often() -> None:
    for seat in (ALICE, BOB):
        worlds = all_courses(position(), seat)
        counts = Counter[object](state.tiles for state in imagine_states(seat, 40 * len(worlds)))
        assert counts.keys() == worlds
        assert len(worlds) > 20
        assert chi_square(counts, len(worlds)) < len(worlds) + 4 * (2 * len(worlds)) ** 0.5


def test_anothers_imagined_division_is_that_of_the_imagined_course() -> None:
    for state in imagine_states(BOB, 50):
        stages = state.stages[ALICE]
        assert stages is not None
        for stage in range(STAGES):
            here = state.tiles[stage * 16 : stage * 16 + 16]
            assert {f"A{n}" for n in stages[stage]} == {tile for tile in here if tile and tile[0] == "A"} - {"AS"}
        assert state.stages[BOB] == DIVIDED


def test_each_order_of_a_pile_is_imagined_equally_often() -> None:
    counts = Counter[object](state.piles[2] for state in imagine_states(ALICE, 300))
    assert len(counts) == 3
    assert chi_square(counts, 3) < 12


def test_others_divisions_are_imagined_before_the_tiles_are_laid() -> None:
    fold = replace(position(), turn=0, tiles=(), shown=(), divided=(False, True), stages=(None, (((None,) * 3),) * 3))
    assert GAME.imagine is not None
    found = {GAME.imagine(PlayerView(fold, 2), ALICE, SeedChance(bytes(32), n, "bot")).stages for n in range(40)}
    assert len(found) > 30
    assert all(stages[ALICE] is None and sorted(n for three in stages[BOB] for n in three) == [*range(2, 11)]
               for stages in found)  # fmt: skip


def test_a_seat_has_better_chances_when_farther_ahead_with_more_cards() -> None:
    assert GAME.estimate is not None
    ahead = race(2, witches={"A": (20, 30, 50), "B": (10, 20, 30)})
    told = GAME.estimate(replace(ahead, turn=9, active=BOB, die=1))
    assert told is not None
    assert told[ALICE] > 0.6
    assert abs(sum(told) - 1) < 1e-9
    fewer = GAME.estimate(replace(ahead, turn=9, active=BOB, die=1, hands=(("2",), ahead.hands[BOB])))
    assert fewer is not None
    assert fewer[ALICE] < told[ALICE]
    assert GAME.estimate(replace(ahead, turn=9, active=BOB, die=1, witch=20)) is None


def test_the_quick_bot_takes_a_witch_to_where_her_own_number_carries_her() -> None:
    assert GAME.playout is not None
    before = race(2, witches={"A": (10, 20, 30)}, tiles={12: "A2", 22: "A9", 31: "B4"}, up=[12, 22, 31])
    fold = Turn(before, 2).state
    assert GAME.format(GAME.playout(PlayerView(fold, 2), ALICE, SeedChance(bytes(32), 1, "bot"))) == "fly 20"
