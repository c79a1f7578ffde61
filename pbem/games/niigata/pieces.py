"""The pieces of a drawn map: texts, tiles with their animals, breeders, marks. Classes of the look, nothing else."""

from html import escape

from pbem.games.niigata.meta import symbol_of
from pbem.games.niigata.tiles import PRINTED
from pbem.rules.contract import Link

Point = tuple[float, float]

# For each piece of a tile that is not turned: where one animal is, then where several are.
_SPOTS: dict[str, tuple[tuple[Point, tuple[Point, ...]], ...]] = {
    "a...": (((50, 54), ((33, 38), (66, 36), (34, 70), (66, 70), (50, 53))),),
    "aa..": (((55, 45), ((32, 28), (34, 62), (74, 64), (66, 36))),),
    "a.a.": (((50, 50), ((36, 24), (62, 42), (38, 60), (62, 78))),),
    "aaa.": (((58, 50), ((50, 22), (74, 50), (50, 78))),),
    "aaaa": (((50, 50), ((50, 20), (20, 50), (80, 50), (50, 80), (50, 50))),),
    "aabb": (((66, 34), ((44, 17), (80, 48))), ((34, 66), ((20, 50), (52, 83)))),
    "aaab": (((66, 50), ((58, 22), (74, 50), (58, 78))), ((14, 50), ((14, 38), (16, 62)))),
    "ab..": (((32, 36), ((52, 16), (24, 34))), ((64, 68), ((84, 46), (66, 76)))),
    "a.b.": (((50, 22), ((28, 20), (72, 20))), ((50, 78), ((28, 80), (72, 80)))),
    "aab.": (((62, 34), ((30, 30), (82, 56), (60, 30))), ((44, 86), ((28, 82), (64, 86)))),
    "abc.": (((36, 20), ((58, 14), (26, 26))), ((80, 50), ((82, 36), (82, 62))), ((36, 80), ((26, 74), (58, 86)))),
    "aabc": (((66, 34), ((44, 17), (80, 48))), ((50, 82), ((36, 82), (64, 82))), ((18, 50), ((18, 40), (18, 60)))),
    "abcd": (
        ((50, 18), ((38, 12), (60, 24))),
        ((82, 50), ((80, 38), (84, 62))),
        ((50, 82), ((38, 78), (62, 86))),
        ((18, 50), ((18, 40), (18, 60))),
    ),
}
_TILTS = (-18, 24, -40, 32, 12)


def number(value: float) -> str:
    """A coordinate as short as it can be written.

    >>> number(12.0), number(-101.60000000000001)
    ('12', '-101.6')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def attribute(value: str) -> str:
    """A foreign text as the value of an attribute; its braces must not be taken for somebody's name.

    >>> attribute('"{0}" & <you>')
    '&quot;&#123;0&#125;&quot; &amp; &lt;you&gt;'
    """
    return escape(value, quote=True).replace("{", "&#123;").replace("}", "&#125;")


def text(classes: str, x: float, y: float, words: str, size: float) -> str:
    """A line of text; `words` may hold places for names."""
    return (
        f'<text class="{classes}" x="{number(x)}" y="{number(y)}" font-size="{number(size)}">'
        f"{escape(words, quote=False)}</text>"
    )


def box(classes: str, x: float, y: float, width: float, height: float, round_: float, more: str = "") -> str:
    """A rectangle with round corners."""
    return (
        f'<rect class="{classes}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}" rx="{number(round_)}"{more}/>'
    )


def symbol(name: str, x: float, y: float, width: float, height: float, more: str = "") -> str:
    """A symbol by its name."""
    return (
        f'<use href="#{name}" x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"{more}/>'
    )


def linked(drawn: str, link: Link | None) -> str:
    """What leads somewhere when touched."""
    if link is None:
        return drawn
    return f'<a href="{attribute(link.href)}" aria-label="{attribute(link.label)}">{drawn}</a>'


def seat_mark(seat: int, x: float, y: float, size: float) -> str:
    """The seat's shape with its player's initial."""
    mark = symbol(f"seat-{seat + 1}", x, y, size, size, f' class="c{seat + 1}"')
    return mark + text("om b m", x + size / 2, y + size * 0.72, f"{{i{seat}}}", size * 0.62)


def spot(story: int, x: float, y: float, fresh: bool) -> str:
    """The ink spot with the number of its line in the story."""
    size = 26 if story < 100 else 19
    drawn = symbol("spot", x, y, 40, 40) + text("pa b m", x + 20, y + 20 + size * 0.34, str(story), size)
    return f'<g class="fresh">{drawn}</g>' if fresh else drawn


def seal(x: float, y: float) -> str:
    """The vermilion tick on what was chosen."""
    return symbol("seal", x, y, 46, 46)


def tile(name: str, rotation: int, x: float, y: float, scale: float = 1) -> str:
    """A tile as it lies, with its animals upright."""
    turn = f' transform="rotate({90 * rotation} 50 50)"' if rotation else ""
    size = f" scale({number(scale)})" if scale != 1 else ""
    return (
        f'<g data-piece="{name}" transform="translate({number(x)},{number(y)}){size}">'
        f"{symbol(symbol_of(name), 0, 0, 100, 100, turn)}{_animals(name, rotation)}"
        '<rect class="n sh" width="100" height="100" stroke-width=".8" opacity=".45"/></g>'
    )


def _animals(name: str, rotation: int) -> str:
    edges, pieces = PRINTED[name]
    most = max(map(len, pieces))
    length = 28 if len(pieces) > 2 or most > 3 else 32 if most > 2 else 36
    drawn, tilt = [], 0
    for at, animals in enumerate(pieces):
        for animal, (x, y) in zip(animals, piece_spots(edges, at, len(animals), rotation), strict=False):
            if animal == "E":
                drawn.append(symbol("wader", x - 12.5, y - 19, 25, 38))
                continue
            height = length * 0.6
            turn = f' transform="rotate({_TILTS[tilt % 5]} {number(x)} {number(y)})"'
            drawn.append(symbol(f"carp-{animal.lower()}", x - length / 2, y - height / 2, length, height, turn))
            tilt += 1
    return "".join(drawn)


def piece_spots(edges: str, piece: int, animals: int, rotation: int) -> list[Point]:
    """Where the animals of a piece are on a tile that lies so; of an empty piece its middle.

    >>> piece_spots("aabb", 0, 0, 1)
    [(66, 66)]
    """
    middle, several = _SPOTS[edges][piece]
    spots = several[:animals] if animals > 1 else (middle,)
    return [_turned(spot, rotation) for spot in spots]


def _turned(spot: Point, rotation: int) -> Point:
    x, y = spot
    for _ in range(rotation):
        x, y = 100 - y, x
    return x, y


def breeder(seat: int, x: float, y: float, value: int) -> str:
    """A seat's breeder around this point, with what its pond is worth."""
    return (
        symbol("breeder", x - 28, y - 38, 52, 62, f' class="c{seat + 1}"')
        + text("om b m", x - 2, y + 19, f"{{i{seat}}}", 25)
        + f'<circle class="pa ol" cx="{number(x + 26)}" cy="{number(y + 10)}" r="18" stroke-width="2.5"/>'
        + text("in b m", x + 26, y + 19, str(value), 27)
    )


def free_pond(x: float, y: float, value: int, link: Link | None) -> str:
    """The sign on a free closed pond; what stands up can be pressed."""
    if link is None:
        plate = box("pa", x - 24, y - 24, 48, 46, 6) + box("ln", x - 24, y - 24, 48, 46, 6, ' stroke-width="2"')
    else:
        plate = box("ib", x - 29, y - 29, 58, 62, 10) + box("pa", x - 24, y - 24, 48, 46, 6)
    return linked(plate + text("in b m", x, y + 10, f"+{value}", 32 if value < 10 else 26), link)


def empty_cell(x: float, y: float, link: Link) -> str:
    """An empty cell that a tile can go into."""
    square = box("fr il", x + 9, y + 9, 82, 82, 8, ' stroke-width="2.5"')
    plus = (
        f'<path class="il" d="M{number(x + 50)},{number(y + 36)} v28 M{number(x + 36)},{number(y + 50)} h28" '
        'stroke-width="5" stroke-linecap="round"/>'
    )
    return linked(square + plus, link)
