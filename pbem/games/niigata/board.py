"""The drawn board of Niigata: the map, 100 units a tile, and below it the dice, the tiles and everybody's goods.

Nothing on it is secret, so every viewer sees the same; only what can be touched differs.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pbem.games.niigata import pieces
from pbem.games.niigata.board_words import BoardWords, words_for
from pbem.games.niigata.cells import piece_order, reading
from pbem.games.niigata.facts import Claimed, Pond, State, Taken
from pbem.games.niigata.facts import Placed as PlacedEvent
from pbem.games.niigata.ponds import in_order, points_of, worth
from pbem.games.niigata.tiles import FACES, PRINTED
from pbem.rules.contract import Event, Lang, Scene, Viewer

MARGIN = 40
LEAST = 700
ROW = 76
HAND_ROW = 124


@dataclass(frozen=True)
class _Board:
    """What every part of the drawing needs to know."""

    fold: State
    viewer: Viewer
    words: BoardWords
    scene: Scene
    spots: dict[str, int]
    """The story number of what has just happened: by cell, tile in hand, or pond with a new breeder."""

    @property
    def newest(self) -> int | None:
        """The story number that may fade in; none on a board that answers a click."""
        return None if self.scene.chosen or not self.scene.recent else self.scene.recent[-1][0]

    def spot(self, thing: str, x: float, y: float) -> str:
        """The ink spot of the thing, if it has one."""
        story = self.spots.get(thing)
        return "" if story is None else pieces.spot(story, x, y, story == self.newest)

    def chosen(self, kind: str) -> str | None:
        """What was chosen of this kind of step."""
        found = (step.removeprefix(f"{kind}-") for step in self.scene.chosen if step.startswith(f"{kind}-"))
        return next(found, None)


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """The board as the viewer sees it."""
    board = _Board(fold, viewer, words_for(lang), scene, _spots(scene.recent))
    left, top, width, height = _extent(fold)
    inside, foot = _map(board, left, top), top + height
    below, end = _below(board, left + MARGIN / 2, foot, width - MARGIN)
    frame = f'x="{left}" y="{top}" width="{width}"'
    role = "group" if "<a " in inside + below else "img"
    label = board.words.by_all if viewer is None else board.words.seen_by.format(viewer=f"{{{viewer}}}")
    return (
        f'<svg viewBox="{left} {top} {width} {round(end - top)}" role="{role}" aria-label="{label}" '
        'font-family="Literata">'
        '<defs><linearGradient id="bokashi" x1="0" y1="0" x2="0" y2="1">'
        '<stop class="bk" offset="0" stop-opacity=".42"/><stop class="bk" offset="1" stop-opacity="0"/>'
        f'</linearGradient></defs><rect class="sk" {frame} height="{round(end - top)}"/>'
        f'<rect fill="url(#bokashi)" {frame} height="240"/>{inside}{below}</svg>'
    )


def _spots(recent: tuple[tuple[int, Event], ...]) -> dict[str, int]:
    spots: dict[str, int] = {}
    for story, event in recent:
        if isinstance(event, PlacedEvent):
            spots.pop(event.tile, None)
            spots[event.cell] = story
        elif isinstance(event, Taken):
            spots[event.tile] = story
        elif isinstance(event, Claimed):
            spots[event.pond] = story
    return spots


def _extent(fold: State) -> tuple[int, int, int, int]:
    """Left, top, width and height of the map: all cells that have a tile or, while it lasts, may get one."""
    cells = [reading(cell) for cell in (*fold.laid, *(() if fold.over else fold.frontier))]
    rows, columns = [y for y, _ in cells], [x for _, x in cells]
    left, right = min(columns) * 100, (max(columns) + 1) * 100
    top, bottom = min(rows) * 100, (max(rows) + 1) * 100
    spare = max(0, LEAST - 2 * MARGIN - (right - left)) // 2
    width = right - left + 2 * (MARGIN + spare)
    return left - MARGIN - spare, top - MARGIN, width, bottom - top + 2 * MARGIN


def _corner(cell: str) -> tuple[int, int]:
    y, x = reading(cell)
    return 100 * x, 100 * y


# --- the map -----------------------------------------------------------------------------------------------


def _map(board: _Board, left: int, top: int) -> str:
    fold = board.fold
    parts = [_scales(board, left, top)]
    for cell in in_order(fold.frontier):
        if link := board.scene.links.get(f"at-{cell}"):
            parts.append(pieces.empty_cell(*_corner(cell), link))
    chosen = board.chosen("at")
    # What is marked overlaps its neighbours, so it is drawn after them.
    for cell in sorted(in_order(fold.laid), key=lambda cell: (cell == chosen, cell in board.spots)):
        parts.append(_tile(board, cell, cell == chosen))
    if chosen in fold.frontier:
        x, y = _corner(chosen)
        parts.append(pieces.box("sl", x + 6, y + 6, 88, 88, 8, ' stroke-width="6" stroke-dasharray="12 8"'))
    for name in sorted(sorted(fold.ponds, key=piece_order), key=fold.free.__contains__):
        if not fold.ponds[name].open:
            parts.append(_closed(board, name, fold.ponds[name]))
    return "".join(parts)


def _scales(board: _Board, left: int, top: int) -> str:
    """How far from the start tile each column and row is, in the margin."""
    cells = [reading(cell) for cell in (*board.fold.laid, *(() if board.fold.over else board.fold.frontier))]
    east, south = board.words.east, board.words.south
    parts = [
        pieces.text("i2 m", 100 * x + 50, top + 28, _far(x, *east), 24) for x in sorted({x for _, x in cells})
    ]  # fmt: skip
    first = min(x for _, x in cells) * 100
    parts += [pieces.text("i2 e", first - 4, 100 * y + 58, _far(y, *south), 20) for y in sorted({y for y, _ in cells})]
    return "".join(parts)


def _far(steps: int, before: str, after: str) -> str:
    return f"{abs(steps)}{after if steps > 0 else before}" if steps else "0"


def _tile(board: _Board, cell: str, chosen: bool) -> str:
    laid = board.fold.laid[cell]
    x, y = _corner(cell)
    drawn = pieces.tile(laid.tile, laid.rotation, x, y)
    if chosen:
        return pieces.box("se", x - 7, y - 7, 114, 122, 8) + drawn + pieces.seal(x + 74, y - 18)
    if cell not in board.spots:
        return drawn
    return drawn + pieces.box("gs", x + 4, y + 4, 92, 92, 4, ' stroke-width="8"') + board.spot(cell, x - 8, y - 8)


def _closed(board: _Board, name: str, pond: Pond) -> str:
    """The breeder of a closed pond, or the sign that it is free."""
    x, y = _roomiest(board.fold, pond)
    value = worth(pond.animals).points
    if pond.owner is None:
        return pieces.free_pond(x, y, value, board.scene.links.get(f"claim-{name}"))
    drawn = pieces.breeder(pond.owner, x, y, value)
    if board.chosen("claim") == name:
        return drawn + pieces.seal(x + 2, y - 62)
    return drawn + board.spot(name, x - 44, y + 4)


def _roomiest(fold: State, pond: Pond) -> tuple[float, float]:
    """The middle of the pond's piece with the fewest animals."""
    places = []
    for piece in pond.pieces:
        cell, _, side = piece.partition(".")
        laid = fold.laid[cell]
        at = FACES[laid.tile][laid.rotation].sides["NESW".index(side)]
        edges, animals = PRINTED[laid.tile]
        x, y = pieces.piece_spots(edges, at, 0, laid.rotation)[0]
        left, top = _corner(cell)
        places.append((len(animals[at]), piece_order(piece), left + x, top + y))
    _, _, x, y = min(places)
    return x, y


# --- below the map -----------------------------------------------------------------------------------------


def _below(board: _Board, left: float, top: float, width: float) -> tuple[str, float]:
    """The dice, the display and everybody; and where the drawing ends."""
    parts: list[str] = []
    for row in (_dice, _display, _seats):
        drawn, height = row(board, left, top, width)
        parts.append(drawn)
        top += height
    return "".join(parts), top + 12


_Part = Callable[[_Board, float, float, float], tuple[str, float]]


def _dice(board: _Board, left: float, top: float, width: float) -> tuple[str, float]:
    """The dice of this round, whose turn it is, and the stock."""
    fold, words = board.fold, board.words
    parts = []
    if fold.colour and not fold.over:
        parts.append(pieces.symbol(f"die-{fold.colour.lower()}", left, top, 64, 64))
        parts.append(pieces.symbol(f"die-{fold.number}", left + 72, top, 64, 64))
    at = left + (152 if parts else 0)
    parts.append(pieces.text("in b", at, top + 28, words.news(fold, board.viewer), 30))
    parts.append(pieces.text("i2", at, top + 62, words.left_in_stock(len(fold.stock), fold.round), 26))
    return "".join(parts), 84


def _display(board: _Board, left: float, top: float, width: float) -> tuple[str, float]:
    """The tiles that can still be taken, by name."""
    tiles = board.fold.display
    if not tiles:
        return "", 0
    a_row = max(1, int(width // 116))
    parts = []
    for i, tile in enumerate(tiles):
        x, y = left + 8 + 116 * (i % a_row), top + 8 + 150 * (i // a_row)
        parts.append(_loose(board, tile, x, y, f"take-{tile}"))
    return "".join(parts), 150 * -(-len(tiles) // a_row)


def _loose(board: _Board, tile: str, x: float, y: float, step: str, scale: float = 1) -> str:
    """A tile beside the map, with its name below and whatever marks it."""
    size = 100 * scale
    drawn = pieces.tile(tile, 0, x, y, scale)
    name = pieces.text("in m", x + size / 2, y + size + 34, tile, 26)
    link = board.scene.links.get(step)
    if step in board.scene.chosen or (step.startswith("lay-") and board.chosen("take") == tile):
        return (
            pieces.box("se", x - 6, y - 6, size + 12, size + 18, 8) + drawn + pieces.seal(x + size - 32, y - 16) + name
        )
    if link is not None:
        return pieces.linked(pieces.box("ib", x - 5, y - 5, size + 10, size + 16, 8) + drawn, link) + name
    return drawn + board.spot(tile, x - 10, y + size - 30) + name


def _seats(board: _Board, left: float, top: float, width: float) -> tuple[str, float]:
    """Everybody, the viewer first: points, breeders left, tiles in hand."""
    fold = board.fold
    columns = 2 if width >= 1300 and fold.seats > 2 else 1
    tall = HAND_ROW if any(fold.hands) else ROW
    parts = []
    for i in range(fold.seats):
        seat = ((board.viewer or 0) + i) % fold.seats
        parts.append(_seat(board, seat, left + (i % columns) * width / columns, top + 8 + tall * (i // columns)))
    return "".join(parts), 8 + tall * -(-fold.seats // columns)


def _seat(board: _Board, seat: int, x: float, y: float) -> str:
    fold, words = board.fold, board.words
    parts = [
        pieces.seat_mark(seat, x, y + 4, 44),
        pieces.text("in b", x + 54, y + 36, f"{{{seat}:11}}", 30),
        pieces.text("in e", x + 346, y + 36, words.points.format(points_of(fold, seat)), 28),
    ]
    for i in range(fold.breeders[seat]):
        parts.append(pieces.symbol("breeder", x + 358 + 30 * i, y, 36, 44, f' class="c{seat + 1}"'))
    if fold.wasted[seat]:
        parts.append(pieces.text("i2", x + 54, y + 72, words.wasted.format(fold.wasted[seat]), 26))
    for i, tile in enumerate(fold.hands[seat]):
        step = f"lay-{tile}" if seat == board.viewer else ""
        parts.append(_loose(board, tile, x + 502 + 88 * i, y + 6, step, 0.7))
    return "".join(parts)
