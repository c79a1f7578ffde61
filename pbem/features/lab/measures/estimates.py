"""What is counted of matches, and the numbers estimated from it: a share, a mean or a slope, with its interval.

>>> Share(60, 100).at_95
(0.502, 0.6906)
>>> Mean(2.0, 0.5, 30).at_95
(0.9789, 3.0211)
"""

from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from math import exp, expm1, fsum, log, pi, sqrt, tan
from statistics import NormalDist
from typing import Any, Self

import msgspec

Interval = tuple[float, float]
USUAL = 0.95
DIGITS = 4


class Counts(msgspec.Struct):
    """What was counted of matches; lists are in their order."""

    def join(self, later: Self) -> None:
        """Adds what was counted of the matches after its own."""
        for name in self.__struct_fields__:
            setattr(self, name, add_counted_values(getattr(self, name), getattr(later, name)))


def add_counted_values(ours: Any, theirs: Any) -> Any:
    """Returns both together; shares nothing with theirs that can change."""
    match ours:
        case None:
            return deepcopy(theirs)
        case bool():
            return ours or theirs
        case int():
            return ours + theirs
        case list():
            ours.extend(theirs)
        case dict():
            for key, value in theirs.items():
                ours[key] = add_counted_values(ours.get(key), value)
        case Counts() if theirs is not None:
            ours.join(theirs)
    return ours


def z_value(confidence: float) -> float:
    """Returns how many standard errors an interval reaches to either side.

    >>> round(z_value(0.95), 3)
    1.96
    """
    return NormalDist().inv_cdf((1 + confidence) / 2)


@cache
def t_value(confidence: float, freedom: int) -> float:
    """Returns how many standard errors an interval reaches if the error itself is estimated from the same numbers.

    That is Student's t for this many degrees of freedom, by Hill's formula (1970, Algorithm 396): to four digits from
    three degrees of freedom on, and exact for one and two.

    >>> [round(t_value(0.95, freedom), 2) for freedom in (1, 2, 10, 30)]
    [12.71, 4.3, 2.23, 2.04]
    """
    n, p = freedom, 1 - confidence
    if n == 1:
        return 1 / tan(p * pi / 2)
    if n == 2:
        return sqrt(2 / (p * (2 - p)) - 2)
    a = 1 / (n - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * sqrt(a * pi / 2) * n
    y = exp(2 / n * log(d * p))
    if y > a + 0.05:
        x = -z_value(confidence)
        c += 0.3 * (n - 4.5) * (x + 0.6) if n < 5 else 0.0
        c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
        y = (((((0.4 * x**2 + 6.3) * x**2 + 36) * x**2 + 94.5) / c - x**2 - 3) / b + 1) * x
        y = expm1(a * y**2)
    else:
        y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) / (
            n + 2
        ) + 1 / y
    return sqrt(n * y)


class Share(msgspec.Struct, frozen=True, tag="share"):
    """This many of that many; parts of one count where a victory is shared. The interval is Wilson's (1927)."""

    count: float
    of: int

    @property
    def value(self) -> float:
        """Returns the share; 0 of none."""
        return self.count / self.of if self.of else 0.0

    def interval(self, confidence: float) -> Interval:
        """Returns Wilson's score interval; 0 to 1 if nothing was counted."""
        if not self.of:
            return 0.0, 1.0
        z, n, p = z_value(confidence), self.of, self.value
        middle = p + z * z / (2 * n)
        reach = z * sqrt(max(0.0, p * (1 - p) / n + z * z / (4 * n * n)))
        scale = 1 + z * z / n
        return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)

    @property
    def at_95(self) -> Interval:
        """Returns the interval of 95 %, rounded."""
        return _round_ends(self.interval(USUAL))


class Mean(msgspec.Struct, frozen=True, tag="mean"):
    """A mean, a difference or a slope, its standard error, and the degrees of freedom of that. The interval is by t."""

    value: float
    error: float
    freedom: int

    def interval(self, confidence: float) -> Interval:
        """Returns the interval of this confidence."""
        reach = t_value(confidence, self.freedom) * self.error
        return self.value - reach, self.value + reach

    @property
    def at_95(self) -> Interval:
        """Returns the interval of 95 %, rounded."""
        return _round_ends(self.interval(USUAL))


Estimate = Share | Mean


def _round_ends(interval: Interval) -> Interval:
    return round(interval[0], DIGITS), round(interval[1], DIGITS)


def estimate_mean(numbers: Sequence[float]) -> Mean | None:
    """Returns the mean of numbers that do not depend on each other; None of fewer than two.

    >>> estimate_mean([1, 2, 3])
    Mean(value=2.0, error=0.5773502691896257, freedom=2)
    """
    n = len(numbers)
    if n < 2:
        return None
    mean = fsum(numbers) / n
    return Mean(mean, sqrt(fsum((number - mean) ** 2 for number in numbers) / (n - 1) / n), n - 1)


def estimate_slope_through_origin(groups: Sequence[Sequence[tuple[float, float]]], fitted: int = 1) -> Mean | None:
    """Returns by how much y rises with x, through the origin; None if no x differs from 0, or of too few groups.

    The pairs (x, y) of a group may depend on each other, those of different groups may not: the error is the one that
    is robust against this (Liang and Zeger 1986). `fitted` counts the slope and whatever else was taken from the same
    groups before, such as their mean: this many degrees of freedom are lost.
    """
    n = len(groups)
    across = [fsum(x * y for x, y in group) for group in groups]
    along = [fsum(x * x for x, _ in group) for group in groups]
    total = fsum(along)
    if total == 0.0 or n <= fitted:
        return None
    slope = fsum(across) / total
    squares = fsum((xy - slope * xx) ** 2 for xy, xx in zip(across, along, strict=True))
    return Mean(slope, sqrt(squares * n / (n - fitted)) / total, n - fitted)


def estimate_as_json(estimate: Estimate) -> dict[str, float]:
    """Returns the estimate for JSON: its value, and the interval of 95 %.

    >>> estimate_as_json(Share(60, 100))
    {'value': 0.6, 'low': 0.502, 'high': 0.6906, 'of': 100}
    """
    low, high = estimate.at_95
    told = {"value": round(estimate.value, DIGITS), "low": low, "high": high}
    return told | {"of": estimate.of} if isinstance(estimate, Share) else told
