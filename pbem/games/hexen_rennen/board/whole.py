"""The drawn board of Hexen Rennen: one viewer's fold in one language, in any shape.

Everybody's cards, the course with start and goal, and the viewer's own cards and numbers. Held upright, a phone shows
all that can be touched on its first screen, and the cards of the others below. Before the tiles are laid, the division
of the viewer's numbers replaces the course: a table of numbers and stages. Touching a field puts its number into its
stage, in any order, and away from any other; what a full stage has longest gives way. Before that, a table that chooses
its clans sees these there. There is no pad: what can be touched is on the board.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.board import seats, tiles
from pbem.games.hexen_rennen.board.clans import draw_clans_to_choose
from pbem.games.hexen_rennen.board.course import draw_course
from pbem.games.hexen_rennen.board.view import View
from pbem.games.hexen_rennen.facts_race import NUMBERS, STAGES, SYMBOL, State, letter_of_clan
from pbem.kit.contract import Scene, Viewer
from pbem.kit.drawing import board
from pbem.kit.drawing.grid import Box, Heights, grid
from pbem.kit.drawing.svg import box, linked, number, seal, symbol, text
from pbem.kit.texts import Lang

_SEATED = Heights(seats=42, table=436, mine=138, landscape=140, low=0, line=44, below=92)
_WATCHED = Heights(seats=117, table=433, mine=0, landscape=0, low=0, line=44)
_DIVIDING = Heights(seats=108, table=502, mine=0, landscape=0, low=0, line=44)
"""Before the race, when nobody has cards to play: nine rows that a finger finds."""


def draw(fold: State, viewer: Viewer, lang: Lang, scene: Scene) -> str:
    """Returns the board as the viewer sees it; a tile that the fold does not know lies face down."""
    view = View(fold, viewer, lang, scene)
    if scene.shape == "pad":
        return ""
    heights = _DIVIDING if not fold.shown else _WATCHED if viewer is None else _SEATED
    places = grid(scene.shape, heights)
    clans, low = seats.clans_seen_from(view), scene.shape == "low"
    parts = []
    if viewer is not None and low and view.plays_card:
        parts.append(seats.draw_own_hand(view, viewer, places.seats))
    elif low:
        parts.append(seats.draw_clans_in_line(view, places.seats))
    elif places.below:
        parts += (
            seats.draw_clan_heads(view, places.seats, clans[1:]),
            seats.draw_cards_of_clans(view, places.below, clans[1:]),
        )
    else:
        parts.append(seats.draw_clans(view, places.seats, clans[1:] if places.mine else clans))
    if view.shows_clans_to_choose:
        parts.append(draw_clans_to_choose(view, places.table))
    else:
        parts.append(
            draw_course(view, places.table, compact=low) if fold.shown else draw_division_table(view, places.table)
        )
    if viewer is not None and places.mine:
        parts.append(seats.draw_own_cards(view, viewer, places.mine, marked=places.you is None))
    if viewer is not None and places.you:
        parts.append(seats.draw_own_clan(view, viewer, places.you))
    called = board.label(view, words.SEEN_BY, words.SEEN_BY_ALL)
    return board.finished(view, parts, places, called, night=True)


# --- the division --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Table:
    """The places of the table: stages are columns in a tall box, else rows."""

    stages: list[Box]
    """The whole field of each stage, its heading included."""
    heads: list[Box]
    numbers: list[Box]
    """Where each number waits."""
    fields: list[list[Box]]
    """By stage and number."""


def _layout_of_division(view: View, at: Box) -> _Table:
    sizes = view.sizes
    gap = sizes.gap * 1.5
    if at.tall:
        head, wide = sizes.name * 3, sizes.touch
        columns = Box(at.x + wide + gap, at.y, at.width - wide - gap, at.height).columns(STAGES, gap)
        rows = Box(at.x, at.y + head, at.width, at.height - head - sizes.gap).rows(len(NUMBERS), sizes.gap * 0.5)
        heads = [Box(column.x, column.y, column.width, head) for column in columns]
        numbers = [Box(row.x, row.y, wide, row.height) for row in rows]
        return _Table(columns, heads, numbers, [[Box(c.x, r.y, c.width, r.height) for r in rows] for c in columns])
    head, high = sizes.touch * 2.1, min(sizes.touch * 1.5, at.height / 5)
    left, broom = at.x + head + gap, sizes.mark
    band = min(sizes.touch * 2.6, (at.height - high - 3 * broom) / STAGES)
    top = at.y + max(0, (at.height - high - STAGES * (band + broom)) / 2)
    rows = [Box(at.x, top + high + broom + n * (band + broom), at.width, band) for n in range(STAGES)]
    columns = Box(left, top, at.right - left - sizes.gap, high).columns(len(NUMBERS), sizes.gap * 0.8)
    inner = [row.inside(sizes.gap * 0.8) for row in rows]
    heads = [Box(row.x, row.y, head, row.height) for row in rows]
    return _Table(rows, heads, columns, [[Box(c.x, r.y, c.width, r.height) for c in columns] for r in inner])


def draw_division_table(view: View, at: Box) -> str:
    """Draws the table, with the viewer's numbers where they have put them."""
    where, placed = _layout_of_division(view, at), _stages_by_number(view)
    parts = [_draw_stage(view, stage, where) for stage in range(1, STAGES + 1)]
    if not at.tall:
        for above, below in zip(where.stages, where.stages[1:], strict=False):
            wide = min(at.width * 0.4, (below.y - above.bottom) * 9)
            y = (above.bottom + below.y) / 2 - wide * 0.06
            parts.append(symbol("broom", at.x + (at.width - wide) / 2, y, wide, wide * 0.12))
    if view.viewer is None:
        return "".join(parts) + "".join(_draw_sixteen_empty_places(view, fields) for fields in where.fields)
    for n, waiting, *fields in zip(NUMBERS, where.numbers, *where.fields, strict=True):
        parts.append(_draw_number_at_place(view, n, placed.get(n), waiting, fields))
    return "".join(parts)


def _stages_by_number(view: View) -> Mapping[int, int]:
    """Returns the stage of each placed number: chosen step by step, or as the fold knows it."""
    steps = (step.partition("-") for step in view.scene.chosen)
    placed = {int(n): int(stage) for stage, _, n in steps if stage.isdigit()}
    if view.viewer is not None:
        for stage, numbers in enumerate(view.fold.stages[view.viewer] or (), 1):
            placed |= {n: stage for n in numbers if n is not None}
    return placed


def _draw_stage(view: View, stage: int, where: _Table) -> str:
    """Draws the field of a stage, with the symbol that always lies there."""
    sizes, head = view.sizes, where.heads[stage - 1]
    first = 16 * (stage - 1) + 1
    parts = [tiles.draw_region_ground(where.stages[stage - 1])]
    side = min(head.height * 0.62, head.width * 0.3)
    x, middle = head.x + sizes.gap, head.y + head.height / 2
    said = (words.STAGE[view.lang].format(stage), f"{first}–{first + 15}")
    if not head.tall and head.width > head.height * 1.2:
        if view.viewer is not None:
            parts.append(
                tiles.draw_tile_off_course(
                    f"{letter_of_clan(view.fold, view.viewer)}{SYMBOL}", Box(x, middle - side / 2, side, side)
                )
            )
            x += side + sizes.gap * 1.2
        parts.append(text("nt b", x, middle - sizes.name * 0.12, said[0], sizes.name))
        parts.append(text("nt", x, middle + sizes.text * 1.05, said[1], sizes.text))
        return "".join(parts)
    x, side = head.x + head.width / 2, min(sizes.touch, head.height * 0.44)
    top = head.y + (head.height - sizes.name - sizes.text * 1.5 - side) / 2
    parts.append(text("nt b m", x, top + sizes.name * 0.75, said[0], sizes.name))
    parts.append(text("nt m", x, top + sizes.name + sizes.text * 0.95, said[1], sizes.text))
    if view.viewer is not None:
        mark = Box(x - side / 2, top + sizes.name + sizes.text * 1.5, side, side)
        parts.append(tiles.draw_tile_off_course(f"{letter_of_clan(view.fold, view.viewer)}{SYMBOL}", mark))
    return "".join(parts)


def _draw_sixteen_empty_places(view: View, fields: list[Box]) -> str:
    """Draws the sixteen places of a stage, for those who do not know what will lie there."""
    first, last, gap = fields[0], fields[-1], view.sizes.gap
    at = Box(first.x, first.y, last.right - first.x, last.bottom - first.y).inside(gap)
    places = [place for row in at.rows(8 if at.tall else 2, gap) for place in row.columns(2 if at.tall else 8, gap)]
    side = min(places[0].width, places[0].height)
    return "".join(
        tiles.draw_dashed_frame("hl", Box(p.x + (p.width - side) / 2, p.y + (p.height - side) / 2, side, side))
        for p in places
    )


def _draw_number_at_place(view: View, n: int, stage: int | None, waiting: Box, fields: list[Box]) -> str:
    """Draws a number where it is, and the fields to which it can go."""
    name, drawn = f"{letter_of_clan(view.fold, view.viewer or 0)}{n}", ""
    if stage is None:
        drawn += tiles.draw_tile_off_course(name, _square_in_box(waiting, view.sizes.gap * 0.5))
    elif _was_just_placed(view, n):
        drawn += tiles.draw_dashed_frame("sn", _square_in_box(waiting, view.sizes.gap))
    for to, field in enumerate(fields, 1):
        drawn += (
            _draw_number(view, name, field, sealed=_was_just_placed(view, n))
            if to == stage
            else _draw_field_open_to_number(view, n, to, field)
        )
    return drawn


def _was_just_placed(view: View, n: int) -> bool:
    """True if the viewer has just placed the number."""
    return any(step.endswith(f"-{n}") for step in view.scene.chosen)


def _square_in_box(at: Box, margin: float) -> Box:
    side = min(at.width, at.height) - 2 * margin
    return Box(at.x + (at.width - side) / 2, at.y + (at.height - side) / 2, side, side)


def _draw_number(view: View, name: str, at: Box, *, sealed: bool) -> str:
    """Draws a number in its stage, framed and sealed if the viewer has just placed it."""
    edge, foot = view.sizes.frame * 0.7, view.sizes.foot * 0.5
    inner = _square_in_box(Box(at.x, at.y, at.width, at.height - foot), edge * 1.4)
    drawn = tiles.draw_tile_off_course(name, inner)
    if not sealed:
        return drawn
    frame = box("se", *inner.around(edge, foot), 8)
    size = inner.width * 0.46
    return frame + drawn + seal(inner.right - size * 0.85, inner.bottom - size * 0.85, size)


def _draw_field_open_to_number(view: View, n: int, stage: int, at: Box) -> str:
    """Draws an empty field; with a + if the number can go there."""
    link = view.link(f"{stage}-{n}")
    if link is None:
        return ""
    inner, x, y, arm = at.inside(1.5), at.x + at.width / 2, at.y + at.height / 2, view.sizes.text * 0.4
    plus = f"M{number(x - arm)},{number(y)} h{number(2 * arm)} M{number(x)},{number(y - arm)} v{number(2 * arm)}"
    ground = box("ng", *at.frame, 6, ' fill-opacity="0"')
    return linked(
        tiles.draw_dashed_frame("ml", inner) + f'<path class="ml" d="{plus}" stroke-width="2.4"/>', link, ground
    )
