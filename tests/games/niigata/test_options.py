"""Taking in turn without passing (4.4, R4, R23)."""

from typing import Any

import pytest
from msgspec.structs import replace

from pbem.games.niigata import GAME
from pbem.games.niigata.bots import greedy, quick
from pbem.games.niigata.facts import PASS, Pass, PickingEnded, Take, Taken
from pbem.games.niigata.facts_state import NiigataOptions
from pbem.kit.chance import SeedChance
from pbem.kit.codec import encode
from pbem.kit.contract import IllegalMove, PlayerView, Scene
from pbem.kit.orders.shapes import Always, Prefer, refusal_of_order
from pbem.kit.texts import LANGS, Lang
from tests.games.niigata.tables import ALICE, BOB, CAROL, Played, match_with_hands
from tests.harness.cases import cases

LUCK = SeedChance(bytes(32), 1, "bot")


def without_passing() -> Played:
    """Three of whom Bob is asked first: three tiles of the display go with the dice, N30 has the fewest animals."""
    return Played(3, ALICE, ["N16", "N20", "N30", "N31", "N13", "N14"], ("Y", 3), "compulsory")


def code_of(played: Played, text: str) -> str:
    with pytest.raises(IllegalMove) as refused:
        played.play(text)
    return refused.value.code


def test_default_options_are_stored_as_before_the_options_existed() -> None:
    assert encode(NiigataOptions()) == b'{"picking":"turns"}'


def test_without_passing_a_tile_that_matches_the_dice_must_be_taken() -> None:
    played = without_passing()
    assert GAME.legal(played.state, BOB) == [Take("N16"), Take("N20"), Take("N30")]
    assert code_of(played, "pass") == "must_take"
    assert GAME.meta.refusals["must_take"].rule == "4.4"
    assert code_of(played, "take N31") == "wrong_carp", "and what does not go with them is refused as ever"


def test_r23_the_only_tile_that_is_left_is_taken_at_once() -> None:
    played = without_passing()
    played.play("take N16")
    assert played.asks == [(CAROL, "pick")]
    assert played.play("take N20") == [
        Taken(CAROL, "N20"), Taken(ALICE, "N30"), PickingEnded((), ("N31", "N13", "N14")),
    ]  # fmt: skip
    assert played.asks == [(ALICE, "place")]


def test_without_passing_a_seat_still_stops_at_two_tiles() -> None:
    played = Played(2, ALICE, ["N16", "N20", "N30", "N11"], ("Y", 3), "compulsory", stock=4)
    played.all_play("take N16", "take N20", "take N30")
    assert [len(hand) for hand in played.state.hands] == [2, 2]


def test_without_passing_a_breeder_may_still_be_kept() -> None:
    played = match_with_hands(["N03", "N10"], ["N02"])
    played.all_play("place N03 1E r3", "place N02 1N")
    assert played.asks == [(BOB, "claim")]
    assert PASS in GAME.legal(replace(played.state, picking="compulsory"), BOB)


@cases("lang", LANGS)
def test_without_passing_prompt_and_pad_omit_it_and_the_page_can_say_why(lang: Lang) -> None:
    played, usual = without_passing(), Played(3, ALICE, ["N16", "N20", "N30"], ("Y", 3))
    word = {"fr": "passez", "en": "pass"}[lang]
    for one, passes in ((played, False), (usual, True)):
        (ask,) = GAME.pending(one.state)
        assert (word in GAME.prompt(ask, one.state, lang)) == passes
        paths = {step.text for row in GAME.pad(ask, one.state, lang).rows for cell in row for step in cell.steps or ()}
        assert ("pass" in paths) == passes
        assert (PASS in [candidate.move for candidate in GAME.candidates(ask, one.state, lang)]) != passes
    said = {"fr": "on ne passe pas", "en": "no passing"}[lang]
    assert said in GAME.tell(played.events[0], None, lang)


def test_the_board_marks_the_tiles_that_match_the_dice() -> None:
    played = without_passing()
    assert 'class="in b m"' in GAME.draw(played.state, BOB, "en", Scene())
    drawn = {
        picking: GAME.draw(Played(3, ALICE, ["N16", "N31"], ("Y", 3), picking).state, BOB, "en", Scene())
        for picking in ("turns", "compulsory", "grab")
    }
    assert drawn["compulsory"] == drawn["turns"] != drawn["grab"]


def test_without_passing_the_clock_takes_a_tile_with_the_fewest_animals() -> None:
    assert GAME.fallback(without_passing().state, BOB, LUCK) == Take("N30")


def test_without_passing_bots_take_a_tile() -> None:
    state = without_passing().state
    assert isinstance(greedy(PlayerView(state, 3), BOB, LUCK), Take)
    assert isinstance(quick(PlayerView(state, 3), BOB, LUCK), Take)


def test_without_passing_an_order_to_pass_is_refused_and_not_offered() -> None:
    state = without_passing().state
    for order in (Always[Any](kind="pick", move=PASS), Prefer[Any](kind="pick", moves=(Take("N20"), PASS))):
        refused = refusal_of_order(order, GAME, state, CAROL)
        assert refused is not None
        assert refused.code == "must_take"
    assert refusal_of_order(Always[Any](kind="claim", move=PASS), GAME, state, CAROL) is None
    assert PASS not in GAME.answers("pick", state, CAROL)
    assert PASS in GAME.answers("claim", state, CAROL)
    assert not any(
        isinstance(move, Pass)
        for order in GAME.typical(PlayerView(state, 3), CAROL, LUCK)
        if isinstance(order, Prefer)
        for move in order.moves
    )
