"""Whole positions of Niigata that a seat cannot tell from the true one."""

from msgspec.structs import replace

from pbem.games.niigata.facts import Thrown
from pbem.games.niigata.facts_state import State
from pbem.games.niigata.facts_tiles import NAMES
from pbem.kit.chance import Chance
from pbem.kit.contract import PlayerView


def imagine(view: PlayerView, seat: int, chance: Chance) -> State:
    """Returns a whole state in which the tiles never turned up are in the stock, or put away, in any order.

    All orders are equally likely, and nothing that anybody could infer is left out: nobody sees more of these tiles
    than anybody else, so no move tells anything of them.
    """
    fold: State = view.fold
    shown = {tile for event in view.seen if isinstance(event, Thrown) for tile in event.display}
    unseen = [tile for tile in NAMES if tile not in shown]
    return replace(fold, stock=chance.shuffled(unseen)[: len(fold.stock)])
