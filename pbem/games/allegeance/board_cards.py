"""The cards on a drawn board of Allégeance, what is said of them, and what marks that they can be touched."""

from collections.abc import Sequence

from pbem.games.allegeance.meta import COLOURS
from pbem.kit import board
from pbem.kit.contract import Link
from pbem.kit.svg import box, linked, number, symbol


def face(card: str | None, x: float, y: float, scale: float) -> str:
    """A card of 100 by 140 units times the scale; its back if it is not known."""
    if card is None:
        return symbol("back", x, y, 100 * scale, 140 * scale)
    return board.face(card, COLOURS[card[0]], x, y, scale)


def small(card: str | None, x: float, y: float, width: float, *, piece: bool = True) -> str:
    """A card in little; its back if it is not known. `piece` False: only a name of it."""
    return board.small(card, COLOURS[card[0]] if card else "", x, y, width, piece=piece)


def row(cards: Sequence[str | None], x: float, y: float, width: float, room: float) -> str:
    """Small cards side by side, one over the other where the room is short."""
    pitch = min(width + 3, (room - width) / max(1, len(cards) - 1))
    return "".join(small(card, x + pitch * at, y, width) for at, card in enumerate(cards))


def tongue(classes: str, x: float, y: float, width: float, height: float, more: str = "") -> str:
    """The cartouche of something said: a box whose tongue points down, ten units deep."""
    left, top, right, bottom = map(number, (x, y, x + width, y + height))
    inner_left, inner_top, inner_right, inner_bottom = map(number, (x + 6, y + 6, x + width - 6, y + height - 6))
    middle = x + width / 2
    points = (
        f"M{inner_left},{top} H{inner_right} Q{right},{top} {right},{inner_top} "
        f"V{inner_bottom} Q{right},{bottom} {inner_right},{bottom} "
        f"H{number(middle + 8)} L{number(middle)},{number(y + height + 10)} L{number(middle - 8)},{bottom} "
        f"H{inner_left} Q{left},{bottom} {left},{inner_bottom} V{inner_top} Q{left},{top} {inner_left},{top} Z"
    )
    return f'<path class="{classes}" d="{points}" stroke-width="1.8"{more}/>'


def touchable(drawn: str, x: float, y: float, width: float, height: float, link: Link | None) -> str:
    """What is drawn there, on the frame and foot of what can be pressed, if it leads somewhere."""
    return linked(drawn, link, box("ib", x - 3, y - 3, width + 6, height + 11, 9))
