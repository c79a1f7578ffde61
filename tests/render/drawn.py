"""What the strokes, marks, panels and pictures look like: small drawings of each, stored in drawn.txt.

    python -m tests.render.drawn

writes the file again, one element a line. Look at what has changed, best in a browser: each part is an
SVG or stands in one.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from pbem.features.curve import Curve
from pbem.features.pictures import reels
from pbem.features.previews import share_pictures
from pbem.features.previews.share_pictures import Player, SharePicture
from pbem.games.hexen_rennen import GAME as HEXEN_RENNEN
from pbem.games.hogen import GAME as HOGEN
from pbem.kit.contract import Link, Scene, Shape
from pbem.kit.drawing import board, figures, svg
from pbem.kit.drawing.board import View
from pbem.kit.drawing.grid import SIZES, Box, Grid, Heights, fitted, grid, pad_alone, spread
from pbem.kit.texts import Lang, Text
from pbem.render import badges, pictures
from tests.kit.toys import GaveUp

FILE = Path(__file__).with_name("drawn.txt")
NAMES = ("Alice", "Bob", "Carol", "Dave")
BOARD = '<svg viewBox="0 0 390 400"><rect width="9" height="9"/></svg>'
BOX = Box(20, 30, 100, 60)
SHAPES: tuple[Shape, ...] = ("portrait", "landscape", "low", "pad")
TWO: tuple[Shape, ...] = ("portrait", "landscape")
_LEFT_OUT = re.compile(r"<style>.*?</style>|<defs>.*?</defs>|(?<=base64,)[^\"]+", re.DOTALL)

Part = Callable[[], Iterator[str]]


def view_of_nothing(
    shape: Shape = "portrait", viewer: int | None = 0, lang: Lang = "en", **scene: object
) -> View[None]:
    """A view of nothing: what the kit draws looks at the scene alone."""
    return View(None, viewer, lang, Scene(shape=shape, **scene))  # type: ignore[arg-type]


def strokes() -> Iterator[str]:
    """Returns what all boards are drawn with."""
    yield svg.sky("sk", 3, 4, 390, 500)
    yield svg.text("in b", 12.5, 20.25, "a < b")
    yield svg.box("pa", 1, 2, 30, 40, 5)
    yield svg.symbol("wait", 1, 2, 30, 40)
    yield svg.symbol("bot", 1, 2, 30, 40, "c2")
    yield svg.moved("<g/>", 1, 2, "0.5")
    yield svg.coloured("<g/>", "c3") + svg.piece("<g/>", "F1") + svg.token("<g/>", "witch")
    yield svg.wash(10, 20, 30, 40) + svg.wash(10, 20, 30, 40, 2, 9)
    yield svg.seal(1, 2)


def marks() -> Iterator[str]:
    """Returns the marks of seats and stories."""
    for seat in (0, 5, 6):
        yield svg.seat_mark(seat, 10, 20) + svg.seat_mark(seat, 10, 20, 40)
    yield svg.bot_sign(10, 20, 30, "en") + svg.bot_sign(10, 20, 30, "fr", night=True)
    for story, fresh in ((9, False), (10, True), (99, False), (100, False)):
        yield svg.spot(story, 10, 20, 30, fresh)
    for meta in (None, HOGEN.meta, HEXEN_RENNEN.meta):
        seat_marks = meta.seat_marks if meta is not None else ()
        yield badges.draw_badge(1, seat_marks, 10, 20, 30)
        seat = 7 if meta is None else 1
        yield f"{badges.badge_width_for_height(seat_marks, 30)} {badges.seat_colour_class(seat, seat_marks)}"
    yield "".join(badges.badge_picture(2, game.meta.seat_marks) for game in (HOGEN, HEXEN_RENNEN))


def links() -> Iterator[str]:
    """Returns what can be touched, or was chosen."""
    for link in (None, Link("/a?b&c", 'say "{0}"'), Link("/a", "say", in_tab_order=False)):
        yield svg.linked("<g/>", link, "<rect/>", "F1") + svg.linked("<g/>", link)
        for shape in TWO:
            yield board.framed(SIZES[shape], "<g/>", BOX, link, False)
    for shape in TWO:
        yield board.framed(SIZES[shape], "<g/>", BOX, None, True)
    yield board.framed(SIZES["landscape"], "<g/>", Box(20, 30, 20, 20), None, True)
    yield svg.drawing("<g/>", (0, 1, 2.5, 3), "nothing") + svg.drawing("<a href=''/>", (0, 1, 2, 3), "touch", " id='b'")


def regions() -> Iterator[str]:
    """Returns what the regions of a board are filled with."""
    yield board.panel(BOX) + board.panel(BOX, asked=True)
    yield board.hourglass(1, 2, 10)
    for shape in SHAPES:
        yield board.head(view_of_nothing(shape), 1, BOX, asked=False) + board.head(
            view_of_nothing(shape), 1, BOX, asked=True
        )
    yield board.head(view_of_nothing("landscape", bots=frozenset({1})), 1, BOX, asked=True)
    yield view_of_nothing().name("in", 1, 5, 20, 80) + view_of_nothing().name("in", 1, 5, 20, 80, 30)
    yield view_of_nothing(bots=frozenset({1}), lang="fr").name("in", 1, 5, 20, 80, night=True)
    yield (
        view_of_nothing().spot(3, 1, 2, 20)
        + view_of_nothing(recent=((3, GaveUp(0)),)).spot(3, 1, 2, 20)
        + view_of_nothing().spot(None, 1, 2, 20)
    )
    yield view_of_nothing(recent=((3, GaveUp(0)),), chosen=("show",)).spot(3, 1, 2, 20)


def what_is_said() -> Iterator[str]:
    """Returns what a board says to its viewer, and to others."""
    forms = Text(fr="À vous", en="Your turn"), Text(fr="À * de jouer", en="*’s turn")
    for one in (
        view_of_nothing(),
        view_of_nothing(viewer=None),
        view_of_nothing(resigned=True),
        view_of_nothing(viewer=1, lang="fr"),
        view_of_nothing(over=True),
    ):
        yield f"{one.to(forms, 0)} | {one.to(forms, 1, 5)} | {one.fitted(forms, 1, 200, 20)}"
        yield f"{one.fitted(forms, 1, 30, 20)} | {one.fitted(forms, 1, 3000, 20)}"
        yield f"{board.label(one, *forms[::-1])} | {one.asks_nothing_of(0)} | {one.asks_nothing_of(1)}"
    link, other = Link("/a", "a"), Link("/b", "b")
    one = view_of_nothing(
        links={"give-F1": link, "take-M1": link}, others={"give-F2": other}, chosen=("play-F3", "end")
    )
    for step in ("give-F1", "give-F2", "play-F3"):
        yield f"{step}: {one.link(step)} {one.link_instead(step)} {one.chosen(step)}"
    yield f"{one.choice('play')} {one.choice('give')} {one.offered('give')} {one.newest}"


def grids() -> Iterator[str]:
    """Returns where the regions of boards are."""
    for shape in SHAPES:
        for heights in (
            Heights(seats=60, table=200, mine=90, landscape=180, low=80, below=40),
            Heights(seats=60, table=200, mine=90, landscape=180, low=80, line=50),
            Heights(seats=60, table=200, mine=0, landscape=0, low=0),
            Heights(seats=60, table=200, mine=0, landscape=0, low=0, line=50),
        ):
            for rows in (0, 2):
                yield f"{shape}, {rows} rows: {_lines_of_file(grid(shape, heights, rows))}"
        yield f"{shape}: {SIZES[shape].foot:g} {SIZES[shape].letters(100)} {SIZES[shape].letters(100, 40)}"
        yield f"{shape}: {SIZES[shape].rows(0):g} {SIZES[shape].rows(1):g} {SIZES[shape].rows(2.5):g}"
    yield _box(pad_alone(3)) + _box(BOX.inside(4)) + f" {BOX.right} {BOX.bottom} {BOX.tall} {BOX.frame}"
    for name, boxes in (
        ("rows", BOX.rows(3, 6)), ("columns", BOX.columns(3, 5)), ("places", BOX.places(3, 5, 30)),
        ("places in two rows", BOX.places(5, 5, 30)), ("places in a tall box", Box(0, 0, 60, 100).places(2, 4, 9)),
        ("places in a square", Box(0, 0, 60, 60).places(2, 4, 28)),
    ):  # fmt: skip
        yield f"{name}: {''.join(map(_box, boxes))}"
    yield f"{fitted(5, 100, 4, 40)} {fitted(2, 100, 4, 40)} {spread(3, 100, 20, 30)} {spread(1, 100, 20, 30)}"


def _lines_of_file(found: Grid) -> str:
    parts = ("seats", "table", "mine", "you", "pad", "below")
    own = "".join(f" {name}{_box(getattr(found, name))}" for name in parts if getattr(found, name))
    return f"{found.width:g} x {found.height:g}{own}"


def _box(one: Box) -> str:
    return "(" + " ".join(f"{at:g}" for at in one.frame) + ")"


def whole_boards() -> Iterator[str]:
    """Returns the frames of boards and figures."""
    heights = Heights(seats=60, table=200, mine=90, landscape=180, low=80)
    for shape in SHAPES:
        yield board.finished(view_of_nothing(shape), ["<g/>", "<g/>"], grid(shape, heights), "a board")
    yield board.finished(view_of_nothing("landscape"), [], grid("landscape", heights), "a board", night=True)
    yield figures.figure("<g/>", 200, 'a "figure"') + figures.figure("<g/>", 200, "a figure", night=True)
    yield figures.words(1, 2, "words") + figures.gone(1, 2, 30, 40) + figures.chosen("<g/>", 10, 20, 30, 40)
    yield figures.panel(BOX) + figures.verdict(BOX, True) + figures.verdict(BOX, False)
    for bend in (0, 10, -10):
        yield figures.arrow((10, 20), (110, 95), bend)


def curves() -> Iterator[str]:
    """Returns curves of scores."""
    points = [(0, (0, 0, 0, 0)), (4, (1, -2, 3, 8)), (9, (6, 5, 5, 14))]
    spots = [(4, 2), (4, 2), (9, 0), (4, 1)]
    yield str(Curve(HOGEN.meta.seat_marks, points, spots, (3,), "turn", "scores").svg(NAMES))
    high = [(0, (0, 0)), (25, (40, 90)), (60, (180, 176))]
    yield str(Curve(HEXEN_RENNEN.meta.seat_marks, high, winners=(0, 1), axis="turn", steps=True, now=25).svg(NAMES))
    yield str(Curve(HOGEN.meta.seat_marks, [(0, (0, 0, 0)), (1, (-3, -3, -3))]).svg(NAMES))


def links_pictures() -> Iterator[str]:
    """Returns pictures beside shared links, and frames of replays."""
    names = ("Alice", "Bob", "Carol-Maximilienne Charlotte", "Dave", "Fanny", "Al")
    players = tuple(Player(seat, name, "19" if seat else "") for seat, name in enumerate(names))
    long = "This sentence goes on and on, until its lines fill the whole left side of the picture. " * 4
    doc = share_pictures.svg_document
    yield doc(SharePicture("Replay, step 12 of 33", "Hogen", "Alice wins.", players[:2], "pbem", (BOARD,), HOGEN))
    yield doc(SharePicture("Replay", "Hexen-Rennen", long, players[:4], long, (BOARD,) * 4, HEXEN_RENNEN))
    yield doc(SharePicture("", "One title that takes three whole lines of large words", long, (), "pbem", (BOARD,) * 3))
    yield doc(SharePicture("Games", "All", "", players, "", (), HOGEN))
    for text, room, most in (("one two three four", 7.9, 2), ("one  two", 3, 3), ("unbreakable", 6, 2), ("", 5, 1)):
        yield str(pictures.wrap_text(text, room, most))
    board_height = reels.height_of_tallest_board((BOARD, '<svg viewBox="0 0 390 401"></svg>'))
    frame = reels.Frame(HOGEN, BOARD, NAMES, "step 3", long)
    for count in (
        reels.lines_of_longest_sentence(["short", long]),
        reels.lines_of_longest_sentence([long], 2),
        reels.lines_of_longest_sentence(["short"]),
    ):
        yield reels.svg_document_of_frame(frame, board_height, count, "dark")
    for letters in ("Wmil. aÉ", "日本", "e\u0301\u200d", "\u05d0"):
        yield f"{letters!r} {pictures.width_in_letters(letters):.2f} {pictures.shorten_name(letters * 3, 7)!r}"
    yield pictures.embed_document("<svg/>", 1, 2.5, 3, 4, "none") + pictures.colour_in_light_theme("c2")


PARTS: tuple[Part, ...] = (
    strokes, marks, links, regions, what_is_said, grids, whole_boards, curves, links_pictures
)  # fmt: skip


def drawings_of(part: Part) -> str:
    """Returns the drawings of a part, an element a line, without what style sheets and files of symbols say."""
    return "\n".join(_LEFT_OUT.sub("", one).replace("><", ">\n<") for one in part())


def what_is_stored() -> dict[str, str]:
    """Returns what the file holds of each part, by its name."""
    return dict(one.split("\n", 1) for one in FILE.read_text("utf-8").removesuffix("\n").split("\n\n== ")[1:])


if __name__ == "__main__":
    parts = "".join(f"\n\n== {part.__name__}\n{drawings_of(part)}" for part in PARTS)
    FILE.write_text(f"Written by python -m tests.render.drawn{parts}\n", "utf-8")
