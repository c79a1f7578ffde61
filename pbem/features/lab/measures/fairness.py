"""Fairness and length: who wins by seat, how many win nothing or share, and how long matches take."""

import msgspec

from pbem.features.lab.measures.estimates import Mean, Share, mean_of
from pbem.features.lab.paces import DAY_S
from pbem.features.lab.tallies import Spread, Tally, spread


class Fairness(msgspec.Struct, frozen=True):
    """The victories of each seat among the matches that somebody won; shared ones count in parts.

    `unwon`: matches that nobody won; `shared`: victories of several.
    """

    seats: tuple[Share, ...]
    unwon: Share
    shared: Share


def fairness_of(tally: Tally) -> Fairness:
    """Returns the measure."""
    won = tally.matches - tally.unwon
    seats = tuple(Share(round(share, 6), won) for share in tally.shares)
    shared = sum(len(winners) > 1 for winners in tally.winners)
    return Fairness(seats, Share(tally.unwon, tally.matches), Share(shared, won))


class Length(msgspec.Struct, frozen=True):
    """How long matches are: decisions, rounds (None if the game has none) and days at a look a day."""

    decisions: Spread
    rounds: Spread | None
    days: tuple[float, float, float, float]
    """Least, median, the number that 95 % do not exceed, and most."""
    sizes: tuple[tuple[int, int, int], ...]
    """The decisions as a histogram: from, to, and how many matches."""


def length_of(tally: Tally, has_rounds: bool) -> Length:
    """Returns the measure."""
    rounds = tally.closely.choice.rounds if tally.closely is not None and has_rounds else []
    seconds = spread(tally.seconds)
    days = tuple(round(at / DAY_S, 1) for at in (seconds.min, seconds.median, seconds.p95, seconds.max))
    return Length(
        spread(tally.decisions), spread(rounds) if rounds else None, (days[0], days[1], days[2], days[3]),
        histogram(tally.decisions),
    )  # fmt: skip


def histogram(numbers: list[int], most: int = 24) -> tuple[tuple[int, int, int], ...]:
    """Returns how many of the numbers lie in each of some equally wide ranges.

    >>> histogram([5, 5, 6, 200], 3)
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


def slow_play_of(tally: Tally, by_hand: Tally | None) -> SlowPlay:
    """Returns the measure; `by_hand` are the same matches without orders."""
    mails = [asked / max(1, made) for asked, made in zip(tally.mails, tally.decisions, strict=True)]
    saved = None
    if by_hand is not None:
        saved = mean_of([one - other for one, other in zip(by_hand.waits, tally.waits, strict=False)])
    by_order = mean_of([n / max(1, made) for n, made in zip(tally.by_order, tally.decisions, strict=True)])
    return SlowPlay(mean_of(tally.waits), mean_of(mails), mean_of([s / DAY_S for s in tally.idle]), by_order, saved)


def share_of_seat(tally: Tally, seat: int) -> list[float]:
    """Returns the seat's share of the victory in each match."""
    return [1 / len(won) if seat in won else 0.0 for won in tally.winners]
