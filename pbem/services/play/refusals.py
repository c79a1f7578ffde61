"""What the rules refuse, as problems that name the rule."""

from collections.abc import Mapping

from pbem.errors import Illegal
from pbem.kit.contract import COMMON_REFUSALS, UNNUMBERED, AnyGame, IllegalMove, Move, Order
from pbem.kit.orders.shapes import ORDER_REFUSALS
from pbem.kit.texts import LANGS


def illegal_error(game: AnyGame, said: Move | Order, refusal: IllegalMove) -> Illegal:
    """Returns the refusal of a move or an order as a problem: rule, reason, and a sentence in every language."""
    code, common = refusal.code, {**COMMON_REFUSALS, **ORDER_REFUSALS}
    found = game.meta.refusals.get(code) or common[code]
    sentences: Mapping[str, str] = {lang: found.text.fill(**refusal.facts)[lang] for lang in LANGS}
    page = f"/rules/{game.meta.slug}#{found.rule}" if found.rule != UNNUMBERED else None
    return Illegal(code, found.rule, sentences, type(said).__name__, page)
