"""What is counted of a declaration."""

from pbem.games.hogen import GAME
from pbem.games.hogen.bots import greedy
from pbem.games.hogen.facts import Declare
from pbem.kit.chance import Chance
from pbem.kit.contract import Move, PlayerView
from tests.games.hogen.counted_declarations import declarations_of_matches


def hasty(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Declares as soon as it may, anything."""
    moves: list[Move] = [*GAME.legal(view.fold, seat)]
    return chance.pick([move for move in moves if isinstance(move, Declare)] or moves)


def test_only_the_greedy_bot_declares_the_likeliest_allies() -> None:
    found = [*declarations_of_matches(3, range(3), {"greedy": greedy, "hasty": hasty})]
    own, guessed = ([one for one in found if one.bot == name] for name in ("greedy", "hasty"))
    assert own
    assert all(0 < one.chance == one.best <= 1 for one in own)
    assert sum(one.best - one.chance for one in guessed) > 0
