"""Whole positions of Hexen Rennen that a seat cannot tell from the true one."""

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from pbem.games.hexen_rennen import facts_race as race
from pbem.games.hexen_rennen.facts import DIVISIONS, division_at_index
from pbem.kit.chance import Chance
from pbem.kit.contract import PlayerView

Shown = tuple[str | None, ...]
Numbers = tuple[tuple[int, ...], ...]
"""By stage."""

PER_STAGE = 16


def imagine(view: PlayerView, seat: int, chance: Chance) -> race.State:
    """Returns a whole state; all that agree with what lies open and with the seat's own division are equally likely.

    Each division of another clan is as likely as any other that agrees with the tiles shown, and so is each order of
    the tiles face down: whatever the divisions, the tiles shown were equally likely to be where they are. Not
    respected: that players rather divide in some ways than in others, and what their flights and cards tell of it.
    """
    fold: race.State = view.fold
    stages = tuple(
        fold.stages[of]
        if of == seat or not fold.divided[of]
        else _draw_division(fold.shown, race.letter_of_clan(fold, of), chance)
        for of in range(fold.seats)
    )
    piles = tuple(
        chance.shuffled(race.cards_of_clan_without(fold.discards[clan])) if clan >= fold.seats else ()
        for clan in range(len(race.CLANS))
    )
    return replace(fold, stages=stages, piles=piles, tiles=_lay_course(fold, stages, chance) if fold.shown else ())


@lru_cache(maxsize=256)
def _numbers_shown_and_left(shown: Shown, clan: str) -> tuple[Numbers, tuple[int, ...]]:
    """Returns which numbers of a clan have been turned up in each stage, and those that have not."""
    up = tuple(
        tuple(
            race.VALUE_OF[tile]
            for tile in _tiles_shown_on_stage(shown, stage)
            if tile and tile[0] == clan and race.VALUE_OF[tile]
        )
        for stage in range(race.STAGES)
    )
    return up, tuple(n for n in race.NUMBERS if not any(n in numbers for numbers in up))


def _tiles_shown_on_stage(shown: Shown, stage: int) -> Shown:
    return shown[stage * PER_STAGE : (stage + 1) * PER_STAGE]


def _draw_division(shown: Shown, clan: str, chance: Chance) -> Numbers:
    """Returns a division of the clan's numbers that agrees with the tiles shown."""
    if not shown:
        return division_at_index(chance.below(len(DIVISIONS))).stages
    up, rest = _numbers_shown_and_left(shown, clan)
    left, at, stages = chance.shuffled(rest), 0, []
    for numbers in up:
        end = at + 3 - len(numbers)
        stages.append(tuple(sorted(numbers + left[at:end])))
        at = end
    return tuple(stages)


def _lay_course(fold: race.State, stages: Sequence[race.Division | None], chance: Chance) -> Shown:
    """Returns the course with these divisions: tiles shown lie where they are, the others in any order."""
    shown, letters = fold.shown, race.clan_letters_and_tile_owners(fold.clans)[0]
    neutral = tuple(_draw_division(shown, clan, chance) for clan in letters[fold.seats :])
    divided: list[race.Division | None] = [*stages, *neutral]
    course: list[str | None] = []
    for stage in range(race.STAGES):
        here = _tiles_shown_on_stage(shown, stage)
        down = [
            tile
            for clan, numbers in zip(letters, divided, strict=True)
            if numbers is not None
            for tile in _tiles_of_clan_in_stage(clan, numbers[stage])
            if tile not in here
        ]
        turned = iter(chance.shuffled(down))
        course += [next(turned) if tile is None else tile for tile in here]
    return tuple(course)


@lru_cache(maxsize=4096)
def _tiles_of_clan_in_stage(clan: str, numbers: Sequence[int | None]) -> tuple[str, ...]:
    return *(f"{clan}{number}" for number in numbers), f"{clan}{race.SYMBOL}"
