"""Where a witch can go: by the die, and by the cards of the owner of the symbol she stands on."""

from collections.abc import Collection, Iterable

from pbem.games.hexen_rennen.facts import CLANS, COURSE, GOAL, STEPS_OF, State


def occupied(state: State) -> set[int]:
    """Returns the tiles with a witch on them; start and goal hold any number."""
    return {place for three in state.witches for place in three if 0 < place <= COURSE}


def flight(origin: int, die: int, busy: Collection[int]) -> int | None:
    """Returns where the die takes a witch from here; None if she cannot move.

    From the start occupied tiles are not counted (3.3); on the course they are (3.4).

    >>> flight(0, 3, {1, 3}), flight(10, 4, {14}), flight(48, 4, ()), flight(50, 1, ())
    (5, None, None, None)
    """
    if origin == 0:
        place = 0
        while die:
            place += 1
            die -= place not in busy
        return place
    target = origin + die
    return None if origin > COURSE or target > GOAL or target in busy else target


def flights(state: State) -> dict[int, int]:
    """Returns the flights of the active seat, from origin to target; the start is one origin for all its witches."""
    if state.active is None or state.die is None:
        return {}
    busy = occupied(state)
    ends = {origin: flight(origin, state.die, busy) for origin in dict.fromkeys(state.witches[state.active])}
    return {origin: target for origin, target in ends.items() if target is not None}


def free_symbol(state: State, clan: int, places: Iterable[int], busy: Collection[int]) -> int | None:
    """Returns the first of these places that is free and shows the clan's symbol face up (R9)."""
    wanted = f"{CLANS[clan]}S"
    return next((place for place in places if state.shown[place - 1] == wanted and place not in busy), None)


def behind(place: int) -> range:
    """Returns the places behind this one, nearest first."""
    return range(place - 1, 0, -1)


def card_target(state: State, clan: int, card: str, busy: Collection[int]) -> int | None:
    """Returns where this card of the clan takes the witch on its symbol; None if it cannot be played.

    Forward for the clan's own witch (5.3), back for any other (5.4), never behind tile 1 (R13).
    """
    place, steps = state.witch, STEPS_OF[card]
    if place is None:
        return None
    own = clan == state.active
    if not steps:
        return free_symbol(state, clan, range(place + 1, COURSE + 1) if own else behind(place), busy)
    target = place + steps if own else place - steps
    return target if 1 <= target <= GOAL and target not in busy else None


def plays(state: State, clan: int) -> dict[str, int]:
    """Returns the cards that this clan's seat can play at the witch on its symbol, and where each takes her."""
    busy = occupied(state)
    ends = {card: card_target(state, clan, card, busy) for card in dict.fromkeys(state.hands[clan])}
    return {card: target for card, target in ends.items() if target is not None}
