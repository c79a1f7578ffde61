"""The law of luck: nothing but the names of the draws decides what they give."""

from typing import Any

from pbem.kit.contract import AnyGame
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import Absent, Returned, TableEvent


def check_luck(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
    """Checks that a match goes the same way if its log says more about the people at the table. Raises LawBroken.

    Plays the match twice. The second time, entries that the game never learns stand between the others, one or two at a
    time, so that each of the game's own has another number.
    """
    plain = Table(game, seats, options, seed)
    for _ in random_decisions(plain):
        pass
    other = Table(game, seats, options, seed)
    for at, (ask, _) in enumerate(random_decisions(other)):
        other.tell(Absent(ask.seat))
        if at % 2:
            other.tell(Returned(ask.seat))
    first, second = ([e.event for e in t.entries if not isinstance(e.event, TableEvent)] for t in (plain, other))
    if first != second:
        pairs = enumerate(zip(first, second, strict=False))
        at = next((n for n, pair in pairs if pair[0] != pair[1]), min(len(first), len(second)))
        raise other.broken(f"entries about the table change event {at + 1} of the game")
    if plain.drawn != other.drawn:
        raise other.broken("entries about the table change the names of draws")
