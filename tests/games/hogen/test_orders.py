"""Orders in Hogen: fixed answers and lists, which need to know who sits there and how an answer is called."""

from pbem.games.hogen import GAME
from pbem.games.hogen.facts import Call, ChooseAlly, Declare, Exchange, Guess, calls_allowed_with_ally
from pbem.kit.orders.shapes import Always, refusal_of_order
from pbem.kit.play import Table

TABLE = Table(GAME, 3, GAME.meta.options(), bytes(32))
OWN = TABLE.folds[1]


def test_an_order_to_declare_must_name_every_other_seat() -> None:
    def code(*allies: Guess) -> str | None:
        refused = refusal_of_order(Always(kind="act", move=Declare(allies)), GAME, OWN, 1)
        return refused.code if refused else None

    assert code(Guess(0, "F1"), Guess(2, "B1")) is None
    assert code(Guess(0, "F1")) == "name_everybody"
    assert code(Guess(0, "F1"), Guess(9, "B1")) == "name_everybody"


def test_forms_offer_own_cards_calls_that_fit_the_ally_and_every_exchange() -> None:
    hand = [card for card in OWN.hands[1] if card]
    assert GAME.answers("ally", OWN, 1) == [ChooseAlly(card) for card in hand]
    assert len(GAME.answers("act", OWN, 1)) == 24
    assert GAME.answers("answer", OWN, 1) == [Exchange(give, take) for give in hand for take in OWN.palace]
    state = TABLE.folds[1].__class__(3, OWN.palace, OWN.hands, ("F1", "F1", "F1"), (True,) * 3, (False,) * 3)
    assert GAME.answers("act", state, 1) == calls_allowed_with_ally("F1")


def test_answers_have_short_names_in_both_languages() -> None:
    moves = (ChooseAlly("F1"), Call("M"), Exchange("F1", "B2"), Declare((Guess(0, "F1"), Guess(2, "B1"))))
    assert [GAME.name(move, "fr") for move in moves] == [
        "{F1}", "un Minamoto", "{F1} contre {B2}", "{0} {F1}, {2} {B1}",
    ]  # fmt: skip
    assert GAME.name(moves[2], "en") == "{F1} for {B2}"
