"""The picture of a match that is over: the sun rises behind the palace, and its secret card has opened its eye."""

from pbem.games import samurai
from pbem.kit.contract import Outcome
from pbem.kit.drawing import ends
from pbem.kit.drawing.svg import coloured, sky, symbol

_PALACE = (
    '<path class="in" d="M18,140 C86,132 142,104 176,64 L184,54 H216 L224,64 C258,104 314,132 382,140 L370,158 '
    'C330,156 290,150 262,142 H138 C110,150 70,156 30,158 Z M84,156 H316 V300 H84 Z"/>'
    '<path class="pl" stroke-width="2.5" d="M54,146 C110,138 160,112 190,66 M346,146 C290,138 240,112 210,66 '
    'M120,140 C154,124 182,98 196,66 M280,140 C246,124 218,98 204,66"/>'
    '<path class="ln" stroke-width="3" d="M96,170 H304"/>'
)
_CARDS = (("F1", 6, 52, -9), ("M4", 98, 38, -5), ("B2", 194, 32, -2), ("T3", 290, 34, 2))


def draw(outcome: Outcome | None) -> str:
    """Draws the palace with the winner's mark at its door; without a winner the sun stays away and the eye shut."""
    won = outcome is not None and bool(outcome.winners)
    sun = '<circle class="se" cx="594" cy="66" r="60"/>' if won else ""
    cards = "".join(ends.tilt(samurai.draw_card_front(card), x, y, 0.9, turn) for card, x, y, turn in _CARDS)
    return ends.band(
        sky("sk", 0, 0, ends.WIDTH, ends.HEIGHT, "dusk")
        + sun
        + cards
        + ends.tilt(_PALACE, 446, -16, 0.74)
        + ends.award(outcome, 594, 127, 34)
        + ends.tilt(_draw_card_back_with_eye(open_=won), 392, 22, 0.92, 3),
        outcome,
    )


def _draw_card_back_with_eye(*, open_: bool) -> str:
    eye = symbol("eye" if open_ else "eye-shut", 28, 52, 44, 36)
    return symbol("back", 0, 0, 100, 140) + '<circle class="pa" cx="50" cy="70" r="31"/>' + coloured(eye, "c6")
