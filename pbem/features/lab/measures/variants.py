"""Variants beside each other: by how much numbers differ between matches that were dealt the same."""

from collections.abc import Sequence

import msgspec

from pbem.features.lab.measures.estimates import Mean, mean_of
from pbem.features.lab.measures.fairness import share_of_seat
from pbem.features.lab.paces import DAY_S
from pbem.features.lab.tallies import Tally


class Difference(msgspec.Struct, frozen=True):
    """What a number is in one variant, on average, and by how much it differs in the other.

    `parts`: a difference by as much as this part of the number is worth telling; 0: by as much as `least`.
    """

    what: str
    first: float
    difference: Mean
    parts: float
    least: float

    @property
    def tolerated(self) -> float:
        """Returns the difference up to which nobody would notice."""
        return max(self.least, abs(self.first) * self.parts)


def differences(one: Tally, other: Tally) -> tuple[Difference, ...]:
    """Returns the differences of the other tally from the first, match by match."""
    found = [
        _difference("decisions a match", one.decisions, other.decisions, parts=0.05),
        _difference("days a match", _days(one), _days(other), parts=0.05),
        _difference("stops a match", one.waits, other.waits, parts=0.05),
        _difference("victories of seat A", share_of_seat(one, 0), share_of_seat(other, 0), least=0.02),
        _difference("matches that nobody wins", _unwon(one), _unwon(other), least=0.02),
    ]
    if one.closely is not None and other.closely is not None:
        choices = one.closely.choice, other.closely.choice
        found.append(_difference("legal moves a decision, in bits", choices[0].means, choices[1].means, least=0.25))
        forced = [[n / 10_000 for n in choice.forced] for choice in choices]
        found.append(_difference("forced decisions", forced[0], forced[1], least=0.05))
        changes = one.closely.tension.changes, other.closely.tension.changes
        found.append(_difference("changes of the lead", *changes, parts=0.1))
    return tuple(one for one in found if one is not None)


def _difference(
    what: str, one: Sequence[float], other: Sequence[float], *, parts: float = 0.0, least: float = 0.0
) -> Difference | None:
    first, apart = mean_of(one), mean_of([b - a for a, b in zip(one, other, strict=False)])
    return None if first is None or apart is None else Difference(what, first.value, apart, parts, least)


def _days(tally: Tally) -> list[float]:
    return [seconds / DAY_S for seconds in tally.seconds]


def _unwon(tally: Tally) -> list[float]:
    return [float(not winners) for winners in tally.winners]
