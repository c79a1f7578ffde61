"""The analysis of a match, position by position, and where its chances moved most.

Each position is worked out by itself, from the course of the match and its number, so that the work can be interrupted
anywhere and taken up by somebody else: the numbers are the same.
"""

from collections.abc import Sequence
from math import sqrt

import msgspec

from pbem.kit.analysis.advice import Advice, advice_for
from pbem.kit.analysis.chances import BATCH, DIGITS, Chances, chances_at, chances_in
from pbem.kit.analysis.positions import Course, Played
from pbem.kit.bots import version_of
from pbem.kit.contract import AnyGame
from pbem.kit.thinking.levels import STRONG

GENERATION = 2
"""Incremented whenever an equal match gives other numbers although its bots are the same."""
MOST, LEAST = 280, 2 * BATCH
"""With 280 playouts the standard error of a chance is at most 3 points of a hundred, with 80 at most 6."""
LONG = 120
"""In a match of more decisions each gets fewer playouts: then all positions together get as many as in one of so many.

What a seat knew and what a move cost take half as many each, and what a strong bot thinks about a decision its budget.
"""
TURNING_POINTS = 3
SURE = 3.0
"""A chance has moved if it has by more than three standard errors: of a hundred that have not, none or one seems to."""


def version_for(game: AnyGame) -> int:
    """Returns the version of the game's analyses: under the same one an equal match gives equal numbers."""
    return GENERATION * 1_000_000 + version_of(game, STRONG.name)


class Moment(msgspec.Struct, frozen=True):
    """A position: what it was worth, and what was decided in it.

    It stands after entry `entry` of the log. `chances` are by everything, what was secret included. `seat` decided next
    with entry `decision`, and `eyes` are the chances by what that seat knew; None where nobody decides, and `eyes` in
    a game that does not imagine, too.
    """

    entry: int
    chances: Chances
    seat: int | None = None
    decision: int | None = None
    eyes: Chances | None = None
    advice: Advice | None = None


class TurningPoint(msgspec.Struct, frozen=True):
    """A decision after which the chances were others: that of moment `at`, which seat's moved most, and how far.

    What was drawn by luck or shown on the way counts, too.
    """

    at: int
    seat: int
    change: float
    error: float


def moment_of(course: Course, at: int) -> Moment:
    """Returns the analysis of one position; equal courses give equal ones, to the bit."""
    log, position, luck = course.log, course.positions[at], course.luck
    game, seats, most = log.game, log.seats, playouts_for(len(course.positions))
    chances = chances_at(game, seats, position.state, luck.bot(0, f"position{at}", 0), most)
    played = position.played
    if played is None:
        return Moment(position.entry, chances)
    eyes = advice = None
    if game.imagine is not None:
        eyes = _through_own_eyes(game, played, course, at, most // 2)
        advice = advice_for(game, played, luck, most // 2)
    return Moment(position.entry, chances, played.ask.seat, played.first, eyes, advice)


def _through_own_eyes(game: AnyGame, played: Played, course: Course, at: int, most: int) -> Chances:
    view, seat, imagine = played.view, played.ask.seat, game.imagine
    assert imagine is not None, "the game imagines"
    chance = course.luck.bot(0, f"position{at}:eyes", seat)
    return chances_in(game, view.seats, lambda quick: imagine(view, seat, quick), chance, most)


def playouts_for(positions: int) -> int:
    """Returns the most playouts for a position of a match with so many.

    >>> playouts_for(20), playouts_for(200), playouts_for(2000)
    (280, 168, 80)
    """
    return max(LEAST, min(MOST, LONG * MOST // positions))


def turning_points(moments: Sequence[Moment]) -> tuple[TurningPoint, ...]:
    """Returns the decisions after which the chances had moved most, in the order of the match; at most three."""
    changes = [_change(at, moments[at], moments[at + 1]) for at in range(len(moments) - 1)]
    sure = [one for one in changes if abs(one.change) > SURE * one.error]
    most = sorted(sure, key=lambda one: -abs(one.change))[:TURNING_POINTS]
    return tuple(sorted(most, key=lambda one: one.at))


def _change(at: int, before: Moment, after: Moment) -> TurningPoint:
    """Returns by how much the chances of the seat moved for which they moved most."""
    a, b = before.chances, after.chances
    changes = [round(new - old, DIGITS) for old, new in zip(a.worth, b.worth, strict=True)]
    seat = max(range(len(changes)), key=lambda one: abs(changes[one]))
    return TurningPoint(
        at, seat, changes[seat], round(sqrt(a.error[seat] * a.error[seat] + b.error[seat] * b.error[seat]), DIGITS)
    )
