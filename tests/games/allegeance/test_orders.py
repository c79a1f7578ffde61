"""The orders of Allégeance: windows that never ask, and the next announcement, which nobody remembers for anybody."""

from pbem.games.allegeance import GAME
from pbem.games.allegeance.facts import Announce, Challenge, Give, LetPass
from pbem.games.allegeance.orders import Contest, Next
from pbem.games.samurai import CARDS
from pbem.kit.chance import ScriptedChance
from pbem.kit.contract import Order, ask_of
from pbem.kit.orders.following import follow
from pbem.kit.orders.shapes import Always, Prefer, refusal_of_order
from pbem.kit.orders.typed import parse_order, tell_order
from tests.games.allegeance.tables import ALICE, BOB, CAROL, Played
from tests.harness.cases import cases

DOOR = "F1 M2 T3 B4 F2 M1"


def answer_of_order(played: Played, order: Order, seat: int) -> str | None:
    """What the order of this seat answers, in notation."""
    ask = ask_of(GAME, played.state, seat)
    assert ask is not None
    move = follow(order, GAME, played.fold_of(seat), ask, ScriptedChance())
    return GAME.format(move) if move else None


def code_of_refusal(played: Played, order: Order, seat: int = BOB) -> str | None:
    """Why the seat cannot save the order."""
    refused = refusal_of_order(order, GAME, played.fold_of(seat), seat)
    return refused.code if refused else None


def test_a_contest_order_challenges_only_cards_in_hand_or_on_its_list() -> None:
    played = Played(4, DOOR)
    played.play(ALICE, "F1")
    played.play(ALICE, "give B")
    played.miss(BOB, "T1")
    played.play(CAROL, "F1")
    assert answer_of_order(played, Contest(), BOB) == "challenge"
    assert answer_of_order(played, Contest(), ALICE) == "pass"
    assert answer_of_order(played, Contest(cards=("M2", "F1")), ALICE) == "challenge"
    assert answer_of_order(played, Contest(cards=("M2",)), ALICE) == "pass"


def test_a_contest_order_challenges_any_card_when_few_are_behind_the_door() -> None:
    played = Played(4, DOOR).until(4)
    said = next(card for card in CARDS if card not in (played.state.door[0], *played.state.banned))
    played.play(played.state.active, said)
    assert len(played.state.door) == 3
    seat = played.seats_asked()[0]
    assert answer_of_order(played, Contest(door=3), seat) == "challenge"
    assert answer_of_order(played, Contest(door=2), seat) == "pass"


def test_an_order_in_a_window_that_might_ask_its_owner_is_refused() -> None:
    played = Played(4, DOOR)
    assert code_of_refusal(played, Contest(ask_if=("few",))) == "order_may_ask"
    assert code_of_refusal(played, Always(kind="answer", move=LetPass())) is None
    assert code_of_refusal(played, Contest(cards=("F1",))) is None


def test_an_order_announces_no_listed_card_its_owner_sees_to_be_out() -> None:
    played = Played(4, DOOR)
    played.miss(ALICE, "B1")  # F1 is revealed and lies on top
    order = Next(cards=("B1", "F1", "T4"), scope="question")
    assert answer_of_order(played, order, BOB) == "announce T4"
    assert answer_of_order(played, Next(cards=("F1",), scope="question"), BOB) is None


def test_an_order_may_announce_a_card_that_came_out_and_was_covered_since() -> None:
    played = Played(4, DOOR)
    played.miss(ALICE, "B1")
    played.miss(BOB, "B2")  # M2 covers F1
    assert answer_of_order(played, Next(cards=("F1",), scope="question"), CAROL) == "announce F1"


@cases("scope", ["turn", "round", "match"])
def test_with_closed_memory_only_the_next_announcement_can_be_ordered(scope: str) -> None:
    order = parse_order(f"announce: F1, F2 for {scope}", GAME)
    assert code_of_refusal(Played(4, DOOR), order) == "next_only"
    assert code_of_refusal(Played(4, DOOR, memory="open"), order) is None
    assert code_of_refusal(Played(4, DOOR), Prefer(kind="announce", moves=(Announce("F1"),), scope="question")) is None
    assert code_of_refusal(Played(4, DOOR), parse_order(f"next cards F1 for {scope}", GAME)) == "next_only"


def test_a_contest_order_is_described_with_the_cards_it_challenges() -> None:
    order = parse_order("contest cards F1, M2 door 3", GAME)
    assert order == Contest(cards=("F1", "M2"), door=3)
    assert tell_order(order, GAME, "en") == (
        "Challenges if the announced card is in your hand, or is {F1} or {M2}, and if 3 cards or fewer are left behind "
        "the Door; else lets it pass. For this round."
    )
    assert tell_order(Contest(), GAME, "fr") == (
        "Conteste si la carte annoncée est dans votre main\u00a0; sinon, laisse passer. Pour cette manche."
    )


def test_an_order_can_give_a_card_only_to_another_seat() -> None:
    played = Played(3, DOOR)
    assert code_of_refusal(played, Always(kind="give", move=Give(CAROL))) is None
    assert code_of_refusal(played, Always(kind="give", move=Give(BOB))) == "give_self"
    assert code_of_refusal(played, Prefer(kind="give", moves=(Give(ALICE), Give(3)))) == "no_such_seat"


def test_forms_offer_every_card_to_announce_but_none_in_hand_to_contest() -> None:
    played = Played(3, DOOR)
    played.play(ALICE, "F1")
    played.play(ALICE, "give B")
    own = played.fold_of(BOB)
    assert GAME.answers("announce", own, BOB) == [Announce(card) for card in CARDS]
    assert GAME.answers("give", own, BOB) == [Give(ALICE), Give(CAROL)]
    assert GAME.answers("answer", own, BOB) == [LetPass(), Challenge()]
    (_, contest) = GAME.meta.orders
    choices = contest.parameters["cards"].choices
    assert choices is not None
    assert list(choices(own, BOB)) == [card for card in CARDS if card != "F1"]


def test_answers_have_short_names_in_both_languages() -> None:
    named = [GAME.name(move, "fr") for move in (Announce("F1"), Give(CAROL), Challenge(), LetPass())]
    assert named == ["{F1}", "{2}", "contester", "laisser passer"]
    assert GAME.name(LetPass(), "en") == "let it pass"
