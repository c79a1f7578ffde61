"""The map in its window: tiles, empty cells, breeders, rulers for the columns and rows, and the overview.

The map is drawn 100 units a tile inside one group, which `pan.js` moves and enlarges behind the window.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from pbem.games.niigata import words
from pbem.games.niigata.board import pieces
from pbem.games.niigata.board.pieces import TAG, Tag, tags_of_closed_ponds
from pbem.games.niigata.board.view import View
from pbem.games.niigata.board.window import Window, map_window
from pbem.games.niigata.facts_tiles import piece_order_key, reading_order_key
from pbem.games.niigata.rules_ponds import cells_in_reading_order, worth_of_pond
from pbem.kit.contract import Link
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import attribute, box, dashes, linked, moved, number, seal, spot_width

Area = tuple[float, float, float, float]
"""Left, top, right and bottom, in units of the map."""
Draw = Callable[[float, float, float], str]
"""Draws a mark at x and y, in this size."""
_SPARE = 0.0
"""How much of a number's size may lie over something else."""


def draw_map_window(view: View, at: Box) -> str:
    """Draws the window and its contents."""
    seen = map_window(view, at)
    name = f"window-{view.scene.shape}"
    x, y = seen.corner_of_start_tile
    inside = moved("".join((*_draw_cells(view, seen), *_draw_pond_signs(view, seen))), x, y, f"{seen.scale:.4g}")
    extent = (100 * seen.columns.start, 100 * seen.rows.start, 100 * len(seen.columns), 100 * len(seen.rows))
    said = attribute("|".join(word[view.lang] for word in (words.MAP, words.WHOLE, words.PART)))
    edge, pattern = at.inside(0.75), " ".join(map(str, extent))
    ground = box("gr", *at.frame, 6, ' fill-opacity=".35"')
    outline = box("ln", *edge.frame, 6, ' stroke-width="1.5"')
    # Where no link leads to a larger map, `pan.js` puts a button.
    corner = seen.corner if seen.whole and not view.scene.extents else None
    lens = f' data-lens="{number(corner.x)} {number(corner.y)} {number(corner.width)}"' if corner else ""
    return (
        f'{ground}<clipPath id="{name}"><rect x="{number(seen.at.x)}" y="{number(seen.at.y)}" '
        f'width="{number(seen.at.width)}" height="{number(seen.at.height)}"/></clipPath>'
        f'<g clip-path="url(#{name})" data-pan="{pattern}" data-words="{said}"'
        f' data-extent="{"whole" if seen.whole else "part"}"{lens}>{inside}</g>'
        f"{_draw_rulers(view, seen)}{outline}{_draw_overview_or_button_to_part(view, seen)}"
    )


# --- around the map ----------------------------------------------------------------------------------------


def _draw_rulers(view: View, seen: Window) -> str:
    """Writes the distance of each column and row from the start tile, along the edges of the window."""
    left, top = seen.corner_of_start_tile
    size = seen.sizes.text
    east, south = [word[view.lang] for word in words.EAST], [word[view.lang] for word in words.SOUTH]
    across = _draw_ruler(
        "x", left, seen, seen.columns, seen.at.x, seen.at.right, 0, [_distance_label(x, *east) for x in seen.columns]
    )
    along = _draw_ruler(
        "y", top, seen, seen.rows, seen.at.y, seen.at.bottom, 0.34, [_distance_label(y, *south) for y in seen.rows]
    )
    # The numbers of a ruler share one coordinate, which their group sets.
    return (
        f'<g class="i2 m" data-ruler="x" transform="translate(0,{number(seen.at.y - size * 0.3)})">{across}</g>'
        f'<g class="i2 m" data-ruler="y" transform="translate({number(seen.at.x - size)},0)">{along}</g>'
    )


def _draw_ruler(
    axis: str, origin: float, seen: Window, cells: range, start: float, end: float, low: float, said: Sequence[str]
) -> str:
    """Writes a ruler's numbers: where there is no room for all, those of every second or third cell."""
    size = seen.sizes.text
    every = 1
    while every * seen.cell < size * (2 if axis == "x" else 1):
        every += 1
    drawn = []
    for cell, words_ in zip(cells, said, strict=True):
        middle = origin + seen.cell * (cell + 0.5)
        shown = cell % every == 0 and start + size * 0.8 <= middle <= end - size * 0.8
        hidden = "" if shown else ' visibility="hidden"'
        at = number(middle + size * low)
        drawn.append(f'<text {axis}="{at}" font-size="{number(size)}" data-cell="{cell}"{hidden}>{words_}</text>')
    return "".join(drawn)


def _distance_label(steps: int, before: str, after: str) -> str:
    return f"{abs(steps)}{after if steps > 0 else before}" if steps else "0"


def _draw_overview_or_button_to_part(view: View, seen: Window) -> str:
    """Draws the overview, which leads to the whole map, or the button that leads from the whole map to a part."""
    at, scene = seen.corner, view.scene
    if at is None:
        return ""
    other, word = ("part", words.PART) if seen.whole else ("whole", words.WHOLE)
    href = next((href for extent, href in scene.extents.items() if extent == other), None)
    if href is None and seen.whole:
        return ""
    edge = 3
    frame = box("ib", at.x, at.y, at.width, at.height + (5 if href else 0), 8)
    drawn = box("pa", at.x + edge, at.y + edge, at.width - 2 * edge, at.height - 2 * edge, 6)
    drawn += _draw_magnifier(at) if seen.whole else _draw_overview(view, seen, at.inside(edge + 3))
    group = f'<g data-overview="">{frame}{drawn}</g>'
    if href is None:
        return group
    # Unlike the choices on the map, this is nowhere else on the page: it is in the tab order.
    return f'<a href="{attribute(href)}" aria-label="{attribute(word[view.lang])}">{group}</a>'


def _draw_magnifier(at: Box) -> str:
    """Draws a magnifying glass."""
    x, y, unit = at.x + at.width / 2, at.y + at.height / 2, at.width / 40
    return (
        f'<path class="il" stroke-width="{number(3 * unit)}" stroke-linecap="round" d="M{number(x + 5 * unit)},'
        f'{number(y + 5 * unit)}l{number(7 * unit)},{number(7 * unit)}"/>'
        f'<circle class="il" cx="{number(x - 2 * unit)}" cy="{number(y - 2 * unit)}" r="{number(9 * unit)}" '
        f'stroke-width="{number(3 * unit)}"/>'
    )


def _draw_overview(view: View, seen: Window, at: Box) -> str:
    """Draws every tile as a square, every cell that may be chosen as a dot, every breeder as its seat's colour."""
    fold = view.fold
    cell = min(at.width / len(seen.columns), at.height / len(seen.rows))
    x = at.x + (at.width - cell * len(seen.columns)) / 2 - cell * seen.columns.start
    y = at.y + (at.height - cell * len(seen.rows)) / 2 - cell * seen.rows.start
    tiles = "".join(
        f"M{100 * x},{100 * y}h94v94h-94z" for y, x in map(reading_order_key, cells_in_reading_order(fold.laid))
    )
    open_ = [cell for cell in cells_in_reading_order(view.open_cells) if view.link_instead(f"at-{cell}")]
    dots = "".join(f"M{100 * x + 30},{100 * y + 30}h36v36h-36z" for y, x in map(reading_order_key, open_))
    drawn = f'<path class="wt" d="{tiles}"/>' + (f'<path class="ib" d="{dots}"/>' if dots else "")
    for name in sorted((name for name, pond in fold.ponds.items() if pond.owner is not None), key=piece_order_key):
        column, row = _corner_of_cell(name.partition(".")[0])
        colour = f"c{(fold.ponds[name].owner or 0) + 1}"
        drawn += f'<rect class="cu {colour}" x="{column + 12}" y="{row + 12}" width="70" height="70"/>'
    wide, high = seen.at.width * 100 / seen.cell, seen.at.height * 100 / seen.cell
    drawn += (
        f'<rect class="sl" data-frame="" x="{number(100 * seen.left)}" y="{number(100 * seen.top)}" '
        f'width="{number(wide)}" height="{number(high)}" stroke-width="{number(200 / cell)}"/>'
    )
    name = f"overview-{view.scene.shape}"
    return (
        f'<clipPath id="{name}"><rect x="{number(at.x)}" y="{number(at.y)}" width="{number(at.width)}" '
        f'height="{number(at.height)}"/></clipPath><g clip-path="url(#{name})">'
        f"{moved(drawn, x, y, f'{cell / 100:.4g}')}</g>"
    )


# --- cells and tiles ---------------------------------------------------------------------------------------


def _corner_of_cell(cell: str) -> tuple[int, int]:
    y, x = reading_order_key(cell)
    return 100 * x, 100 * y


def _draw_cells(view: View, seen: Window) -> Iterator[str]:
    """Draws the cells in reading order, the chosen one last: its frame overlaps its neighbours."""
    fold, chosen, refused = view.fold, view.cell_chosen_for_tile, _why_no_breeder_link_by_cell(view)
    for cell in cells_in_reading_order(view.open_cells):
        link = view.link_instead(f"at-{cell}")
        if link is not None and cell != chosen:
            yield pieces.draw_empty_cell(*_corner_of_cell(cell), link)
    tiles: dict[Link | None, str] = {None: ""}
    for cell in sorted(
        cells_in_reading_order(fold.laid.keys() - {chosen}), key=lambda cell: cell in view.story_by_cell_tile_or_pond
    ):
        laid, (x, y) = fold.laid[cell], _corner_of_cell(cell)
        new = box("gl", x + 4, y + 4, 92, 92, 4, dashes(6, "12 8")) if cell in view.story_by_cell_tile_or_pond else ""
        link = refused.get(cell)
        tiles[link] = tiles.get(link, "") + pieces.draw_tile(laid.tile, laid.rotation, x, y) + new
    for link, drawn in tiles.items():  # one link for all tiles of a pond
        yield linked(drawn, link)
    if chosen in fold.laid:  # touching the tile of the chosen move rotates it further
        laid, (x, y), turns = fold.laid[chosen], _corner_of_cell(chosen), view.link_by_rotation
        following = [turn for turn in turns if turn > laid.rotation] or [*turns]
        drawn = box("se", x - 7, y - 7, 114, 122, 8) + pieces.draw_tile(laid.tile, laid.rotation, x, y)
        yield linked(drawn, _take_link_out_of_tab_order(turns[following[0]]) if len(turns) > 1 else None)
    elif chosen is not None:  # touching the tile lays it as it is shown
        (x, y), tile, turns = _corner_of_cell(chosen), view.choice("lay"), view.link_by_rotation
        drawn = pieces.draw_tile(tile, min(turns, default=0), x, y, known=False) if tile else ""
        dashed = box("sl", x, y, 100, 100, 6, dashes(9, "16 9"))
        yield linked(drawn + dashed, _take_link_out_of_tab_order(turns[min(turns)]) if turns else None)


def _take_link_out_of_tab_order(link: Link) -> Link:
    """Returns the link where the keyboard does not reach it: it does so elsewhere on the board."""
    return replace(link, in_tab_order=False)


def _why_no_breeder_link_by_cell(view: View) -> dict[str, Link]:
    """Returns the cells with water of a pond that takes no breeder, and where each leads: to why not."""
    cells: dict[str, Link] = {}
    for step, link in view.scene.refused.items():
        kind, _, name = step.partition("-")
        if kind == "claim":
            cells |= {piece.partition(".")[0]: link for piece in view.fold.ponds[name].pieces}
    return cells


# --- ponds, numbers and seals ------------------------------------------------------------------------------


def _draw_pond_signs(view: View, seen: Window) -> Iterator[str]:
    """Draws the signs of the closed ponds, and where they hide least the seal and the numbers of the story."""
    letters = seen.in_map_units(seen.sizes.text)
    size = (
        (letters * 2, letters * 1.6)
        if seen.is_too_small_for_breeders
        else (TAG[0] * seen.enlargement_of_signs, TAG[1] * seen.enlargement_of_signs)
    )
    placed = tags_of_closed_ponds(view.fold, *size)
    taken = [(tag.x - size[0] / 2, tag.y - size[1] / 2, tag.x + size[0] / 2, tag.y + size[1] / 2) for tag in placed]
    plus = [_corner_of_cell(cell) for cell in view.open_cells if view.link_instead(f"at-{cell}")]
    taken += [(x + 28, y + 28, x + 72, y + 72) for x, y in plus]
    for tag in placed:
        link = view.link(f"claim-{tag.name}")
        why_not = view.refusal(f"claim-{tag.name}")
        refused = _take_link_out_of_tab_order(why_not) if why_not and not link else None
        value = worth_of_pond(tag.pond.animals).points
        if seen.is_too_small_for_breeders:
            yield linked(pieces.draw_pond_worth(tag.pond.owner, tag.name, tag.x, tag.y, value, letters, link), refused)
        elif tag.pond.owner is None:
            yield pieces.draw_free_pond_sign(tag.x, tag.y, value, seen.enlargement_of_signs, link)
        else:
            yield linked(
                pieces.draw_breeder(tag.pond.owner, tag.name, tag.x, tag.y, value, seen.enlargement_of_signs), refused
            )
    chosen, large = view.cell_chosen_for_tile, seen.in_map_units(seen.sizes.seal)
    if chosen is not None and chosen in view.fold.laid:
        x, y = _corner_of_cell(chosen)
        yield _draw_where_it_hides_least(
            taken, [(x + 104 - large, y + 110 - large), (x - 4, y - 4), (x + 104 - large, y - 4)], large, seal
        )
    for tag in placed:
        if view.choice("claim") == tag.name:
            yield _draw_where_it_hides_least(taken, _places_for_number_around_tag(tag, size, large), large, seal)
    yield from _draw_story_numbers(view, seen, placed, size, taken)


def _draw_story_numbers(
    view: View, seen: Window, placed: list[Tag], size: tuple[float, float], taken: list[Area]
) -> Iterator[str]:
    """Draws the numbers of the story, on laid tiles and beside new breeders; without room, gold alone tells."""
    for thing, story in sorted(view.story_by_cell_tile_or_pond.items(), key=lambda item: item[1]):
        wide = seen.in_map_units(spot_width(story, seen.sizes.spot))
        tag = next((tag for tag in placed if tag.name == thing), None)
        if tag is not None:
            places = _places_for_number_around_tag(tag, size, wide)
        elif thing in view.fold.laid:
            places = _places_for_number_on_tile(thing, wide)
        else:
            continue
        scale = f"{seen.in_map_units(1):.4g}"

        def draw_spot(x: float, y: float, _size: float, story: int = story, scale: str = scale) -> str:
            return moved(view.spot(story, 0, 0, seen.sizes.spot), x, y, scale)

        yield _draw_where_it_hides_least(taken, places, wide, draw_spot, _SPARE)


def _places_for_number_on_tile(cell: str, wide: float) -> list[tuple[float, float]]:
    """Returns places on a tile, in its lower left corner first, then others on it and around it."""
    x, y = _corner_of_cell(cell)
    first, last, middle = -wide * 0.2, 100 - wide * 0.8, 50 - wide / 2
    on = [(first, last), (first, first), (last, first), (last, last), (middle, last), (first, middle)]
    on += [(middle, first), (last, middle), (middle, middle)]
    out = [(first - wide * 0.6, last), (first, last + wide * 0.6), (last + wide * 0.6, last), (last, last + wide * 0.6)]
    out += [(first - wide * 0.6, middle), (last + wide * 0.6, middle), (middle, first - wide * 0.6)]
    return [(x + dx, y + dy) for dx, dy in (*on, *out)]


def _places_for_number_around_tag(tag: Tag, size: tuple[float, float], wide: float) -> list[tuple[float, float]]:
    """Returns places beside the sign of a pond, below on the left first."""
    left, right, high = tag.x - size[0] / 2 - wide, tag.x + size[0] / 2, size[1] / 2
    above, below, middle = tag.y - high - wide, tag.y + high, tag.x - wide / 2
    return [
        (left, below - wide * 0.8), (left, tag.y - high), (middle, below), (right, tag.y - high), (left, below),
        (right, below - wide * 0.4), (middle, above), (left, above), (right, above), (right, below),
    ]  # fmt: skip


def _draw_where_it_hides_least(
    taken: list[Area], places: Sequence[tuple[float, float]], size: float, draw: Draw, spare: float = 1
) -> str:
    """Draws a mark at the place of these where it hides least of what is there, and notes it as taken.

    One that would hide more than `spare` of its own size is left out.
    """

    def area_hidden(x: float, y: float) -> float:
        areas = ((min(x + size, r) - max(x, le), min(y + size, b) - max(y, t)) for le, t, r, b in taken)
        return sum(across * along for across, along in areas if across > 0 and along > 0)

    x, y = min(places, key=lambda place: area_hidden(*place))
    if area_hidden(x, y) > spare * size * size:
        return ""
    taken.append((x, y, x + size, y + size))
    return draw(x, y, size)
