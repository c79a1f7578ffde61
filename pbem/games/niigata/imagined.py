"""Whole positions of Niigata that a seat cannot tell from the true one; what may come, as far as it knows."""

from collections.abc import Sequence

from msgspec.structs import replace

from pbem.games.niigata import facts
from pbem.games.niigata.facts import State, Thrown
from pbem.games.niigata.facts_tiles import NAMES
from pbem.games.niigata.rules import may_pick, picking_ended, takeable
from pbem.games.niigata.rules_ponds import standing
from pbem.kit.chance import Chance
from pbem.kit.contract import Event, PlayerView


def imagine(view: PlayerView, seat: int, chance: Chance) -> State:
    """Returns a whole state in which the tiles never turned up are in the stock, or put away, in any order.

    All orders are equally likely, and nothing that anybody could infer is left out: nobody sees more of these tiles
    than anybody else, so no move tells anything of them.
    """
    fold: State = view.fold
    shown = {tile for event in view.seen if isinstance(event, Thrown) for tile in event.display}
    unseen = [tile for tile in NAMES if tile not in shown]
    return replace(fold, stock=chance.shuffled(unseen)[: len(fold.stock)])


# --- what may come -------------------------------------------------------------------------------------------
# What follows from a move in Niigata before anybody is asked again. The tiles of the next round are unknown.


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
