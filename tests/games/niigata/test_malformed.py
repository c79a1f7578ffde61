"""A move that has not the shape of Niigata's moves is not decoded."""

from typing import Any

import msgspec
import pytest

from pbem.games.niigata import GAME
from pbem.kit.codec import codec_for
from tests.harness.cases import cases


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
