"""The clans to choose from on a drawn board of Hexen Rennen, where the table chooses them (2.5)."""

from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.board import tiles
from pbem.games.hexen_rennen.board.seats import draw_frame_or_seal
from pbem.games.hexen_rennen.board.view import View
from pbem.games.hexen_rennen.facts_race import CLANS, SYMBOL
from pbem.kit.drawing.grid import Box
from pbem.kit.drawing.svg import text


def draw_clans_to_choose(view: View, at: Box) -> str:
    """Draws the four clans, each with its symbol and name and with who has taken it."""
    sizes = view.sizes
    gap, head = sizes.inset * 1.2, sizes.name * 1.8
    said = "" if view.scene.over else words.ALL_CHOOSE[view.lang]
    drawn = text("nt b m", at.x + at.width / 2, at.y + sizes.name, said, sizes.name) if said else ""
    below = Box(at.x, at.y + head, at.width, min(at.height - head, at.width))
    wide = below.width > below.height * 2
    rows = [below] if wide else below.rows(2, gap)
    places = [place for row in rows for place in row.columns(len(CLANS) // len(rows), gap)]
    return drawn + "".join(
        _draw_clan_to_choose(view, clan, place.inside(sizes.foot)) for clan, place in enumerate(places)
    )


def _draw_clan_to_choose(view: View, clan: int, at: Box) -> str:
    """Draws a clan: framed where it can be taken, sealed where the viewer has just taken it."""
    sizes, taken = view.sizes, view.fold.clans
    seat = taken.index(clan) if clan in taken else None
    side = min(at.height - sizes.name * 4.2, at.width * 0.62)
    middle = at.x + at.width / 2
    top = at.y + (at.height - side - sizes.name * 2.9) / 2
    drawn = tiles.draw_region_ground(at) + tiles.draw_tile_off_course(
        f"{CLANS[clan]}{SYMBOL}", Box(middle - side / 2, top, side, side)
    )
    line = top + side + sizes.name * 1.3
    drawn += text("nt b m", middle, line, words.clan_name(clan, view.lang), sizes.name)
    if seat is None:
        whose = words.FREE[view.lang]
    elif seat == view.viewer:
        whose = words.YOURS[view.lang]
    else:
        whose = f"{{{seat}:{sizes.letters(at.width - sizes.inset, sizes.text)}}}"
    drawn += text("nt m", middle, line + sizes.text * 1.4, whose, sizes.text)
    return draw_frame_or_seal(view, drawn, at, f"clan-{CLANS[clan]}", chosen=view.chosen(f"clan-{CLANS[clan]}"))
