"""Whole positions of Hexen Rennen that a seat cannot tell from the true one; what may come, as far as it knows."""

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from pbem.games.hexen_rennen import facts
from pbem.games.hexen_rennen.facts import CLANS, STAGES, SYMBOL, Division, State, cards_without, stage_of
from pbem.games.hexen_rennen.rules import DIVISIONS, division
from pbem.games.hexen_rennen.rules_turn import Run, effect_of_card, flights, plays
from pbem.games.hexen_rennen.story import tell
from pbem.kit.chance import Chance
from pbem.kit.contract import Event, Phrase, PlayerView
from pbem.kit.texts import Lang
from pbem.kit.words import say

Shown = tuple[str | None, ...]
Numbers = tuple[tuple[int, ...], ...]
"""By stage."""

PER_STAGE = 16


def imagine(view: PlayerView, seat: int, chance: Chance) -> State:
    """Returns a whole state; all that agree with what lies open and with the seat's own division are equally likely.

    Each division of another clan is as likely as any other that agrees with the tiles shown, and so is each order of
    the tiles face down: whatever the divisions, the tiles shown were equally likely to be where they are. Not
    respected: that players rather divide in some ways than in others, and what their flights and cards tell of it.
    """
    fold: State = view.fold
    stages = tuple(
        fold.stages[clan] if clan == seat or not fold.divided[clan] else _divide(fold.shown, clan, chance)
        for clan in range(fold.seats)
    )
    piles = tuple(
        chance.shuffled(cards_without(fold.discards[clan])) if clan >= fold.seats else () for clan in range(len(CLANS))
    )
    return replace(fold, stages=stages, piles=piles, tiles=_lay_course(fold, stages, chance) if fold.shown else ())


@lru_cache(maxsize=256)
def _numbers_in_sight(shown: Shown, clan: int) -> tuple[Numbers, tuple[int, ...]]:
    """Returns which numbers of a clan have been turned up in each stage, and those that have not."""
    up = tuple(
        tuple(
            facts.VALUE_OF[tile]
            for tile in _of_stage(shown, stage)
            if tile and facts.CLAN_OF[tile] == clan and facts.VALUE_OF[tile]
        )
        for stage in range(STAGES)
    )
    return up, tuple(n for n in facts.NUMBERS if not any(n in numbers for numbers in up))


def _of_stage(shown: Shown, stage: int) -> Shown:
    return shown[stage * PER_STAGE : (stage + 1) * PER_STAGE]


def _divide(shown: Shown, clan: int, chance: Chance) -> Numbers:
    """Returns a division of the clan's numbers that agrees with the tiles shown."""
    if not shown:
        return division(chance.below(len(DIVISIONS))).stages
    up, rest = _numbers_in_sight(shown, clan)
    left, at, stages = chance.shuffled(rest), 0, []
    for numbers in up:
        end = at + 3 - len(numbers)
        stages.append(tuple(sorted(numbers + left[at:end])))
        at = end
    return tuple(stages)


def _lay_course(fold: State, stages: Sequence[Division | None], chance: Chance) -> Shown:
    """Returns the course with these divisions: tiles shown lie where they are, the others in any order."""
    shown = fold.shown
    neutral = tuple(_divide(shown, clan, chance) for clan in range(fold.seats, len(CLANS)))
    divided: list[Division | None] = [*stages, *neutral]
    course: list[str | None] = []
    for stage in range(STAGES):
        here = _of_stage(shown, stage)
        down = [
            tile
            for clan, numbers in zip(CLANS, divided, strict=True)
            if numbers is not None
            for tile in _tiles(clan, numbers[stage])
            if tile not in here
        ]
        turned = iter(chance.shuffled(down))
        course += [next(turned) if tile is None else tile for tile in here]
    return tuple(course)


@lru_cache(maxsize=4096)
def _tiles(clan: str, numbers: Sequence[int | None]) -> tuple[str, ...]:
    return *(f"{clan}{number}" for number in numbers), f"{clan}{SYMBOL}"


# --- what may come -------------------------------------------------------------------------------------------
# What may come in Hexen Rennen without anybody's choice: the die, a tile turned up, a neutral clan's card.


def supposable(fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
    """Returns the results of the die, tile or card that comes, or the one thing that follows; None before the race."""
    if fold.finisher is not None or not since:
        return ()
    last = since[-1]
    match last:
        case facts.Divided():
            return None if all(fold.divided) else ()
        case facts.Laid(first=first):
            return _rolls(first)
        case facts.Rolled(seat):
            possible = flights(fold)
            if len(possible) > 1:
                return ()
            flown = tuple(facts.Flew(seat, origin, target) for origin, target in possible.items())
            return flown or (facts.Stuck(seat),)  # certain (8.2)
        case facts.Reached(seat, place, obliged):
            cards = plays(fold, seat)
            forced = obliged and len(cards) == 1
            return tuple(facts.Played(seat, card, place, target) for card, target in cards.items()) if forced else ()
        case facts.Played() | facts.Drawn():
            arrives = last.card != SYMBOL and last.origin != last.target
        case _:
            arrives = isinstance(last, facts.Flew | facts.Carried | facts.Turned)
    return _after_arrival(fold, since) if arrives else _next_rolls(fold)


def foretell(event: Event, before: State, lang: Lang) -> Phrase:
    """Says what may come: the die by itself, which the story tells with the flight."""
    if isinstance(event, facts.Rolled):
        return say(lang, f"{{{event.seat}}} fait {event.die}.", f"{{{event.seat}}} rolls {event.die}.")
    return tell(event, before, lang)


def _next_rolls(fold: State) -> Sequence[Event]:
    assert fold.active is not None, "a turn has ended"
    return _rolls((fold.active + 1) % fold.seats)


def _rolls(seat: int) -> Sequence[Event]:
    return tuple(facts.Rolled(seat, die) for die in facts.FACES)


def _after_arrival(fold: State, since: Sequence[Event]) -> Sequence[Event]:
    moved = next(
        event for event in reversed(since) if isinstance(event, facts.Flew | facts.Carried | facts.Played | facts.Drawn)
    )
    # If a number has sent her back to where she is, the next to play a card must (R7).
    back = isinstance(moved, facts.Drawn) or (isinstance(moved, facts.Played) and moved.seat != fold.active)
    run = Run(fold, None)
    over = run.arrive(back=back)
    if run.events:
        return run.events[:1]
    if over:
        return _next_rolls(fold)
    place = fold.witch
    assert place is not None, "a witch has arrived"
    tile = fold.shown[place - 1]
    if tile is not None:  # of a neutral clan: each card that it may have on top (5.5)
        clan = CLANS.index(tile[0])
        cards = dict.fromkeys(cards_without(fold.discards[clan]))
        return tuple(effect_of_card(fold, clan, card, place) for card in cards)
    return tuple(facts.Turned(place, tile) for tile in facts.TILES if _may_lie(fold, tile, stage_of(place)))


def _may_lie(fold: State, tile: str, stage: int) -> bool:
    """Returns whether the tile may lie face down here: a stage has three numbers and the symbol of each clan (2.3)."""
    clan, value = tile[0], tile[1:]
    here = [
        other for other in fold.shown[facts.COURSE // STAGES * stage : facts.COURSE // STAGES * (stage + 1)] if other
    ]
    if value == SYMBOL:
        return tile not in here
    if tile in fold.shown or sum(other[0] == clan and other[1:] != SYMBOL for other in here) == 3:
        return False
    seat = CLANS.index(clan)
    chosen = fold.stages[seat] if seat < fold.seats else None
    return chosen is None or None in chosen[stage] or int(value) in chosen[stage]
