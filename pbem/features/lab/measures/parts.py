"""Parts: how often each kind of move and each thing is used, and what it is worth to the one who uses it.

A part is a kind of move, or a thing that such a move names in the game's notation: `Play`, `Play S19`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import chain
from math import lcm, sqrt
from typing import Any

import msgspec

from pbem.features.lab.measures.estimates import Counts, Mean, Share
from pbem.kit.contract import AnyGame, Ask, Event, Move, Outcome

MOST_LISTED = 40
"""Where more moves are legal than this many, what is offered is not counted thing by thing."""
EVEN = lcm(*range(1, MOST_LISTED + 1))
"""The unit in which even shares are counted, so that they add up as whole numbers."""
LEAST_VARIED = 30
"""The worth of a part is told if some used it more than others in at least this many matches."""
_WORD = re.compile(r"[^\s=/]+")
_MOST_KEPT = 20_000


class PartTally(Counts, array_like=True):
    """One part, over all seats of all matches.

    `offered`: decisions in which it was one of several answers, `taken`: those of them in which it was chosen, `even`:
    what would be chosen of them if all answers were equally likely, in units of 1/EVEN. `seats`: how many seats used it
    in their match, `won`: their victories, in units, `varied`: the matches in which some used it more than others. The
    rest is what `_worth_of_using_part` fits: for each match, `x` its uses by seat less their mean, and `y` the
    victories by seat.
    """

    used: int = 0
    offered: int = 0
    taken: int = 0
    even: int = 0
    seats: int = 0
    won: int = 0
    varied: int = 0
    xy: int = 0
    xx: int = 0
    xy_xy: int = 0
    xy_xx: int = 0
    xx_xx: int = 0


class PartsTally(Counts):
    """All parts by name, and all seats of all matches with their victories, in units of 1/lcm(1..seats)."""

    parts: dict[str, PartTally] = msgspec.field(default_factory=lambda: defaultdict(PartTally))
    seats: int = 0
    won: int = 0


def parts_of_move(game: AnyGame, move: Move) -> tuple[str, ...]:
    """Returns the parts of a move: its kind, and the things that it names.

    >>> from pbem.games import all_games
    >>> games = all_games()
    >>> parts_of_move(games["hagakure"], games["hagakure"].parse("play S19"))
    ('Play', 'Play S19')
    >>> parts_of_move(games["hogen"], games["hogen"].parse("give F4 take T1"))
    ('Exchange', 'Exchange F4', 'Exchange T1')
    """
    kind, words = type(move).__name__, _WORD.findall(game.format(move))
    things = [word for word in words if word in game.meta.marks]
    if not things and len(words) <= 2:
        things = words[-1:]
    return (kind, *dict.fromkeys(f"{kind} {thing}" for thing in things))


class PartsListener:
    """Counts the parts of the matches that it is told of."""

    def __init__(self, game: AnyGame, seats: int, tally: PartsTally) -> None:
        self._game, self._seats, self._tally = game, seats, tally
        self._unit = lcm(*range(1, seats + 1))
        self._parts: Callable[[Move], tuple[str, ...]] = lru_cache(_MOST_KEPT)(partial(parts_of_move, game))
        self._used: list[Counter[str]] = []

    def on_beginning(self, state: Any) -> None:
        """See `Listener`."""
        self._used = [Counter() for _ in range(self._seats)]

    def on_decision(self, before: Any, ask: Ask, move: Move, events: Sequence[Event], after: Any) -> None:
        """See `Listener`."""
        chosen = self._parts(move)
        self._used[ask.seat].update(chosen)
        legal = self._game.legal(before, ask.seat)
        size = len(legal)
        if not 1 < size <= MOST_LISTED:
            return
        offered = Counter(name for one in legal for name in self._parts(one))
        share = EVEN // size
        for name, count in offered.items():
            if count == size:
                continue  # whatever is chosen has it
            part = self._tally.parts[name]
            part.offered += 1
            part.even += count * share
            part.taken += name in chosen

    def on_end(self, outcome: Outcome) -> None:
        """See `Listener`."""
        seats, unit, winners = self._seats, self._unit, outcome.winners
        each = unit // len(winners) if winners else 0
        self._tally.seats += seats
        self._tally.won += each * len(winners)
        for name in dict.fromkeys(chain(*self._used)):
            part, uses = self._tally.parts[name], [used[name] for used in self._used]
            total = sum(uses)
            part.used += total
            part.seats += sum(use > 0 for use in uses)
            part.won += sum(each for seat in winners if uses[seat])
            xx = seats * sum(use * use for use in uses) - total * total
            xy = seats * sum(uses[seat] * each for seat in winners) - total * each * len(winners)
            part.varied += xx > 0
            part.xx += xx
            part.xy += xy
            part.xx_xx += xx * xx
            part.xy_xx += xy * xx
            part.xy_xy += xy * xy


class Part(msgspec.Struct, frozen=True):
    """The use and worth of a part.

    `used`: times a match. `taken`: the share of the decisions in which it was one of several answers. `even`: what that
    share would be if all answers were equally likely. `won_with`, `won_without`: how often seats win that used it, or
    did not. `worth`: by how much one use more than the others of the same match raises the chance to win.
    """

    name: str
    used: float
    taken: Share | None
    even: float
    won_with: Share
    won_without: Share
    worth: Mean | None


def _worth_of_using_part(part: PartTally, unit: int) -> Mean | None:
    """Returns the slope of victories on uses within matches, with the error that is robust for whole matches."""
    if part.varied < LEAST_VARIED:
        return None
    slope = part.xy / unit / part.xx
    # With whole numbers up to here; the sum of squares of xy - slope * xx over all matches.
    squares = part.xy_xy * part.xx**2 - 2 * part.xy * part.xx * part.xy_xx + part.xy**2 * part.xx_xx
    freedom = part.varied - 1
    error = sqrt(max(0, squares) / (unit * part.xx**2) ** 2 * part.varied / freedom)
    return Mean(slope, error, freedom)


def measure_part(name: str, tally: PartsTally, seats: int, matches: int) -> Part:
    """Returns the use and worth of one part."""
    part, unit = tally.parts[name], lcm(*range(1, seats + 1))
    taken = Share(part.taken, part.offered) if part.offered else None
    even = part.even / EVEN / part.offered if part.offered else 0.0
    without = Share((tally.won - part.won) / unit, tally.seats - part.seats)
    return Part(
        name, round(part.used / max(1, matches), 4), taken, round(even, 4), Share(part.won / unit, part.seats), without,
        _worth_of_using_part(part, unit),
    )  # fmt: skip


def measure_all_parts(tally: PartsTally, seats: int, matches: int) -> tuple[Part, ...]:
    """Returns all parts by name, without things that are the same as their kind of move."""
    found = []
    for name in sorted(tally.parts):
        kind, _, thing = name.partition(" ")
        if not thing or tally.parts[name] != tally.parts.get(kind):
            found.append(measure_part(name, tally, seats, matches))
    return tuple(found)
