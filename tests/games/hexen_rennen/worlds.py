"""Other full logs of a race that one viewer cannot distinguish from the true one.

Everything that moved, was turned up, played or drawn is public. The tiles that lie face down, the cards left in
neutral piles, and the stages of the others' numbers that have not been turned up are hidden. These are shuffled.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from pbem.games.hexen_rennen.facts import (
    DIVISIONS,
    Choose,
    Chosen,
    Divide,
    Divided,
    Drawn,
    Fly,
    Laid,
    Leave,
    Opened,
    Play,
    Turned,
)
from pbem.games.hexen_rennen.facts_race import CARDS, CLANS, COURSE, NUMBERS, STAGES, SYMBOL, stage_of_place
from pbem.kit.chance import Chance, SeedChance
from pbem.kit.contract import Move, Viewer
from pbem.kit.replay import AnyEntry

Three = tuple[int, ...]


def worlds(entries: Sequence[AnyEntry], viewer: Viewer, limit: int) -> Iterator[list[AnyEntry]]:
    """Up to `limit` other logs with the same redacted form for this viewer, each one the rules could produce."""
    truth = [e.event for e in entries]
    luck = SeedChance(bytes(32), position=len(entries), purpose="bot", seat=viewer)
    found = 0
    for _ in range(20 * limit):
        other = [replace(e, event=event) for e, event in zip(entries, _deal_again(truth, viewer, luck), strict=True)]
        if [e.event for e in other] != truth:
            yield other
            found += 1
            if found == limit:
                return


def _deal_again(truth: Sequence[Any], viewer: Viewer, luck: Chance) -> Iterator[Any]:
    turned = {e.place: e.tile for e in truth if isinstance(e, Turned)}
    laid = any(isinstance(e, Laid) for e in truth)
    mine = next((e.stages for e in truth if isinstance(e, Divided) and e.seat == viewer), None)
    letters = _letters(truth)
    divided = [mine if of == viewer and mine else _division(clan, turned, luck) for of, clan in enumerate(letters)]
    for event in truth:
        match event:
            case Opened():
                yield replace(event, piles=_piles(event, truth, luck))
            case Divided(seat):
                yield replace(event, stages=divided[seat])
            case Laid():
                assert laid
                yield replace(event, tiles=_course(letters, divided, turned, luck))
            case _:
                yield event


def _letters(truth: Sequence[Any]) -> list[str]:
    """The letters of the clans, of the seats first; any that is free where a seat has not chosen."""
    chosen = {e.seat: e.clan for e in truth if isinstance(e, Chosen)}
    free = [clan for clan in CLANS if clan not in chosen.values()]
    return [chosen.get(of) or free.pop(0) for of in range(len(CLANS))]


def _division(clan: str, turned: dict[int, str], luck: Chance) -> tuple[Three, ...]:
    """A division of the clan's numbers in which each number that is turned up lies in its stage."""
    stages: list[list[int]] = [[], [], []]
    for place, tile in turned.items():
        if tile[0] == clan and tile[1:] != SYMBOL:
            stages[stage_of_place(place)].append(int(tile[1:]))
    fixed = {n for stage in stages for n in stage}
    for n in luck.shuffled(n for n in NUMBERS if n not in fixed):
        room = [stage for stage in stages if len(stage) < 3]
        luck.pick(room).append(n)
    return tuple(tuple(sorted(stage)) for stage in stages)


def _course(letters: Sequence[str], divided: Sequence[Any], turned: dict[int, str], luck: Chance) -> tuple[str, ...]:
    course: list[str] = []
    for stage in range(STAGES):
        tiles = [f"{c}{v}" for c, chosen in zip(letters, divided, strict=True) for v in (*chosen[stage], SYMBOL)]
        places = range(stage * 16 + 1, stage * 16 + 17)
        for place in places:
            if place in turned:
                tiles.remove(turned[place])
        down = list(luck.shuffled(tiles))
        course += [turned[place] if place in turned else down.pop() for place in places]
    assert len(course) == COURSE
    return tuple(course)


def _piles(event: Opened, truth: Sequence[Any], luck: Chance) -> tuple[tuple[str | None, ...], ...]:
    piles = []
    for clan, pile in enumerate(event.piles, event.seats):
        drawn = sum(isinstance(e, Drawn) and e.clan == clan for e in truth)
        piles.append((*pile[:drawn], *luck.shuffled(pile[drawn:])))
    return tuple(piles)


BLIND_MOVES = ()
"""No kind of move is blind: the last division and every end of a turn let a witch fly, and she turns up a tile."""

TRIES: tuple[Move, ...] = (
    *map(Choose, CLANS),
    *(DIVISIONS[i] for i in range(0, 1680, 240)),
    Divide(((2, 3, 4), (2, 3, 4), (2, 3, 4))),
    *(Fly(place) for place in range(0, 52, 3)),
    *(Play(card) for card in CARDS),
    Leave(),
)
"""Moves that somebody might try, legal or not."""
