"""What people type, and what is no move of Niigata however it is sent."""

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given

from pbem.games.niigata import GAME
from pbem.kit.codec import codec_for
from pbem.kit.contract import Move
from pbem.kit.texts import LANGS, Lang
from tests.games.niigata.examples import MOVES
from tests.games.niigata.tables import ALICE, BOB, Played, match_with_hands
from tests.harness.cases import cases


@pytest.mark.long
@given(MOVES)
def test_west_may_be_written_in_french(move: Move) -> None:
    written = GAME.format(move)
    assert GAME.parse(written.replace("W", "O")) == move
    assert GAME.parse(written.lower().replace("w", "o")) == move


@cases("turn, short", [("turned 90", "r1"), ("tournée 90", "r1"), ("half turn", "r2"), ("demi-tour", "r2")])
def test_the_rotations_shown_in_words_in_the_rules_are_understood(turn: str, short: str) -> None:
    assert GAME.format(GAME.parse(f"place N20 1N {turn}")) == f"place N20 1N {short}"


@cases("lang", LANGS)
def test_every_move_label_can_be_typed_as_its_move(lang: Lang) -> None:
    picking = Played(2, ALICE, ["N11", "N12", "N16", "N20"], ("Y", 3))
    laying = match_with_hands(["N03"], ["N02"])
    claiming = match_with_hands(["N03"], ["N02"])
    claiming.all_play("place N03 1E r3", "place N02 1N")
    for played, seat in ((picking, BOB), (laying, ALICE), (claiming, BOB)):
        own = played.fold_of(seat)
        for move in GAME.legal(own, seat):
            said = GAME.label(move, own, lang).replace("{", "").replace("}", "")
            short = re.split(r"\u00a0?:|\. ", said)[0].replace("Vous ", "").replace("You ", "")
            assert GAME.parse(short) == move, short


@cases(
    "move",
    [
        {"type": "Take", "tile": "N80"},
        {"type": "Take", "tile": "I"},
        {"type": "Take"},
        {"type": "Place", "tile": "N20", "cell": "", "rotation": 0},
        {"type": "Place", "tile": "N20", "cell": "1N\n", "rotation": 0},
        {"type": "Place", "tile": "N20", "cell": "0N", "rotation": 0},
        {"type": "Place", "tile": "N20", "cell": "100N", "rotation": 0},
        {"type": "Place", "tile": "N20", "cell": "1N1E", "rotation": 0},
        {"type": "Place", "tile": "N20", "cell": "1N", "rotation": 4},
        {"type": "Claim", "pond": "1N"},
        {"type": "Claim", "pond": "1N.Q"},
        {"type": "Pass", "why": 1},
        {"type": "Call", "clan": "M"},
    ],
)
def test_a_move_of_another_shape_is_not_decoded(move: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        codec_for(GAME).move_of(move)
