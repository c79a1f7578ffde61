"""The pieces on a drawn board of Hexen Rennen: tiles, witches, cards, and the marks of clans."""

from functools import cache

from pbem.games.hexen_rennen.facts_race import CLAN_OF, CLANS, COLOURS, SEAT_MARKS, SYMBOL, VALUE_OF
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import box, coloured, dashes, number, piece, symbol, text, token

_UNITS = 44
"""How many units wide a tile is where its parts are placed below."""


@cache
def draw_clan_sign(clan: int, x: float, y: float, size: float) -> str:
    """Draws the magic symbol of a clan in its colour."""
    return symbol(f"hx-{CLANS[clan].lower()}", x, y, size, size, COLOURS[clan])


@cache
def draw_clan_mark(clan: int, x: float, y: float, high: float) -> str:
    """Draws the mark of a clan and of its seat, half as wide again as high: symbol and letter on a pale plate.

    UNDECIDED: a witch with a question mark.
    """
    mark = SEAT_MARKS[clan]
    letter = coloured(text("cu b m", x + high * 1.15, y + high * 0.75, mark.letter, high * 0.64), mark.colour)
    sign = symbol(mark.symbol, x + high * 0.1, y + high * 0.14, high * 0.72, high * 0.72, mark.colour)
    return box("pa", x, y, high * 1.5, high, high * 0.2) + sign + letter


# --- tiles -------------------------------------------------------------------------------------------------


@cache
def draw_tile_face_down(at: Box, place: int, size: float, under: str | None, *, occupied: bool) -> str:
    """Draws a tile face down with its position; below, what it is if that is known, or room for a witch."""
    unit = at.width / _UNITS
    drawn = symbol("hx-back", at.x, at.y, at.width, at.width)
    if under is None:
        line = 17 if occupied else 28
        return drawn + text("nt m", at.x + at.width / 2, at.y + line * unit, str(place), size * 1.15)
    value = f"{under[0]}{VALUE_OF[under] or SYMBOL}"
    drawn += text("nt", at.x + 5 * unit, at.y + 17 * unit, str(place), size)
    return (
        f'<g data-under="{under}">{drawn}{text("nt b m", at.x + 28 * unit, at.y + 37 * unit, value, size * 1.15)}</g>'
    )


@cache
def draw_tile(name: str, at: Box, size: float, place: int | None = None, *, occupied: bool = False) -> str:
    """Draws a tile face up: its value at the top, which nothing hides, and its position at the bottom left."""
    clan, value, unit = CLAN_OF[name], VALUE_OF[name], at.width / _UNITS
    parts = [symbol("hx-tile", at.x, at.y, at.width, at.width, COLOURS[clan])]
    if not value:
        left, large = (4, 22) if occupied else (9.5, 25)
        parts.append(draw_clan_sign(clan, at.x + left * unit, at.y + 4 * unit, large * unit))
    else:
        parts.append(draw_clan_sign(clan, at.x + 4 * unit, at.y + 5 * unit, 15 * unit))
        large = 17 if value > 9 else 19
        parts.append(
            coloured(text("cu b e", at.x + 40 * unit, at.y + 19 * unit, str(value), large * unit), COLOURS[clan])
        )
    if place is not None:
        parts.append(text("i2", at.x + 4.5 * unit, at.y + 39.5 * unit, str(place), size))
    return piece("".join(parts), name)


@cache
def draw_tile_off_course(name: str, at: Box) -> str:
    """Draws a tile that is not on the course: value at the top, room for the seal at the bottom right."""
    clan, value, unit = CLAN_OF[name], VALUE_OF[name], at.width / _UNITS
    drawn = symbol("hx-tile", at.x, at.y, at.width, at.width, COLOURS[clan])
    if not value:
        return piece(drawn + draw_clan_sign(clan, at.x + 7 * unit, at.y + 7 * unit, 30 * unit), name)
    drawn += draw_clan_sign(clan, at.x + 4 * unit, at.y + 24 * unit, 16 * unit)
    large = 23 if value > 9 else 25
    return piece(
        drawn + coloured(text("cu b e", at.x + 39 * unit, at.y + 22 * unit, str(value), large * unit), COLOURS[clan]),
        name,
    )


def place_of_witch_on_tile(at: Box) -> tuple[float, float, float]:
    """Returns where a witch stands on a tile, bottom right below the value, and how wide she is."""
    unit = at.width / _UNITS
    return at.x + 20.5 * unit, at.y + 20.7 * unit, 22 * unit


# --- persons -----------------------------------------------------------------------------------------------

_TALL = 56 / 48


@cache
def draw_witch(clan: int, x: float, y: float, width: float) -> str:
    """Draws a witch with the letter of her clan on the cloak; the three of a clan are alike."""
    letter = text("om b m", x + width / 2, y + width, CLANS[clan], width * 0.6)
    return token(symbol("witch", x, y, width, width * _TALL, COLOURS[clan]) + letter, f"witch-{CLANS[clan]}")


def draw_witches_in_box(counts: dict[int, int], at: Box, size: float) -> str:
    """Draws the witches of each clan in the middle of the box; where they are too many, each clan's letter with × 3."""
    width = size * 1.62
    columns = int(at.width / width)
    most = sum(counts.values())
    if most <= columns * max(1, int(at.height / (width * _TALL))):
        return _draw_witches([clan for clan, count in counts.items() for _ in range(count)], at, width, columns)
    return _draw_clan_letters_with_counts(counts, at, size)


def _draw_witches(clans: list[int], at: Box, width: float, columns: int) -> str:
    drawn, rows = "", [clans[n : n + columns] for n in range(0, len(clans), columns)]
    top = at.y + (at.height - len(rows) * width * _TALL) / 2
    for n, row in enumerate(rows):
        left = at.x + (at.width - len(row) * width) / 2
        drawn += "".join(
            draw_witch(clan, left + i * width, top + n * width * _TALL, width) for i, clan in enumerate(row)
        )
    return drawn


def _draw_clan_letters_with_counts(counts: dict[int, int], at: Box, size: float) -> str:
    high, gap = size * 1.24, size * 0.12
    wide = {clan: size * (2.14 if count > 1 else 1.1) for clan, count in counts.items()}
    rows: list[list[int]] = [[]]
    for clan in counts:
        if sum(wide[n] + gap for n in rows[-1]) + wide[clan] > at.width:
            rows.append([])
        rows[-1].append(clan)
    y, drawn = at.y + (at.height - len(rows) * (high + gap) + gap) / 2, ""
    for row in rows:
        x = at.x + (at.width - sum(wide[clan] + gap for clan in row) + gap) / 2
        for clan in row:
            plate = box("pa", x, y, wide[clan], high, 3)
            plate += coloured(text("cu b m", x + size * 0.53, y + size * 0.99, CLANS[clan], size), COLOURS[clan])
            if counts[clan] > 1:
                plate += text("in", x + size * 1, y + size * 0.97, f"×{counts[clan]}", size)
            drawn += token(plate, f"witch-{CLANS[clan]}")
            x += wide[clan] + gap
        y += high + gap
    return drawn


# --- the rest ----------------------------------------------------------------------------------------------


def draw_small_card(clan: int, card: str, at: Box, size: float, *, dark: bool = False) -> str:
    """Draws a miniature card: pale in a hand, dark in the pile of a neutral clan."""
    middle, line = at.x + at.width / 2, at.y + at.height / 2 + size * 0.35
    ground = box("hb" if dark else "pa", *at.frame, 3)
    if dark:
        inner = at.inside(0.75)
        return ground + box("hl", *inner.frame, 3) + text("nt m", middle, line, card, size)
    if card != SYMBOL:
        return ground + text("in b m", middle, line, card, size)
    wide = min(at.width, at.height) * 0.82
    return ground + draw_clan_sign(clan, middle - wide / 2, at.y + (at.height - wide) / 2, wide)


def draw_place_of_played_card(at: Box) -> str:
    """Draws the place of a card that was played."""
    inner = at.inside(0.75)
    return box("hl", *inner.frame, 3, ' stroke-width="1.2" stroke-opacity=".55"')


def draw_points_in_goal(at: Box, points: int, size: float) -> str:
    """Draws points in a small goal."""
    return draw_straw_house(at) + text(
        "sx b m", at.x + at.width / 2, at.y + at.height * 0.62 + size * 0.35, str(points), size
    )


def draw_straw_house(at: Box) -> str:
    """Draws a house of straw."""
    wall, middle = at.y + at.height * 0.36, at.x + at.width / 2
    points = f"M{number(at.x)},{number(at.bottom)} V{number(wall)} L{number(middle)},{number(at.y)} "
    return f'<path class="st" d="{points}L{number(at.right)},{number(wall)} V{number(at.bottom)} Z"/>'


def draw_card_in_disc(card: str, x: float, y: float, radius: float, size: float) -> str:
    """Draws the card that leads to a place, in a moon-blue disc around this point."""
    ground = f'<circle class="tg" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>'
    return ground + text("tgx b m", x, y + size * 0.35, card, size)


def draw_die(face: int, x: float, y: float, size: float) -> str:
    """Draws the die as it fell."""
    return token(symbol(f"die-{face}", x, y, size, size), "die")


def draw_dashed_frame(classes: str, at: Box) -> str:
    """Draws a dashed frame: the place of something that has left, or would arrive."""
    return box(classes, *at.frame, 6, dashes(2, "6 4"))


def draw_region_ground(at: Box, *, acting: bool = False) -> str:
    """Draws the ground of a region; around the seat that is to act hangs the light of a lantern."""
    inner = at.inside(1.5 if acting else 0.6)
    edge = ' stroke-width="3"' if acting else ' stroke-width="1.2"'
    lines = box("gs" if acting else "hl", *inner.frame, 6, edge)
    return box("hb", *at.frame, 6) + lines
