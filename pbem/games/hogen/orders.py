"""What a seat of Hogen may order: fixed answers and lists, for the game has no rules of its own and no rounds."""

from collections.abc import Sequence

from pbem.games.hogen.facts import Call, ChooseAlly, Declare, Exchange, State, opponents
from pbem.games.hogen.rules import calls_with
from pbem.games.hogen.words import name_allies, what_it_asks
from pbem.games.samurai import CLANS, RANKS
from pbem.kit.assemble import NoOrders
from pbem.kit.contract import IllegalMove, Move, Order, Phrase
from pbem.kit.orders.shapes import moves_of
from pbem.kit.texts import Lang
from pbem.kit.words import put_in, say

_EVERY_CALL = (
    *(Call(clan=clan) for clan in CLANS),
    *(Call(rank=rank) for rank in RANKS),
    *(Call(clan, rank) for clan in CLANS for rank in RANKS),
)


class HogenOrders(NoOrders):
    """The answers that forms offer, and their names."""

    def check_order(self, order: Order, fold: State, seat: int, /) -> None:
        """Refuses a declaration that does not name everybody else."""
        for move in moves_of(order):
            if isinstance(move, Declare) and tuple(guess.seat for guess in move.allies) != opponents(fold, seat):
                raise IllegalMove("name_everybody")

    def answers(self, kind: str, fold: State, seat: int, /) -> Sequence[Move]:
        """Returns the cards of the hand; the calls that the seat's ally allows; each card of the hand for another."""
        hand = [card for card in fold.hands[seat] if card is not None]
        if kind == "ally":
            return [ChooseAlly(card) for card in hand]
        if kind == "act":
            ally = fold.allies[seat]
            return calls_with(ally) if ally else _EVERY_CALL
        return [Exchange(give, take) for give in hand for take in fold.palace]

    def name(self, move: Move, lang: Lang, /) -> Phrase:
        """Returns the card, the call, the exchange or the allies that are named."""
        match move:
            case ChooseAlly(card):
                return put_in(card)
            case Call():
                return what_it_asks(move, lang)
            case Exchange(give, take):
                return say(lang, f"{{{give}}} contre {{{take}}}", f"{{{give}}} for {{{take}}}")
            case Declare(allies):
                return name_allies(allies)
        raise TypeError(f"{move} is no move of Hogen")


ORDERS = HogenOrders()
