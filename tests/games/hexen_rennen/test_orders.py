"""The orders of Hexen Rennen: a witch for each face of the die, and cards that take a witch far enough."""

from pbem.games.hexen_rennen import GAME
from pbem.games.hexen_rennen.facts import Fly, Leave, Play
from pbem.games.hexen_rennen.orders import Advance, Dice, SendBack
from pbem.kit.chance import ScriptedChance
from pbem.kit.contract import Order
from pbem.kit.orders.following import follow
from pbem.kit.orders.shapes import Always, refusal_of_order
from pbem.kit.orders.typed import format_order, parse_order, tell_order
from tests.games.hexen_rennen.tables import ALICE, BOB, Turn, race


def answer_of_order(turn: Turn, order: Order) -> str | None:
    """What the order of the seat that is asked answers, in notation. Nothing that it needs is hidden from it."""
    (ask,) = GAME.pending(turn.state)
    move = follow(order, GAME, turn.state, ask, ScriptedChance())
    return GAME.format(move) if move else None


def test_a_dice_order_flies_the_witch_named_for_the_roll_or_asks_its_owner() -> None:
    before = race(witches={"A": (10, 20, 30), "B": (0, 24, 40)})
    order = Dice(witches=(10, None, 30, 20, 0, 30), scope="turn")
    assert answer_of_order(Turn(before, 1), order) == "fly 10"
    assert answer_of_order(Turn(before, 3), order) == "fly 30"
    assert answer_of_order(Turn(before, 2), order) is None
    assert answer_of_order(Turn(before, 4), order) is None  # Bob's witch is on tile 24
    assert answer_of_order(Turn(before, 5), order) is None  # no witch is left at the start


def test_a_send_back_order_plays_the_farthest_card_if_it_is_far_enough() -> None:
    before = race(witches={"A": (28, 50, 51)}, tiles={30: "BS"}, hands={"B": "2 9 4"})
    turn = Turn(before, 2)
    assert turn.to_move == (BOB, "foreign")
    assert answer_of_order(turn, SendBack(least=9)) == "play 9"
    assert answer_of_order(turn, SendBack(least=10)) == "leave"


def test_send_back_orders_count_the_tiles_that_lie_face_up() -> None:
    before = race(
        witches={"A": (28, 50, 51)}, tiles={30: "BS", 21: "A9", 26: "DS"}, up=[21, 26], hands={"B": "9 4", "D": "10"}
    )
    turn = Turn(before, 2)
    # Her own 9 would carry her back to where she is; on the symbol of Dave she may be sent to tile 16.
    assert answer_of_order(turn, SendBack(least=14)) == "play 4"
    assert answer_of_order(turn, SendBack(least=15)) == "leave"


def test_a_send_back_order_can_spare_a_seat_that_is_far_behind() -> None:
    before = race(witches={"A": (28, 0, 0), "B": (20, 15, 14)}, tiles={30: "BS"}, hands={"B": "2 9"})
    turn = Turn(before, 2)
    turn.play("fly 28")  # Alice's witches have come 30 tiles, Bob's 49
    assert answer_of_order(turn, SendBack(least=5, spare=19)) == "play 9"
    assert answer_of_order(turn, SendBack(least=5, spare=18)) == "leave"


def test_dice_orders_can_ask_the_owner_where_a_tile_has_been_turned_up() -> None:
    order, careful = Dice(witches=(10,) * 6), Dice(witches=(10,) * 6, unseen=(2, 3))
    before = race(witches={"A": (10, 20, 30)}, tiles={12: "C4", 14: "C5"}, up=[12, 14])
    assert [answer_of_order(Turn(before, die), order) for die in (2, 3, 4)] == ["fly 10"] * 3
    assert [answer_of_order(Turn(before, die), careful) for die in (2, 3, 4)] == [None, "fly 10", "fly 10"]


def test_obliged_send_back_orders_play_the_least_if_no_card_reaches() -> None:
    before = race(witches={"A": (28, 50, 51)}, tiles={30: "BS", 21: "CS"}, hands={"B": "9 3", "C": "2 4 5"})
    turn = Turn(before, 2)
    turn.play("play 9")
    assert turn.state.obliged
    assert answer_of_order(turn, SendBack(least=6)) == "play 2"
    assert answer_of_order(turn, SendBack(least=5)) == "play 5"


def test_advance_orders_take_ones_witch_farthest_or_keep_the_cards() -> None:
    before = race(witches={"A": (20, 50, 51)}, tiles={22: "AS"}, hands={"A": "3 8"})
    turn = Turn(before, 2)
    assert turn.to_move == (ALICE, "own")
    assert answer_of_order(turn, Advance(least=8)) == "play 8"
    assert answer_of_order(turn, Advance(least=9)) == "leave"


def test_leaving_is_no_order_for_others_witches_because_one_may_be_obliged() -> None:
    state = race(witches={"A": (20, 30, 40)})
    refused = refusal_of_order(Always(kind="foreign", move=Leave()), GAME, state, ALICE)
    assert refused is not None
    assert refused.code == "order_may_ask"
    assert refusal_of_order(SendBack(least=48), GAME, state, ALICE) is None
    assert refusal_of_order(Always(kind="own", move=Leave()), GAME, state, ALICE) is None


def test_a_dice_order_is_described_with_the_witch_of_each_face() -> None:
    order = Dice(witches=(10, None, 0, 0, 10, 0), scope="turn")
    assert format_order(order, GAME) == "dice witches 10, -, 0, 0, 10, 0 for turn"
    assert tell_order(order, GAME, "en") == (
        "For each roll, flies the witch: 1: the one on tile 10, 2: you choose, 3: the one at the start, 4: the one at "
        "the start, 5: the one on tile 10, 6: the one at the start. For one turn."
    )


def test_a_witch_that_has_arrived_cannot_be_ordered_to_fly() -> None:
    state = race(witches={"A": (20, 30, 40)})
    refused = refusal_of_order(parse_order_text("fly: fly 50, fly 20"), GAME, state, ALICE)
    assert refused is not None
    assert refused.code == "in_goal"


def parse_order_text(text: str) -> Order:
    return parse_order(text, GAME, ALICE)


def test_forms_offer_the_witches_that_race_and_the_cards_of_ones_hand() -> None:
    before = race(witches={"A": (0, 20, 50)}, hands={"A": "2 9 S S"})
    assert GAME.answers("fly", before, ALICE) == [Fly(0), Fly(20)]
    assert GAME.answers("own", before, ALICE) == [Play("2"), Play("9"), Play("S"), Leave()]
    assert not GAME.answers("divide", before, ALICE)
    witches = GAME.meta.orders[0].parameters["witches"].choices
    assert witches is not None
    assert list(witches(before, ALICE)) == [None, 0, 20]


def test_answers_have_short_names_in_both_languages() -> None:
    moves = (Fly(0), Fly(20), Play("9"), Play("S"), Leave())
    assert [GAME.name(move, "fr") for move in moves] == [
        "celle du départ", "celle de la tuile 20", "la carte 9", "la carte à symbole", "aucune carte",
    ]  # fmt: skip
    assert GAME.name(Fly(20), "en") == "the one on tile 20"


def test_orders_are_told_with_one_tile_in_the_singular() -> None:
    for least, tiles in ((1, "1 tile,"), (3, "3 tiles,")):
        assert f"at least {tiles}" in tell_order(SendBack(least=least), GAME, "en")
        assert f"at least {tiles}" in tell_order(Advance(least=least), GAME, "en")
    assert "si elle recule d’au moins 1 tuile," in tell_order(SendBack(least=1), GAME, "fr")
