"""Numbers that are estimated from matches: a share, a mean or a slope, each with its interval.

>>> Share(60, 100).at_95
(0.502, 0.6906)
>>> Mean(2.0, 0.5).at_95
(1.02, 2.98)
"""

from collections.abc import Sequence
from math import fsum, sqrt
from statistics import NormalDist

import msgspec

Interval = tuple[float, float]
USUAL = 0.95
DIGITS = 4


def z_of(confidence: float) -> float:
    """Returns how many standard errors an interval reaches to either side.

    >>> round(z_of(0.95), 3)
    1.96
    """
    return NormalDist().inv_cdf((1 + confidence) / 2)


class Share(msgspec.Struct, frozen=True, tag="share"):
    """So many of so many; parts of one count where a victory is shared. The interval is Wilson's (1927)."""

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
        z, n, p = z_of(confidence), self.of, self.value
        middle = p + z * z / (2 * n)
        reach = z * sqrt(max(0.0, p * (1 - p) / n + z * z / (4 * n * n)))
        scale = 1 + z * z / n
        return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)

    @property
    def at_95(self) -> Interval:
        """Returns the interval of 95 %, rounded."""
        return _rounded(self.interval(USUAL))


class Mean(msgspec.Struct, frozen=True, tag="mean"):
    """A mean, a difference or a slope, and its standard error. The interval is the normal one."""

    value: float
    error: float

    def interval(self, confidence: float) -> Interval:
        """Returns the interval of this confidence."""
        reach = z_of(confidence) * self.error
        return self.value - reach, self.value + reach

    @property
    def at_95(self) -> Interval:
        """Returns the interval of 95 %, rounded."""
        return _rounded(self.interval(USUAL))


Estimate = Share | Mean


def _rounded(interval: Interval) -> Interval:
    return round(interval[0], DIGITS), round(interval[1], DIGITS)


def mean_of(numbers: Sequence[float]) -> Mean | None:
    """Returns the mean of numbers that do not depend on each other; None of fewer than two.

    >>> mean_of([1, 2, 3])
    Mean(value=2.0, error=0.5773502691896257)
    """
    n = len(numbers)
    if n < 2:
        return None
    mean = fsum(numbers) / n
    return Mean(mean, sqrt(fsum((number - mean) ** 2 for number in numbers) / (n - 1) / n))


def slope_of(groups: Sequence[Sequence[tuple[float, float]]]) -> Mean | None:
    """Returns by how much y rises with x, through the origin; None if no x differs from 0.

    The pairs (x, y) of a group may depend on each other, those of different groups may not: the error is the one that
    is robust against this (Liang and Zeger 1986).
    """
    across = [fsum(x * y for x, y in group) for group in groups]
    along = [fsum(x * x for x, _ in group) for group in groups]
    total = fsum(along)
    if total == 0.0 or len(groups) < 2:
        return None
    slope = fsum(across) / total
    error = sqrt(fsum((xy - slope * xx) ** 2 for xy, xx in zip(across, along, strict=True))) / total
    return Mean(slope, error)


def numbers_of(estimate: Estimate | None) -> dict[str, float] | None:
    """Returns the estimate for JSON: its value, and the interval of 95 %.

    >>> numbers_of(Share(60, 100))
    {'value': 0.6, 'low': 0.502, 'high': 0.6906, 'of': 100}
    """
    if estimate is None:
        return None
    low, high = estimate.at_95
    told = {"value": round(estimate.value, DIGITS), "low": low, "high": high}
    return told | {"of": estimate.of} if isinstance(estimate, Share) else told
