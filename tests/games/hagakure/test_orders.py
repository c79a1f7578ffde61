"""The orders of Hagakure: the lowest card, the only card, and a Nobori decided at the deal."""

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Keep, Look, Play, Raise, Swap
from pbem.games.hagakure.orders import Lowest, Only
from pbem.kit.chance import ScriptedChance
from pbem.kit.contract import Order
from pbem.kit.orders.following import follow
from pbem.kit.orders.shapes import Always, Prefer, refusal_of_order
from pbem.kit.orders.typed import parse_order, tell_order
from tests.games.hagakure.tables import ALICE, BOB, FOUR, Played, at_the_tricks
from tests.harness.cases import cases


def answer_of_order(played: Played, order: Order) -> str | None:
    """What the order of the seat that is asked answers, in notation."""
    (ask,) = GAME.pending(played.state)
    move = follow(order, GAME, played.fold_of(ask.seat), ask, ScriptedChance())
    return GAME.format(move) if move else None


def test_a_lowest_order_asks_an_owner_who_is_to_lead_the_trick() -> None:
    assert answer_of_order(at_the_tricks(*FOUR), Lowest()) is None


@cases(
    "led, card",
    [
        ("6", "play V9"),  # Bob holds 19, an Old Fool, 9 and 10: 9 wins just as well as 10
        ("20", "play F"),  # a samurai was led: 19 loses, so the lowest that may follow is played
    ],
)
def test_a_lowest_order_plays_the_lowest_winning_card_else_the_lowest(led: str, card: str) -> None:
    played = at_the_tricks(*FOUR)
    played.play(led)
    assert answer_of_order(played, Lowest()) == card


def test_a_lowest_order_wins_with_a_second_old_fool() -> None:
    played = at_the_tricks((0, 6, 7, 8), (19, 0, 9, 10), (11, 12, 13, 14), (22, 0, 18, 15))
    played.play("F")
    assert answer_of_order(played, Lowest()) == "play F"


def test_an_only_order_plays_a_forced_card_and_else_asks_its_owner() -> None:
    played = at_the_tricks((20, 6, 7, 8), (19, 11, 9, 10), (18, 12, 13, 14), (22, 0, 0, 15))
    played.play("20")
    assert answer_of_order(played, Only()) == "play S19"
    played.play("19", "18")
    assert answer_of_order(played, Only()) is None


def test_an_order_plays_its_nobori_unless_a_condition_asks_the_owner() -> None:
    played = Played(*FOUR)
    played.play("none")
    assert answer_of_order(played, Always(kind="nobori", move=Raise("double"))) == "double"
    asks = Always(kind="nobori", move=Keep(), ask_if=("raised",))
    assert answer_of_order(played, asks) == "none"
    played = Played(*FOUR)
    played.play("zero")
    assert answer_of_order(played, asks) is None


def test_a_nobori_that_has_been_used_cannot_be_ordered() -> None:
    played = Played(*FOUR)
    played.play("double")
    refused = refusal_of_order(
        Always(kind="nobori", move=Raise("double"), scope="match"), GAME, played.fold_of(ALICE), ALICE
    )
    assert refused is not None
    assert refused.code == "used_double"
    assert refusal_of_order(Always(kind="nobori", move=Raise("double")), GAME, played.fold_of(BOB), BOB) is None
    ranked = Prefer(kind="nobori", moves=(Raise("double"), Keep()))
    assert refusal_of_order(ranked, GAME, played.fold_of(ALICE), ALICE) is None


def test_only_the_guard_trickless_holds_before_the_first_trick() -> None:
    played = at_the_tricks(*FOUR)
    guards = GAME.meta.guards
    assert guards["trickless"].holds(played.state, ALICE)
    assert not guards["raised"].holds(played.state, ALICE)
    assert not guards["last"].holds(played.state, ALICE)


def test_a_typed_order_is_described_in_words() -> None:
    order = parse_order("lowest for match ask if trickless", GAME)
    assert order == Lowest(scope="match", ask_if=("trickless",))
    assert tell_order(order, GAME, "en") == (
        "When another player has led, plays your lowest card that wins at that point, else your lowest; an Old Fool "
        "counts as the lowest. When it is your turn to lead, you choose. Until you stop it. Asks you if you have no "
        "trick of this round yet."
    )
    assert "joue votre carte quand une seule est permise" in tell_order(Only(), GAME, "fr").lower()


def test_an_order_can_look_only_at_another_seats_hand() -> None:
    played = at_the_tricks(*FOUR)

    def code(target: int | None) -> str | None:
        refused = refusal_of_order(Always(kind="nobori", move=Look(target)), GAME, played.fold_of(BOB), BOB)
        return refused.code if refused else None

    assert (code(BOB), code(9)) == ("own_hand", "no_such_seat")
    assert (code(ALICE), code(None)) == (None, None)


def test_forms_offer_the_nobori_that_are_left_and_the_cards_of_ones_hand() -> None:
    played = at_the_tricks(*FOUR)
    own = played.fold_of(BOB)
    held = {card for card in own.hands[BOB] if card is not None}
    assert {move.card for move in GAME.answers("card", own, BOB)} == held
    nobori = GAME.answers("nobori", own, BOB)
    assert {type(move) for move in nobori} == {Keep, Raise, Swap, Look}
    assert [move.target for move in nobori if isinstance(move, Look)] == [None, 0, 2, 3]


def test_answers_have_short_names_in_both_languages() -> None:
    moves = (Play(19), Look(None), Look(ALICE), Raise("double"), Keep())
    assert [GAME.name(move, "en") for move in moves] == [
        "{S19}", "Look (the Yomi)", "Look ({0}’s hand)", "Double", "no banner",
    ]  # fmt: skip
    assert GAME.name(Keep(), "fr") == "pas de bannière"
