"""The orders of Niigata: ranked tiles, a place while nothing beside it changes, a breeder for enough points."""

import pytest
from msgspec.structs import replace

from pbem.games.niigata import GAME
from pbem.games.niigata.facts import Claim, Pass, Place, Take
from pbem.games.niigata.facts_tiles import Tile
from pbem.games.niigata.orders import Breed, LayThere, tiles_beside_cell_in_notation
from pbem.games.niigata.rules_ponds import worth_of_pond
from pbem.kit.chance import ScriptedChance
from pbem.kit.contract import Order
from pbem.kit.orders.following import follow
from pbem.kit.orders.forms import make_order
from pbem.kit.orders.shapes import Prefer, refusal_of_order
from pbem.kit.orders.typed import format_order, parse_order, tell_order
from tests.games.niigata.tables import ALICE, BOB, Played, match_with_hands
from tests.harness.cases import cases


def answer_of_order(played: Played, order: Order) -> str | None:
    """What the order of the seat that is asked answers, in notation."""
    (ask,) = GAME.pending(played.state)
    move = follow(order, GAME, played.fold_of(ask.seat), ask, ScriptedChance())
    return GAME.format(move) if move else None


def code_of_refusal(played: Played, order: Order, seat: int = ALICE) -> str | None:
    """Why the seat cannot save the order."""
    refused = refusal_of_order(order, GAME, played.fold_of(seat), seat)
    return refused.code if refused else None


def test_a_ranked_order_takes_its_first_tile_left_that_fits_the_dice() -> None:
    played = Played(3, display=("N02", "N03", "N06", "N31"), dice=("Y", 3))
    ranked = Prefer(kind="pick", moves=(Take("N06"), Take("N31"), Take("N03"), Pass()))
    assert answer_of_order(played, ranked) == "take N06"
    played.play("take N06")
    assert answer_of_order(played, ranked) == "take N03"  # N31 has no yellow carp
    played.play("take N03")
    assert answer_of_order(played, ranked) == "pass"


def test_an_order_for_tiles_that_nobody_can_take_this_round_is_refused() -> None:
    played = Played(3, display=("N02", "N03"), dice=("Y", 3))
    assert code_of_refusal(played, Prefer(kind="pick", moves=(Take("N40"), Take("N41")))) == "gone"
    assert code_of_refusal(played, Prefer(kind="pick", moves=(Take("N40"), Take("N02")))) is None
    assert code_of_refusal(played, Prefer(kind="pick", moves=(Take("N40"),), scope="match")) is None


def test_a_lay_order_is_followed_while_nothing_beside_its_cell_changes() -> None:
    played = match_with_hands(("N02", "N06"), ("N03",), ())
    order = LayThere(
        moves=(Place("N06", "1N", 2),), beside=(tiles_beside_cell_in_notation(played.state, "1N"),), scope="match"
    )
    assert order.beside == ("-.-.I.-",)
    assert answer_of_order(played, order) == "place N06 1N r2"
    played.play("place N02 1S")
    while played.asks != [(ALICE, "place")]:
        played.play("pass" if played.asks[0][1] == "claim" else "place N03 1W")
    assert answer_of_order(played, order) == "place N06 1N r2"


def test_a_lay_order_asks_its_owner_if_something_beside_its_cell_changed() -> None:
    played = match_with_hands(("N02", "N06"), ("N03",), ())
    order = LayThere(moves=(Place("N06", "1N", 2),), beside=("-.-.I.N03",), scope="match")
    assert answer_of_order(played, order) is None
    taken = LayThere(moves=(Place("N06", "0", 2),), beside=("-.-.-.-",))
    assert answer_of_order(played, taken) is None


def test_a_lay_order_is_refused_for_an_invalid_cell_or_other_neighbours() -> None:
    played = match_with_hands(("N02", "N06"), ("N03",), ())
    assert code_of_refusal(played, LayThere(moves=(Place("N06", "0", 2),), beside=("-.-.-.-",))) == "occupied"
    assert code_of_refusal(played, LayThere(moves=(Place("N06", "5N", 2),), beside=("-.-.-.-",))) == "not_adjacent"
    assert code_of_refusal(played, LayThere(moves=(Place("N06", "1N", 2),), beside=("-.-.-.-",))) == "changed_beside"
    assert code_of_refusal(played, LayThere(moves=(Place("N06", "1N", 2),), beside=("-.-.I.-",))) is None


def test_lay_orders_use_the_first_place_listed_for_a_held_tile() -> None:
    played = match_with_hands(("N02",), ("N03",), ())
    order = LayThere(moves=(Place("N06", "1N", 2), Place("N02", "1S", 1)), beside=("-.-.I.-", "I.-.-.-"))
    assert answer_of_order(played, order) == "place N02 1S r1"


def test_a_lay_order_with_a_margin_asks_when_a_better_pond_could_close() -> None:
    played = match_with_hands(("N01", "N03"), ("N06",), ())
    order = LayThere(moves=(Place("N03", "1W", 1),), beside=("-.I.-.-",), scope="match")
    asking, content = replace(order, margin=3), replace(order, margin=4)
    played.play("place N01 1S r2")
    played.play("place N06 1N r2")  # one tile closes this pond of three yellow carps
    assert played.asks == [(ALICE, "place")]
    assert max(worths_of_closed_ponds(played, "N03")) == 5  # and 2 in the place of the order
    assert answer_of_order(played, order) == answer_of_order(played, content) == "place N03 1W r1"
    assert answer_of_order(played, asking) is None


def worths_of_closed_ponds(played: Played, tile: Tile) -> list[int]:
    """What the ponds count that the tile closes, for every placement."""
    found = []
    for move in GAME.legal(played.state, ALICE):
        if isinstance(move, Place) and move.tile == tile:
            (placed,) = GAME.preview(played.state, ALICE, move)
            after = GAME.evolve(played.state, placed)
            found += [worth_of_pond(after.ponds[name].animals).points for name in after.free]
    return found


@cases("least, said", [(1, "claim 0 N"), (9, "pass")])
def test_a_breed_order_claims_a_pond_only_for_enough_points(least: int, said: str) -> None:
    played = close_pond()
    assert played.asks == [(ALICE, "claim")]
    assert answer_of_order(played, Breed(least=least)) == said


def close_pond() -> Played:
    """Alice has just closed a pond of some points at the start tile."""
    played = match_with_hands(("N06", "N03"), (), ())
    played.play("place N06 1N r2")
    played.play("place N03 1E r3")
    return played


def test_an_order_reads_back_as_typed_and_is_described_in_both_languages() -> None:
    order = LayThere(moves=(Place("N06", "1W", 2), Place("N02", "1S", 1)), beside=("-.-.I.-", "I.-.-.-"))
    typed = "lay moves place N06 1W r2, place N02 1S r1 beside -.-.I.-, I.-.-.-"
    assert format_order(order, GAME) == typed
    assert parse_order(typed, GAME, BOB) == order
    assert tell_order(order, GAME, "fr").startswith("Pose {N06} en 1O ou {N02} en 1S, si rien n’a changé")
    assert tell_order(Breed(least=4, scope="match"), GAME, "en") == (
        "Places a breeder on the free pond worth most if it is worth at least 4, else none. Until you stop it."
    )


@pytest.mark.long
def test_order_forms_offer_the_displayed_tiles_and_the_free_cells() -> None:
    played = Played(3, display=("N02", "N03"), dice=("Y", 3))
    own = played.fold_of(ALICE)
    assert GAME.answers("pick", own, ALICE) == [Take("N02"), Take("N03"), Pass()]
    assert GAME.answers("claim", own, ALICE) == [Pass()]
    assert GAME.answers("place", own, ALICE) == []
    parts = GAME.meta.orders[0].parameters["moves"].parts
    tile, cell = parts["tile"].choices, parts["cell"].choices
    assert tile is not None
    assert cell is not None
    assert list(tile(own, ALICE)) == ["N02", "N03"]
    assert set(cell(own, ALICE)) == {"1N", "1E", "1S", "1W"}


def test_an_order_form_adds_the_neighbours_of_the_chosen_cell() -> None:
    own = Played(3, display=("N02", "N03"), dice=("Y", 3)).fold_of(ALICE)
    values = {"moves.tile": ["N02", ""], "moves.cell": ["1N", "1E"], "moves.rotation": ["1", "0"], "margin": ["3"]}
    order = make_order("lay", values, GAME, own, ALICE)
    assert order == LayThere(moves=(Place("N02", "1N", 1),), beside=("-.-.I.-",), margin=3)


def test_answers_have_short_names_in_both_languages() -> None:
    moves = (Take("N02"), Place("N02", "1W", 1), Claim("2W.E"), Pass())
    assert [GAME.name(move, "fr") for move in moves] == [
        "{N02}", "{N02} en 1O, tournée de 90°", "le bassin en 2O E", "rien",
    ]  # fmt: skip
    assert GAME.name(moves[1], "en") == "{N02} at 1W, rotated 90°"
