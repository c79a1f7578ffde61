"""The part below the map: the tiles of this round, to take or to lay, and what everybody has."""

from typing import NamedTuple

from pbem.games.niigata import board_pieces as pieces
from pbem.games.niigata import words
from pbem.games.niigata.board_chart import WIDTH
from pbem.games.niigata.board_view import View
from pbem.games.niigata.rules import takeable
from pbem.games.niigata.rules_ponds import points_of
from pbem.kit.contract import Link
from pbem.kit.drawing.svg import box, linked, seal, seat_mark, symbol, text, token
from pbem.kit.words import WON, seen_from

EDGE = 10
TITLE = 48
"""The height of the line above the tiles; the buttons of `pan.js` are at its end."""
CAPTION = 34
CARD = 56
A_ROW = 6
LARGEST = 60
QUARTERS = ("0", "¼", "½", "¾")


class Slot(NamedTuple):
    """A tile of the tray."""

    tile: str
    rotation: int = 0
    caption: str = ""
    owner: int | None = None
    link: Link | None = None
    chosen: bool = False
    known: bool = True
    """Whether this is the tile itself, not a picture of how it could lie."""
    strong: bool = True


def tray(view: View, y: float) -> tuple[str, float]:
    """Draws the tiles to take and to lay, or the rotations of the chosen one; returns their height, too."""
    turned = view.choice("lay") if view.turns else None
    slots = _taken_and_left(view) if turned is None else _rotations(view, turned)
    parts = [text("in", EDGE, y + 28, _title(view, turned), 15)]
    y += TITLE
    if not slots:
        return "".join(parts), TITLE
    rows = 1 if len(slots) <= A_ROW else 2
    a_row = -(-len(slots) // rows)
    size = min(LARGEST, (WIDTH - 2 * EDGE) / a_row - 9)
    pitch = min(size + 26, (WIDTH - 2 * EDGE - size) / max(1, a_row - 1))
    for i, slot in enumerate(slots):
        row, column = divmod(i, a_row)
        parts.append(_slot(view, slot, EDGE + column * pitch, y + row * (size + CAPTION), size))
    return "".join(parts), TITLE + rows * (size + CAPTION) - 4


def _title(view: View, turned: str | None) -> str:
    """Returns the title over the tiles below the map: what they are for."""
    if turned:
        return words.TURNING[view.lang].format(turned)
    return words.TRAYS[view.phase][view.lang] if view.phase in words.TRAYS else ""


def _rotations(view: View, tile: str) -> list[Slot]:
    """Returns the possible rotations of the chosen tile."""
    said = view.choice("turn")
    return [
        Slot(tile, turn, QUARTERS[turn], link=link, chosen=said == str(turn), known=False)
        for turn, link in view.turns.items()
    ]


def _taken_and_left(view: View) -> list[Slot]:
    """Returns the tiles on display, then those in hand, the next player's first; those left at the end are lost."""
    fold = view.fold
    if fold.over:
        return []
    good = takeable(fold) if fold.display and fold.picking == "turns" else frozenset(fold.display)
    slots = [Slot(tile, caption=tile, link=view.link(f"take-{tile}"), strong=tile in good) for tile in fold.display]
    taken = view.choice("take")
    if taken is not None and taken not in fold.display:
        slots.insert(_place_left(view, taken), Slot(taken, caption=taken, owner=view.viewer, chosen=True))
    first = fold.thrower if view.phase == "pick" else view.active or 0
    for seat in seen_from(first, fold.seats):
        own = seat == view.viewer
        for tile in fold.hands[seat]:
            if own and tile == taken:
                continue
            chosen = own and tile == view.choice("lay")
            link = view.link(f"lay-{tile}") if own else None
            slots.append(Slot(tile, caption=tile, owner=seat, link=link, chosen=chosen))
    return slots


def _place_left(view: View, taken: str) -> int:
    """Returns the place of the chosen tile in the display, as far as the order of the other links shows it."""
    steps = [step.removeprefix("take-") for step in view.scene.links]
    behind = steps[steps.index(taken) + 1 :] if taken in steps else []
    display = view.fold.display
    return next((display.index(tile) for tile in behind if tile in display), len(display))


def _slot(view: View, slot: Slot, x: float, y: float, size: float) -> str:
    drawn = pieces.tile(slot.tile, slot.rotation, x, y, size / 100, known=slot.known)
    low = y + size + 22
    weight = "in b m" if slot.strong else "i2 m"
    if slot.owner is None:
        name = text(weight, x + size / 2, low, slot.caption, 14)
    else:
        name = seat_mark(slot.owner, x + size / 2 - 26, low - 15, 20)
        name += text(weight, x + size / 2 + 12, low, slot.caption, 14)
    if slot.chosen:
        drawn = box("se", x - 4, y - 4, size + 8, size + 12, 6) + drawn
        return linked(drawn, slot.link) + seal(x + size - 16, y - 8, 24) + name
    if slot.link is not None:
        return linked(drawn, slot.link, box("ib", x - 3, y - 3, size + 6, size + 11, 6)) + name
    spot = view.spot_of(slot.tile, x - 6, y + size - 14, 20) if slot.known else ""
    return drawn + spot + name


# --- everybody -----------------------------------------------------------------------------------------------


def seats(view: View, y: float) -> tuple[str, float]:
    """Everybody, the viewer first: points, breeders left, waste; and the height of all this."""
    fold = view.fold
    wide = (WIDTH - 2 * EDGE - 8) / 2
    parts = []
    for i, seat in enumerate(seen_from(view.viewer, fold.seats)):
        row, column = divmod(i, 2)
        parts.append(_card(view, seat, EDGE + column * (wide + 8), y + 4 + row * (CARD + 6), wide))
    return "".join(parts), 4 + -(-fold.seats // 2) * (CARD + 6) + 4


def _card(view: View, seat: int, x: float, y: float, wide: float) -> str:
    fold, lang = view.fold, view.lang
    busy = view.is_asked(seat) or (fold.over is not None and seat in fold.winners)
    edge = box("n li", x, y, wide, CARD, 5, ' stroke-width="2.5"') if busy else ""
    ground = edge or box("n ln", x, y, wide, CARD, 5, ' stroke-width="1"')
    parts = [
        ground,
        seat_mark(seat, x + 7, y + 6, 24),
        text("in b", x + 37, y + 24, f"{{{seat}:9}}", 15),
        text("in b e", x + wide - 8, y + 24, words.POINTS[lang].format(points_of(fold, seat)), 15),
    ]
    for i in range(fold.breeders[seat]):
        hat = symbol("breeder", x + 8 + 20 * i, y + 32, 18, 21.6, f"c{seat + 1}")
        parts.append(token(hat, f"breeder-{seat}-{i}"))
    if not fold.breeders[seat]:
        parts.append(text("i2", x + 8, y + 48, words.NONE_LEFT[lang], 13))
    parts.append(text("i2 e", x + wide - 8, y + 48, _says(view, seat), 13))
    return "".join(parts)


def _says(view: View, seat: int) -> str:
    fold, lang = view.fold, view.lang
    said = [words.WASTED[lang].format(fold.wasted[seat])] if fold.wasted[seat] else []
    if fold.over:
        said += [WON[lang]] if seat in fold.winners else []
    elif fold.phase == "pick" and fold.passed[seat]:
        said.append(words.STOPPED[lang])
    return " · ".join(said)
