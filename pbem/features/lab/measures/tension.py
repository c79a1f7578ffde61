"""Tension: who leads, how often that changes, when the winner is known for good, and whether a lead feeds itself.

The lead goes by the scores, where a game has them before its end. Elsewhere it goes by playouts from the true position
at a few points of some matches, the chance to win of each seat.
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from math import fsum, sqrt
from typing import Any

import msgspec

from pbem.features.chances import chances_by_playouts
from pbem.features.lab.measures.estimates import Counts, Mean, Share, estimate_mean, estimate_slope_through_origin
from pbem.kit.chance import StreamChance
from pbem.kit.contract import AnyGame, Ask, Event, Move, Outcome

POINTS = 8
"""The course of a match is kept at this many points, evenly over its decisions; the last is its end."""
QUARTERS = (POINTS // 4 - 1, POINTS // 2 - 1, 3 * POINTS // 4 - 1)
PLAYOUTS = 8
EVERY = 10
"""One match in this many is looked at by playouts."""
LEAST_COMPARED = 30
"""Of fewer matches than this many, there is no slope: once the means are taken off, few points lie close to a line."""
UNKNOWN = -1.0

Standing = tuple[float, ...]
"""What each seat has: its score, or its chance to win."""


class TensionTally(Counts):
    """The course of each match; of those that were looked at, if playouts did. UNKNOWN where nobody has won alone."""

    scored: bool = False
    changes: list[int] = msgspec.field(default_factory=list)
    settled: list[float] = msgspec.field(default_factory=list)
    drama: list[float] = msgspec.field(default_factory=list)
    curves: list[tuple[Standing, ...]] = msgspec.field(default_factory=list)
    """What each seat had at each of the points."""
    winners: list[tuple[int, ...]] = msgspec.field(default_factory=list)


def seat_in_sole_lead(standing: Standing) -> int | None:
    """Returns the seat that leads alone; None if several do.

    >>> seat_in_sole_lead((3, 5, 1)), seat_in_sole_lead((5, 5))
    (1, None)
    """
    best = max(standing)
    return standing.index(best) if standing.count(best) == 1 else None


class TensionListener:
    """Follows the course of the matches that it is told of. `seed` is the match's own, `looked` if playouts are due."""

    def __init__(self, game: AnyGame, seats: int, tally: TensionTally) -> None:
        self._game, self._seats, self._tally = game, seats, tally
        self.seed, self.looked = bytes(32), False
        self._scored = False
        self._line: list[Any] = []

    def on_beginning(self, state: Any) -> None:
        """See `Listener`."""
        self._line, self._scored = [], self._game.scores(state) is not None
        self._tally.scored |= self._scored

    def on_decision(self, before: Any, ask: Ask, move: Move, events: Sequence[Event], after: Any) -> None:
        """See `Listener`."""
        if self._scored:
            self._line.append(self._game.scores(after))
        elif self.looked:
            self._line.append(after)

    def on_end(self, outcome: Outcome) -> None:
        """See `Listener`."""
        if not self._line:
            return
        curve = [self._line[-(-point * len(self._line) // POINTS) - 1] for point in range(1, POINTS + 1)]
        if not self._scored:
            curve = [self._chances(state, point) for point, state in enumerate(curve)]
            self._line = curve
        tally, winner = self._tally, outcome.winners[0] if len(outcome.winners) == 1 else None
        leaders = [seat_in_sole_lead(standing) for standing in self._line]
        tally.changes.append(_count_lead_changes(leaders))
        tally.settled.append(UNKNOWN if winner is None else round(_share_until_decided(leaders, winner), 4))
        tally.drama.append(UNKNOWN if winner is None else round(_mean_deficit_of_winner(self._line, winner), 4))
        tally.curves.append(tuple(curve))
        tally.winners.append(outcome.winners)

    def _chances(self, state: Any, point: int) -> Standing:
        chance = StreamChance(sha256(b"pbem lab|%b" % self.seed).digest(), f"forecast|{point}|")
        return chances_by_playouts(self._game, self._seats, lambda _: state, chance, PLAYOUTS).worth


def _count_lead_changes(leaders: Sequence[int | None]) -> int:
    """Returns how often another seat has taken the lead.

    >>> _count_lead_changes([None, 0, None, 0, 1, 0])
    2
    """
    alone = [leader for leader in leaders if leader is not None]
    return sum(one != then for one, then in pairwise(alone))


def _share_until_decided(leaders: Sequence[int | None], winner: int) -> float:
    """Returns the share of the match after which the winner leads alone until the end; 1 if only the end tells.

    >>> _share_until_decided([0, 1, 1, 1], 1)
    0.25
    """
    left = len(leaders)
    while left and leaders[left - 1] == winner:
        left -= 1
    return left / len(leaders)


def _mean_deficit_of_winner(line: Sequence[Standing], winner: int) -> float:
    """Returns how far the winner was behind, on average over the decisions at which they were; 0 if never.

    As Browne (2008): the square root of the distance to the leader, here in parts of the largest distance of the match.
    """
    behind = [max(standing) - standing[winner] for standing in line]
    largest = max(max(standing) - min(standing) for standing in line)
    roots = [sqrt(gap / largest) for gap in behind if gap > 0]
    return fsum(roots) / len(roots) if roots else 0.0


class Tension(msgspec.Struct, frozen=True):
    """How tense matches are.

    `by`: scores or playouts. `settled`: the share of the match after which the winner is known for good. `leads`: how
    often who leads alone after one, two and three quarters wins. `snowball`: how much of a lead is gained once more
    from halfway on; 0 where what comes does not depend on who leads, less where those behind catch up.
    """

    by: str
    matches: int
    changes: Mean | None
    settled: Mean | None
    drama: Mean | None
    leads: tuple[Share, ...]
    snowball: Mean | None
    settled_at: tuple[int, ...]
    """Matches by the tenth of their course in which the winner was known for good."""


def measure_tension(tally: TensionTally) -> Tension | None:
    """Returns the measure; None if nothing was recorded."""
    if not tally.curves:
        return None
    known = [share for share in tally.settled if share != UNKNOWN]
    tenths = [0] * 10
    for share in known:
        tenths[min(9, int(share * 10))] += 1
    return Tension(
        "scores" if tally.scored else "playouts", len(tally.curves), estimate_mean(tally.changes), estimate_mean(known),
        estimate_mean([drama for drama in tally.drama if drama != UNKNOWN]),
        tuple(_share_of_leaders_won(tally, q) for q in QUARTERS),
        _slope_of_lead_gain(tally) if tally.scored else None, tuple(tenths),
    )  # fmt: skip


def _share_of_leaders_won(tally: TensionTally, point: int) -> Share:
    won, of = [], 0
    for curve, winners in zip(tally.curves, tally.winners, strict=True):
        leader = seat_in_sole_lead(curve[point])
        if leader is not None and winners:
            of += 1
            won.append(1 / len(winners) if leader in winners else 0.0)
    return Share(round(fsum(won), 6), of)


def _slope_of_lead_gain(tally: TensionTally) -> Mean | None:
    """Returns the slope of what a seat gains on the others in the second half, on its lead at half-time, if it has one.

    Both are taken less their mean at this seat, so that a seat that is better all along is no snowball.
    """
    if len(tally.curves) < LEAST_COMPARED:
        return None
    seats = len(tally.curves[0][0])
    half = [_leads_over_mean(curve[POINTS // 2 - 1]) for curve in tally.curves]
    end = [_leads_over_mean(curve[-1]) for curve in tally.curves]
    gains = [tuple(b - a for a, b in zip(h, e, strict=True)) for h, e in zip(half, end, strict=True)]
    usual = [(fsum(h[s] for h in half) / len(half), fsum(g[s] for g in gains) / len(gains)) for s in range(seats)]
    return estimate_slope_through_origin(
        [[(h[s] - usual[s][0], g[s] - usual[s][1]) for s in range(seats)] for h, g in zip(half, gains, strict=True)],
        fitted=2,
    )


def _leads_over_mean(standing: Standing) -> Standing:
    mean = fsum(standing) / len(standing)
    return tuple(one - mean for one in standing)
