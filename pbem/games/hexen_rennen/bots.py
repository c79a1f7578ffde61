"""The bots of Hexen Rennen. Each decides from its own fold alone.

`greedy` counts how far each choice takes the moving witch, exactly over tiles that lie face up and on average over the
others. It plays a card that gains it, or costs a rival, enough steps.

How likely each seat is to win when a witch is about to fly, without racing on.

A seat's standing is 0.22 for each step that its witches have made, 49 of them at most a witch, 1.2 for each point in
the goal, 1.8 for each witch on tiles 44 to 48, 1.5 for each magic symbol in hand and 0.12 for each step of the number
cards there, and 0.7 for the seat that flies now. With n steps from the seat that is farthest to its third witch in the
goal, a seat that is d behind the best is (1 + d / 8s)^-8 times as likely to win, where s = sqrt(10 + n).

Rounded from what made those likeliest who have won, in matches of `greedy` with two, three and four seats at each
choice of a witch. What cards are worth differs between them: `greedy` plays them as if they cost nothing. How well it
tells who wins in other matches: `python -m tests.games.calibration hexen-rennen`.
"""

from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from math import fsum, sqrt

from pbem.games.hexen_rennen import facts_race as race
from pbem.games.hexen_rennen.facts import DIVISIONS, Choose, Divide, Fly, Leave, Play
from pbem.games.hexen_rennen.rules import RULES
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
    fold: race.State = view.fold
    if not fold.turn:
        return _choose_clan_or_division(fold, seat, chance)
    if fold.asked is None:
        flights = race.flights_of_active_seat(fold)
        return Fly(max(flights, key=lambda origin: _worth_after_move(fold, seat, Fly(origin)) - worth_of_place(origin)))
    spared = is_owner_of_witch_too_far_behind(fold, seat)
    if spared and not fold.obliged:
        return Leave()
    sign = 1 if seat == fold.active or spared else -1
    here = worth_of_place(fold.witch or 0)
    cards = race.targets_of_playable_cards(fold, seat)
    gains = {card: sign * (_worth_after_move(fold, seat, Play(card)) - here) for card in cards}
    best = max(gains, key=lambda card: gains[card])
    return Play(best) if fold.obliged or gains[best] >= ENOUGH else Leave()


def is_owner_of_witch_too_far_behind(fold: race.State, seat: int) -> bool:
    """Returns True if the witch on the seat's symbol belongs to somebody who is too far behind to be a rival.

    Setting them back would help the leaders just as much. With two seats it could help nobody else.
    """
    totals = [sum(map(worth_of_place, three)) for three in fold.witches]
    return fold.active is not None and fold.seats > 2 and totals[fold.active] + _FAR < totals[seat]


def _choose_clan_or_division(fold: race.State, seat: int, chance: Chance) -> Move:
    """Returns any clan, since all race alike, or a good division."""
    if fold.clans[seat] is None:
        return Choose(race.CLANS[chance.pick(race.free_clans(fold))])
    return chance.pick(good_divisions())


@cache
def good_divisions() -> tuple[Divide, ...]:
    """Returns the divisions with the smallest numbers in the last stage, where a large one would overshoot."""
    return tuple(m for m in DIVISIONS if isinstance(m, Divide) and m.stages[race.STAGES - 1] == (2, 3, 4))


def worth_of_place(place: int) -> float:
    return _GOAL_WORTH.get(place, float(place))


def _worth_after_move(fold: race.State, seat: int, move: Move) -> float:
    """Returns the worth of the place that the move takes the witch to, with what is likely to follow there."""
    state = fold
    for event in RULES.preview(fold, seat, move):
        state = RULES.evolve(state, event)
    place, active = state.witch, state.active
    assert place is not None, "a witch has moved"
    assert active is not None, "somebody's turn runs"
    if place > race.COURSE or state.finisher is not None:
        return worth_of_place(place)
    if state.asked is not None:
        cards = race.targets_of_playable_cards(state, state.asked).values()
        reach = max(worth_of_place(target) - place for target in cards) if state.asked == active else 0.0
        back = max((place - target for target in cards), default=0) if state.asked != active else 0
        return place + reach * 0.8 - back * 0.6
    tile = state.shown[place - 1]
    if tile is None:
        return place + _average_gain_face_down(state, active, seat, race.stage_of_place(place))
    return place - (SET_BACK if race.owner_of_tile(state, tile) >= state.seats and not race.VALUE_OF[tile] else 0.0)


def _average_gain_face_down(state: race.State, active: int, seat: int, stage: int) -> float:
    """Returns the average gain of a witch of the active clan on a face-down tile in this stage."""
    down = [at for at in range(stage * 16, stage * 16 + 16) if state.shown[at] is None]
    up = {tile for tile in state.shown if tile is not None}
    if active == seat and (stages := state.stages[seat]) is not None:
        numbers = [n or 0 for n in stages[stage] if f"{race.letter_of_clan(state, seat)}{n}" not in up]
        carried = float(sum(numbers))
    else:
        left = [race.VALUE_OF[t] for t in race.TILES if race.owner_of_tile(state, t) == active and t not in up]
        carried = sum(left) / race.STAGES
    shown_here = [state.shown[at] for at in range(stage * 16, stage * 16 + 16)]
    signs = [letter for letter in race.CLANS if f"{letter}{race.SYMBOL}" not in shown_here]
    own = race.letter_of_clan(state, active)
    signed = sum(OWN_CARD if letter == own else -SET_BACK for letter in signs)
    return (carried * 0.8 + signed) / len(down)


# --- the estimate --------------------------------------------------------------------------------------------

STEP, POINT, NEAR, SYMBOL_CARD, PIP, TURN = 0.22, 1.2, 1.8, 1.5, 0.12, 0.7
_NEAR = 44
_ARRIVED = race.COURSE + 1


def estimate(state: race.State) -> Sequence[float] | None:
    """Returns each seat's chance to win before a flight; None while a witch is under way, and after the end."""
    if not state.turn or state.witch is not None or state.finisher is not None:
        return None
    steps = [sum(min(place, _ARRIVED) for place in three) for three in state.witches]
    hands = [
        fsum(SYMBOL_CARD if card == race.SYMBOL else PIP * race.STEPS_OF[card] for card in hand) for hand in state.hands
    ]
    near = [sum(_NEAR <= place <= race.COURSE for place in three) for three in state.witches]
    standings = [
        STEP * steps[seat] + POINT * points + hands[seat] + NEAR * near[seat] + (TURN if seat == state.active else 0.0)
        for seat, points in enumerate(RULES.scores(state))
    ]
    best, spread = max(standings), 8 * sqrt(10 + 3 * _ARRIVED - max(steps))
    weights = [_weight_when_behind((best - standing) / spread) for standing in standings]
    total = fsum(weights)
    return [weight / total for weight in weights]


def _weight_when_behind(behind: float) -> float:
    """Returns (1 + behind)^-8 by products alone, which are the same on every machine."""
    squared = (1 + behind) * (1 + behind)
    fourth = squared * squared
    return 1 / (fourth * fourth)


# --- quick bots ----------------------------------------------------------------------------------------------

_LEAVE = Leave()
_PER_STAGE = 16
_OF_STAGE = 18.0
"""The sum of the numbers of a clan in a stage, on average."""


def quick(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Returns the move that takes a witch to the best place, as far as its tile tells."""
    fold: race.State = view.fold
    if not fold.turn:
        return _choose_clan_or_division(fold, seat, chance)
    if fold.asked is not None:
        return _best_card_or_leave(fold, seat)
    busy, die = race.tiles_with_witch(fold), fold.die or 0
    best, most = 0, -100.0
    for origin in dict.fromkeys(fold.witches[seat]):
        target = race.target_of_flight(origin, die, busy)
        if target is None:
            continue
        if (gain := _worth_of_landing(fold, seat, seat, target, busy) - worth_of_place(origin)) > most:
            best, most = origin, gain
    return Fly(best)


def _best_card_or_leave(fold: race.State, seat: int) -> Move:
    """Returns the card to play at the witch on the seat's symbol, if any."""
    active, here = fold.active or 0, fold.witch or 0
    spared = is_owner_of_witch_too_far_behind(fold, seat)
    if spared and not fold.obliged:
        return _LEAVE
    sign = 1 if seat == active or spared else -1
    busy = race.tiles_with_witch(fold)
    best, most = race.SYMBOL, -100.0
    for card, target in race.targets_of_playable_cards(fold, seat).items():
        # Where a symbol card leads, nothing happens (R11).
        place = float(target) if card == race.SYMBOL else _worth_of_landing(fold, active, seat, target, busy)
        if sign * (place - worth_of_place(here)) > most:
            best, most = card, sign * (place - worth_of_place(here))
    return Play(best) if fold.obliged or most >= ENOUGH else _LEAVE


def _worth_of_landing(fold: race.State, active: int, seat: int, place: int, busy: Collection[int]) -> float:
    """Returns the worth of a place to the active clan's witch, as the seat sees it."""
    value, owners = 1, race.clan_letters_and_tile_owners(fold.clans)[1]
    while value:
        tile = fold.shown[place - 1] if place <= race.COURSE else ""
        if not tile:
            break
        value = race.VALUE_OF[tile] if owners[tile] == active else 0
        if not value or place + value > (race.GOAL if fold.goal_by_tile else race.COURSE) or place + value in busy:
            break
        place += value
    if place > race.COURSE:
        return worth_of_place(place)
    if tile is None:
        stage, own = race.stage_of_place(place), fold.stages[seat] if active == seat else None
        shown = fold.shown[stage * _PER_STAGE : (stage + 1) * _PER_STAGE]
        return place + _average_gain_on_tile_face_down(
            shown, race.letter_of_clan(fold, active), own[stage] if own else None
        )
    if race.VALUE_OF[tile]:
        return float(place)
    clan = owners[tile]
    if clan >= fold.seats:
        return place - SET_BACK
    steps = (race.STEPS_OF[card] for card in dict.fromkeys(fold.hands[clan]) if card != race.SYMBOL)
    if clan == active:
        ahead = (worth_of_place(place + n) - place for n in steps if place + n <= race.GOAL and place + n not in busy)
        return place + 0.8 * max(ahead, default=0.0)
    return place - 0.6 * max((n for n in steps if n < place and place - n not in busy), default=0)


@lru_cache(maxsize=1 << 13)
def _average_gain_on_tile_face_down(shown: tuple[str | None, ...], own: str, numbers: tuple[int, ...] | None) -> float:
    """Returns the average gain of a witch of the clan `own` on a tile face down; `numbers` are its own, if known."""
    up = fsum(race.VALUE_OF[tile] for tile in shown if tile and tile[0] == own)
    carried = (_OF_STAGE if numbers is None else fsum(numbers)) - up
    signed = [
        OWN_CARD if letter == own else -SET_BACK for letter in race.CLANS if f"{letter}{race.SYMBOL}" not in shown
    ]
    return (max(0.0, carried) * 0.8 + fsum(signed)) / shown.count(None)
