"""How lucky each seat was: what a match has drawn, beside what such draws give on average.

Only what a game has declared to be better or worse is compared (`DrawKind`). How unusual a result is, is counted out
over all results that the same number of throws or deals can have: no approximation.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import comb

import msgspec

from pbem.kit.contract import Deal, DrawKind
from pbem.kit.logs.logfile import Log
from pbem.kit.logs.repetition import Draw
from pbem.kit.replay import entries_not_taken_back
from pbem.kit.texts import Text

_SEAT = re.compile(r":s(\d+)(?::|$)")


class Fortune(msgspec.Struct, frozen=True):
    """What a seat got: how many throws or things, what they were worth together, and how often others fare so.

    `at_least` and `at_most` are the shares, from 0 to 1, of all equally likely results that are worth so much or more,
    and so much or less.
    """

    seat: int
    count: int
    total: int
    at_least: float
    at_most: float


class Drawn(msgspec.Struct, frozen=True):
    """A kind of draw in a match: how often it was drawn, and who was chosen, or how lucky the seats were.

    `title` says what was drawn, or what the worth of a deal is. `expected` is the mean worth of a throw or a thing;
    None if no result is better than another.
    """

    kind: str
    title: Text
    times: int
    chosen: tuple[int, ...] = ()
    expected: float | None = None
    fortunes: tuple[Fortune, ...] = ()


def draws_by_kind_with_fortunes(log: Log, drawn: Sequence[Draw]) -> list[Drawn]:
    """Returns what the rules drew, by kind, in the order in which the game declares them.

    `drawn` is all that was drawn in this log, as in its `Verdict`. What was taken back does not count.
    """
    counts = {entry.n for entry in entries_not_taken_back(log.entries)}
    draws = [draw for draw in drawn if draw.purpose == "decide" and draw.entry in counts]
    by_kind = (
        (name, kind, [d for d in draws if d.name.partition(":")[0] == name])
        for name, kind in log.game.meta.draws.items()
    )
    return [_summary_of_draws_of_kind(name, kind, of_kind, log.seats) for name, kind, of_kind in by_kind if of_kind]


def _summary_of_draws_of_kind(name: str, kind: DrawKind, draws: Sequence[Draw], seats: int) -> Drawn:
    if kind.worth:
        fortunes = tuple(fortunes_of_throws(draws, kind.worth))
        return Drawn(name, kind.title, len(draws), (), sum(kind.worth) / len(kind.worth), fortunes)
    if kind.deal is not None:
        deal = kind.deal(seats)
        mean = sum(deal.worth) / len(deal.worth)
        return Drawn(name, deal.title, len(draws), (), mean, tuple(fortunes_of_deals(draws, deal, seats)))
    chosen = tuple(draw.result for draw in draws if kind.chooses_seat and isinstance(draw.result, int))
    return Drawn(name, kind.title, len(draws), chosen)


def fortunes_of_throws(draws: Sequence[Draw], worth: Sequence[int]) -> Iterator[Fortune]:
    """Yields the fortune of each seat that has thrown this die."""
    totals: dict[int, list[int]] = {}
    for draw in draws:
        seat = _SEAT.search(draw.name)
        assert seat is not None, f"a die that is worth something names its seat: {draw.name}"
        assert isinstance(draw.result, int), "a die gives one number"
        totals.setdefault(int(seat[1]), []).append(worth[draw.result])
    for seat_of, thrown in sorted(totals.items()):
        ways = _ways_to_throw(worth, len(thrown))
        yield _fortune(seat_of, thrown, ways, min(worth))


def fortunes_of_deals(draws: Sequence[Draw], deal: Deal, seats: int) -> Iterator[Fortune]:
    """Yields the fortune of each seat that was dealt to."""
    ways = _ways_to_deal(deal, len(draws))
    for seat in range(seats):
        places = range(seat * deal.each, (seat + 1) * deal.each)
        orders = (draw.result for draw in draws if isinstance(draw.result, tuple))
        yield _fortune(seat, [deal.worth[order[at]] for order in orders for at in places], ways, min(deal.worth))


# --- how often each total comes ------------------------------------------------------------------------------


def _fortune(seat: int, got: Sequence[int], ways: Sequence[int], least: int) -> Fortune:
    """Returns the fortune of a seat; `ways` as below, `least` is the worth that counts as 0 there."""
    at, below = sum(got) - least * len(got), [0, *accumulate(ways)]
    return Fortune(seat, len(got), sum(got), (below[-1] - below[at]) / below[-1], below[at + 1] / below[-1])


def _ways_to_throw(worth: Sequence[int], times: int) -> list[int]:
    """Returns for each total in how many ways this many throws give it; the least worth counts as 0.

    >>> _ways_to_throw((1, 2, 3, 4, 5, 6), 2)
    [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    """
    bits, least = (len(worth) ** times).bit_length(), min(worth)
    return _digits(sum(1 << bits * (one - least) for one in worth) ** times, bits)


def _ways_to_deal(deal: Deal, times: int) -> list[int]:
    """Returns for each total in how many ways a seat gets it in this many deals; the least worth counts as 0."""
    bits, least = (comb(len(deal.worth), deal.each) ** times).bit_length(), min(deal.worth)
    hands = [1] + [0] * deal.each
    for worth in deal.worth:
        for size in range(deal.each, 0, -1):
            hands[size] += hands[size - 1] << bits * (worth - least)
    return _digits(hands[deal.each] ** times, bits)


def _digits(number: int, bits: int) -> list[int]:
    """Returns the digits of a number in base 2**bits, the lowest first.

    A polynomial whose coefficients all fit into this many bits is written as such a number, since Python multiplies
    large numbers fast.
    """
    text = f"{number:b}"
    return [int(text[max(end - bits, 0) : end], 2) for end in range(len(text), 0, -bits)]
