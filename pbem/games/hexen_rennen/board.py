"""The drawn board of Hexen Rennen, 360 units wide: start, course, goal; below, cards and whose turn it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from pbem.games.hexen_rennen.board_words import BoardWords, words_for
from pbem.games.hexen_rennen.course import plays
from pbem.games.hexen_rennen.panel import panel
from pbem.games.hexen_rennen.pieces import (
    COURSE,
    GOAL,
    Carried,
    Drawn,
    Flew,
    Played,
    State,
    Turned,
    points,
)
from pbem.games.hexen_rennen.strokes import SIDE, badge, box, hidden, linked, number, seal, spot, text, tile, witch
from pbem.rules.contract import Event, Lang, Link, Scene, Viewer

_RISE = (70, 67, 64, 62, 62, 64, 67, 70)
"""How high the tiles of a row lie: the road is not quite straight."""
_ROW, _STAGE, _PITCH = 51, 129, 43.5
_HOUSES = (72, 169, 266)
_GOAL_TOP = 436
_PANEL_TOP = 498


def corner(place: int) -> tuple[float, float]:
    """The upper left corner of a tile; rows of eight run there and back.

    >>> corner(1), corner(8), corner(9), corner(17)
    ((6.0, 70), (310.5, 70), (310.5, 121), (6.0, 199))
    """
    stage, at = divmod(place - 1, 16)
    column = at if at < 8 else 15 - at
    return 6 + _PITCH * column, _RISE[column] + (_ROW if at > 7 else 0) + _STAGE * stage


@dataclass(frozen=True)
class _Board:
    """What every part of the drawing needs to know."""

    fold: State
    words: BoardWords
    scene: Scene
    standing: Mapping[int, int]
    """Which seat's witch stands on a tile."""
    spots: Mapping[int, int]
    """The story number of the newest thing that happened at a place."""
    targets: Mapping[int, tuple[str, ...]]
    """The cards that lead to a place and may be touched there."""

    @property
    def newest(self) -> int | None:
        """The story number that may fade in; none on a board that answers a click."""
        return None if self.scene.chosen or not self.scene.recent else self.scene.recent[-1][0]

    @property
    def landed(self) -> int | None:
        """Where the witch of the chosen move would be."""
        return self.fold.witch if any(s.startswith(("fly-", "card-")) for s in self.scene.chosen) else None

    @property
    def left(self) -> int | None:
        """The tile that the chosen witch left."""
        return next((int(s[4:]) for s in self.scene.chosen if s.startswith("fly-") and s[4:].isdigit()), None)

    def link(self, place: int) -> Link | None:
        """Where touching a tile leads: its witch flies, or the witch on a symbol is left there."""
        found = self.scene.links.get(f"fly-{place}")
        if found is None and place == self.fold.witch and self.fold.asked is not None:
            found = self.scene.links.get("leave")
        return found


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """The board as the viewer sees it; a tile that the fold does not know lies face down."""
    words = words_for(lang)
    board = _Board(fold, words, scene, _standing(fold), _spots(scene.recent), _targets(fold, scene))
    below, height = panel(fold, viewer, words, scene, _PANEL_TOP)
    inside = _sky(height) + _start(board) + _course(board) + _goal(board) + below
    label = words.seen_by_all if viewer is None else words.seen_by.replace("*", f"{{{viewer}}}")
    role = "group" if "<a " in inside else "img"
    return (
        f'<svg class="night-svg" viewBox="-8 -8 376 {height + 8}" role="{role}" aria-label="{label}" '
        f'font-family="Literata">{inside}</svg>'
    )


def _standing(fold: State) -> dict[int, int]:
    return {place: seat for seat, three in enumerate(fold.witches) for place in three if 0 < place <= COURSE}


def _spots(recent: tuple[tuple[int, Event], ...]) -> dict[int, int]:
    """Where the numbers of the newest events belong; a witch that moved on takes hers with her."""
    spots: dict[int, int] = {}
    for story, event in recent:
        match event:
            case Turned(place):
                spots[place] = story
            case Flew() | Carried() | Played() | Drawn():
                spots.pop(event.origin, None)
                spots[event.target] = story
    return spots


def _targets(fold: State, scene: Scene) -> dict[int, tuple[str, ...]]:
    """The places to which a card leads that may be touched, while somebody is asked for one."""
    found: dict[int, tuple[str, ...]] = {}
    if fold.asked is not None:
        for card, target in plays(fold, fold.asked).items():
            if f"card-{card}" in scene.links:
                found[target] = (*found.get(target, ()), card)
    return found


# --- sky, road and start -----------------------------------------------------------------------------------


def _sky(height: float) -> str:
    """Night over a road with two broomsticks across it."""
    return (
        '<defs><linearGradient id="bokashi" x1="0" y1="0" x2="0" y2="1">'
        '<stop class="bk" offset="0" stop-opacity=".42"/><stop class="bk" offset="1" stop-opacity="0"/>'
        f'</linearGradient></defs><rect class="ng" x="-8" y="-8" width="376" height="{number(height + 8)}"/>'
        '<rect fill="url(#bokashi)" x="-8" y="-8" width="376" height="120"/>'
        f'<path class="pt" d="{_road()}" stroke-width="30" stroke-linejoin="round" stroke-linecap="round"/>'
        '<use href="#broom" x="30" y="167" width="300" height="26"/>'
        '<use href="#broom" x="30" y="296" width="300" height="26"/>'
    )


@cache
def _road() -> str:
    """The path under the tiles, with a bend at the end of each row."""
    middle = [(x + 22, y + 22) for x, y in map(corner, range(1, COURSE + 1))]
    path = [f"M{number(middle[0][0])},{number(middle[0][1])}"]
    for at, (x, y) in enumerate(middle[1:], 1):
        to = f"{number(x)},{number(y)}"
        if at % 8:
            path.append(f"L{to}")
        else:
            out = number(x + (26 if x > 180 else -26))
            path.append(f"C{out},{number(middle[at - 1][1])} {out},{number(y)} {to}")
    return " ".join(path)


def _start(board: _Board) -> str:
    """The witches that have not set off, clan by clan."""
    parts = [text("nt b", 0, 34, board.words.start, 15)]
    for seat, three in enumerate(board.fold.witches):
        waiting = three.count(0)
        x = 62 + 75 * seat
        group = "".join(witch(seat, x + 18 * i, 6, 38) for i in range(waiting))
        link = board.scene.links.get("fly-0")
        if link is not None and waiting and seat == board.fold.active:
            group = linked(box("tg", x - 4, 0, 26 + 18 * waiting, 52, 9) + group, link)
        parts.append(group)
    if board.left == 0 and board.fold.active is not None:
        parts.append(_dashed(62 + 75 * board.fold.active + 18 * board.fold.witches[board.fold.active].count(0), 4, 32))
    return "".join(parts)


def _dashed(x: float, y: float, width: float) -> str:
    """The place that a chosen witch left."""
    return box("sl", x, y, width, 42, 6, ' stroke-width="2" stroke-dasharray="5 4"')


# --- the course --------------------------------------------------------------------------------------------


def _course(board: _Board) -> str:
    return "".join(_place(board, place) for place in range(1, COURSE + 1))


def _place(board: _Board, place: int) -> str:
    """A tile with its witch and whatever marks it: frame, seal, gold, number."""
    fold, (x, y) = board.fold, corner(place)
    shown = fold.shown[place - 1] if fold.shown else None
    seat = board.standing.get(place)
    if shown is None:
        drawn = hidden(x, y, place, fold.tiles[place - 1] if fold.tiles else None)
    else:
        drawn = tile(shown, x, y, place, seat is not None)
    if seat is not None:
        drawn += witch(seat, x - 5, y - 2)
    if place in board.spots:
        story = board.spots[place]
        drawn += spot(story, x - 6, y + 30, 19, story == board.newest)
    return _marked(board, place, drawn, (x, y, SIDE, SIDE))


def _marked(board: _Board, place: int, drawn: str, at: tuple[float, float, float, float]) -> str:
    """The drawing of a place with what shows that it was chosen, can be touched, or is new."""
    x, y, width, height = at
    frame = (x - 1, y - 1, width + 2, height + 6, 9)
    if place == board.landed:
        return box("se", *frame) + drawn + seal(x + width - 18, y - 8)
    link, cards = board.link(place), board.targets.get(place, ())
    if cards:
        drawn = linked(box("tg", *frame) + drawn + badge(cards[0], x + width - 4, y + 3), _card(board, cards[0]))
        others = (linked(badge(c, x + width - 4, y + 26 * i + 3), _card(board, c)) for i, c in enumerate(cards) if i)
        return drawn + "".join(others)
    if link is not None and place != board.left:
        return linked(box("tg", *frame) + drawn, link)
    if place == board.left and place:
        return drawn + _dashed(x + 1, y + 1, 42)
    if place in board.spots and board.spots[place] == max(board.spots.values()):
        return box("fh", x - 3, y - 3, width + 6, height + 6, 10) + drawn
    return drawn


def _card(board: _Board, card: str) -> Link:
    return board.scene.links[f"card-{card}"]


# --- the goal ----------------------------------------------------------------------------------------------


def _goal(board: _Board) -> str:
    parts = [text("nt b", 0, 470, board.words.goal, 15)]
    parts += [_house(board, place, _HOUSES[place - COURSE - 1]) for place in range(COURSE + 1, GOAL + 1)]
    return "".join(parts)


def _house(board: _Board, place: int, x: float) -> str:
    """A gable of straw with its value and the witches that have arrived there."""
    inside = [seat for seat, three in enumerate(board.fold.witches) for _ in range(three.count(place))]
    straw = f'<path class="st" d="M{x},450 L{x + 44},{_GOAL_TOP} L{x + 88},450 V484 H{x} Z"/>'
    drawn = straw + text("sx b m", x + (14 if inside else 44), 476, str(points(place)), 26)
    pitch = min(20.0, 34 / max(1, len(inside) - 1))
    drawn += "".join(witch(seat, x + 24 + pitch * i, 446, 36) for i, seat in enumerate(inside))
    if place in board.spots:
        story = board.spots[place]
        drawn += spot(story, x - 6, 470, 19, story == board.newest)
    return _marked(board, place, drawn, (x, _GOAL_TOP, 88, 48))
