"""What follows from a move in Niigata before anybody is asked again. The tiles of the next round are unknown."""

from collections.abc import Sequence

from pbem.games.niigata import facts
from pbem.games.niigata.facts import State
from pbem.games.niigata.rules import may_pick, picking_ended, takeable
from pbem.games.niigata.rules_ponds import standing
from pbem.kit.contract import Event


def supposable(fold: State, viewer: int, since: Sequence[Event]) -> Sequence[Event] | None:
    """Returns the end of the picking or of the match, if it comes now; None before the dice of a new round."""
    if fold.phase == "pick":
        wanted = any(may_pick(fold, seat) for seat in range(fold.seats))
        over = not wanted or takeable(fold).isdisjoint(fold.display)
        return (picking_ended(fold),) if over else ()
    if fold.phase != "over" and not sum(fold.breeders):
        return (facts.Ended("breeders", *standing(fold)),)
    if fold.phase == "between":
        return None if fold.stock else (facts.Ended("stock", *standing(fold)),)
    return ()
