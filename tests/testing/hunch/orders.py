"""What a seat may order in Hunch: to guess the same face again and again."""

from typing import Annotated

import msgspec

from pbem.kit.assemble import NoOrders
from pbem.kit.chance import Chance
from pbem.kit.contract import Ask, Move, Order, OrderKind, Parameter
from pbem.kit.texts import Lang
from pbem.kit.words import T

from .facts import Guess, State, Wait


class Insist(Order, frozen=True):
    """Guess this face of the seat to the left."""

    face: Annotated[int, msgspec.Meta(ge=1, le=6)]


KINDS = (
    OrderKind(
        Insist,
        "insist",
        ("guess",),
        T("Insister", "Insist"),
        lambda order, lang: {"fr": f"Dit {order.face}.", "en": f"Says {order.face}."}[lang],
        (Insist(face=3, scope="match"),),
        {"face": Parameter(T("Face du dé", "Face of the die"))},
        scope="match",
    ),
)


class Orders(NoOrders):
    """The orders of the game."""

    def follow(self, order: Order, fold: State, ask: Ask, chance: Chance) -> Move | None:
        """The answer of an order."""
        return Guess((ask.seat + 1) % len(fold.scores), order.face) if isinstance(order, Insist) else Wait()

    def name(self, move: Move, lang: Lang) -> str:
        """What a move is called."""
        return f"{'ABC'[move.cup]}{move.die}" if isinstance(move, Guess) else {"fr": "rien", "en": "nothing"}[lang]
