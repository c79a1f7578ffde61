"""Fairness: who wins by seat, how many win nothing or share; how long matches take; how variants differ."""

from collections.abc import Sequence

import msgspec

from pbem.features.lab.course import DAY_S
from pbem.features.lab.measures.estimates import Mean, Share, estimate_mean
from pbem.features.lab.tallies import Spread, Tally, spread_of_numbers


class Fairness(msgspec.Struct, frozen=True):
    """The victories of each seat among the matches that somebody won; shared ones count in parts.

    `unwon`: matches that nobody won; `shared`: victories of several.
    """

    seats: tuple[Share, ...]
    unwon: Share
    shared: Share


def measure_fairness(tally: Tally) -> Fairness:
    """Returns the measure."""
    won = tally.matches - tally.matches_without_winner
    seats = tuple(Share(round(share, 6), won) for share in tally.victory_shares_by_seat)
    shared = sum(len(winners) > 1 for winners in tally.winners)
    return Fairness(seats, Share(tally.matches_without_winner, tally.matches), Share(shared, won))


class Length(msgspec.Struct, frozen=True):
    """How long matches are: decisions, rounds (None if the game has none) and days at a look a day."""

    decisions: Spread
    rounds: Spread | None
    days: tuple[float, float, float, float]
    """Least, median, the number that 95 % do not exceed, and most."""
    sizes: tuple[tuple[int, int, int], ...]
    """The decisions as a histogram: from, to, and how many matches."""


def measure_length(tally: Tally, has_rounds: bool) -> Length:
    """Returns the measure."""
    rounds = tally.closely.choice.rounds if tally.closely is not None and has_rounds else []
    seconds = spread_of_numbers(tally.seconds)
    days = tuple(round(at / DAY_S, 1) for at in (seconds.min, seconds.median, seconds.p95, seconds.max))
    return Length(
        spread_of_numbers(tally.decisions), spread_of_numbers(rounds) if rounds else None, (days[0], days[1], days[2],
        days[3]), count_in_ranges(tally.decisions),
    )  # fmt: skip


def count_in_ranges(numbers: Sequence[int], most: int = 24) -> tuple[tuple[int, int, int], ...]:
    """Returns how many of the numbers lie in each of some equally wide ranges.

    >>> count_in_ranges([5, 5, 6, 200], 3)
    ((5, 70, 3), (71, 136, 0), (137, 202, 1))
    """
    low, high = min(numbers), max(numbers)
    step = -(-(high - low + 1) // most)
    counts = [0] * ((high - low) // step + 1)
    for number in numbers:
        counts[(number - low) // step] += 1
    return tuple((low + at * step, low + (at + 1) * step - 1, count) for at, count in enumerate(counts))


class SlowPlay(msgspec.Struct, frozen=True):
    """What play by mail makes of the game.

    `stops`: how often a match waits for somebody who is not looking. `mails`: mails that ask, a decision. `idle`: the
    longest time a seat has nothing to do, in days. `by_order`: decisions that orders made. `saved`: stops fewer than in
    the same matches without orders; None if nobody left any.
    """

    stops: Mean | None
    mails: Mean | None
    idle: Mean | None
    by_order: Mean | None
    saved: Mean | None


def measure_waits_and_mails(tally: Tally, by_hand: Tally | None) -> SlowPlay:
    """Returns the measure; `by_hand` are the same matches without orders."""
    mails = [asked / max(1, made) for asked, made in zip(tally.mails, tally.decisions, strict=True)]
    saved = None
    if by_hand is not None:
        saved = estimate_mean([one - other for one, other in zip(by_hand.waits, tally.waits, strict=False)])
    by_order = estimate_mean([n / max(1, made) for n, made in zip(tally.by_order, tally.decisions, strict=True)])
    return SlowPlay(
        estimate_mean(tally.waits),
        estimate_mean(mails),
        estimate_mean([s / DAY_S for s in tally.idle]),
        by_order,
        saved,
    )


def victory_shares_of_seat_by_match(tally: Tally, seat: int) -> list[float]:
    """Returns the seat's share of the victory in each match."""
    return [1 / len(won) if seat in won else 0.0 for won in tally.winners]


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
    def tolerance(self) -> float:
        """Returns the difference up to which nobody would notice."""
        return max(self.least, abs(self.first) * self.parts)


def differences_of_tallies(one: Tally, other: Tally) -> tuple[Difference, ...]:
    """Returns the differences of the other tally from the first, match by match."""
    found = [
        _difference_of_means("decisions a match", one.decisions, other.decisions, parts=0.05),
        _difference_of_means("days a match", _days_by_match(one), _days_by_match(other), parts=0.05),
        _difference_of_means("stops a match", one.waits, other.waits, parts=0.05),
        _difference_of_means(
            "victories of seat A",
            victory_shares_of_seat_by_match(one, 0),
            victory_shares_of_seat_by_match(other, 0),
            least=0.02,
        ),
        _difference_of_means("matches that nobody wins", _unwon_by_match(one), _unwon_by_match(other), least=0.02),
    ]
    if one.closely is not None and other.closely is not None:
        choices = one.closely.choice, other.closely.choice
        found.append(
            _difference_of_means("legal moves a decision, in bits", choices[0].means, choices[1].means, least=0.25)
        )
        forced = [[n / 10_000 for n in choice.forced] for choice in choices]
        found.append(_difference_of_means("forced decisions", forced[0], forced[1], least=0.05))
        changes = one.closely.tension.changes, other.closely.tension.changes
        found.append(_difference_of_means("changes of the lead", *changes, parts=0.1))
    return tuple(one for one in found if one is not None)


def _difference_of_means(
    what: str, one: Sequence[float], other: Sequence[float], *, parts: float = 0.0, least: float = 0.0
) -> Difference | None:
    first, apart = estimate_mean(one), estimate_mean([b - a for a, b in zip(one, other, strict=False)])
    return None if first is None or apart is None else Difference(what, first.value, apart, parts, least)


def _days_by_match(tally: Tally) -> list[float]:
    return [seconds / DAY_S for seconds in tally.seconds]


def _unwon_by_match(tally: Tally) -> list[float]:
    return [float(not winners) for winners in tally.winners]
