"""Where a witch can go: by the die, and by the card of whoever owns the symbol she stands on."""

from collections.abc import Collection

from pbem.games.hexen_rennen.facts import COURSE, GOAL, STEPS_OF, State


def occupied(state: State) -> set[int]:
    """The tiles on which a witch stands; start and goal hold any number."""
    return {place for three in state.witches for place in three if 0 < place <= COURSE}


def flight(origin: int, die: int, busy: Collection[int]) -> int | None:
    """Where the die takes a witch from here; None where she cannot move.

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
    """From where to where the active seat can move by the die; witches at the start are one origin."""
    if state.active is None or state.die is None:
        return {}
    busy = occupied(state)
    found = {}
    for origin in dict.fromkeys(state.witches[state.active]):
        target = flight(origin, state.die, busy)
        if target is not None:
            found[origin] = target
    return found


def symbol_ahead(state: State, clan: int, place: int, busy: Collection[int]) -> int | None:
    """The next symbol tile of the clan ahead that lies face up and is free (R9)."""
    wanted = f"{'ABCD'[clan]}S"
    return next((at for at in range(place + 1, COURSE + 1) if state.shown[at - 1] == wanted and at not in busy), None)


def symbol_behind(state: State, clan: int, place: int, busy: Collection[int]) -> int | None:
    """The first symbol tile of the clan behind that lies face up and is free (R9)."""
    wanted = f"{'ABCD'[clan]}S"
    return next((at for at in range(place - 1, 0, -1) if state.shown[at - 1] == wanted and at not in busy), None)


def card_target(state: State, clan: int, card: str, busy: Collection[int]) -> int | None:
    """Where this card of the clan takes the witch on its symbol; None where it cannot be played.

    Forward for the clan's own witch (5.3), back for any other (5.4), never behind tile 1 (R13).
    """
    place, steps = state.witch, STEPS_OF[card]
    if place is None:
        return None
    own = clan == state.active
    if not steps:
        return symbol_ahead(state, clan, place, busy) if own else symbol_behind(state, clan, place, busy)
    target = place + steps if own else place - steps
    return target if 1 <= target <= GOAL and target not in busy else None


def plays(state: State, clan: int) -> dict[str, int]:
    """The cards that the seat of this clan can play at the witch on its symbol, and where each takes her."""
    busy = occupied(state)
    found = {}
    for card in dict.fromkeys(state.hands[clan]):
        target = card_target(state, clan, card, busy)
        if target is not None:
            found[card] = target
    return found
