"""Luck for imagined matches: fast, and the same on every machine."""

from pbem.kit.chance import WORDS, Chance, UnnamedChance

_MASK = (1 << 64) - 1


class QuickChance(UnnamedChance):
    """A stream of SplitMix64 (Steele, Lea and Flood 2014), of which each draw takes the upper 32 bits of a step.

    Nothing that players see is drawn from it. It begins where another stream stands, so it repeats with that one.

    >>> from pbem.kit.chance import SeedChance
    >>> chance = QuickChance(SeedChance(bytes(32), position=1, purpose="bot", seat=0))
    >>> again = QuickChance(SeedChance(bytes(32), position=1, purpose="bot", seat=0))
    >>> [chance.below(6) for _ in range(20)] == [again.below(6) for _ in range(20)]
    True
    """

    __slots__ = ("_state",)

    def __init__(self, start: Chance) -> None:
        self._state = start.below(WORDS) << 32 | start.below(WORDS)

    def copy(self) -> "QuickChance":
        """Returns a stream that draws what this one would draw next."""
        twin = QuickChance.__new__(QuickChance)
        twin._state = self._state
        return twin

    def below(self, n: int) -> int:
        """Returns an integer in 0..n-1; at most n / 2^32 likelier or less likely than even."""
        self._state = state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((state ^ (state >> 31)) >> 32) * n >> 32
