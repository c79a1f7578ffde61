"""Below the map: the tiles of this round, to be taken or laid, and what everybody has."""

from typing import NamedTuple

from pbem.games.niigata import pieces
from pbem.games.niigata.chart import WIDTH
from pbem.games.niigata.ponds import points_of
from pbem.games.niigata.rules import takeable
from pbem.games.niigata.sight import Sight
from pbem.kit.contract import Link

EDGE = 10
TITLE = 48
"""How high the line above the tiles is; the buttons of `pan.js` stand at its end."""
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


def tray(sight: Sight, y: float) -> tuple[str, float]:
    """What can be taken and what is to be laid, or how a tile may be turned; and how high that is."""
    turned = sight.chosen("lay") if sight.turns else None
    slots = _taken_and_left(sight) if turned is None else _rotations(sight, turned)
    parts = [pieces.text("in", EDGE, y + 28, sight.words.tray(sight.phase, turned), 15)]
    y += TITLE
    if not slots:
        return "".join(parts), TITLE
    rows = 1 if len(slots) <= A_ROW else 2
    a_row = -(-len(slots) // rows)
    size = min(LARGEST, (WIDTH - 2 * EDGE) / a_row - 9)
    pitch = min(size + 26, (WIDTH - 2 * EDGE - size) / max(1, a_row - 1))
    for i, slot in enumerate(slots):
        row, column = divmod(i, a_row)
        parts.append(_slot(sight, slot, EDGE + column * pitch, y + row * (size + CAPTION), size))
    return "".join(parts), TITLE + rows * (size + CAPTION) - 4


def _rotations(sight: Sight, tile: str) -> list[Slot]:
    """The ways in which the chosen tile can lie."""
    said = sight.chosen("turn")
    return [
        Slot(tile, turn, QUARTERS[turn], link=link, chosen=said == str(turn), known=False)
        for turn, link in sight.turns.items()
    ]


def _taken_and_left(sight: Sight) -> list[Slot]:
    """The tiles still on display, then those in hand, of whoever lays next first; what is left at the end is lost."""
    fold, links = sight.fold, sight.scene.links
    if fold.over:
        return []
    good = takeable(fold) if fold.display and fold.picking == "turns" else frozenset(fold.display)
    slots = [Slot(tile, caption=tile, link=links.get(f"take-{tile}"), strong=tile in good) for tile in fold.display]
    taken = sight.chosen("take")
    if taken is not None and taken not in fold.display:
        slots.insert(_place_left(sight, taken), Slot(taken, caption=taken, owner=sight.viewer, chosen=True))
    first = fold.thrower if sight.phase == "pick" else sight.active or 0
    for step in range(fold.seats):
        seat = (first + step) % fold.seats
        own = seat == sight.viewer
        for tile in fold.hands[seat]:
            if own and tile == taken:
                continue
            chosen = own and tile == sight.chosen("lay")
            link = links.get(f"lay-{tile}") if own else None
            slots.append(Slot(tile, caption=tile, owner=seat, link=link, chosen=chosen))
    return slots


def _place_left(sight: Sight, taken: str) -> int:
    """Where in the display the chosen tile was, as far as the order of the others' links tells."""
    steps = [step.removeprefix("take-") for step in sight.scene.links]
    behind = steps[steps.index(taken) + 1 :] if taken in steps else []
    display = sight.fold.display
    return next((display.index(tile) for tile in behind if tile in display), len(display))


def _slot(sight: Sight, slot: Slot, x: float, y: float, size: float) -> str:
    drawn = pieces.tile(slot.tile, slot.rotation, x, y, size / 100, known=slot.known)
    low = y + size + 22
    weight = "in b m" if slot.strong else "i2 m"
    if slot.owner is None:
        name = pieces.text(weight, x + size / 2, low, slot.caption, 14)
    else:
        name = pieces.seat_mark(slot.owner, x + size / 2 - 26, low - 15, 20)
        name += pieces.text(weight, x + size / 2 + 12, low, slot.caption, 14)
    if slot.chosen:
        drawn = pieces.box("se", x - 4, y - 4, size + 8, size + 12, 6) + drawn
        return pieces.linked(drawn, slot.link) + pieces.seal(x + size - 16, y - 8, 24) + name
    if slot.link is not None:
        return pieces.linked(pieces.box("ib", x - 3, y - 3, size + 6, size + 11, 6) + drawn, slot.link) + name
    spot = sight.spot(slot.tile, x - 6, y + size - 14, 20) if slot.known else ""
    return drawn + spot + name


# --- everybody -----------------------------------------------------------------------------------------------


def seats(sight: Sight, y: float) -> tuple[str, float]:
    """Everybody, the viewer first: points, breeders left, what is wasted; and how high that is."""
    fold = sight.fold
    wide = (WIDTH - 2 * EDGE - 8) / 2
    parts = []
    for i in range(fold.seats):
        seat = ((sight.viewer or 0) + i) % fold.seats
        row, column = divmod(i, 2)
        parts.append(_card(sight, seat, EDGE + column * (wide + 8), y + 4 + row * (CARD + 6), wide))
    return "".join(parts), 4 + -(-fold.seats // 2) * (CARD + 6) + 4


def _card(sight: Sight, seat: int, x: float, y: float, wide: float) -> str:
    fold, words = sight.fold, sight.words
    busy = sight.asked(seat) or (fold.over is not None and seat in fold.winners)
    edge = pieces.box("n li", x, y, wide, CARD, 5, ' stroke-width="2.5"') if busy else ""
    ground = edge or pieces.box("n ln", x, y, wide, CARD, 5, ' stroke-width="1"')
    parts = [
        ground,
        pieces.seat_mark(seat, x + 7, y + 6, 24),
        pieces.text("in b", x + 37, y + 24, f"{{{seat}:9}}", 15),
        pieces.text("in b e", x + wide - 8, y + 24, words.points.format(points_of(fold, seat)), 15),
    ]
    for i in range(fold.breeders[seat]):
        hat = pieces.symbol("breeder", x + 8 + 20 * i, y + 32, 18, 21.6, f' class="c{seat + 1}"')
        parts.append(f'<g data-token="breeder-{seat}-{i}">{hat}</g>')
    if not fold.breeders[seat]:
        parts.append(pieces.text("i2", x + 8, y + 48, words.none_left, 13))
    parts.append(pieces.text("i2 e", x + wide - 8, y + 48, _says(sight, seat), 13))
    return "".join(parts)


def _says(sight: Sight, seat: int) -> str:
    fold, words = sight.fold, sight.words
    said = [words.wasted.format(fold.wasted[seat])] if fold.wasted[seat] else []
    if fold.over:
        said += [words.winner] if seat in fold.winners else []
    elif fold.phase == "pick" and fold.passed[seat]:
        said.append(words.stopped)
    return " · ".join(said)
