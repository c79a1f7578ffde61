"""The drawn boards: every viewer, shape and language, with what can be touched, as a page and as a picture.

A few moments of the first matches are drawn for everybody, and each moment of all matches for somebody: what is made of
the same parts as a drawing before, as often, with words that are alike but for their numbers, is not looked at again.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import combinations, islice
from typing import Any, NamedTuple, get_args
from xml.etree import ElementTree

from msgspec import structs

from pbem.kit.chance import Chance, SeedChance
from pbem.kit.contract import AnyGame, Extent, Link, Scene, Shape, Step, Viewer
from pbem.kit.drawing.svg import drawing, symbol, symbols_in
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import evolve_all, redact_entries
from pbem.kit.texts import LANGS, Lang
from pbem.render import pictures
from pbem.testing.faces.layout import find_unreadable_or_untouchable, layout_of_document
from pbem.testing.faces.sight import find_unseen_words, is_blank
from pbem.testing.faults import Fault

BOARDS = "boards"
POSITIONS = 6
"""At this many positions, and at the end of a match with each number of seats, everybody's boards are drawn."""
CLASSES = {*re.findall(r"\.([a-z][\w-]*)", pictures.literal_styles()), "cover", "fresh", "night-svg", *get_args(Shape)}
"""What the style sheet of the boards draws; from "cover" on, they are for the pages' sheets."""
WIDTH = 360
NAMES = tuple(f"Wilhelmina-Ama Emmeline{letter}" for letter in "ABCDEFGHIJKLMNOP")
"""As wide as names are: a board has room for them, or cuts them (`{0:9}`)."""
SHOWN_PX: Mapping[Shape, float] = {"portrait": 360, "landscape": 880, "low": 542, "pad": 308}
"""How wide each shape is on the smallest screen that shows it: 360 x 640, 1280 x 800, 844 x 390."""
_SCENES = 12
"""A position is looked at in one of the first ways, this many, in which it can be shown."""
_PICTURES = 50
"""After this many pictures, new words alone make no other one."""
_EXTENTS: Mapping[Extent, str] = {extent: f"?extent={extent}" for extent in get_args(Extent)}
_PLACE = re.compile(r'(?<=[" ,(])-?[\d.]+')
"""A number that says where something is, or how large."""
_NAME = re.compile(r' (?:aria-label|data-[\w-]+|href)="(?!#)[^"]*"')
"""What nobody sees: what a thing is called, and where a link leads."""
_PATH = re.compile(r' d="([^"]*)"')
_PIECE = re.compile(r"<[^>]*>[^<]*")
_DIGIT_OF_WORDS = re.compile(r"\d(?=[^>]*$)")
_COLOUR = re.compile(r' (?:class|fill|stroke)="[^"]*"')
_ID = re.compile(r'\bid="([^"]*)"')
_SEAT = re.compile(r"\{(\d+)(?=[^<>]*<)")
"""The number of a seat whose name is among the words of a drawing."""
_ESCAPED = re.compile(r"&(?:amp|lt|gt|quot|#\d+);")


class Drawn(NamedTuple):
    """A drawing, and of what it is; `shape`: None of what is no board."""

    where: str
    svg: str
    seats: int
    shape: Shape | None = None


# --- what is drawn -----------------------------------------------------------------------------------------


def scenes_of_position(table: Table, viewer: Viewer, lang: Lang) -> Iterator[tuple[Any, Scene]]:
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


def scenes_on_pages(table: Table, viewer: Viewer, lang: Lang) -> Iterator[tuple[Any, Scene]]:
    """Yields `scenes_of_position` with what pages say besides, and those after resigning or of a match called off."""
    fold = table.folds[viewer]
    yield fold, Scene(over=True)
    yield from ((fold, Scene(extent=extent, extents=_EXTENTS)) for extent in _EXTENTS)
    if viewer is not None:
        yield fold, Scene(resigned=True)
    refused, first = _steps_refused(table, viewer, lang), dict[str, Link]()
    for shown, scene in scenes_of_position(table, viewer, lang):
        first = first or dict(scene.links)
        others = first if scene.chosen else {}
        no = {step: link for step, link in refused.items() if step not in scene.links and step not in scene.chosen}
        yield shown, structs.replace(scene, extents=_EXTENTS, others=others, refused=no if scene.links else {})


def _steps_refused(table: Table, viewer: Viewer, lang: Lang) -> dict[str, Link]:
    """Returns the steps that a seat may look for and not choose, with links to the reason."""
    game, fold = table.game, table.folds[viewer]
    if viewer is None:
        return {}
    asks = [ask for ask in game.pending(fold) if ask.seat == viewer]
    legal = game.legal(fold, viewer) if asks else ()
    moves = [one.move for ask in asks for one in game.candidates(ask, fold, lang) if one.move not in legal]
    return {step.text: Link("?no=x", step.label) for move in moves for step in game.path(move, fold, lang)[:1]}


def boards_of_position(table: Table, viewer: Viewer, lang: Lang) -> Iterator[tuple[Shape, str]]:
    """The boards of a position in all shapes of its game; an empty pad is not a drawing."""
    for fold, scene in scenes_of_position(table, viewer, lang):
        yield from _draw_board_in_shapes(table, viewer, lang, fold, scene, table.game.meta.shapes)


def _draw_board_in_shapes(
    table: Table, viewer: Viewer, lang: Lang, fold: Any, scene: Scene, shapes: Sequence[Shape]
) -> Iterator[tuple[Shape, str]]:
    game = table.game
    bots = frozenset(seat for seat in range(1, table.seats, 2) if seat != viewer)
    for shape in shapes:
        svg = game.draw(fold, viewer, lang, structs.replace(scene, shape=shape, bots=bots))
        assert svg or shape == "pad"
        if svg:
            yield shape, svg


def draw_cover_symbols_and_figures(game: AnyGame, parts: str) -> Iterator[Drawn]:
    """Draws the cover, each symbol of parts.svg, and what stands on the pages about the game."""
    yield Drawn("the cover", str(pictures.cover_svg(game, LANGS[0])), max(game.meta.seats))
    for name in symbols_in(parts):
        yield Drawn(f"{name} in parts.svg", drawing(symbol(name, 0, 0, 60, 60), (0, 0, 60, 60), name), 1)
    turn = game.intro.turn if game.intro is not None else ()
    drawn = {**game.figures, **{f"picture {n} of a turn": picture.draw for n, picture in enumerate(turn, 1)}}
    for name, draw in drawn.items():
        for lang in LANGS:
            yield Drawn(f"{name}, {lang}", draw(lang), max(game.meta.seats))


def _which_board_in_words(shape: Shape, lang: Lang, viewer: Viewer, table: Table) -> str:
    who = "a spectator" if viewer is None else f"seat {viewer}"
    return f"{shape}, {lang}, {who} of {table.seats}, entry {len(table.entries)}"


class Boards:
    """What is wrong with the boards that it has looked at: one fault of each kind in each shape."""

    def __init__(self, game: AnyGame) -> None:
        self.game, self.count, self.pictures = game, 0, 0
        """The game, how many drawings it has looked at, and of how many of them as pictures."""
        self._looked, self._seats = set[int](), set[int]()
        self._parts, self._made, self._words = set[tuple[str, int]](), set[str](), set[str]()
        self._shape_of_id, self._plain = dict[str, Shape](), dict[tuple[str, int], tuple[int, Sequence[str]]]()
        self._named = dict[tuple[Shape, int], tuple[Set[int], Set[int]]]()
        """The seats that each shape for a number of seats always names, and those that it ever does."""
        self._wrong = dict[tuple[str, str], Fault]()

    # --- a match ---------------------------------------------------------------------------------------------

    def look_at_boards_of_random_match(self, seats: int, options: Any, seed: bytes) -> None:
        """Plays a random match and looks at a board of each position, and in the first one of these seats at more."""
        first = seats not in self._seats
        self._seats.add(seats)
        length = sum(1 for _ in random_decisions(Table(self.game, seats, options, seed))) if first else 0
        every = max(1, length * len(self.game.meta.seats) // POSITIONS)
        table, chance = Table(self.game, seats, options, seed), SeedChance(seed, 1, "bot")
        for at, (ask, _) in enumerate(random_decisions(table)):
            if first and at % every == 0:
                self._look_at_position(table)
            self._look_at_sample_of_boards(table, ask.seat, chance)
        self._look_at_sample_of_boards(table, 0, chance)
        if first:
            self._look_at_position(table)

    def _look_at_position(self, table: Table) -> None:
        """Looks at the boards of everybody in both languages, of all but the usual ones at what is new in them."""
        for viewer in table.viewers:
            for lang in LANGS:
                for fold, scene in scenes_on_pages(table, viewer, lang):
                    for shape, svg in _draw_board_in_shapes(table, viewer, lang, fold, scene, self.game.meta.shapes):
                        board = Drawn(_which_board_in_words(shape, lang, viewer, table), svg, table.seats, shape)
                        other = scene.links or scene.chosen or scene.over or scene.resigned or scene.extent
                        self.look_at_drawing(board, if_new=bool(other))

    def _look_at_sample_of_boards(self, table: Table, asked: int, chance: Chance) -> None:
        """Looks at boards that have something new, of who is asked and of somebody else.

        Those are a plain one of one of them in all shapes, and one of each in some scene and shape.
        """
        viewers = (asked, chance.pick(table.viewers))
        self._look_at_plain_board(table, chance.pick(viewers), chance.pick(LANGS))
        for viewer in viewers:
            lang, some = chance.pick(LANGS), (chance.pick(self.game.meta.shapes),)
            found = [*islice(scenes_on_pages(table, viewer, lang), 1 + chance.below(_SCENES))]
            for shape, svg in _draw_board_in_shapes(table, viewer, lang, *found[-1], some):
                self.look_at_drawing(
                    Drawn(_which_board_in_words(shape, lang, viewer, table), svg, table.seats, shape), if_new=True
                )

    def _look_at_plain_board(self, table: Table, viewer: Viewer, lang: Lang) -> None:
        """Looks at the board without what can be touched, and compares it with what is said of it."""
        fold = table.folds[viewer]
        lines = self.game.describe(fold, viewer, lang)
        for shape, svg in _draw_board_in_shapes(table, viewer, lang, fold, Scene(), self.game.meta.shapes):
            board = Drawn(_which_board_in_words(shape, lang, viewer, table), svg, table.seats, shape)
            self.look_at_drawing(board, if_new=True)
            named = {*map(int, _SEAT.findall(svg))}
            always, ever = self._named.get((shape, table.seats), (named, named))
            self._named[shape, table.seats] = always & named, ever | named
            uncoloured = shape, hash((viewer, lang, _COLOUR.sub("", svg)))
            before = self._plain.setdefault(uncoloured, (hash(svg), lines))
            if before[0] != hash(svg) and before[1] == lines:
                todo = "Draw another shape or sign, too, and say it in `describe`: not everybody tells colours apart."
                self._note_fault(board, "it differs from another position in nothing but colours", todo)

    # --- what stands on other pages ------------------------------------------------------------------------------

    def look_at_figures(self, parts: str) -> None:
        """Looks at the cover, the figures and the pictures of a turn, which differ, and at the symbols of parts.svg."""
        figures = [*draw_cover_symbols_and_figures(self.game, parts)]
        for figure in figures:
            self.look_at_drawing(figure)
        turn = [(figure, figure.svg) for figure in figures if figure.where.startswith("picture ")]
        for one, other in combinations(turn, 2):
            if one[1] == other[1] and one[0].where[-2:] == other[0].where[-2:]:
                self._note_fault(other[0], f"it is the same as {one[0].where}", "Show another moment of a turn.")

    # --- a drawing -------------------------------------------------------------------------------------------

    def look_at_drawing(self, board: Drawn, *, if_new: bool = False) -> None:
        """Checks a drawing as it stands on a page, and as a picture if something in it is drawn in a new way.

        `if_new`: it is left out if it is made of the parts of others before, no more of them, with the same words.
        """
        if hash(board.svg) in self._looked:
            return
        parts = _pieces_of_drawing(board.svg)
        if if_new and parts <= self._parts:
            return
        self._looked.add(hash(board.svg))
        self._parts |= parts
        self.count += 1
        try:
            document = pictures.board_document(self.game, board.svg, NAMES[: board.seats])
            tree = ElementTree.fromstring(document)  # noqa: S314 - it comes from the game that is checked
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what the author is told
            todo = "Names are `{0}` in a drawing, and symbols those of parts.svg."
            self._note_fault(board, f"a page cannot show it: {error}", todo)
            return
        for said, todo in (*_find_what_pages_forbid(tree), *self._find_doubled_ids(board)):
            self._note_fault(board, said, todo)
        try:
            self._look_at_picture(board, document, {piece for piece, _ in parts})
        except Exception as error:  # noqa: BLE001 - as above
            todo = "Draw with what docs/below-the-layer.md names under *The board*."
            self._note_fault(board, f"a picture cannot show it: {error}", todo)

    def _look_at_picture(self, board: Drawn, document: str, pieces: set[str]) -> None:
        layout = layout_of_document(document)
        todo = "Give it room, or cut it: `{0:9}` is a name in the room of nine letters."
        for said in find_unreadable_or_untouchable(layout, SHOWN_PX[board.shape] if board.shape is not None else None):
            self._note_fault(board, said, todo)
        made, words = {piece.partition(">")[0] for piece in pieces}, {piece for piece in pieces if piece[-1] != ">"}
        if made <= self._made and (words <= self._words or self.pictures >= _PICTURES):
            return
        if not made <= self._made:
            pictures.document_png(document, WIDTH)
        self._made |= made
        self._words |= words
        self.pictures += 1
        if board.shape is None and is_blank(document):
            self._note_fault(board, "it shows nothing", "Draw something, or leave it away.")
        by_night = pictures.board_document(self.game, board.svg, NAMES[: board.seats], "dark")
        todo = "Draw it later, or with a class that stands out from its ground: `in` on `pa`, `om` on `cu`."
        for drawn, when in ((document, "day"), (by_night, "night")):
            for said in find_unseen_words(drawn, layout.words, when):
                self._note_fault(board, said, todo)

    def _find_doubled_ids(self, board: Drawn) -> Iterator[tuple[str, str]]:
        """Yields names that a page would have twice: in one drawing, or in two shapes, which one page has."""
        names = Counter(_ID.findall(board.svg))
        todo = "Give each a name of its own, such as one with the shape in it: a page knows the first one alone."
        for name in [name for name, times in names.items() if times > 1]:
            yield f"two things in it have the id {name!r}", todo
        if (shape := board.shape) is None:
            return
        for name in names:
            if (other := self._shape_of_id.setdefault(name, shape)) != shape:
                yield f"something in it has the id {name!r}, which stands in {other}, too", todo

    def _note_fault(self, board: Drawn, said: str, todo: str) -> None:
        kind = (board.shape or board.where, re.sub(r"'.*'|[\d.]+", "", said))
        self._wrong.setdefault(kind, Fault(BOARDS, f"{board.where}: {said}", todo))

    def faults(self) -> Iterator[Fault]:
        """Yields what was wrong."""
        yield from self._wrong.values()
        for (shape, seats), (always, ever) in self._named.items():
            if always and (missing := sorted({*range(seats)} - ever)):
                said = f"{shape}, {seats} seats: it always names seat {min(always)}, and never seat {missing[0]}"
                yield Fault(BOARDS, said, "Draw each seat, whatever their number: `{0}` is a name.")


def _pieces_of_drawing(svg: str) -> set[tuple[str, int]]:
    """Returns what a drawing is made of: its elements without their places, the words in them, and how many there are.

    Of a path stay its commands, and of a number in words how many digits it has.
    """
    pieces = _PIECE.findall(_PLACE.sub("", _PATH.sub(_path_with_commands_alone, _NAME.sub("", svg))))
    return {*Counter(piece if piece[-1] == ">" else _DIGIT_OF_WORDS.sub("0", piece) for piece in pieces).items()}


def _path_with_commands_alone(path: re.Match[str]) -> str:
    return f' d="{"".join(sorted({*path[1]} - {*" ,.-0123456789"}))}"'


def _find_what_pages_forbid(tree: ElementTree.Element) -> Iterator[tuple[str, str]]:
    """Yields what a page forbids or does not know in a drawing, and what to do."""
    classes = {one for element in tree.iter() for one in element.attrib.get("class", "").split()}
    if unknown := sorted(classes - CLASSES):
        yield f"no style sheet knows the class {unknown[0]!r}", "Use the classes of look.css."
    if any("style" in element.attrib for element in tree.iter()):
        yield "a page forbids the attribute style", "Use the classes of look.css."
    words = [element.text or "" for element in tree.iter()]
    if any("None" in one for one in words):
        yield "it says None", "Say nothing where nothing is known."
    if escaped := next(filter(_ESCAPED.search, words), ""):
        yield f"it shows {escaped!r} as it stands", "`svg.text` escapes words: escape them no second time."
    named = [tree, *(element for element in tree.iter() if element.tag.endswith("}a"))]
    if not all(one.attrib.get("aria-label", "").strip() or "aria-hidden" in one.attrib for one in named):
        todo = "Give `aria-label` to the drawing and to each link: `svg.drawing` and `svg.linked` do."
        yield "what it shows has no name for who does not see it", todo
