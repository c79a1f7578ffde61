"""The cards of the last round, and of the last breeder of somebody else."""

from msgspec.structs import replace

from pbem.games.niigata import GAME
from pbem.games.niigata.facts import Claimed, Thrown
from pbem.kit.contract import Card, Viewer
from tests.games.niigata.tables import ALICE, BOB, CHARLIE, Played
from tests.games.stage.news import cards_shown

HEADS = ("", "Breeders", "Points")


def test_the_last_tiles_of_the_stock_begin_the_last_round() -> None:
    ends = "The stock is empty: the match ends after this round."
    table = (HEADS, *((f"{{{seat}}}", "4", "0") for seat in range(3)))
    last = Card("Last round", (ends,), table)
    for stock, cards in ((0, [last]), (1, [])):
        played = Played(display=("N01", "N02"), stock=stock)
        assert cards_shown(GAME, played.events, ALICE, "en") == cards


def test_the_last_round_is_told_in_french() -> None:
    (card,) = cards_shown(GAME, Played(display=("N01",), stock=0).events, CHARLIE, "fr")
    assert (card.title, card.lines) == ("Dernier tour", ("La pioche est vide : la partie finit après ce tour.",))
    assert card.table[0] == ("", "Éleveurs", "Points")


def claims(viewer: Viewer, breeders: tuple[int, ...]) -> Card | None:
    """The card when Bob places a breeder on a closed pond; `breeders` are those left before it."""
    state = Played(display=("N01", "N02")).state
    name, pond = next(iter(state.ponds.items()))
    ponds = {**state.ponds, name: replace(pond, open=0, animals=(1, 0, 0, 0))}
    before = replace(state, ponds=ponds, free=(name,), phase="claim", active=BOB, breeders=breeders)
    assert GAME.card is not None
    return GAME.card(Claimed(BOB, name), before, viewer, "en")


def test_the_last_breeder_of_a_seat_is_a_card_for_all_others() -> None:
    card = claims(ALICE, (2, 1, 0))
    assert card is not None
    assert card == Card(
        "{1} has no breeder left",
        ("The match ends once all breeders are placed.",),
        (HEADS, ("{1}", "0", "3"), ("{0}", "2", "0"), ("{2}", "0", "0")),
    )
    assert claims(CHARLIE, (2, 1, 0)) == card
    assert claims(BOB, (2, 1, 0)) is None


def test_other_breeders_and_the_one_that_ends_the_match_have_no_card() -> None:
    assert claims(ALICE, (2, 2, 0)) is None
    assert claims(ALICE, (0, 1, 0)) is None


def test_a_throw_with_tiles_left_is_no_card() -> None:
    played = Played(display=("N01", "N02"))
    assert GAME.card is not None
    assert GAME.card(Thrown(ALICE, "Y", 5, ("N03",)), replace(played.state, phase="between"), ALICE, "en") is None
