"""The drawn boards: every viewer, shape and language, with what can be touched, as a page and as a picture."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import cos, inf, radians, sin
from typing import Any, NamedTuple, get_args
from xml.etree import ElementTree

from msgspec import structs

from pbem.kit.contract import AnyGame, Link, Scene, Shape, Step, Viewer
from pbem.kit.drawing.svg import drawing, symbol, symbols_in
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import evolve_all, redact_entries
from pbem.kit.texts import LANGS, Lang
from pbem.render import pictures
from pbem.render.raster import elements
from pbem.render.raster.styles import ROOT, Style, read_style_sheet
from pbem.testing.faults import Fault

BOARDS = "boards"
POSITIONS = 6
"""Boards are drawn about so often in a match, and at each decision of one that is shorter."""
CLASSES = {*re.findall(r"\.([a-z][\w-]*)", pictures.literal_styles()), "cover", "fresh", "night-svg", *get_args(Shape)}
"""What the style sheet of the boards draws; from "cover" on, they are for the pages' sheets."""
WIDTH = 360
NAMES = tuple(f"Wilhelmina-Ama Emmeline{letter}" for letter in "ABCDEFGHIJKLMNOP")
"""As wide as names are: a board has room for them, or cuts them (`{0:9}`)."""
_EDGE = 1.0
"""In units: so far words may reach beyond the drawing before anybody sees it."""
_SHARE = 0.12
"""Of their area, words may have this much in common with others, or be covered."""
_RIM = 0.25
"""Of the width and the height of a symbol and a circle, what lies around their middle on each side."""
_CAPITAL = 0.68
"""How high a capital is, of the size of its font."""
_ANCHORS = {"start": 0.0, "middle": -0.5, "end": -1.0}
Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""
Matrix = tuple[float, float, float, float, float, float]
"""As SVG's own `matrix`."""


class Drawn(NamedTuple):
    """A drawing, and of what it is."""

    where: str
    svg: str
    seats: int


def scenes(table: Table, viewer: Viewer, lang: Lang) -> Iterator[tuple[Any, Scene]]:
    """The folds and scenes of a position: as it is, after what has just happened, on the way to each kind of move."""
    game, fold = table.game, table.folds[viewer]
    past = redact_entries(table.entries, viewer)
    recent = tuple((n, entry.event) for n, entry in enumerate(past, 1))[-12:]
    yield fold, Scene()
    yield fold, Scene(recent=recent)
    if viewer is None or not any(ask.seat == viewer for ask in game.pending(fold)):
        return
    free = any(ask.seat == viewer and game.meta.asks[ask.kind].any_order for ask in game.pending(fold))
    legal = list(game.legal(fold, viewer))
    some = legal[:: max(1, len(legal) // 20)]
    paths = [(move, game.path(move, fold, lang)) for move in [*some, *{type(move): move for move in legal}.values()]]
    for move, path in {type(move): (move, path) for move, path in paths}.values():
        steps = tuple(step.text for step in path)
        for n in range(len(steps)):
            # A page offers just the next step of the moves that begin with what is chosen; in any order, every other.
            ways = [way[n:] if free else way[n : n + 1] for _, way in paths if free or _way_begins_with(way, steps[:n])]
            nexts = {step.text: step.label for way in ways for step in way if step.text not in steps[:n]}
            links = {text: Link(f"?{text}&x", label) for text, label in nexts.items()}
            yield fold, Scene(links=links, chosen=steps[:n], recent=recent)
        after = evolve_all(game, fold, game.preview(fold, viewer, move))
        yield after, Scene(chosen=steps, recent=recent)


def _way_begins_with(way: Sequence[Step], steps: Sequence[str]) -> bool:
    return [step.text for step in way[: len(steps)]] == [*steps]


def scenes_in(table: Table, viewer: Viewer, lang: Lang) -> Iterator[tuple[Shape, str]]:
    """The boards of a position in all shapes of its game; an empty pad is not a drawing."""
    game = table.game
    bots = frozenset(seat for seat in range(1, table.seats, 2) if seat != viewer)
    for fold, scene in scenes(table, viewer, lang):
        for shape in game.meta.shapes:
            svg = game.draw(fold, viewer, lang, structs.replace(scene, shape=shape, bots=bots))
            assert svg or shape == "pad"
            if svg:
                yield shape, svg


def boards_of(game: AnyGame, seats: int, options: Any, seed: bytes) -> Iterator[Drawn]:
    """Draws a few positions of a random match, and its end, for every viewer, in all shapes and languages."""
    length = sum(1 for _ in random_decisions(Table(game, seats, options, seed)))
    every = max(1, length // POSITIONS)
    table = Table(game, seats, options, seed)
    for at, _ in enumerate(random_decisions(table)):
        if at % every == 0:
            yield from _boards_at(table)
    yield from _boards_at(table)
    for shape in game.meta.shapes:
        if svg := game.draw(table.folds[None], None, LANGS[0], Scene(shape=shape, over=True)):
            yield Drawn(f"{shape}, the end", svg, seats)


def figures_of(game: AnyGame, parts: str) -> Iterator[Drawn]:
    """Draws the cover, each symbol of parts.svg, and what stands on the pages about the game."""
    yield Drawn("the cover", str(pictures.cover_svg(game, LANGS[0])), max(game.meta.seats))
    for name in symbols_in(parts):
        yield Drawn(f"{name} in parts.svg", drawing(symbol(name, 0, 0, 60, 60), (0, 0, 60, 60), name), 1)
    turn = game.intro.turn if game.intro is not None else ()
    drawn = {**game.figures, **{f"picture {n} of a turn": picture.draw for n, picture in enumerate(turn, 1)}}
    for name, draw in drawn.items():
        for lang in LANGS:
            yield Drawn(f"{name}, {lang}", draw(lang), max(game.meta.seats))


def _boards_at(table: Table) -> Iterator[Drawn]:
    for viewer in table.viewers:
        for lang in LANGS:
            for shape, svg in scenes_in(table, viewer, lang):
                who = "a spectator" if viewer is None else f"seat {viewer}"
                yield Drawn(f"{shape}, {lang}, {who} of {table.seats}, entry {len(table.entries)}", svg, table.seats)


class Boards:
    """What is wrong with the boards that it has looked at: one fault of each kind in each shape."""

    def __init__(self, game: AnyGame) -> None:
        self.game, self.pictures = game, 0
        self._seen, self._made, self._wrong = set[str](), set[str](), dict[tuple[str, str], Fault]()

    @property
    def count(self) -> int:
        """How many different drawings it has looked at."""
        return len(self._seen)

    def look(self, board: Drawn) -> None:
        """Checks a board as it stands on a page, and as a picture if it is made of something new."""
        if board.svg in self._seen:
            return
        self._seen.add(board.svg)
        try:
            document = pictures.board_document(self.game, board.svg, NAMES[: board.seats])
            tree = ElementTree.fromstring(document)  # noqa: S314 - it comes from the game that is checked
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what the author is told
            todo = "Names are `{0}` in a drawing, and symbols those of parts.svg."
            self._note_fault(board, f"a page cannot show it: {error}", todo)
            return
        for said, todo in _find_foreign_markup(tree):
            self._note_fault(board, said, todo)
        made = {_kind_of(element) for element in tree.iter()}
        try:
            if not made <= self._made:
                self._made |= made
                pictures.document_png(document, WIDTH)
                self.pictures += 1
            for said in overlaps(document):
                self._note_fault(
                    board, said, "Give it room, or cut it: names have room for so many letters as in `{0:9}`."
                )
        except Exception as error:  # noqa: BLE001 - as above
            todo = "Draw with what docs/below-the-layer.md names under *The board*."
            self._note_fault(board, f"a picture cannot show it: {error}", todo)

    def _note_fault(self, board: Drawn, said: str, todo: str) -> None:
        shape = board.where.partition(",")[0]
        kind = (shape, re.sub(r"'.*'|\d+", "", said))
        self._wrong.setdefault(kind, Fault(BOARDS, f"{board.where}: {said}", todo))

    def faults(self) -> Iterator[Fault]:
        """Yields what was wrong."""
        yield from self._wrong.values()


def _find_foreign_markup(tree: ElementTree.Element) -> Iterator[tuple[str, str]]:
    """Yields what a page forbids or does not know in a drawing, and what to do."""
    classes = {one for element in tree.iter() for one in element.attrib.get("class", "").split()}
    if unknown := sorted(classes - CLASSES):
        yield f"no style sheet knows the class {unknown[0]!r}", "Use the classes of look.css."
    if any("style" in element.attrib for element in tree.iter()):
        yield "a page forbids the attribute style", "Use the classes of look.css."
    if any("None" in (element.text or "") for element in tree.iter()):
        yield "it says None", "Say nothing where nothing is known."


def _kind_of(element: ElementTree.Element) -> str:
    """Returns what a renderer has to know for an element: its tag, its attributes, its steps and commands."""
    tag = element.tag.rpartition("}")[2]
    steps = re.findall("[a-zA-Z]+", element.attrib.get("transform", "") + element.attrib.get("d", ""))
    colours = [element.attrib.get(name, "") for name in ("href", "fill", "stroke", "clip-path") if tag != "a"]
    return " ".join((tag, *sorted(element.attrib), *sorted({*steps}), *colours, element.attrib.get("class", "")))


# --- where words lie ---------------------------------------------------------------------------------------


class Words(NamedTuple):
    """Some words of a drawing, and the box around their letters."""

    said: str
    box: Box
    clipped: bool


def overlaps(document: str) -> Iterator[str]:
    """Yields what cannot be read in a whole document: words beyond its edge, over other words, or beneath something."""
    left, top, wide, high = elements.view_box(document)
    words, hidden = _lay_out(document)
    for one in words:
        if one.box[0] < left - _EDGE or one.box[2] > left + wide + _EDGE or one.box[3] > top + high + _EDGE:
            yield f"the words {one.said!r} reach beyond the edge"
    for one, other in combinations(words, 2):
        if (both := _overlapping_area(one.box, other.box)) and both > _SHARE * min(_area(one.box), _area(other.box)):
            yield f"the words {one.said!r} lie over {other.said!r}"
    for one in hidden:
        yield f"the words {one.said!r} lie beneath something that is drawn later"


def _lay_out(document: str) -> tuple[list[Words], list[Words]]:
    """Returns all words that are seen, and those that are covered.

    A map that is clipped may run on under what lies around it, so of its words neither is said where they are cut.
    """
    read = elements.read_document(document)
    stack = list[tuple[Matrix, Box]]()
    lies: Matrix = (1, 0, 0, 1, 0, 0)
    clip: Box = (-inf, -inf, inf, inf)
    words, hidden = list[Words](), list[Words]()
    for step, tag, style, said in elements.walk_elements(read, read_style_sheet(read.style), ROOT):
        given = elements.read_attributes(tag.name, tag.attributes)
        if step == "end":
            lies, clip = stack.pop()
        elif tag.name in elements.HOLDERS:
            stack.append((lies, clip))
            for name, numbers in elements.parse_transforms(given.get("transform", "")):
                lies = _multiply_matrices(lies, _matrix(name, numbers))
            if "clip-path" in given:
                cut = elements.clip_rectangle(elements.definition_at(given["clip-path"], read))
                clip = _intersection(clip, _box_of(lies, _rectangle(cut)))
        elif step == "text" and said.strip():
            box = _box_of(lies, _box_around_text(said, tag, style))
            if _intersection(box, clip) == box:
                words.append(Words(said, box, clip[0] > -inf))
        elif (drawn := _opaque_box(tag.name, given, style)) is not None:
            over = _intersection(clip, _box_of(lies, drawn))
            covered = [
                one for one in words if (both := _overlapping_area(one.box, over)) and both > _SHARE * _area(one.box)
            ]
            hidden += [one for one in covered if not one.clipped]
            words = [one for one in words if one not in covered]
    return words, hidden


def _opaque_box(tag: str, given: Mapping[str, str], style: Style) -> Box | None:
    """Returns the box in which nothing beneath is seen any more; of a symbol and a circle it is their middle."""
    if tag == "use" and "transform" not in given:
        left, top, right, bottom = _rectangle(given)
    elif tag == "circle" and _is_opaque(style):
        x, y, radius = (float(given.get(name, 0)) for name in ("cx", "cy", "r"))
        left, top, right, bottom = x - radius, y - radius, x + radius, y + radius
    else:
        return _rectangle(given) if tag == "rect" and _is_opaque(style) else None
    wide, high = (right - left) * _RIM, (bottom - top) * _RIM
    return left + wide, top + high, right - wide, bottom - high


def _is_opaque(style: Style) -> bool:
    return style.opacity == style.fill_opacity == "1" and style.fill.startswith("#")


def _rectangle(given: Mapping[str, str]) -> Box:
    x, y, wide, high = (float(given.get(name, 0)) for name in ("x", "y", "width", "height"))
    return x, y, x + wide, y + high


def _box_around_text(said: str, tag: elements.Tag, style: Style) -> Box:
    """Returns the box around the letters of a line: as high as capitals, without what hangs below."""
    given = elements.text_attributes(tag.attributes, style)
    size = float(style.font_size)
    wide = _text_width(said, size, 700 if style.font_weight in ("600", "700", "bold") else 400)
    x, y = (float(given.get(name, 0)) for name in ("x", "y"))
    left = x + _ANCHORS[style.text_anchor] * wide
    return left, y - _CAPITAL * size, left + wide, y


def _text_width(said: str, size: float, weight: int) -> float:
    """Returns how wide a line is; about so where Skia, which sets it, cannot be imported."""
    try:
        from pbem.render.raster import lettering  # 45 MB, and it needs libraries of the system
    except ImportError:
        return pictures.width_in_letters(said) * size / 2
    return float(lettering.set_line(said, size, weight, 0).width)


def _matrix(name: str, numbers: Sequence[float]) -> Matrix:
    if name == "translate":
        return (1, 0, 0, 1, numbers[0], numbers[1] if len(numbers) > 1 else 0)
    if name == "scale":
        return (numbers[0], 0, 0, numbers[-1], 0, 0)
    angle = radians(numbers[0])
    turned: Matrix = (cos(angle), sin(angle), -sin(angle), cos(angle), 0, 0)
    if len(numbers) == 1:
        return turned
    _, x, y = numbers
    return _multiply_matrices(_multiply_matrices((1, 0, 0, 1, x, y), turned), (1, 0, 0, 1, -x, -y))


def _multiply_matrices(outer: Matrix, inner: Matrix) -> Matrix:
    a, b, c, d, e, f = outer
    p, q, r, s, t, u = inner
    return (a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f)


def _box_of(lies: Matrix, box: Box) -> Box:
    """Returns the upright box around a box that was moved."""
    a, b, c, d, e, f = lies
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in (box[0], box[2]) for y in (box[1], box[3])]
    across, down = zip(*corners, strict=True)
    return min(across), min(down), max(across), max(down)


def _intersection(box: Box, other: Box) -> Box:
    """Returns what two boxes have in common; it is no box if that is nothing."""
    return max(box[0], other[0]), max(box[1], other[1]), min(box[2], other[2]), min(box[3], other[3])


def _overlapping_area(box: Box, other: Box) -> float:
    """Returns the area that two boxes have in common."""
    if box[2] <= other[0] or other[2] <= box[0] or box[3] <= other[1] or other[3] <= box[1]:
        return 0.0  # as most do
    return _area(_intersection(box, other))


def _area(box: Box) -> float:
    left, top, right, bottom = box
    return max(0.0, right - left) * max(0.0, bottom - top)
