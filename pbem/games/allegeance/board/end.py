"""The picture of a match that is over: the Door stands open, and the winner's tokens shine behind it."""

from pbem.games import samurai
from pbem.kit.contract import Outcome
from pbem.kit.drawing import ends
from pbem.kit.drawing.svg import number, sky

_CARDS = (("T3", 18, 44, -8), ("F1", 112, 30, -3), ("B2", 208, 30, 3), ("M4", 308, 36, 8))
_FRAME = (
    '<rect class="in" x="464" y="22" width="252" height="128"/>'
    '<rect class="go" x="480" y="34" width="220" height="116"/>'
)
_LINTEL = '<path class="in" d="M446,6 H734 L724,28 H456 Z"/>'


def draw(outcome: Outcome | None) -> str:
    """Draws the Door with the winner's tokens, counted, in it; it stays shut if nobody has won."""
    won = outcome is not None and bool(outcome.winners)
    inside = '<circle class="se" cx="590" cy="98" r="54"/>' + ends.award(outcome, 590, 94, 50) if won else ""
    leaves = (
        _draw_door_leaf(472, 46) + _draw_door_leaf(662, 46)
        if won
        else _draw_door_leaf(480, 108) + _draw_door_leaf(592, 108)
    )
    cards = "".join(ends.tilt(samurai.draw_card_front(card), x, y, 0.9, turn) for card, x, y, turn in _CARDS)
    return ends.band(
        sky("sk", 0, 0, ends.WIDTH, ends.HEIGHT, "dusk") + cards + _FRAME + inside + leaves + _LINTEL, outcome
    )


def _draw_door_leaf(x: float, width: float) -> str:
    """Draws one leaf of the Door: a narrow one stands open."""
    wide = (width - 30) / 2
    panels = "".join(
        f'<rect class="lb" x="{number(x + 10 + column * (wide + 10))}" y="{46 + row * 56}" width="{number(wide)}"'
        ' height="46" stroke-width="2.5"/>'
        for row in range(2)
        for column in range(2)
    )
    return f'<rect class="nb" x="{number(x)}" y="34" width="{number(width)}" height="116"/>{panels}'
