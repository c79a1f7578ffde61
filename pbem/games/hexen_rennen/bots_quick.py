"""A quick relative of `greedy`, for imagined races: it looks at the place a witch comes to, not at all that follows."""

from collections.abc import Collection
from functools import lru_cache
from math import fsum

from pbem.games.hexen_rennen.bots import ENOUGH, OWN_CARD, SET_BACK, good_divisions, spares, worth
from pbem.games.hexen_rennen.facts import (
    CLAN_OF,
    CLANS,
    COURSE,
    GOAL,
    STEPS_OF,
    SYMBOL,
    VALUE_OF,
    Fly,
    Leave,
    Play,
    State,
    stage_of,
)
from pbem.games.hexen_rennen.rules_course import flight, occupied, plays
from pbem.kit.chance import Chance
from pbem.kit.contract import Move, PlayerView

_LEAVE = Leave()
_PER_STAGE = 16
_OF_STAGE = 18.0
"""The sum of the numbers of a clan in a stage, on average."""


def quick(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns the move that takes a witch to the best place, as far as its tile tells."""
    fold: State = view.fold
    if not fold.turn:
        return chance.pick(good_divisions())
    if fold.asked is not None:
        return _answer(fold, seat)
    busy, die = occupied(fold), fold.die or 0
    best, most = 0, -100.0
    for origin in dict.fromkeys(fold.witches[seat]):
        target = flight(origin, die, busy)
        if target is not None and (gain := _landing(fold, seat, seat, target, busy) - worth(origin)) > most:
            best, most = origin, gain
    return Fly(best)


def _answer(fold: State, seat: int) -> Move:
    """Returns the card to play at the witch on the seat's symbol, if any."""
    active, here = fold.active or 0, fold.witch or 0
    spared = spares(fold, seat)
    if spared and not fold.obliged:
        return _LEAVE
    sign = 1 if seat == active or spared else -1
    busy = occupied(fold)
    best, most = SYMBOL, -100.0
    for card, target in plays(fold, seat).items():
        # Where a symbol card leads, nothing happens (R11).
        place = float(target) if card == SYMBOL else _landing(fold, active, seat, target, busy)
        if sign * (place - worth(here)) > most:
            best, most = card, sign * (place - worth(here))
    return Play(best) if fold.obliged or most >= ENOUGH else _LEAVE


def _landing(fold: State, active: int, seat: int, place: int, busy: Collection[int]) -> float:
    """Returns the worth of a place to the active clan's witch, as the seat sees it."""
    value = 1
    while value:
        tile = fold.shown[place - 1] if place <= COURSE else ""
        if not tile:
            break
        value = VALUE_OF[tile] if CLAN_OF[tile] == active else 0
        if not value or place + value > (GOAL if fold.goal_by_tile else COURSE) or place + value in busy:
            break
        place += value
    if place > COURSE:
        return worth(place)
    if tile is None:
        return place + _unknown(fold, active, seat, place)
    if VALUE_OF[tile]:
        return float(place)
    clan = CLAN_OF[tile]
    if clan >= fold.seats:
        return place - SET_BACK
    steps = (STEPS_OF[card] for card in dict.fromkeys(fold.hands[clan]) if card != SYMBOL)
    if clan == active:
        ahead = (worth(place + n) - place for n in steps if place + n <= GOAL and place + n not in busy)
        return place + 0.8 * max(ahead, default=0.0)
    return place - 0.6 * max((n for n in steps if n < place and place - n not in busy), default=0)


def _unknown(fold: State, active: int, seat: int, place: int) -> float:
    """Returns the average gain of a witch of the active clan on a tile face down here."""
    stage = stage_of(place)
    own = fold.stages[seat] if active == seat else None
    return _average(fold.shown[stage * _PER_STAGE : (stage + 1) * _PER_STAGE], active, own[stage] if own else None)


@lru_cache(maxsize=1 << 13)
def _average(shown: tuple[str | None, ...], active: int, numbers: tuple[int, ...] | None) -> float:
    """Returns the average gain on a tile face down; `numbers` are those of its clan and stage, if known."""
    up = fsum(VALUE_OF[tile] for tile in shown if tile and CLAN_OF[tile] == active)
    carried = (_OF_STAGE if numbers is None else fsum(numbers)) - up
    signed = [OWN_CARD if clan == active else -SET_BACK for clan in range(len(CLANS)) if f"{CLANS[clan]}S" not in shown]
    return (max(0.0, carried) * 0.8 + fsum(signed)) / shown.count(None)
