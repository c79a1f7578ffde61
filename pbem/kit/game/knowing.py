"""What is known when something comes next: all of it, what one seat sees, or what one seat may suppose."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from pbem.kit.chance import Chance, Luck
from pbem.kit.plans import MOST_FACTS

T = TypeVar("T")


class Unforeseen(Exception):  # not an error: it says what a fact depends on
    """What comes rests on luck or on something hidden."""


class Knows:
    """What `Game.next_fact` is handed: it draws luck, and is asked for whatever may be hidden.

    For the service, `luck` is that of the rules, and nothing is hidden. Without luck it is what one seat foresees: the
    first draw or hidden thing raises Unforeseen.
    """

    count = 0
    """The number of facts so far."""

    def __init__(self, luck: Luck | None = None) -> None:
        self._luck = luck

    def named(self, name: str) -> Chance:
        """Returns the stream of luck of this name."""
        if self._luck is None:
            raise Unforeseen
        return self._luck.named(name)

    def roll(self, kind: str, seat: int, faces: Sequence[T]) -> T:
        """Returns a face of a die that is thrown for the seat. The draw is named by the number of facts."""
        return self.named(f"{kind}:s{seat}:{self.count}").roll(faces)

    def shuffle(self, kind: str, items: Iterable[T]) -> tuple[T, ...]:
        """Returns the items in a random order. The draw is named by the number of facts."""
        return self.named(f"{kind}:{self.count}").shuffled(items)

    def need(self, value: T) -> T:
        """Returns the value. What follows from it cannot be foreseen where it is hidden, even in part."""
        if value is None or (isinstance(value, tuple) and None in value):
            raise Unforeseen
        return value

    def value(self, value: T | None, could: Iterable[T]) -> T:
        """Returns the value. Where it is hidden, it may be any of `could`."""
        return self.one_of(could) if value is None else value

    def uncover(self, value: T | None, could: Iterable[T]) -> T:
        """Returns what has been hidden from everybody, like luck that was drawn before: it may be any of `could`."""
        return self.one_of(could) if value is None or self._luck is None else value

    def one_of(self, could: Iterable[T]) -> T:
        """Decides which of these a hidden thing is."""
        raise Unforeseen

    def any(self, hand: Sequence[T | None], test: Callable[[T], bool], could: Iterable[T] = ()) -> bool:
        """Returns whether one of these cards passes the test. `could`: what those that are hidden may be."""
        for card in hand:
            if card is not None and test(card):
                return True
        return None in hand and any(map(test, could)) and self.one_of((False, True))


class Supposes(Knows):
    """One of the ways in which it may come. `script` holds the first choices, by number; the others are 0."""

    def __init__(self, script: Sequence[int]) -> None:
        super().__init__()
        self._script = script
        self.taken: list[int] = []
        self.widths: list[int] = []

    def next_branch(self, width: int) -> int:
        """Returns which of the branches is taken here. Raises Unforeseen if there are too many."""
        if width > MOST_FACTS:
            raise Unforeseen
        at = len(self.taken)
        self.taken.append(self._script[at] if at < len(self._script) else 0)
        self.widths.append(width)
        return self.taken[-1]

    def one_of(self, could: Iterable[T]) -> T:
        found = tuple(could)
        if not found:
            raise Unforeseen
        return found[self.next_branch(len(found))]

    def named(self, name: str) -> Chance:
        return _EveryResult(self)


class _EveryResult(Chance):
    """Luck that comes in every way. A shuffle has too many."""

    def __init__(self, of: Supposes) -> None:
        self._of = of

    def below(self, n: int) -> int:
        return self._of.next_branch(n)

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        raise Unforeseen


def results_in_every_way(run: Callable[[Knows], Any]) -> list[Any]:
    """Returns what `run` returns in each way that luck and hidden things may go, in the order of what they may be.

    Raises Unforeseen if there are too many.
    """
    found: list[Any] = []
    scripts: list[tuple[int, ...]] = [()]
    while scripts:
        script = scripts.pop()
        knows = Supposes(script)
        found.append(run(knows))
        for at in range(len(script), len(knows.taken)):
            scripts += [(*knows.taken[:at], other) for other in range(knows.widths[at] - 1, 0, -1)]
        if len(found) > MOST_FACTS:
            raise Unforeseen
    return found
