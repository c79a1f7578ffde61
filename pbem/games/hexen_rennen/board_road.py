"""The upper part of a drawn board of Hexen Rennen: night, start, the winding course of 48 tiles, the goal."""

from functools import cache

from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.board_tiles import SIDE, badge, dashed, hidden, plate, tile, witch
from pbem.games.hexen_rennen.board_view import View
from pbem.games.hexen_rennen.facts import COURSE, GOAL, points
from pbem.kit.drawing import svg
from pbem.kit.drawing.svg import box, linked, number, seal, symbol, text

_RISE = (90, 87, 84, 82, 82, 84, 87, 90)
"""The height of each tile in a row: the road is not quite straight."""
_ROW, _STAGE, _PITCH = 51, 129, 43.5
_HOUSES = (72, 169, 266)
_GOAL_TOP = 458
_START_TOP = 26

PANEL_TOP = 516
"""The upper edge of the panel below the goal."""


def corner(place: int) -> tuple[float, float]:
    """Returns the upper left corner of a tile; rows of eight run back and forth.

    >>> corner(1), corner(8), corner(9), corner(17)
    ((6.0, 90), (310.5, 90), (310.5, 141), (6.0, 219))
    """
    stage, at = divmod(place - 1, 16)
    column = at if at < 8 else 15 - at
    return 6 + _PITCH * column, _RISE[column] + (_ROW if at > 7 else 0) + _STAGE * stage


# --- sky, road and start -----------------------------------------------------------------------------------


def sky(height: float) -> str:
    """Night with a moon over firs."""
    moon = '<circle class="fh" cx="262" cy="42" r="15"/>'
    return f'{svg.sky("ng", -8, -8, 376, height)}{moon}<path class="hb" d="{_firs()}"/>'


@cache
def _firs() -> str:
    """Firs on the horizon."""
    trees = ((76, 30), (94, 22), (196, 24), (214, 36), (236, 26), (296, 24), (314, 38), (340, 30))
    return " ".join(f"M{x - 0.36 * h:.3g},76 L{x},{76 - h} L{x + 0.36 * h:.3g},76 Z" for x, h in trees)


@cache
def _road() -> str:
    """Draws the path under the tiles with a bend at the end of each row, and the two broomsticks across it."""
    middle = [(x + 22, y + 22) for x, y in map(corner, range(1, COURSE + 1))]
    path = [f"M{number(middle[0][0])},{number(middle[0][1])}"]
    for at, (x, y) in enumerate(middle[1:], 1):
        to = f"{number(x)},{number(y)}"
        if at % 8:
            path.append(f"L{to}")
        else:
            out = number(x + (26 if x > 180 else -26))
            path.append(f"C{out},{number(middle[at - 1][1])} {out},{number(y)} {to}")
    line = f'<path class="pt" d="{" ".join(path)}" stroke-width="30" stroke-linejoin="round" stroke-linecap="round"/>'
    return line + symbol("broom", 30, 187, 300, 26) + symbol("broom", 30, 316, 300, 26)


def start(view: View) -> str:
    """Draws the witches that have not left yet, clan by clan."""
    parts = [text("nt b", 0, 56, words.START[view.lang], 15)]
    for seat, three in enumerate(view.fold.witches):
        waiting = three.count(0)
        x = 62 + 75 * seat
        group = "".join(witch(seat, x + 18 * i, _START_TOP + 4, 38) for i in range(waiting))
        link = view.link("fly-0")
        if link is not None and waiting and seat == view.fold.active:
            group = linked(box("tg", x - 6, _START_TOP, 30 + 18 * waiting, 50, 9) + _ground(x, waiting) + group, link)
        parts.append(group)
        if view.left == 0 and seat == view.fold.active:
            parts.append(dashed("sl", x + 18 * waiting, _START_TOP + 2, 32, 42))
    return "".join(parts)


def _ground(x: float, waiting: int) -> str:
    """Draws a dark ground in the frame of the witches that may fly, so that they stand out."""
    return box("ng", x - 4, _START_TOP + 2, 26 + 18 * waiting, 42, 7)


# --- the course --------------------------------------------------------------------------------------------


def course(view: View) -> str:
    """Draws the road with its tiles; those framed, numbered or sealed are drawn above their neighbours."""
    drawn = [_place(view, place) for place in range(1, COURSE + 1)]
    return _road() + "".join(drawn) + _goal(view)


def _place(view: View, place: int) -> str:
    """Draws a tile with its witch and its marks: frame, seal, gold, number."""
    fold, (x, y) = view.fold, corner(place)
    shown = fold.shown[place - 1]
    seat = view.standing.get(place)
    under = fold.tiles[place - 1]
    drawn = hidden(x, y, place, under) if shown is None else tile(shown, x, y, place, seat is not None)
    if seat is not None:
        drawn += witch(seat, x - 5, y - 3) + plate(x, y, place)
    if place in view.spots:
        drawn += view.spot(view.spots[place], x - 7 if place in view.targets else x + 31, y - 9, 19)
    return _mark(view, place, drawn, (x, y, SIDE, SIDE))


def _mark(view: View, place: int, drawn: str, at: tuple[float, float, float, float]) -> str:
    """Adds marks to the drawing of a place that was chosen, can be touched, or is new."""
    x, y, width, height = at
    frame = (x - 2, y - 2, width + 4, height + 9, 9)
    if place == view.landed or (view.stays and place == view.fold.witch):
        return box("se", *frame) + drawn + seal(x + width - 16, y - 9, 24)
    cards = view.targets.get(place, ())
    if cards:
        return _target(view, cards, box("tg", *frame) + drawn, (x + width - 4, y + 3))
    link = view.link_at(place)
    if link is not None and place != view.left:
        return linked(box("tg", *frame) + drawn, link)
    if place in view.landings:
        ring = dashed("hl", x - 1, y - 1, width + 2, height + 2)
        return linked(box("ng", x - 2, y - 2, width + 4, height + 4, 7) + drawn + ring, view.landings[place])
    if place == view.left:
        return drawn + dashed("sl", x + 1, y + 1, width - 2, height - 2)
    if place in view.spots and view.spots[place] == max(view.spots.values()):
        return box("fh", x - 3, y - 3, width + 6, height + 6, 10) + drawn
    return drawn


def _target(view: View, cards: tuple[str, ...], drawn: str, at: tuple[float, float]) -> str:
    """Draws a place to which cards lead: touching it plays the first of them; each other one has a disc below."""
    x, y = at
    links = [view.scene.links[f"card-{card}"] for card in cards]
    parts = [linked(drawn + badge(cards[0], x, y), links[0])]
    parts += [linked(badge(c, x, y + 26 * i, 14), links[i]) for i, c in enumerate(cards) if i]
    return "".join(parts)


# --- the goal ----------------------------------------------------------------------------------------------


def _goal(view: View) -> str:
    parts = [text("nt b", 0, _GOAL_TOP + 34, words.GOAL_SIGN[view.lang], 15)]
    parts += [_house(view, place, _HOUSES[place - COURSE - 1]) for place in range(COURSE + 1, GOAL + 1)]
    return "".join(parts)


def _house(view: View, place: int, x: float) -> str:
    """Draws a gable of straw with its value and the witches that have arrived there."""
    inside = [seat for seat, three in enumerate(view.fold.witches) for _ in range(three.count(place))]
    top = _GOAL_TOP
    straw = f'<path class="st" d="M{x},{top + 14} L{x + 44},{top} L{x + 88},{top + 14} V{top + 48} H{x} Z"/>'
    drawn = straw + text("sx b m", x + (14 if inside else 44), top + 40, str(points(place)), 26)
    pitch = min(20.0, 34 / max(1, len(inside) - 1))
    drawn += "".join(witch(seat, x + 24 + pitch * i, top + 10, 36) for i, seat in enumerate(inside))
    if place in view.spots:
        drawn += view.spot(view.spots[place], x - 6, top + 34, 19)
    return _mark(view, place, drawn, (x, top, 88, 48))
