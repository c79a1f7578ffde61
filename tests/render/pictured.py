"""Pictures and what they are made of, in more cases than can be looked at: a line for each, stored in pictured.txt.

    python -m tests.render.pictured

writes the file again. Of what is long a checksum stands there; drawn.txt has such pictures whole.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from io import BytesIO
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from pbem.features.curve import Curve
from pbem.features.pictures import gif, reels
from pbem.features.previews import share_pictures
from pbem.features.previews.share_pictures import Player, SharePicture
from pbem.games.hexen_rennen import GAME as HEXEN_RENNEN
from pbem.games.hogen import GAME as HOGEN
from pbem.render import badges, pictures
from pbem.render.raster import elements, encode, styles
from pbem.render.raster.encode import Cells, Renderer
from pbem.render.raster.styles import Fade
from tests.render.lines import Part, call_as_line, lines_of_calls, result_of, shorten_text, text_of, whole_file

FILE = Path(__file__).with_name("pictured.txt")
NAMES = ("Alice", "Bob", "Carol", "Dave", "Maximilienne", "Fanny")
BOARD = '<svg viewBox="0 0 390 400"><rect width="9" height="9"/></svg>'


def checksum(data: bytes) -> str:
    """Returns the checksum of data."""
    return f"{len(data)} {hashlib.sha256(data).hexdigest()[:12]}"


def curves() -> Iterator[str]:
    """Returns curves of scores."""
    for seats in range(1, 7):
        for high in (0, 1, 4, 9, 24, 99, 250):
            points = [
                (0, (0,) * seats),
                (7, tuple(high * seat // 3 - seat for seat in range(seats))),
                (20, tuple(high - seat * seat for seat in range(seats))),
            ]
            for meta, steps, now in ((HOGEN.meta, False, None), (HEXEN_RENNEN.meta, True, 7)):
                if meta.seat_marks and seats > len(meta.seat_marks):
                    continue
                curve = Curve(
                    meta.seat_marks,
                    points,
                    [(7, 0), (7, 0), (7, 0), (20, 0), (20, 0), (20, 0), (20, 0)],
                    (0,),
                    "turn",
                    "scores",
                    steps,
                    now,
                )
                yield f"{seats} {high} {meta.slug}: {result_of(curve.svg, NAMES)}"
    for last in (0, 1, 2, 7, 8, 9, 16, 17, 40, 41, 81, 160, 400, 1000):
        curve = Curve(HOGEN.meta.seat_marks, [(0, (0, 0)), (last, (3, -3))], now=last // 2)
        yield f"{last}: {result_of(curve.svg, NAMES)}"
    for ends in ((0, 0), (5, 5), (-9, -9), (0, 1, 2, 3, 4, 5), (9, 9, 9, 0, 0, 0), (-1, -1, -1, -1, -1, -1), (0, 20)):
        curve = Curve(
            HOGEN.meta.seat_marks,
            [(0, (0,) * len(ends)), (9, ends)],
            [(9, seat) for seat in range(len(ends))],
            range(len(ends)),
        )
        yield f"{ends}: {result_of(curve.svg, NAMES)}"
    crowded = Curve(HOGEN.meta.seat_marks, [(0, (0, 0)), (1, (10, 10))], [(1, 0)] * 9 + [(0, 1)] * 7)
    yield result_of(crowded.svg, NAMES)


def pictures_beside_links() -> Iterator[str]:
    """Returns pictures beside links."""
    words = "This sentence goes on and on, until its lines fill the whole left side of the picture. "
    for count, sentence, foot, game in product(
        (0, 1, 2, 4, 6), (1, 20, 60, 150, 400), ("", "pbem", words * 2), (None, HOGEN, HEXEN_RENNEN)
    ):
        players = tuple(
            Player(seat, NAMES[seat] * (1 + seat), "12" * seat)
            for seat in range(count if game is not HEXEN_RENNEN else min(count, 4))
        )
        told = SharePicture("Replay, step 12 of 33", "Hogen", (words * 5)[:sentence], players, foot, (BOARD,), game)
        yield (
            f"{count} {sentence} {len(foot)} {game and game.meta.slug}: "
            f"{checksum(share_pictures.svg_document(told).encode())}"
        )
    for title, boards in product(
        ("", "One", "The Ponds of Niigata", "One title that takes three whole lines of large words", words), range(6)
    ):
        told = SharePicture(words[: 9 * boards], title, "Alice wins.", (), "pbem", (BOARD,) * boards)
        yield f"{title} {boards}: {checksum(share_pictures.svg_document(told).encode())}"
    for text in (
        "",
        " ",
        "one",
        "one two three four",
        "one  two",
        "unbreakable",
        "The Ponds of Niigata",
        "a\0b c",
        "日本 日本 日本",
    ):
        for room, most in product((3, 6, 7.9, 9, 14.5), (1, 2, 3)):
            yield call_as_line(pictures.wrap_text, text, room, most)


def parts_of_pictures() -> Iterator[str]:
    """Returns what pictures are put together of."""
    for letter in "WmwM@%œŒæÆ…iljtfI.,:;!|'’()- \u00a0aA1éÉßЖж日ｱＡ\u0301\u200d\u05d0\u0627🙂":
        yield f"{letter!r}: {pictures.width_in_letters(letter):g} {pictures.width_in_letters('x' + letter):g}"
    for name in (
        "Alice",
        "Alice-Bob-Carol",
        "Al ice",
        "Al -ice",
        "e\u0301" * 9,
        "",
        "iiiiiiiiii",
        "WWW",
        "a\u200db\u200dc\u200dd",
    ):
        for room in (0, 1, 2, 3, 5, 9):
            yield call_as_line(pictures.shorten_name, name, room)
    yield from lines_of_calls(
        pictures.drop_invalid_xml, ["Alice", "e\u0301", "a\0b\x1fc\ud800d\ufffee\u0378f", "\u200d", "\t"]
    )
    for svg in ("a {0} b {1:2} c", "de {0}", "{2}", "{", "}", "{0:}", "{0:1234}", "{000}", "{1:0}", "{0:12}{0}", ""):
        yield (
            f"{svg}: {result_of(pictures.svg_with_names, svg, ['Alice <', 'Bob-Carol'])} "
            f"{result_of(pictures.svg_with_names, svg, [chr(0x5D0), ''])}"
        )
    for markups in (
        ["<use href='#seat-1'/>"],
        ['<use href="#seat-1"/>'],
        ['<use x="1" href="#brand"/><use href="#wait"/>'],
        ['<use href="#none"/>', '<use href="#absent"/>'],
        [],
        ['<user href="#none"/>'],
    ):
        for game in (None, HOGEN):
            said = result_of(pictures.definitions_of_used_symbols, game, markups)
            yield f"{markups} {game and game.meta.slug}: {said}"
    mons = ['<use href="#mon-f"/>']
    yield (
        f"{result_of(pictures.symbol_definitions, None, *mons)}"
        f" {shorten_text(str(pictures.symbol_definitions(HOGEN, *mons)))} "
        f"{shorten_text(str(pictures.symbol_definitions(None, *mons, others=[HOGEN])))}"
    )
    yield from lines_of_calls(pictures.colour_in_light_theme, [f"c{n}" for n in range(1, 8)])
    themes: tuple[pictures.Theme, ...] = ("light", "dark")
    for theme in themes:
        for night in (True, False):
            yield f"{theme} {night}: {checksum(pictures.literal_styles(theme, night=night).encode())}"
        for drawn in (
            "<svg viewBox='0 0 1 1'><g/></svg>",
            '<svg class="night-svg" xmlns="x"><use href="#seat-1"/>{0}</svg>',
        ):
            yield f"{theme} {drawn}: {checksum(pictures.board_document(HOGEN, drawn, NAMES, theme).encode())}"
            gif_frame = reels.Frame(HOGEN, BOARD, NAMES, "step 3", "One sentence. " * 9)
            for high, count in product((616, 700), (1, 2, 9)):
                yield f"{theme}: {checksum(reels.svg_document_of_frame(gif_frame, high, count, theme).encode())}"
    for box in ("0 0 390 400", "0 0 390 401", "1 2 600 300.5", "0 0 100 1"):
        yield f"{box}: {reels.height_of_tallest_board([f'<svg viewBox={chr(34)}{box}{chr(34)}>', BOARD])}"
    yield (
        f"{reels.height_of_tallest_board([])} {reels.lines_of_longest_sentence([])} "
        f"{[reels.text_height(n) for n in range(4)]}"
    )
    yield (
        f"{[reels.lines_of_longest_sentence(['word ' * n, 'a']) for n in range(0, 60, 4)]} "
        f"{[reels.lines_of_longest_sentence(['word ' * n], 8) for n in range(0, 120, 8)]}"
    )
    try:
        raise ZeroDivisionError("with a name")
    except ZeroDivisionError as error:
        place = pictures.error_kind_and_place(error).rpartition(":")[0]
        yield f"{place} | {pictures.error_kind_and_place(ValueError('a'))}"
    for meta, seat in product((None, HOGEN.meta, HEXEN_RENNEN.meta), range(8)):
        marks = meta.seat_marks if meta is not None else ()
        yield (
            f"{meta and meta.slug} {seat}: {result_of(badges.seat_colour_class, seat, marks)} "
            f"{result_of(badges.draw_badge, seat, marks, 1.5, 2, 36)}"
        )


def animations() -> Iterator[str]:
    """Returns animations, gif_frame by gif_frame."""
    frames = []
    for n in range(4):
        image = Image.new("RGB", (40, 30), (250, 240, 230))
        draw = ImageDraw.Draw(image)
        draw.rectangle((2 + 3 * n, 4, 12 + 3 * n, 14), fill=(200, 30, 30))
        draw.point((39, 29 - n), fill=(0, 0, 200))
        for x in range(40):
            draw.point((x, 20), fill=(6 * x, 5 * x, 255 - 6 * x))
        frames.append(image)
    found = gif.palette_of(frames)
    yield (
        f"{found[:24].hex()} {found[-6:].hex()} {checksum(found)} {checksum(gif.palette_of(frames[:1]))} "
        f"{checksum(gif.palette_of([frames[0].resize((90, 20)), frames[1]]))}"
    )
    many = Image.frombytes(
        "RGB",
        (64, 64),
        bytes((x * 4 & 255, y * 4 & 255, (x + y) * 2 & 255)[c] for y in range(64) for x in range(64) for c in range(3)),
    )
    yield f"{checksum(gif.palette_of([many]))} {checksum(gif.palette_of([many, many]))}"
    for share in (1, 2, 3):  # this many pixels of 4,000 are the least that count as common
        image = Image.new("RGB", (80, 50), (9, 9, 9))
        for n in range(share):
            image.putpixel((n, 7), (1, 200, 3))
        yield f"{share}: {gif.palette_of([image])[:9].hex()}"
    file = BytesIO()
    frames[0].save(file, "png")
    yield f"{gif.open_png(file.getvalue()).tobytes() == frames[0].tobytes()} {gif.open_png(file.getvalue()).mode}"
    head = gif.gif_head((40, 30), found)
    yield (
        f"{head[:13].hex()} {head[-19:].hex()} {gif.read_gif_head(head)[0]} {gif.read_gif_head(head)[1] == found} "
        f"{gif.read_gif_head(gif.gif_head((300, 700), found))[0]}"
    )
    drawn = [gif.reduce_to_palette(one, found) for one in frames]
    whole = head
    before = None
    for n, image in enumerate((*drawn, drawn[-1])):
        data = gif.gif_frame(image, before, 100 * (n + 1))
        whole, before = whole + data, image
        yield f"{n}: {checksum(image.tobytes())} {data[:18].hex()}"
    with Image.open(BytesIO(whole + gif.TAIL)) as image:
        for n in range(getattr(image, "n_frames", 1)):
            image.seek(n)
            yield (
                f"{n}: {checksum(image.convert('RGB').tobytes())} {image.info.get('duration')} {image.info.get('loop')}"
            )


SHEET = (
    ".a { fill: #f00; stroke: #00ff00 } .b{fill:currentColor;opacity:0.5}/* x */ .a { stroke-width: 3; fill: "
    "#123456 } .c { stop-color: #abc; stop-opacity: 0.25; font-weight: 700 }"
)


def documents() -> Iterator[str]:
    """Returns how documents are read."""
    for text in (
        "",
        SHEET,
        " \n",
        ".a{}",
        "rect{fill:#000}",
        ".a{filter:x}",
        ".a{fill:#000",
        ".a{fill:#000;;}",
        ".a{fill}",
        ".a b{fill:#000}",
        "/* .a{} */",
        ".a-b_c{color:#FFF}",
    ):
        found = result_of(
            lambda said: (dict(styles.read_style_sheet(said).rules), styles.read_style_sheet(said).colours), text
        )
        yield f"{text_of(text)}: {found}"
    rules = styles.read_style_sheet(SHEET)
    within = styles.style_inside(styles.ROOT, rules, ' class="b"')
    for given in (
        "",
        ' class="a"',
        ' class="a b"',
        ' class="b a"',
        ' class="none"',
        ' fill="#111" class="a"',
        ' fill="#111" stroke="none"',
        ' opacity="0.5"',
        ' opacity="1.5"',
        ' fill-opacity="-1"',
        ' stroke-opacity="1"',
        ' stop-opacity="2"',
        ' x="3" font-size="9"',
        ' opacity="0"',
        ' fill-opacity="x"',
    ):
        yield (
            f"{given}: {result_of(styles.style_inside, styles.ROOT, rules, given)} "
            f"{result_of(styles.style_inside, within, rules, given)}"
        )
    yield from lines_of_calls(styles.six_digit_colour, ["#fA0", "#ffaa00", "#ABCDEF"])
    for said, opacity, current in (
        ("#fff", 1, ""),
        ("#102030", 0.5, ""),
        ("currentColor", 0, "#abc"),
        ("red", 1, ""),
        ("currentColor", 1, "none"),
        ("#12345", 1, ""),
        ("#fff", 0.999, ""),
    ):
        yield call_as_line(styles.argb_colour, said, opacity, current)
    for svg in (
        "<svg viewBox='0 0 1 1'/>",
        '<svg viewBox="0 0 9 9">',
        '<svg viewBox="1,2 3 4">',
        ' <svg a="b" viewBox="0 0 1.5 -2"/>',
        "<svg>",
        "",
        '<g viewBox="0 0 1 1">',
        '<svg viewBox="0 0 1">',
        '<svg viewBox="a">',
    ):
        yield call_as_line(elements.view_box, svg)
    for drawn in (
        '<g a="b">x</g>',
        "x<g/>",
        "<g",
        "",
        " <g/> y",
        "<g a=b/>",
        "<g/ >",
        '<a href="x" b:c-d="e"/>',
        "<!-- a -->",
        "</g >",
    ):
        yield f"{drawn}: {result_of(elements.parse_tags, drawn)}"
    yield from lines_of_calls(
        styles.parse_attributes, ["", ' a="b"', ' a="&lt;&amp;" b-c="d"', " a='b'", ' a="1" a="2"']
    )
    whole = (
        '<svg viewBox="0 0 9 9"><style>.a{}</style><style>.b{}</style><title>t</title><defs><symbol id="s" '
        'viewBox="0 1 2 3"><use href="#t"/></symbol><symbol viewBox="0 0 1 1" id="t"><g/></symbol>'
        '<linearGradient id="l"><stop/></linearGradient><clipPath id="c"><rect/></clipPath></defs><use '
        'href="#s"/></svg>'
    )
    document = elements.document_with_definitions_apart(whole)
    yield text_of(document)
    for name in ("s", "t", "l", "u"):
        yield (
            f"{name}: {result_of(elements.find_symbol, name, document.defined)} "
            f"{result_of(elements.definition_of, name, document.defined)} "
            f"{result_of(elements.definition_at_url, f'url(#{name})', document)}"
        )
    yield (
        f"{elements.find_symbol('s', document.defined) is elements.find_symbol('s', document.defined)} "
        f"{result_of(elements.definition_at_url, 'url(x)', document)} "
        f"{result_of(elements.find_symbol, 's', {'s': document.defined['s']})}"
    )
    yield result_of(elements.colours_of, elements.Document('<g fill="#ABC" stroke="#123456" x="#12"/>'), rules)


DRAWN = (
    '<g><rect x="1"/></g>', "<g>", "</g>", "<g></a>", "<g/>", "<g></g>", "<g>x</g>", "<g/>x",
    "<text>a &amp; b</text>", "<text/>", "<text><g/></text>", "<text>a<g/></text>", "<rect></rect>", "<rect>x</rect>",
    "<rect><g/></rect>", "<svg></svg>", "<g><svg/></g>", "<svg/>", '<text visibility="hidden">a</text>',
    "<g> <a/> </g>", "<g><g></g>",
    '<g opacity="0.5"><rect/></g>', "<text>a</text><text>b</text>", "<g></g></g>", "<rect/> <rect/>",
)  # fmt: skip


def walks() -> Iterator[str]:
    """Returns the elements of documents, in their order."""
    rules = styles.read_style_sheet("")

    def walk(drawn: str, symbol: bool) -> list[str]:
        found = elements.walk_elements(elements.Document(drawn), rules, styles.ROOT, symbol=symbol)
        return [f"{step} {tag.name} {own.opacity} {words!r}" for step, tag, own, words in found]

    for drawn in DRAWN:
        for symbol in (False, True):
            yield f"{drawn} {symbol}: {result_of(walk, drawn, symbol)}"
    for tag, names in (
        ("svg", ("viewBox", "width", "height", "xmlns", "font-family", "x")),
        ("g", ("transform", "clip-path", "font-family", "x", "class", "id", "role", "pointer-events", "data-x",
            "aria-label", "fill", "style", "title")), ("a", ("href", "tabindex", "x")),
            ("use", ("href", "x", "y", "width", "height", "transform", "rx")),
        ("image", ("href", "x", "y", "width", "height", "preserveAspectRatio", "transform")),
        ("text", ("x", "y", "dx", "font-size")), ("rect", ("x", "y", "width", "height", "rx", "ry", "transform")),
        ("circle", ("cx", "cy", "r", "rx")), ("ellipse", ("cx", "cy", "rx", "ry", "r")), ("path", ("d", "x")),
        ("line", ("x1",)), ("", ("x",)),
    ):  # fmt: skip
        for name in names:
            yield f"<{tag} {name}>: {result_of(elements.parse_known_attributes, tag, f' {name}={chr(34)}1{chr(34)}')}"
    for said in (
        "",
        "translate(1)",
        "translate(1,2)",
        "translate(1 2 3)",
        "scale(2)",
        "scale(2, 3) rotate(4)",
        "rotate(1 2 3)",
        "rotate(1 2)",
        "skewX(1)",
        "translate(a)",
        "scale(1)x",
        " scale(1) , rotate(-2.5e1) ",
        "rotate()",
    ):
        yield call_as_line(elements.parse_transforms, said)
    for said in (
        "",
        "M1 2",
        "M1 2 3 4",
        "m1 2 3 4",
        "M1,2L3-4",
        "M1.5.5",
        "H1V2",
        "H1 2",
        "C1 2 3 4 5 6",
        "C1 2 3",
        "S1 2 3 4",
        "Q1 2 3 4",
        "A1 2 3 4 5 6 7",
        "Z",
        "M1 2Z",
        "z 1",
        "M1 2ZL3 4",
        "1 2",
        "B1",
        "M1",
        "M1 2 3",
        "M1e2-3e-1",
        "M1 2!",
        "Mx",
        "M1 2 ",
    ):
        yield call_as_line(elements.parse_path_commands, said)
    for href in ("data:image/svg+xml;base64,PHN2Zy8+", "data:image/png;base64,PHN2Zy8+", "a.svg"):
        yield call_as_line(elements.svg_document_in_href, href)
    for clip in (
        '<clipPath id="c"><rect x="1" width="2"/></clipPath>',
        "<clipPath><circle/></clipPath>",
        '<clipPath><rect r="1"/></clipPath>',
        "<clipPath><rect/></clipPath>x",
    ):
        yield call_as_line(elements.clip_rectangle_attributes, clip)
    for tag, given in (
        ("rect", ""),
        ("rect", ' rx="1"'),
        ("circle", ""),
        ("rect", ' opacity="0.5"'),
        ("rect", ' fill-opacity="0.5"'),
        ("rect", ' stroke="#000"'),
        ("rect", ' x="1"'),
    ):
        own = styles.style_inside(styles.ROOT, rules, given)
        found = result_of(elements.fading_rectangle_attributes, elements.Tag("", tag, given, "/", ""), own)
        yield f"<{tag}{given}>: {found}"
    for given in (' x="1"', ' stroke="#000"', ' rx="1"'):
        yield f"{given}: {result_of(elements.text_attributes, given, styles.style_inside(styles.ROOT, rules, given))}"
    for ends, first, second in (
        ('x1="0" x2="0" y1="0" y2="1"', ' offset="0" stop-opacity="0.5"', ' offset="1"'),
        ('x1="0" x2="1" y1="0" y2="1"', ' offset="0"', ' offset="1"'),
        ('x1="0" x2="0" y1="0" y2="1"', ' offset="0"', ' offset="0.5"'),
        ('x1="0" x2="0" y1="0" y2="1"', ' offset="0" stop-color="#fff"', ' offset="1"'),
        ("", ' offset="0"', ' offset="1"'),
    ):
        gradient = f'<linearGradient id="s" {ends}><stop{first}/><stop{second}/></linearGradient>'
        yield f"{ends}{first}{second}: {result_of(styles.read_fade, gradient, rules)}"
    yield text_of(Fade(0x102030, 0.75, 0.25).opacities())


class Flat:
    """A drawing of the given colours, as wide and as high as it is asked for."""

    colours: tuple[str, ...] = ("#ffffff", "#c81e1e", "#fdf9f0")
    fades: tuple[tuple[int, Fade], ...] = ((0xFDF9F0, Fade(0x3050A0, 0.5, 0.0)),)

    def __init__(self, svg: str, width: int, height: int, cells: Cells | None) -> None:
        rows, columns = np.mgrid[0:height, 0:width]
        self.pixels: npt.NDArray[np.int64] = np.where(
            rows * 3 < height, 0xC81E1E, np.where(columns * 3 < width, 0x20A040, 0xFDF9F0)
        )
        self.pixels[0, 0], self.pixels[-1, -1] = 0x123456, 0
        red, green, blue = (
            np.take(part, self.pixels >> shift & 255) for part, shift in zip(encode.CELL_PARTS, (16, 8, 0), strict=True)
        )
        if cells is not None:
            cells[:, 1:] = red | green | blue

    def sample_pixel_colours(self, step: int) -> npt.NDArray[np.uint32]:
        return self.pixels[::step, ::step].astype(np.uint32)

    def rgba(self) -> bytes:
        return b"".join(
            bytes((int(one) >> 16 & 255, int(one) >> 8 & 255, int(one) & 255, 200)) for one in self.pixels.ravel()
        )


def palettes() -> Iterator[str]:
    """Returns palettes, and pictures in their colours."""
    few = encode.picture_palette(("#000000", "#ff0000"), ())
    yield (
        f"{few.colours.hex()} {checksum(few.table.tobytes())}"
        f" {encode.picture_palette(('#000000', '#ff0000'), ()) is few}"
    )
    for colours, fades in (
        (("#fdf9f0", "#c81e1e", "#204080", "#202020"), Flat.fades),
        (("#808080", "#818181", "#828282", "#9e9e9e"), ()),
        ((), ()),
        (tuple(f"#{n:02x}{255 - n:02x}40" for n in range(0, 250, 2)), Flat.fades),
        (("#101010", "#111111"), ((0, Fade(0xFFFFFF, 1, 0)),)),
    ):
        made = encode.picture_palette(colours, fades)
        yield f"{len(colours)}: {shorten_text(made.colours.hex())} {checksum(made.table.tobytes())}"
    for more in ((0x20A040,), (0x20A040, 0x20A041, 0xFF0001), tuple(range(0, 0xFFFFFF, 0xFFFF))):
        wider = encode.add_colours(few, more)
        yield (
            f"{len(more)}: {len(wider.colours)} {checksum(wider.colours)} {checksum(wider.table.tobytes())} "
            f"{encode.add_colours(few, more) is wider}"
        )
    for colour in (0x000000, 0x040400, 0x040401, 0x050303, 0xFF0000, 0xF70000, 0xF80000, 0xF70001, 0x00FF00):
        cell = int(
            encode.CELL_PARTS[0][colour >> 16]
            | encode.CELL_PARTS[1][colour >> 8 & 255]
            | encode.CELL_PARTS[2][colour & 255]
        )
        yield f"{colour:06x}: {cell} {encode.missing_colours(few, [(cell, colour)])}"
    cells = np.zeros((120, 240), np.uint16)
    cells[:12, :12], cells[24:48, 24:48], cells[60:, 120:], cells[0, 12] = 1, 2, 3, 4
    known = np.full((10, 20), 0x102030, np.uint32)
    known[5:, 10:15], known[5:, 15:] = 0x405060, 0x405061
    yield (
        f"{encode.large_surfaces(cells[::12, ::12], known)} {[checksum(part.tobytes()) for part in encode.CELL_PARTS]}"
    )
    for box, width in (
        ("0 0 100 50", 100),
        ("0 0 100 50", 99),
        ("0 0 390 452", 48),
        ("0 0 1000 1", 30),
        ("5 5 30 29.99", 90),
    ):
        data = encode.render_png(f'<svg viewBox="{box}"/>', width, by=Renderer("flat", Flat))
        with Image.open(BytesIO(data)) as image:
            yield (
                f"{box} {width}: {image.size} {image.mode} {data[:33].hex()} {data[-12:].hex()} "
                f"{checksum(image.convert('RGB').tobytes())}"
            )
    with Image.open(
        BytesIO(encode.render_png('<svg viewBox="0 0 20 10"/>', 40, clear=True, by=Renderer("flat", Flat)))
    ) as image:
        yield f"{image.size} {image.mode} {checksum(image.tobytes())}"


PARTS: tuple[Part, ...] = (
    curves, pictures_beside_links, parts_of_pictures, animations, documents, walks, palettes
)  # fmt: skip


if __name__ == "__main__":
    FILE.write_text(whole_file("tests.render.pictured", PARTS), "utf-8")
