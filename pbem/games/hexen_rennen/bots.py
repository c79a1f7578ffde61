"""The bots of Hexen Rennen. Each decides from its own fold alone.

`greedy` counts how far each choice takes the moving witch, exactly over tiles that lie face up and on average over the
others. It plays a card that gains it, or costs a rival, enough steps.
"""

from functools import cache

from pbem.games.hexen_rennen import facts
from pbem.games.hexen_rennen.facts import CLAN_OF, CLANS, COURSE, STAGES, VALUE_OF, Divide, Fly, Leave, Play, State
from pbem.games.hexen_rennen.history import evolve
from pbem.games.hexen_rennen.rules import DIVISIONS, preview
from pbem.games.hexen_rennen.rules_course import flights, plays
from pbem.kit.chance import Chance
from pbem.kit.contract import Move, PlayerView

_GOAL_WORTH = {49: 52.0, 50: 55.0, 51: 58.0}
"""The worth of a place in the goal, in steps: reaching it also ends the need for an exact roll."""
OWN_CARD = 6.0
SET_BACK = 4.0
"""The average gain from the seat's own symbol, and the average cost of another's."""
ENOUGH = 3.0
"""A card that gains fewer steps is kept."""
_FAR = 20
"""The longest way of two cards: a player farther behind is no rival for now."""


def greedy(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns the move that gains most steps."""
    fold: State = view.fold
    if not fold.turn:
        return chance.pick(good_divisions())
    if fold.asked is None:
        return Fly(max(flights(fold), key=lambda origin: _after(fold, seat, Fly(origin)) - worth(origin)))
    spared = spares(fold, seat)
    if spared and not fold.obliged:
        return Leave()
    sign = 1 if seat == fold.active or spared else -1
    here = worth(fold.witch or 0)
    gains = {card: sign * (_after(fold, seat, Play(card)) - here) for card in plays(fold, seat)}
    best = max(gains, key=lambda card: gains[card])
    return Play(best) if fold.obliged or gains[best] >= ENOUGH else Leave()


def spares(fold: State, seat: int) -> bool:
    """Returns True if the witch on the seat's symbol belongs to somebody who is too far behind to be a rival.

    Setting them back would help the leaders just as much. With two seats it could help nobody else.
    """
    totals = [sum(map(worth, three)) for three in fold.witches]
    return fold.active is not None and fold.seats > 2 and totals[fold.active] + _FAR < totals[seat]


@cache
def good_divisions() -> tuple[Divide, ...]:
    """Returns the divisions with the smallest numbers in the last stage, where a large one would overshoot."""
    return tuple(m for m in DIVISIONS if isinstance(m, Divide) and m.stages[STAGES - 1] == (2, 3, 4))


def worth(place: int) -> float:
    return _GOAL_WORTH.get(place, float(place))


def _after(fold: State, seat: int, move: Move) -> float:
    """Returns the worth of the place that the move takes the witch to, with what is likely to follow there."""
    state = fold
    for event in preview(fold, seat, move):
        state = evolve(state, event)
    place, active = state.witch, state.active
    assert place is not None, "a witch has moved"
    assert active is not None, "somebody's turn runs"
    if place > COURSE or state.finisher is not None:
        return worth(place)
    if state.asked is not None:
        cards = plays(state, state.asked).values()
        reach = max(worth(target) - place for target in cards) if state.asked == active else 0.0
        back = max((place - target for target in cards), default=0) if state.asked != active else 0
        return place + reach * 0.8 - back * 0.6
    tile = state.shown[place - 1]
    if tile is None:
        return place + _unknown(state, active, seat, facts.stage_of(place))
    return place - (SET_BACK if CLAN_OF[tile] >= state.seats and not VALUE_OF[tile] else 0.0)


def _unknown(state: State, active: int, seat: int, stage: int) -> float:
    """Returns the average gain of a witch of the active clan on a face-down tile in this stage."""
    down = [at for at in range(stage * 16, stage * 16 + 16) if state.shown[at] is None]
    up = {tile for tile in state.shown if tile is not None}
    if active == seat and (stages := state.stages[seat]) is not None:
        numbers = [n or 0 for n in stages[stage] if f"{CLANS[seat]}{n}" not in up]
        carried = float(sum(numbers))
    else:
        left = [VALUE_OF[t] for t in facts.TILES if CLAN_OF[t] == active and t not in up]
        carried = sum(left) / STAGES
    shown_here = [state.shown[at] for at in range(stage * 16, stage * 16 + 16)]
    signs = [clan for clan in range(len(CLANS)) if f"{CLANS[clan]}S" not in shown_here]
    signed = sum(OWN_CARD if clan == active else -SET_BACK for clan in signs)
    return (carried * 0.8 + signed) / len(down)
