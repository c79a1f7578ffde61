"""The tiles of the round on a drawn board of Niigata, to take or to lay, and the ways in which one can lie."""

from typing import NamedTuple

from pbem.games.niigata import words
from pbem.games.niigata.board import pieces
from pbem.games.niigata.board.view import View
from pbem.games.niigata.board.window import THUMB
from pbem.games.niigata.facts_state import tiles_matching_dice
from pbem.games.niigata.rules import RULES
from pbem.kit.contract import Link
from pbem.kit.drawing.board import panel
from pbem.kit.drawing.grid import Box, Sizes, fitted
from pbem.kit.drawing.svg import box, dashes, linked, number, seal, symbol, text, token
from pbem.kit.words import WINS

_LINE = 36
"""A panel this many letters wide has its heading in one line; a narrower one, in two."""


# --- the tiles of this round ---------------------------------------------------------------------------------


_NOTHING = "pass"
_PHONE = ("portrait", "low")


class Slot(NamedTuple):
    """A tile of the tray, or `_NOTHING`. `refused` leads to why it cannot be taken."""

    tile: str
    link: Link | None = None
    chosen: bool = False
    strong: bool = True
    refused: Link | None = None


def tray_height(view: View, width: float) -> float:
    """Returns how high the tray is in a region of this width."""
    sizes, slots = view.sizes, _slots_of_tray(view)
    if _is_text_beside_tiles(view, slots, width):
        return sizes.touch + _foot_and_name_height(sizes) + sizes.gap * 2
    rows = _count_rows_of_tiles(view, len(slots), width)
    return _head_height(sizes, width) + rows * (sizes.touch + _foot_and_name_height(sizes)) + (sizes.gap if rows else 0)


def draw_tray(view: View, at: Box) -> str:
    """Draws what the dice ask for, whose turn it is, and the tiles to take or to lay."""
    sizes, slots = view.sizes, _slots_of_tray(view)
    edge = _first_tile_margin(sizes)
    if _is_text_beside_tiles(view, slots, at.width):
        size = at.height - _foot_and_name_height(sizes) - sizes.gap * 2
        x, pitch = at.x + edge, size + sizes.gap * 3
        drawn = "".join(
            _draw_tile_of_tray(view, slot, x + n * pitch, at.y + sizes.gap + sizes.frame, size)
            for n, slot in enumerate(slots)
        )
        x += len(slots) * pitch
        return panel(at) + drawn + _draw_short_head(view, Box(x, at.y, at.right - x, at.height))
    drawn = panel(at) + _draw_tray_head(view, at)
    rows = _count_rows_of_tiles(view, len(slots), at.width)
    if not rows:
        return drawn
    top = at.y + _head_height(sizes, at.width)
    a_row = -(-len(slots) // rows)
    high = (at.bottom - top - sizes.gap) / rows
    size = fitted(a_row, at.width - 2 * edge, sizes.gap * 2, high - _foot_and_name_height(sizes))
    pitch = min(size * 1.5, (at.width - 2 * edge - size) / max(1, a_row - 1))
    for n, slot in enumerate(slots):
        row, column = divmod(n, a_row)
        drawn += _draw_tile_of_tray(view, slot, at.x + edge + column * pitch, top + row * high + sizes.frame, size)
    return drawn


def _is_text_beside_tiles(view: View, slots: list[Slot], width: float) -> bool:
    """True if the few tiles to lay have what else there is to say beside them: there is no room for more lines."""
    return view.phase in ("place", "claim") and 0 < len(slots) <= 3 and width <= _LINE * view.sizes.text


def _first_tile_margin(sizes: Sizes) -> float:
    """Returns how far the first tile is from the edge of its panel."""
    return sizes.inset * 0.8 + sizes.frame


def _foot_and_name_height(sizes: Sizes) -> float:
    """Returns the height of a tile's foot and name."""
    return sizes.frame + sizes.foot + sizes.text * 1.15


def _count_rows_of_tiles(view: View, count: int, width: float) -> int:
    """Returns in how many rows this many tiles lie: in two where they would be too small to be touched."""
    if not count:
        return 0
    sizes = view.sizes
    least = THUMB - 2 * sizes.frame if view.scene.shape in _PHONE else sizes.touch * 0.9
    return 1 if fitted(count, width - 2 * _first_tile_margin(sizes), sizes.gap * 2, sizes.touch) >= least else 2


def _head_height(sizes: Sizes, width: float) -> float:
    return sizes.mark * (1.5 if width > _LINE * sizes.text else 2.3)


def _draw_dice(view: View, x: float, y: float, side: float) -> str:
    """Draws the dice; "" before they are thrown, and at the end."""
    fold = view.fold
    if not fold.colour or fold.over:
        return ""
    colour = token(symbol(f"die-{fold.colour.lower()}", x, y, side, side), "die-colour")
    return colour + token(symbol(f"die-{fold.number}", x + side + 2, y, side, side), "die-number")


def _draw_short_head(view: View, at: Box) -> str:
    """Draws whose turn it is, and below it the dice alone."""
    sizes = view.sizes
    side = sizes.mark * 1.2
    dice = _draw_dice(view, at.x, at.bottom - side - sizes.gap * 2.5, side)
    line = at.y + sizes.gap * 2 + sizes.name
    stock = _draw_stock(view, at.right - sizes.inset, at.bottom - side * 1.8, side, one_line=False)
    return text("in b", at.x, line, _turn_or_winner_in_words(view), sizes.name) + dice + stock


def _draw_tray_head(view: View, at: Box) -> str:
    """Draws the dice, whose turn it is, what the dice ask for, and the stock with the round."""
    sizes, fold, lang = view.sizes, view.fold, view.lang
    one_line = at.width > _LINE * sizes.text
    x, side = at.x + sizes.inset, sizes.mark * (1.1 if one_line else 1.55)
    top = at.y + sizes.gap * 1.4
    drawn = _draw_dice(view, x, top, side)
    x += 2 * side + sizes.gap * 2 if drawn else 0
    line = top + (side * 0.72 if one_line else sizes.name * 0.85)
    drawn += text("in b", x, line, _turn_or_winner_in_words(view), sizes.name)
    end = at.right - sizes.inset
    if not fold.over:
        drawn += _draw_stock(view, end, top, side, one_line=one_line)
    asked = _dice_or_end_in_words(view)
    if one_line:
        end -= 0 if fold.over else sizes.text * 0.55 * len(words.ROUND[lang].format(fold.round)) + side * 1.7
        return drawn + text("i2 e", end, line, asked.partition(", ")[2] or asked, sizes.text)  # a die shows the colour
    return drawn + text("i2", x, line + sizes.text * 1.25, asked, sizes.text)


def _turn_or_winner_in_words(view: View) -> str:
    """Returns whose turn it is, or who won; "" if the match is over without the rules."""
    fold, active = view.fold, view.acting_seat
    if fold.over:
        return view.to(WINS, fold.winners[0]) if len(fold.winners) == 1 else words.SEVERAL[view.lang]
    if view.scene.over:
        return ""
    if active is not None:
        return view.to(words.TURN[view.phase], active, 8)
    return (words.GRAB if view.phase == "pick" else words.WAITING)[view.lang]


def _dice_or_end_in_words(view: View) -> str:
    """Returns what the dice ask for, or why the match is over."""
    fold, lang = view.fold, view.lang
    if fold.over:
        return RULES.endings[fold.over][lang]
    if fold.colour is None or view.scene.over:
        return ""
    return f"{words.DIE[fold.colour][lang]}, {words.MOST[lang].format(fold.number)}"


def _draw_stock(view: View, end: float, top: float, side: float, *, one_line: bool) -> str:
    """Draws the pile of tiles with their number, and the round beside or below."""
    sizes, left = view.sizes, len(view.fold.stock)
    size = side if one_line else max(side * 0.72, sizes.text * 1.75)
    said = words.ROUND[view.lang].format(view.fold.round)
    x = end - size
    edges = "".join(box("pa ol", x - 3 * i, top + 3 * i, size, size, 3, ' stroke-width="1.5"') for i in (1, 0))
    pile = token(edges if left else box("fr ln", x, top, size, size, 3, ' stroke-width="1.5"'), "stock")
    pile += text("in b m", x + size / 2, top + size * 0.5 + sizes.text * 0.36, str(left), sizes.text)
    if one_line:
        return pile + text("i2 e", x - sizes.gap * 2, top + side * 0.72, said, sizes.text)
    return pile + text("i2 e", end, top + size + sizes.text * 1.15, said, sizes.text)


def _slots_of_tray(view: View) -> list[Slot]:
    """Returns the tiles on display and the viewer's own, on a phone with a place to pass.

    The tiles left at the end are lost.
    """
    fold = view.fold
    if fold.over:
        return []
    good = tiles_matching_dice(fold) if fold.display and fold.picking != "grab" else frozenset(fold.display)
    slots = [
        Slot(tile, view.link(f"take-{tile}"), strong=tile in good, refused=view.refusal(f"take-{tile}"))
        for tile in fold.display
    ]
    taken = view.choice("take")
    if taken is not None and taken not in fold.display:
        # The chosen tile stays in its place, as far as the order of the other links shows it.
        steps = [step.removeprefix("take-") for step in view.scene.links]
        behind = steps[steps.index(taken) + 1 :] if taken in steps else []
        place = next((fold.display.index(tile) for tile in behind if tile in fold.display), len(fold.display))
        slots.insert(place, Slot(taken, chosen=True))
    laid = view.choice("lay")
    for tile in _own_tiles(view):
        if tile != taken:
            slots.append(Slot(tile, view.link_instead(f"lay-{tile}"), chosen=tile == laid))
    passes, passed = view.link(_NOTHING), view.chosen(_NOTHING)
    if view.scene.shape in _PHONE and (passes or passed):  # a large screen has it beside the board
        slots.append(Slot(_NOTHING, passes, passed))
    return slots


def _own_tiles(view: View) -> list[str]:
    """Returns the viewer's tiles; the one that they would lay keeps its place."""
    if view.viewer is None:
        return []
    hand, laid = [*view.fold.hands[view.viewer]], view.choice("lay")
    before = [step.removeprefix("lay-") for step in (*view.scene.others, *view.scene.links) if step.startswith("lay-")]
    return before if laid in before else [*([laid] if laid and laid not in hand else []), *hand]


def _draw_tile_of_tray(view: View, slot: Slot, x: float, y: float, size: float) -> str:
    """Draws a tile of the tray with its name; of one that was laid, the place it left."""
    sizes, edge, foot = view.sizes, view.sizes.frame, view.sizes.foot
    weight = "in b m" if slot.strong else "i2 m"
    said = slot.tile if slot.tile != _NOTHING else (words.PASS if view.phase == "pick" else words.NONE)[view.lang]
    name = text(weight, x + size / 2, y + size + foot + sizes.text * 0.95, said, sizes.text)
    if slot.tile in {str(laid.tile) for laid in view.fold.laid.values()}:
        place = box("sl", x + 1, y + 1, size - 2, size - 2, 4, ' stroke-width="2" stroke-dasharray="6 5"')
        return place + name
    drawn = (
        _draw_place_to_pass(view, x, y, size)
        if slot.tile == _NOTHING
        else pieces.draw_tile(slot.tile, 0, x, y, size / 100)
    )
    if slot.chosen:
        drawn = box("se", x - edge, y - edge, size + 2 * edge, size + edge + foot, 6) + drawn
        mark = min(sizes.seal, size * 0.45)
        return linked(drawn, slot.link) + seal(x + size - mark * 0.8, y + size - mark * 0.75, mark) + name
    if slot.link is not None:
        return linked(drawn, slot.link, box("ib", x - edge, y - edge, size + 2 * edge, size + edge + foot, 6)) + name
    # The number of the line that tells how the tile came into a hand.
    spot = view.spot(
        view.story_by_cell_tile_or_pond.get(slot.tile), x - size * 0.06, y + size * 0.94 - sizes.spot, sizes.spot
    )
    area = (x - edge, y - edge, size + 2 * edge, size + edge + foot)
    return linked(drawn, slot.refused, box("n", *area, 6, ' pointer-events="all"')) + spot + name


def _draw_place_to_pass(view: View, x: float, y: float, size: float) -> str:
    """Draws the place to pass: no tile, or no breeder."""
    drawn, seat = box("pa", x, y, size, size, 4), view.viewer or 0
    if view.phase == "pick":
        drawn += box("ln", x + size * 0.22, y + size * 0.22, size * 0.56, size * 0.56, 3, dashes(1.5, "4 3"))
    else:
        drawn += symbol("breeder", x + size * 0.24, y + size * 0.19, size * 0.52, size * 0.624, f"c{seat + 1}")
    across = f"M{number(x + size * 0.14)},{number(y + size * 0.86)}L{number(x + size * 0.86)},{number(y + size * 0.14)}"
    return drawn + f'<path class="li" d="{across}" stroke-width="2.4"/>'


# --- the ways in which a tile can lie --------------------------------------------------------------------------


def number_of_pad_rows(view: View) -> float:
    """Returns how many rows the pad has: none if there is no rotation to choose."""
    return 1.9 if view.link_by_rotation else 0


def draw_pad_of_rotations(view: View, at: Box) -> str:
    """Draws the possible rotations of the chosen tile."""
    sizes, tile, said = view.sizes, view.choice("lay"), view.choice("turn")
    if tile is None:
        return ""
    edge, foot, gap = sizes.frame, sizes.foot, sizes.gap * 2 + sizes.frame * 2
    asked = words.TURNING[view.lang].format(tile)
    if at.height < sizes.touch * 2:  # no room for a line above: the tile's name is beside
        drawn, top = text("in b e", at.right, at.y + at.height / 2 + sizes.name * 0.3, tile, sizes.name), at.y
    else:
        drawn, top = text("in b", at.x + edge, at.y + sizes.text, asked, sizes.text), at.y + sizes.text * 1.5
    size = fitted(4, at.width - 2 * edge, gap, at.bottom - top - 2 * edge - foot)
    for n, (turn, link) in enumerate(view.link_by_rotation.items()):
        x, y, chosen = at.x + edge + n * (size + gap), top + edge, said == str(turn)
        frame = box("se" if chosen else "ib", x - edge, y - edge, size + 2 * edge, size + edge + foot, 6)
        drawn += linked(pieces.draw_tile(tile, turn, x, y, size / 100, known=False), link, frame)
        if chosen:
            mark = min(sizes.seal, size * 0.4)
            drawn += seal(x + size - mark * 0.8, y + size - mark * 0.75, mark)
    return drawn


def draw_pad_panel(view: View, at: Box) -> str:
    """Draws the pad on a panel of the board."""
    inside = view.sizes.inset * 0.8
    return panel(at) + draw_pad_of_rotations(view, at.inside(inside))
